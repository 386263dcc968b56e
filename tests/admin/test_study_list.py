"""The list of studies: found by words, state and owner, sorted, by pages, with tags and what waits for the reader."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, event
from sqlmodel import Session, col, select

from app.accounts.logins import Who
from app.core.database import Database
from app.studies.drafts import create_study
from app.studies.finding import Sort, StudySearch, find_studies, matching
from app.studies.tags import BadTag, checked_tags, set_tags
from app.trials.tables import State, Study
from tests.admin.persons import Person, Program

pytestmark = pytest.mark.any_database
AT = datetime(2026, 11, 1, tzinfo=UTC)


def _make(
    session: Session, who: Who, slug: str, at: int, state: State = State.DRAFT, tags: tuple[str, ...] = ()
) -> None:
    keys = {"study": slug, "title": f"The {slug} study", "target": 10 * at}
    here = create_study(session, who, slug, keys, AT + timedelta(days=at))
    set_tags(session, who.actor, here, tags, AT + timedelta(days=at))
    row = session.exec(select(Study).where(col(Study.id) == here.id)).one()
    row.state = state
    session.add(row)
    session.flush()


def _slugs(session: Session, who: Who, **asked: object) -> list[str]:
    return [line.slug for line in matching(session, who, StudySearch(**asked))]  # type: ignore[arg-type]


def test_studies_are_found_by_title_tag_owner_and_state_and_sorted(
    database: Database, owner: Person, editor: Person
) -> None:
    with database.transaction() as session:
        _make(session, owner.who, "faces", 1, State.LIVE, ("Video", "pilot lab"))
        _make(session, editor.who, "driving", 2, State.LIVE)
        _make(session, editor.who, "walks", 3)
        _make(session, owner.who, "hands", 4, State.CLOSED, ("video",))
        who = owner.who
        assert _slugs(session, who) == ["hands", "walks", "driving", "faces"]
        assert _slugs(session, who, q="VIDEO") == ["hands", "faces"]
        assert _slugs(session, who, q="study faces") == ["faces"]
        assert _slugs(session, who, q=editor.email.partition("@")[0]) == ["walks", "driving"]
        assert _slugs(session, who, owner="me") == ["hands", "faces"]
        assert _slugs(session, who, owner=editor.email, state="live") == ["driving"]
        assert _slugs(session, who, sort=Sort.TITLE) == ["driving", "faces", "hands", "walks"]
        assert _slugs(session, who, sort=Sort.MISSING)[:2] == ["driving", "faces"]
        assert _slugs(session, editor.who) == ["walks", "driving"]  # nothing that is not shared with them


def test_what_waits_is_the_readers_own_that_go_on_only_by_them(
    database: Database, owner: Person, editor: Person
) -> None:
    with database.transaction() as session:
        for at, state in enumerate(State, start=1):
            _make(session, owner.who, f"mine-{state}", at, state)
        _make(session, editor.who, "theirs", 9)
        assert sorted(_slugs(session, owner.who, is_waiting=True)) == ["mine-draft", "mine-paused"]
    html = owner.get("/admin").text
    assert "2 of 6 take people in now." in html
    assert re.search(r'<a href="/admin\?waiting=1">2 of yours wait for you</a>', html)
    assert html.count('<tr id="row-') == 6
    assert owner.get("/admin?waiting=1").text.count('<tr id="row-') == 2


def test_sixty_studies_are_twenty_rows_then_forty_more_and_pages_without_a_script(
    database: Database, owner: Person
) -> None:
    with database.transaction() as session:
        for at in range(60):
            _make(session, owner.who, f"study-{at:02}", at + 1, State.CLOSED)
        page = find_studies(session, owner.who, StudySearch(page=3))
        assert (page.first, page.last, page.found, page.n_pages) == (41, 60, 60, 3)
        assert find_studies(session, owner.who, StudySearch(page=99)).first == 41
    html = owner.get("/admin").text
    assert html.count('<tr id="row-') == 20
    assert "1 to 20 of 60" in html
    more = re.search(r'href="(/admin\?show=60)#row-21">Show 40 more', html)
    assert more
    assert owner.get(more[1]).text.count('<tr id="row-') == 60
    assert "study-00" in owner.get("/admin?page=3").text
    assert "Show" in html
    assert "Show 40 more" not in owner.get(more[1]).text


MOST_STATEMENTS = (
    12  # of a draft more in the list: its next step reads the draft, what it may show, and its collections
)


def test_a_draft_in_the_list_costs_few_statements(database: Database, owner: Person) -> None:
    def statements(n: int) -> int:
        with database.transaction() as session:
            for at in range(n):
                _make(session, owner.who, f"of-{n}-{at}", at + 1)
        owner.get("/admin")
        found: list[str] = []

        def count(connection: object, cursor: object, statement: str, *more: object) -> None:
            found.append(statement)

        event.listen(Engine, "before_cursor_execute", count)
        try:
            assert f"of-{n}-0" in owner.get("/admin").text
        finally:
            event.remove(Engine, "before_cursor_execute", count)
        return len(found)

    few, many = statements(2), statements(10)
    assert (many - few) / 10 <= MOST_STATEMENTS, (few, many)


def test_what_cannot_be_looked_for_is_said_and_the_list_still_shown(
    owner: Person, api: Program, study: str
) -> None:
    for query in ("state=odd", "sort=odd", f"q={'x' * 300}"):
        html = owner.get(f"/admin?{query}").text
        assert 'role="alert"' in html
        assert '<tr id="row-1">' in html
    assert "No study is found." in owner.get("/admin?q=nobody").text
    assert owner.get("/admin?page=x&show=-3").status_code == 200
    for query in ("state=odd", "sort=odd"):
        assert api.get(f"/studies?{query}").status_code == 422


def test_tags_are_set_on_the_overview_found_in_the_list_and_kept_once(
    owner: Person, api: Program, study: str
) -> None:
    shown = owner.post(f"/admin/studies/{study}/tags", {"tags": " Faces,faces , lab  two,"})
    assert 'value="Faces, lab two"' in shown.text
    assert '<a class="tag" href="/admin?q=lab%20two" title="lab two">lab two</a>' in owner.get("/admin").text
    long = owner.post(f"/admin/studies/{study}/tags", {"tags": "x" * 41})
    assert (long.status_code, "is too long; 40 characters" in long.text) == (422, True)
    put = api.put(f"/studies/{study}/tags", json={"tags": ["b", "A"]})
    assert (put.status_code, put.json()) == (200, {"tags": ["A", "b"]})
    [line] = api.get("/studies?q=a").json()
    assert (line["tags"], line["slug"]) == (["A", "b"], study)
    assert api.put(f"/studies/{study}/tags", json={"tags": ["a,b"]}).status_code == 422
    with pytest.raises(BadTag, match="at most 10"):
        checked_tags(map(str, range(11)))


def test_a_row_has_two_tags_and_a_button_that_shows_all_of_them(owner: Person, study: str) -> None:
    owner.post(f"/admin/studies/{study}/tags", {"tags": "a, b"})
    assert 'popovertarget="tags-' not in owner.get("/admin").text
    owner.post(f"/admin/studies/{study}/tags", {"tags": "a, b, c, d, e"})
    row, _, all_tags = owner.get("/admin").text.partition('<tr id="row-1">')[2].partition(" popover>")
    assert re.findall(r'<a class="tag"[^>]*>([^<]*)', row) == ["a", "b"]
    assert 'popovertarget="tags-1">+3 more<' in row
    assert re.findall(r'<a class="tag"[^>]*>([^<]*)', all_tags.partition("</th>")[0]) == [*"abcde"]


def test_an_old_address_of_the_archived_studies_still_shows_them(owner: Person, study: str) -> None:
    assert "No study is archived" in owner.get("/admin?archived=1").text
