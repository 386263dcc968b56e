"""The page of the library over HTTP: searched, paged, and many of it acted on at once, without a script."""

import re
from typing import Any

import pytest
from sqlalchemy import event
from sqlmodel import col, select

from app.accounts.tables import AuditEntry
from app.catalog.filling import set_frame
from app.core.database import Database
from app.library.collections import make_collection
from app.library.tables import Stimulus
from app.studies.access import study_for
from app.studies.archiving import archive
from app.studies.drafts import create_study, draft_for
from tests.admin.conftest import ShareWith
from tests.admin.persons import Person
from tests.factories import NOW, study_file
from tests.kept import Kept
from tests.studies.clips import Clip, add_clips

pytestmark = pytest.mark.any_database

HERE = "/admin/stimuli"
MANY: list[Clip] = [
    (f"clip-{n}", "human" if n % 2 else "hybrid", {"goal": f"g{n % 7}", "note": "100% & 'so'"})
    for n in range(600)
]


@pytest.fixture
def many(owner: Person, database: Database, kept: Kept) -> Person:
    """The owner, with 600 clips."""

    def add() -> None:
        with database.transaction() as session:
            add_clips(session, MANY)

    kept.once(database, add)
    return owner


def names(html: str) -> list[str]:
    return re.findall(r'name="clip\.([^"]+)"', html)


def act(person: Person, do: str, *chosen: str, **fields: str) -> Any:
    ticked = {f"clip.{name}": "yes" for name in chosen}
    return person.post(f"{HERE}/chosen", {"do": do, "back": HERE, **ticked, **fields}, follow_redirects=False)


def facts(database: Database, *wanted: str) -> list[tuple[str, dict[str, str]]]:
    with database.reading() as session:
        rows = session.exec(
            select(Stimulus).where(col(Stimulus.name).in_(wanted)).order_by(Stimulus.name)
        ).all()
    return [(row.source, row.attributes) for row in rows]


def test_six_hundred_clips_are_twenty_then_forty_more_and_pages_beside_without_a_script(many: Person) -> None:
    page = many.get(HERE).text
    assert names(page) == [f"clip-{n}" for n in range(20)]
    assert "1 to 20 of 600" in page
    more = re.search(r'href="([^"#]+)#more" data-more>Show 40 more', page)
    assert more
    assert names(many.get(more[1].replace("&amp;", "&")).text) == [f"clip-{n}" for n in range(60)]
    assert 'rel="next" href="/admin/stimuli?page=2"' in page
    last = many.get(f"{HERE}?page=30").text
    assert names(last) == [f"clip-{n}" for n in range(580, 600)]
    assert "data-more" not in last
    assert 'rel="next"' not in last
    assert names(many.get(f"{HERE}?page=29&show=60").text)[-1] == "clip-599"


def test_a_search_is_an_address_that_keeps_view_source_words_and_attribute(many: Person) -> None:
    page = many.get(f"{HERE}?q=clip&source=human&a.goal=g1&sort=-duration_s&view=table&page=2").text
    assert "21 to 40 of 43" in page
    assert len(names(page)) == 20
    assert "<table" in page
    kept = "q=clip&amp;source=human&amp;a.goal=g1&amp;sort=-duration_s&amp;view=table"
    assert f'href="{HERE}?{kept}&amp;page=3"' in page
    hybrid = kept.replace("source=human", "source=hybrid")
    assert f'href="{HERE}?{hybrid}">hybrid <span>43<span class="vh"> clips</span></span>' in page
    assert f'href="{HERE}?{kept.replace("&amp;a.goal=g1", "")}">goal: g1' in page
    assert f'href="{HERE}?{kept.replace("&amp;view=table", "")}&amp;page=2">Pictures' in page
    for name, value in (("source", "human"), ("a.goal", "g1"), ("view", "table")):
        assert f'type="hidden" name="{name}" value="{value}"' in page
    assert "goal" not in re.findall(r'<select id="([^"]+)"', page), "no menu of its own for an attribute"


def test_odd_characters_and_numbers_in_the_address_are_looked_for_or_left_alone(many: Person) -> None:
    for query, n in {
        "q=%25": 600,
        "q=_": 0,
        "q=%27so%27": 600,
        "q=goal%3Dg1+%F0%9F%98%80": 0,
        "q=%22%3Cscript%3Ealert(1)": 0,
        "source=%00": 0,
        "a.%00=%00": 0,
        "sort=%00": 600,
        "page=x": 600,
        "page=-3": 600,
        "page=99999999999": 600,
        "show=999999": 600,
        "view=odd": 600,
    }.items():
        reply = many.get(f"{HERE}?{query}")
        assert reply.status_code == 200, query
        assert (f"of {n}" in reply.text) if n else ("Nothing fits" in reply.text), query
        assert "<script>alert" not in reply.text


def test_many_get_a_source_an_attribute_or_lose_it_at_once(many: Person, database: Database) -> None:
    chosen = ("clip-1", "clip-2")
    saved = act(many, "source", *chosen, to_source=" diffusion ", back=f"{HERE}?q=clip")
    assert (saved.status_code, saved.headers["location"]) == (303, f"{HERE}?q=clip&said=saved")
    assert [source for source, _ in facts(database, *chosen)] == ["diffusion", "diffusion"]
    act(many, "attribute", *chosen, key="level", value="ö <hard>")
    assert [attributes["level"] for _, attributes in facts(database, *chosen)] == ["ö <hard>"] * 2
    act(many, "attribute", *chosen, key="level", value="")
    assert ["level" in attributes for _, attributes in facts(database, *chosen)] == [False] * 2
    with database.reading() as session:
        entries = session.exec(select(AuditEntry).where(AuditEntry.action == "stimuli.edit")).all()
    assert [set(entry.after) for entry in entries] == [set(chosen)] * 3


def test_all_that_fit_are_meant_where_that_is_ticked_and_still_as_many(
    many: Person, database: Database
) -> None:
    fitting = {"back": f"{HERE}?q=goal%3Dg1&source=human", "all": "yes"}
    for n_found in ("", "x", "42", "600"):
        late = act(many, "attribute", n_found=n_found, key="level", value="1", **fitting)
        assert (late.status_code, "43 clips fit now" in late.text) == (409, True)
    assert act(many, "attribute", n_found="43", key="level", value="1", **fitting).status_code == 303
    with database.reading() as session:
        rows = session.exec(select(Stimulus)).all()
    given = [row for row in rows if row.attributes.get("level") == "1"]
    assert len(given) == 43
    assert {(row.source, row.attributes["goal"]) for row in given} == {("human", "g1")}


REFUSED: list[tuple[str, tuple[str, ...], dict[str, str], int, str]] = [
    ("source", ("clip-1", "nobody"), {"to_source": "x"}, 404, "called &#39;nobody&#39;"),
    ("source", (), {"to_source": "x"}, 422, "No clip is chosen"),
    ("source", ("clip-1",), {"to_source": ""}, 422, "The source is missing"),
    ("source", ("clip-1",), {"to_source": "a b"}, 422, "is not allowed"),
    ("attribute", ("clip-1", "\x00"), {"key": "k", "value": "v"}, 404, "There is no clip"),
    ("attribute", ("clip-1",), {"key": "name", "value": "v"}, 422, "cannot be called"),
    ("attribute", ("clip-1",), {"key": "", "value": "v"}, 422, "name it"),
    ("attribute", ("clip-1",), {"key": "k", "value": "x" * 2001}, 422, "more than 2000 characters"),
    ("delete", ("clip-1", "nobody"), {}, 404, "Nothing was changed"),
    ("delete", ("clip-1", "clip-2"), {}, 409, "is used in the draft of nav"),
    ("pair", ("clip-1", "clip-2", "clip-3"), {"study": "nav"}, 422, "A pair is two clips"),
    ("pair", ("clip-1", "nobody"), {"study": "nav"}, 404, "There is no clip"),
    ("pair", ("clip-1", "clip-2"), {"study": "other"}, 404, "There is no study"),
    ("", ("clip-1",), {}, 422, "Say what to do"),
    ("explode", ("clip-1",), {}, 422, "Say what to do"),
]


def test_what_cannot_be_done_to_one_is_done_to_none_and_said(many: Person, database: Database) -> None:
    with database.transaction() as session:
        create_study(session, many.who, "nav", {"pairs": "pair,a,b\np1,clip-2,clip-4\n"}, NOW)
        before = [(row.name, row.source, row.attributes) for row in session.exec(select(Stimulus))]
    for do, chosen, fields, status, said in REFUSED:
        reply = act(many, do, *chosen, **fields)
        assert (reply.status_code, said in reply.text) == (status, True), (do, chosen)
    with database.reading() as session:
        assert [(row.name, row.source, row.attributes) for row in session.exec(select(Stimulus))] == before


def test_many_are_deleted_with_a_record_of_each(many: Person, database: Database) -> None:
    gone = act(many, "delete", "clip-1", "clip-2", "clip-3")
    assert gone.headers["location"] == f"{HERE}?said=deleted"
    assert facts(database, "clip-1", "clip-2", "clip-3") == []
    with database.reading() as session:
        entries = session.exec(select(AuditEntry.subject).where(AuditEntry.action == "stimulus.delete")).all()
    assert sorted(entries) == ["clip-1", "clip-2", "clip-3"]


def test_two_chosen_clips_come_to_a_study_as_a_pair(many: Person, database: Database) -> None:
    keys = study_file()
    keys.pop("sample")
    with database.transaction() as session:
        create_study(session, many.who, "nav", keys, NOW)
    there = act(many, "pair", "clip-1", "clip-2", study="nav").headers["location"]
    assert there == "/admin/studies/nav/pairs/pick?a=clip-1&b=clip-2"
    page = many.get(there).text
    assert re.search(r'name="a" value="clip-1" required checked', page)
    revision = re.findall(r'name="revision" value="(\d+)"', page)[0]
    many.post("/admin/studies/nav/pairs/pick", {"a": "clip-1", "b": "clip-2", "revision": revision})
    with database.reading() as session:
        assert "clip-1,clip-2" in draft_for(session, study_for(session, many.who, "nav")).keys["pairs"]


def test_somebody_who_does_not_see_a_clip_or_may_not_edit_acts_on_none(
    many: Person, editor: Person, viewer: Person, share_with: ShareWith, database: Database
) -> None:
    assert act(editor, "delete", "clip-1").status_code == 404
    assert act(viewer, "delete", "clip-1").status_code == 403
    assert "data-tick" not in viewer.get(HERE).text
    assert len(facts(database, "clip-1")) == 1


def test_the_table_of_what_fits_holds_that_alone(many: Person) -> None:
    page = many.get(f"{HERE}?q=goal%3Dg1&source=human").text
    assert f'href="{HERE}.csv?q=goal%3Dg1&amp;source=human" download' in page
    assert len(many.get(f"{HERE}.csv?q=goal%3Dg1&source=human").text.splitlines()) == 44
    assert len(many.get(f"{HERE}.csv").text.splitlines()) == 601


def test_a_table_that_changes_many_shows_twenty_and_the_rest_folded(many: Person, database: Database) -> None:
    table = many.get(f"{HERE}.csv").text.replace("g1", "g9")
    look = many.post(f"{HERE}.csv", {}, files=[("file", ("stimuli.csv", table.encode()))]).text
    assert "86 changes to 86 clips" in look
    seen, folded = look.split("<summary>Show 66 more</summary>")
    assert (seen.count("<ins>g9"), folded.count("<ins>g9")) == (20, 66)
    wrong = many.post(
        f"{HERE}.csv", {}, files=[("file", ("stimuli.csv", table.replace("clip-", "no-").encode()))]
    )
    assert "<summary>Show 180 more</summary>" in wrong.text
    assert {attributes["goal"] for _, attributes in facts(database, "clip-1")} == {"g1"}


def test_the_page_asks_the_database_as_often_for_sixty_clips_and_thirty_studies_as_for_few(
    many: Person, database: Database
) -> None:
    statements: list[str] = []

    @event.listens_for(database._read_engine, "before_cursor_execute")
    def note(_c: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(statement)

    def asked_by(address: str) -> list[str]:
        """The least of three: the service asks on its own behalf now and then."""
        asked = []
        for _ in range(3):
            statements.clear()
            assert many.get(address).status_code == 200
            asked.append([statement.split("FROM")[-1][:60] for statement in statements])
        return min(asked, key=len)

    few = asked_by(HERE)
    with database.transaction() as session:
        for n in range(30):
            create_study(session, many.who, f"study-{n}", {"pairs": f"pair,a,b\np1,clip-{n},clip-40\n"}, NOW)
    assert "in 1 study" in many.get(HERE).text
    now = asked_by(f"{HERE}?show=60&view=table")
    assert len(now) <= len(few) + 1, (few, now)  # the drafts of the studies, in one statement
    assert "in 30 studies" in many.get(f"{HERE}?show=60&view=table").text


def test_clips_are_moved_to_a_collection_and_found_by_it(many: Person, database: Database) -> None:
    with database.transaction() as session:
        make_collection(session, "Walks of 2025", NOW)
    assert act(many, "move", "clip-1", "clip-2", to_collection="walks-of-2025").status_code == 303
    page = many.get(f"{HERE}?collection=walks-of-2025").text
    assert names(page) == ["clip-1", "clip-2"]
    assert 'aria-current="true">Walks of 2025 <span>2<span class="vh"> clips</span>' in page
    assert f'href="{HERE}?collection=library">' in page
    for slug in ("", "nowhere", "\x00", "' OR 1=1"):
        assert act(many, "move", "clip-3", to_collection=slug).status_code in (404, 422)
    with database.reading() as session:
        (entry,) = session.exec(select(AuditEntry).where(AuditEntry.action == "stimuli.move"))
    assert (entry.before["clip-1"], entry.after["clip-2"]) == ("library", "walks-of-2025")


def test_a_collection_that_somebody_does_not_see_takes_no_clip_of_theirs(
    editor: Person, database: Database
) -> None:
    with database.transaction() as session:
        make_collection(session, "Secret", NOW)
        add_clips(session, [("mine", "human", {})])
        session.exec(select(Stimulus)).one().uploaded_by = editor.who.user_id
    assert act(editor, "move", "mine", to_collection="secret").status_code == 404


def test_two_are_paired_in_a_study_chosen_by_title_and_not_in_an_archived_one(
    owner: Person, database: Database
) -> None:
    with database.transaction() as session:
        add_clips(session, MANY[:3])
        for slug, title in (("b", "Corridors"), ("a", "Corridors"), ("c", "A walk"), ("old", "Gone")):
            create_study(session, owner.who, slug, study_file(study=slug, title=title), NOW)
        archive(session, owner.who.actor, study_for(session, owner.who, "old"), NOW)
    chosen = owner.get(HERE).text
    chosen = chosen[chosen.index('<select id="to-study"') :]
    assert re.findall(r'<option value="([^"]*)">([^<]*)', chosen[: chosen.index("</select>")]) == [
        ("c", "A walk"),
        ("a", "Corridors (a)"),
        ("b", "Corridors (b)"),
    ]


def test_moved_clips_are_said_to_keep_their_rules_with_the_button_that_applies_the_new_ones(
    owner: Person, editor: Person, database: Database, share_with: ShareWith
) -> None:
    with database.transaction() as session:
        add_clips(session, MANY[:3])
        study = create_study(session, owner.who, "nav", {}, NOW, None, ())
        set_frame(session, owner.who, "nav", 64, 48, NOW)
        uploaded = session.exec(select(Stimulus).where(Stimulus.name == "clip-2")).one()
        uploaded.uploaded_by = editor.who.user_id
    moved = act(owner, "move", "clip-0", "clip-1", to_collection=study.slug)
    assert moved.headers["location"] == f"{HERE}?said=moved&moved=nav"
    page = owner.get(moved.headers["location"]).text
    assert "2 clips of nav were processed by other rules" in " ".join(page.split())
    assert "moved clips keep the rules" in page
    share_with(editor)
    theirs = editor.get(act(editor, "move", "clip-2", to_collection="nav").headers["location"]).text
    assert "3 clips of nav were" in theirs
    applied = editor.post(f"{HERE}/rules/apply", {"collection": "nav"})
    assert "All clips of nav are being processed again" in applied.text
    assert editor.post(f"{HERE}/rules/apply", {"collection": "nav"}).status_code == 409
    assert editor.post(f"{HERE}/rules/apply", {"collection": ""}).status_code == 403


def test_a_clip_that_an_editor_may_not_change_is_shown_with_the_reason_and_without_a_form(
    owner: Person, editor: Person, viewer: Person, database: Database, share_with: ShareWith
) -> None:
    with database.transaction() as session:
        lab = make_collection(session, "Lab", NOW, is_open=True)
        add_clips(session, MANY[:1], lab.id or 0)
    form = 'action="/admin/stimuli/clip-0/edit"'
    assert form in owner.get(f"{HERE}/clip-0/edit").text
    for person, reason in (
        (editor, "clip-0 is in an open collection: you can use it, and an owner changes it."),
        (viewer, "Your role is viewer"),
    ):
        page = person.get(f"{HERE}/clip-0/edit").text
        assert reason in page
        assert "<dt>goal</dt>" in page
        assert form not in page
        assert "Delete this clip" not in page
