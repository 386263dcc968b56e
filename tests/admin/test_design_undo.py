"""The draft's last changes undone and done again, and two editors at once: merged, or both versions shown."""

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import func, select

from app.accounts.logins import Who
from app.accounts.tables import Role, User
from app.admin.design.clashing import clash_views
from app.core.database import Database
from app.core.problems import Place
from app.studies import undoing
from app.studies.access import StudyHere
from app.studies.drafts import draft_for, replace_draft
from app.studies.file.yamlpatch import WrittenFile
from app.studies.merging import Clash
from app.studies.tables import DraftChange
from app.trials.tables import State, Study, StudyVersion
from tests.admin.persons import Person
from tests.admin.test_design import draft_of, form_on
from tests.factories import NOW, load_file

pytestmark = [pytest.mark.any_database, pytest.mark.usefixtures("study")]
HERE = "/admin/studies/nav/design"
DRAFT = "/admin/studies/nav/draft"


@pytest.fixture
def other(make_person: Callable[..., Person], share_with: Callable[..., None]) -> Person:
    person = make_person(Role.EDITOR, "grace@example.org")
    share_with(person)
    return person


def change(person: Person, section: str, **fields: str) -> None:
    form = form_on(person.get(f"{HERE}/{section}").text)
    named = {name.replace("__", "."): value for name, value in fields.items()}
    assert person.post(f"{HERE}/{section}", {**form, **named}).status_code == 200


def step(person: Person, way: str, section: str = "study") -> str:
    form = form_on(person.get(f"{HERE}/{section}").text)
    sent = {"revision": form["revision"], "section": section}
    reply = person.post(f"{DRAFT}/{way}", sent, follow_redirects=False)
    return str(reply.headers.get("location", reply.status_code))


def can(page: str, way: str) -> str:
    """The change that a button acts on; empty where there is none."""
    button = re.search(rf"<button [^>]*data-{way}[^>]*>", page)
    assert button
    named = re.search(r'title="(?:Undo|Redo): ([^"]+)"', button[0])
    assert bool(named) == (" disabled" not in button[0])
    return html.unescape(named[1]) if named else ""


def test_changes_are_undone_and_done_again_and_lead_to_their_place(owner: Person, database: Database) -> None:
    assert can(owner.get(f"{HERE}/end").text, "undo") == ""
    change(owner, "study", title="One")
    change(owner, "end", completion__code="TWO")
    change(owner, "questions", action="remove:trials.questions.1")
    both = draft_of(database)
    page = owner.get(f"{HERE}/end").text
    assert (can(page, "undo"), can(page, "redo")) == ("Questions", "")
    assert step(owner, "undo") == f"{HERE}/questions?said=undone#trials.questions"
    assert len(draft_of(database)["trials"]["questions"]) == 3
    assert step(owner, "undo") == f"{HERE}/end?said=undone#completion.code"
    assert step(owner, "undo", "all") == f"{HERE}/all?said=undone#title"
    assert draft_of(database)["title"] != "One"
    assert step(owner, "undo") == "409"
    page = owner.get(f"{HERE}/end").text
    assert (can(page, "undo"), can(page, "redo")) == ("", "The study: Title")
    for _ in range(3):
        step(owner, "redo")
    assert draft_of(database) == both
    assert step(owner, "redo") == "409"
    step(owner, "undo")
    change(owner, "study", title="Another")
    assert can(owner.get(f"{HERE}/end").text, "redo") == ""
    assert draft_of(database)["completion"]["code"] == "TWO"


def test_what_is_typed_in_one_place_is_one_change_and_only_the_last_ones_are_kept(
    owner: Person, database: Database, exhaustive: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = undoing.MOST_CHANGES if exhaustive else 5
    monkeypatch.setattr(undoing, "MOST_CHANGES", most)
    before = owner.get(f"{HERE}/study").text
    revision = int(form_on(before)["revision"])
    for length in range(1, 9):
        body = {"revision": revision, "fields": {"title": "Who walks"[:length]}}
        revision = owner.send("POST", f"{DRAFT}?section=study", body).json()["revision"]
    step(owner, "undo")
    assert form_on(owner.get(f"{HERE}/study").text)["title"] == form_on(before)["title"]
    for n in range(most + 2):
        name = "title" if n % 2 else "completion.code"
        body = {"revision": revision + 1 + n, "fields": {name: f"x{n}"}}
        assert owner.send("POST", DRAFT, body).status_code == 200
    with database.reading() as session:
        assert session.exec(select(func.count()).select_from(DraftChange)).one() == most
    for _ in range(most):
        assert "undone" in step(owner, "undo")
    assert step(owner, "undo") == "409"


def design_now(database: Database) -> dict[str, Any]:
    """The draft, or the newest version where nothing was changed since."""
    with database.reading() as session:
        nav = session.exec(select(Study).where(Study.slug == "nav")).one()
        return draft_for(session, StudyHere(nav.id or 0, nav.slug, State(nav.state))).keys


def save(person: Person, reason: str = "") -> None:
    form = form_on(person.get(f"{HERE}/study").text)
    person.post("/admin/studies/nav/versions", {"revision": form["revision"], "reason": reason})


def versions(database: Database) -> list[tuple[int, str]]:
    with database.reading() as session:
        return [*session.exec(select(StudyVersion.number, StudyVersion.sha256))]


def test_undo_goes_back_over_a_saved_version_which_stays_and_forward_again(
    owner: Person, database: Database
) -> None:
    title = design_now(database)["title"]
    change(owner, "study", title="One")
    change(owner, "end", completion__code="ONE")
    save(owner)
    saved = versions(database)
    change(owner, "study", title="Two")
    save(owner)
    assert (versions(database) != saved, design_now(database)["title"]) == (True, "Two")
    saved = versions(database)
    assert can(owner.get(f"{HERE}/study").text, "undo") == "The study: Title"
    assert step(owner, "undo") == f"{HERE}/study?said=undone#title"
    assert design_now(database)["title"] == "One", "a change of the draft"
    assert step(owner, "undo") == f"{HERE}/end?said=undone#completion.code"
    assert "undone" in step(owner, "undo")
    before = design_now(database)
    assert (before["title"], before.get("completion", {}).get("code") != "ONE") == (title, True)
    assert step(owner, "undo") == "409"
    assert versions(database) == saved
    for _ in range(3):
        assert "redone" in step(owner, "redo")
    assert (design_now(database)["title"], design_now(database)["completion"]["code"]) == ("Two", "ONE")
    assert step(owner, "redo") == "409"
    save(owner)
    assert versions(database) == saved, "the same design is no other version"
    step(owner, "undo")
    save(owner)
    assert "redone" in step(owner, "redo"), "what was undone can be done again after a version, too"
    assert design_now(database)["title"] == "Two"


def test_changes_that_were_given_up_come_back_by_undo(owner: Person, database: Database) -> None:
    change(owner, "study", title="One")
    save(owner)
    change(owner, "study", title="Two")
    revision = form_on(owner.get(f"{HERE}/study").text)["revision"]
    owner.post("/admin/studies/nav/draft/drop", {"revision": revision})
    assert design_now(database)["title"] == "One"
    step(owner, "undo")
    assert design_now(database)["title"] == "Two"
    step(owner, "redo")
    assert design_now(database)["title"] == "One"


def test_a_version_from_elsewhere_ends_what_can_be_undone(
    owner: Person, database: Database, tmp_path: Path
) -> None:
    change(owner, "study", title="One")
    with database.transaction() as session:
        load_file(session, tmp_path, title="From the command line")
    assert can(owner.get(f"{HERE}/study").text, "undo") == ""
    assert step(owner, "undo") == "409"
    change(owner, "study", title="Two")
    assert "undone" in step(owner, "undo")
    assert step(owner, "undo") == "409"


def test_an_undo_of_a_page_that_is_not_current_changes_nothing(
    owner: Person, other: Person, database: Database
) -> None:
    change(owner, "study", title="One")
    old = form_on(owner.get(f"{HERE}/study").text)
    change(other, "end", completion__code="TWO")
    reply = owner.post(f"{DRAFT}/undo", {"revision": old["revision"], "section": "study"})
    assert reply.status_code == 409
    assert "grace@example.org changed this design since you opened it, so nothing was undone" in reply.text
    assert draft_of(database)["completion"]["code"] == "TWO"


def test_what_two_editors_change_in_different_places_is_merged(
    owner: Person, other: Person, database: Database
) -> None:
    mine, theirs = form_on(owner.get(f"{HERE}/questions").text), form_on(other.get(f"{HERE}/all").text)
    add = {"action": "add:trials.questions", "add.trials.questions": "text", "title": "Theirs"}
    other.post(f"{HERE}/all", {**theirs, **add})
    other.post(f"{HERE}/all", {**form_on(other.get(f"{HERE}/all").text), "action": "up:trials.questions.3"})
    ask = {"trials.questions.2.ask": "How sure are you?"}
    reply = owner.post(f"{HERE}/questions", {**mine, **ask}, follow_redirects=False)
    assert reply.headers["location"] == f"{HERE}/questions?said=merged"
    draft = draft_of(database)
    assert draft["title"] == "Theirs"
    asked = {each["id"]: each.get("ask") for each in draft["trials"]["questions"]}
    assert (len(asked), asked["uncertainty"]) == (4, "How sure are you?")
    body = {"revision": int(mine["revision"]), "fields": {"completion.code": "MINE"}}
    told = owner.send("POST", f"{DRAFT}?section=end", body).json()
    assert (told["merged_with"], told["clashes"], 'id="completion.code"' in told["html"]) == (
        owner.email, "", True,
    )  # fmt: skip
    assert draft_of(database)["completion"]["code"] == "MINE"


def test_where_both_changed_one_place_both_are_shown_and_the_rest_is_saved(
    owner: Person, other: Person, database: Database
) -> None:
    mine, theirs = form_on(owner.get(f"{HERE}/all").text), form_on(other.get(f"{HERE}/all").text)
    other.post(f"{HERE}/all", {**theirs, "title": "<b>Theirs</b>", "trials.questions.0.ask": "Theirs?"})
    typed = {"title": "Mine", "trials.questions.0.ask": "Mine?", "completion.code": "OURS"}
    reply = owner.post(f"{HERE}/all", {**mine, **typed})
    page = html.unescape(reply.text)
    assert reply.status_code == 409
    assert "You and grace@example.org changed the same places" in page
    assert "<b>Theirs</b>" not in reply.text
    assert [*re.findall(r'class="version">([^<]+)<', reply.text)] == [
        "&lt;b&gt;Theirs&lt;/b&gt;", "Mine", "Theirs?", "Mine?",
    ]  # fmt: skip
    assert "<legend>Questions: What is asked</legend>" in page
    draft = draft_of(database)
    assert (draft["title"], draft["completion"]["code"]) == ("<b>Theirs</b>", "OURS")
    part = re.search(r'<form [^>]*id="clashes".*?</form>', reply.text, re.S)
    assert part
    hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', part[0])
    form = {name: html.unescape(value) for name, value in hidden if name != "csrf"}
    change(other, "end", completion__pay="£1")
    chosen = {**form, "keep.1": "theirs", "keep.2": "mine", "action": "keep"}
    assert owner.post(f"{HERE}/all", chosen).status_code == 200
    draft = draft_of(database)
    assert draft["title"] == "<b>Theirs</b>"
    assert draft["trials"]["questions"][0]["ask"] == "Mine?"
    assert draft["completion"]["pay"] == "£1"
    for odd in ("[", "{}", "[]", '["a"', "[" * 9999, "null"):
        revision = form_on(owner.get(f"{HERE}/all").text)["revision"]
        sent = {"revision": revision, "keep.1": "mine", "place.1": odd, "value.1": odd, "action": "keep"}
        assert owner.post(f"{HERE}/all", sent).status_code == 200
    assert draft_of(database) == draft
    for place, value, status in (
        ("[0]", "1", 200), ("[true]", "1", 200), ('["title"]', "NaN", 400), ('["title"]', "1e999", 400),
    ):  # fmt: skip
        revision = form_on(owner.get(f"{HERE}/all").text)["revision"]
        sent = {"revision": revision, "keep.1": "mine", "place.1": place, "value.1": value, "action": "keep"}
        assert owner.post(f"{HERE}/all", sent).status_code == status, (place, value)
    assert draft_of(database) == draft
    typed = {"keep.1": "mine", "place.1": '["completion", "code"]', "field.1": " 25 ", "action": "keep"}
    assert owner.post(f"{HERE}/all", {"revision": revision, **typed}).status_code == 200
    assert draft_of(database)["completion"]["code"] == "25"


def test_a_part_that_one_took_away_and_the_other_changed_is_told_in_words(
    owner: Person, other: Person, database: Database
) -> None:
    mine, theirs = form_on(owner.get(f"{HERE}/questions").text), form_on(other.get(f"{HERE}/questions").text)
    other.post(f"{HERE}/questions", {**theirs, "action": "remove:trials.questions.2"})
    reply = owner.post(f"{HERE}/questions", {**mine, "trials.questions.2.ask": "How sure?"})
    page = html.unescape(reply.text)
    assert reply.status_code == 409
    shown = re.findall(r'class="version">([^<]+)<', page)
    assert shown[0] == "(removed)"
    assert "What is asked: How sure?\nName in the data: uncertainty\nPoint on a scale\n" in f"{shown[1]}\n"
    assert "ask:" not in shown[1]


VERSIONS: list[tuple[Place, Any, str]] = [
    (("trials", "order"), "fixed", "Fixed, as the pairs are listed"),
    (("completion",), {"code": "A", "pay": "£9"}, "Completion code: A\nPay: £9"),
    (("trials", "questions"), [{"id": "a", "type": "text", "ask": "Why?"}],
     "What is asked: Why?\nName in the data: a\nFree text"),
    (("scales",), {"far": ["near", "far"], "up": ["up", "down"]}, "far: near, far\nup: up, down"),
    (("sample",), {"conditions": {"a-b": 3}, "match": "goal"},
     "Drawn at random: 3 a-b; both clips of a pair have the same goal."),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value", "words"), VERSIONS)
def test_a_version_is_told_as_the_form_shows_it(place: Place, value: Any, words: str) -> None:
    keys = {"study": "x", "title": "X", "trials": {"questions": [{"id": "a", "type": "text", "ask": "?"}]}}
    (view,) = clash_views(keys, [Clash(place, value, None)])
    assert (view.mine, view.theirs) == (words, "(removed)")
    assert view.label != "several places"


def test_typing_that_comes_to_nothing_does_not_keep_what_was_before_it(
    owner: Person, database: Database
) -> None:
    change(owner, "end", completion__code="ONE")
    title = draft_of(database)["title"]
    for typed in (f"{title}!", title):
        change(owner, "study", title=typed)
    assert "undone" in step(owner, "undo")
    assert draft_of(database).get("completion", {}).get("code") != "ONE"
    assert step(owner, "undo") == "409"
    for _ in range(2):
        assert "redone" in step(owner, "redo")
    assert draft_of(database)["completion"]["code"] == "ONE"
    assert step(owner, "redo") == "409"


def test_the_text_of_a_file_goes_when_its_upload_is_undone(owner: Person, database: Database) -> None:
    change(owner, "study", title="One")
    file = {"study": "nav", "title": "From a file"}
    with database.transaction() as session:
        nav = session.exec(select(Study).where(Study.slug == "nav")).one()
        here = StudyHere(nav.id or 0, nav.slug, State(nav.state))
        user = session.exec(select(User).where(User.email == owner.email)).one()
        who = Who(user.id or 0, user.email, Role.EDITOR)
        replace_draft(session, who, here, file, "the file a.yaml", NOW, written=WrittenFile("# Mine\n", file))
    change(owner, "end", completion__code="TWO")
    step(owner, "undo")
    with database.reading() as session:
        written = draft_for(session, here).written
        assert written is not None
        assert written.text == "# Mine\n"
    step(owner, "undo")
    with database.reading() as session:
        draft = draft_for(session, here)
    assert (draft.title, draft.written) == ("One", None)
