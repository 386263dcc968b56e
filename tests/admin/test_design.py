"""The design's form: keys to fields and back, saved whatever is wrong with it, shown as participants will see it."""

import html
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlmodel import select

from analysis.quality.registry import DEFAULT
from app.accounts.logins import Who
from app.accounts.tables import AuditEntry, Role
from app.admin.access import Shell, StudyTab
from app.admin.design.actions import BadAction, act
from app.admin.design.faults import fault_views, marked
from app.admin.design.fields import fields_to_keys, keys_to_fields
from app.admin.design.preview import NO_PAIRS, NO_TEXT, block_of, design_as_far, inert, place_in, shown_pairs
from app.admin.design.sections import sections
from app.admin.design.values import MOST, cleaned
from app.admin.design.views import FaultView, FieldsPage, ListView, PageName
from app.core.database import Database
from app.core.templating import html_of
from app.questions.text import Text
from app.sessions.views import page_of
from app.studies.access import StudyHere
from app.studies.drafts import create_study
from app.studies.file.drafts import check_draft
from app.studies.file.keys import tidied
from app.studies.saving import save_version
from app.studies.tables import Draft
from app.trials.tables import State, Study
from tests.admin.persons import Person
from tests.factories import NOW, load_file, study_file

DESIGN, DRAFT = "/admin/studies/nav/design/all", "/admin/studies/nav/draft"
Keys = dict[str, Any]

# Any keys at all, and keys in which every part is sometimes what it should be.

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**9) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)
LABELS = st.lists(TEXT, max_size=4) | JSON
QUESTION = st.fixed_dictionaries(
    {},
    optional={
        "id": TEXT,
        "type": st.sampled_from(["2afc", "likert", "text", "choice", "number", "odd"]) | JSON,
        "ask": TEXT | JSON,
        "required": st.booleans() | JSON,
        "scale": st.sampled_from(["agreement", "mine", "none such"]),
        "labels": LABELS,
        "options": LABELS,
        "minimum": st.integers(0, 9) | JSON,
        "max_length": st.integers(1, 99),
        "anchors": st.dictionaries(st.sampled_from(["1", "2"]), TEXT | JSON) | JSON,
        "when": st.fixed_dictionaries({"group": TEXT | LABELS}) | JSON,
        "unknown": JSON,
    },
)
QUESTIONS = st.lists(QUESTION | JSON, max_size=4) | JSON
BLOCK = st.fixed_dictionaries(
    {"task": st.sampled_from(["pair", "rating", "odd"]) | JSON},
    optional={
        "id": TEXT,
        "items": TEXT | JSON,
        "questions": QUESTIONS,
        "trials": st.fixed_dictionaries({}, optional={"sides": TEXT, "questions": QUESTIONS}) | JSON,
        "sample": st.fixed_dictionaries({}, optional={"conditions": JSON, "drawn": TEXT}) | JSON,
        "per_participant": st.integers(0, 9) | JSON,
        "unknown": JSON,
    },
)
RULE = st.fixed_dictionaries(
    {"rule": st.sampled_from(["hidden", "attention-failed", "odd"]) | JSON},
    optional={"seconds": st.integers(0, 9) | JSON, "pay": st.booleans() | JSON, "unknown": JSON},
)
PATHS = st.sampled_from(
    ["title", "trials.watch", "instructions", "consent.text", "odd", "blocks.b.trials.sides"]
)
ARM = st.fixed_dictionaries(
    {},
    optional={
        "id": TEXT | JSON,
        "target": st.integers(1, 9) | JSON,
        "set": st.dictionaries(PATHS, TEXT | JSON, max_size=3) | JSON,
        "unknown": JSON,
    },
)
HYPOTHESIS = st.fixed_dictionaries(
    {},
    optional={
        "id": TEXT | JSON,
        "compare": st.lists(TEXT, max_size=3) | JSON,
        "measure": st.sampled_from(["accuracy", "preference"]) | JSON,
        "source": TEXT | JSON,
        "expect": st.lists(st.floats(0, 1), max_size=3) | JSON,
        "unknown": JSON,
    },
)
KEYS = st.fixed_dictionaries(
    {},
    optional={
        "arms": st.lists(ARM | JSON, max_size=3) | JSON,
        "hypotheses": st.lists(HYPOTHESIS | JSON, max_size=3) | JSON,
        "blocks": st.lists(BLOCK | JSON, max_size=3) | JSON,
        "block_order": TEXT | JSON,
        "exclude": st.lists(RULE | JSON, max_size=3) | JSON,
        "title": TEXT | JSON,
        "consent": st.fixed_dictionaries({}, optional={"text": TEXT, "version": TEXT, "hidden": JSON}) | JSON,
        "background": QUESTIONS,
        "instructions": TEXT | JSON,
        "sample": JSON,
        "pairs": TEXT,
        "scales": st.dictionaries(st.sampled_from(["mine", "b", "agreement"]), LABELS) | JSON,
        "trials": st.fixed_dictionaries({}, optional={"order": TEXT, "questions": QUESTIONS, "x": JSON})
        | JSON,
        "completion": st.dictionaries(st.sampled_from(["message", "code", "redirect", "x"]), JSON) | JSON,
        "unknown": JSON,
    },
)


def as_browsers_send(fields: Mapping[str, str]) -> dict[str, str]:
    """Line ends as the web has them; a textarea loses a first empty line."""
    return {name: re.sub(r"\r\n|\r|\n", "\r\n", text.removeprefix("\n")) for name, text in fields.items()}


@pytest.mark.slow
@given(KEYS | st.dictionaries(st.text(max_size=9), JSON, max_size=4))
def test_a_form_sent_back_unchanged_changes_nothing_whatever_the_keys_are(keys: Keys) -> None:
    before = deepcopy(keys)
    taken = fields_to_keys(keys, as_browsers_send(keys_to_fields(keys)))
    assert (taken.keys, taken.refused) == (before, ())
    assert keys == before


@given(KEYS, st.data())
def test_a_changed_field_shows_what_was_typed_and_nothing_else_changes(
    keys: Keys, data: st.DataObject
) -> None:
    fields = keys_to_fields(keys)
    # These change other fields, or are one of a few words.
    shaping = re.compile(
        r".*\.(type|task|scale|name|required|allow_tie|play_shown|order|sides|watch|use|pay|rule|anchors|conditions|practice"
        r"|kept|telephones|failed|feedback|from|ids|allocate|measure)|viewing_conditions|block_order|arms\.\d+\.(id|set.*)"
        r"|.*\.(browsers|allow|exclude)\..*|.*\.arms\..*|.*\.expect\.\d"
    )
    name = data.draw(st.sampled_from(sorted(name for name in fields if not shaping.fullmatch(name))))
    typed = data.draw(TEXT)
    after = keys_to_fields(fields_to_keys(keys, {**fields, name: typed}).keys)
    lines = name.endswith(("labels", "options", "group", "match", "browsers", "accept"))
    wanted = [line.strip() for line in cleaned(typed).split("\n")]
    got = [line for line in wanted if line] if lines else cleaned(typed).split("\n")
    is_same = cleaned(typed) == cleaned(fields[name])
    assert after[name] == (fields[name] if is_same else "\n".join(got) or after[name])
    if not cleaned(typed) and not lines and not is_same:
        assert after[name] == ""
    assert {other: text for other, text in after.items() if other != name} == {
        other: text for other, text in fields.items() if other != name
    }


WORD = st.from_regex(r"[a-z]{1,6}", fullmatch=True)
LIST = st.lists(WORD, min_size=1, max_size=3)
SANE_QUESTIONS = st.lists(
    st.one_of(
        st.fixed_dictionaries({"type": st.just("2afc"), "id": WORD}),
        st.fixed_dictionaries(
            {"type": st.just("likert"), "labels": LIST}, optional={"required": st.booleans()}
        ),
        st.fixed_dictionaries({"scale": st.sampled_from(["agreement", "mine"]), "ask": WORD}),
        st.fixed_dictionaries({"type": st.just("choice"), "options": LIST}),
        st.fixed_dictionaries(
            {"type": st.just("text")}, optional={"required": st.booleans(), "max_length": st.just(9)}
        ),
        st.fixed_dictionaries(
            {"type": st.just("number")}, optional={"minimum": st.integers(-9, 9) | st.just(0.5)}
        ),
    ),
    max_size=4,
)
SANE_KEYS = st.fixed_dictionaries(
    {},
    optional={
        "title": WORD,
        "consent": st.fixed_dictionaries({"version": WORD}, optional={"minimum_age": st.integers(1, 99)}),
        "background": SANE_QUESTIONS,
        "trials": st.fixed_dictionaries({"questions": SANE_QUESTIONS}, optional={"watch": st.just("free")}),
        "scales": st.dictionaries(WORD, LIST, max_size=3),
    },
)
SANE_BLOCKS = st.fixed_dictionaries(
    {
        "blocks": st.lists(
            st.one_of(
                st.fixed_dictionaries(
                    {
                        "id": WORD,
                        "task": st.just("pair"),
                        "trials": st.fixed_dictionaries({"questions": SANE_QUESTIONS}),
                    },
                    optional={"sample": st.just({"seed": 3, "match": ["goal"], "conditions": {"a-b": 2}})},
                ),
                st.fixed_dictionaries(
                    {"id": WORD, "task": st.just("rating"), "items": WORD, "questions": SANE_QUESTIONS},
                    optional={"per_item": st.integers(1, 9), "instructions": WORD},
                ),
            ),
            min_size=1,
            max_size=3,
        )
    },
    optional={"block_order": st.just("random"), "title": WORD},
)


@pytest.mark.slow
@given(SANE_KEYS | SANE_BLOCKS, KEYS)
@example({"background": [{"scale": "mine"}]}, {"background": [None]})
def test_a_form_taken_as_a_whole_gives_what_it_shows_whatever_was_there_before(
    keys: Keys, before: Keys
) -> None:
    fields = keys_to_fields(keys)
    after = keys_to_fields(fields_to_keys(before, as_browsers_send(fields), whole=True).keys)
    assert {name: cleaned(text) for name, text in after.items()} == fields


@pytest.mark.slow
@given(
    KEYS,
    st.sampled_from(
        ["background", "trials.questions", "blocks", "blocks.0.questions", "blocks.1.trials.questions"]
    ),
    st.integers(0, 4),
    st.sampled_from(["up", "down"]),
)
def test_moving_there_and_back_changes_nothing(keys: Keys, at: str, index: int, way: str) -> None:
    back = {"up": "down", "down": "up"}[way]
    try:
        moved = act(keys, f"{way}:{at}.{index}", {})
    except BadAction:
        return
    new = int(moved.focus.split(".")[-2])
    assert (moved.keys if new == index else act(moved.keys, f"{back}:{at}.{new}", {}).keys) == keys


def drafted(**changes: object) -> Keys:
    return {key: value for key, value in study_file(**changes).items() if value is not None}


def test_what_is_typed_becomes_the_key_that_the_study_file_has() -> None:
    form = {
        "title": " Two lines\r\n",
        "consent.minimum_age": "21",
        "completion.code": "",
        "background.0.scale": "",
        "background.0.labels": "low\r\n\r\n high \r\n",
        "trials.questions.1.required": "yes",
        "trials.questions.1.max_length": "80",
        "csrf": "x",
        "trials.questions.99.ask": "beyond the end",
    }
    keys = fields_to_keys(drafted(), form).keys
    assert keys["title"] == "Two lines"
    assert keys["consent"] == {**drafted()["consent"], "minimum_age": 21}
    assert "code" not in keys["completion"]
    assert keys["background"] == [
        {"id": "familiarity", "ask": "How familiar are you with games?", "labels": ["low", "high"]}
    ]
    assert keys["trials"]["questions"][1] == {
        **drafted()["trials"]["questions"][1],
        "required": True,
        "max_length": 80,
    }
    assert len(keys["trials"]["questions"]) == 3
    assert keys["sample"] == drafted()["sample"]


def test_another_type_keeps_what_both_have_and_labels_become_options() -> None:
    keys = fields_to_keys(drafted(), {"trials.questions.2.type": "choice"}).keys
    question = keys["trials"]["questions"][2]
    assert question["options"] == drafted()["trials"]["questions"][2]["labels"]
    assert (question["type"], question["ask"], "labels" in question) == (
        "choice",
        "How certain are you?",
        False,
    )
    again = fields_to_keys(keys, {"trials.questions.2.type": "likert"}).keys
    assert again == drafted()
    by_scale = fields_to_keys(drafted(), {"background.0.scale": ""}).keys["background"][0]
    assert by_scale["labels"][0] == "not at all familiar"


def test_questions_follow_a_scale_that_is_renamed_and_two_never_become_one() -> None:
    base = drafted(scales={"mine": ["a", "b"], "other": ["c", "d"]})
    base["background"][0]["scale"] = "mine"
    taken = fields_to_keys(base, {"scales.0.name": "yours"})
    assert taken.keys["scales"] == {"yours": ["a", "b"], "other": ["c", "d"]}
    assert taken.keys["background"][0]["scale"] == "yours"
    for name in ("other", ""):
        refused = fields_to_keys(base, {"scales.0.name": name})
        assert refused.keys == base
        assert [fault.place for fault in refused.refused] == [("scales", 0, "name")]


def test_every_question_that_can_be_added_is_complete_or_lacks_its_words_alone() -> None:
    keys: Keys = drafted(background=None)
    keys["trials"]["questions"] = []
    for at in ("background", "trials.questions"):
        for type_ in ("2afc", "likert", "text", "choice", "number", "likert", "text", "choice", "number"):
            if at == "background" and type_ == "2afc":
                continue
            keys = act(keys, f"add:{at}", {f"add.{at}": type_}).keys
    keys = act(act(keys, "add:scales", {}).keys, "add:scales", {}).keys
    faults = [
        fault for fault in check_draft(keys, None).faults if not fault.message.startswith("ask is missing")
    ]
    assert faults == []
    with pytest.raises(BadAction, match="a trial has one"):
        act(keys, "add:trials.questions", {"add.trials.questions": "2afc"})


def test_a_type_alone_says_what_a_new_question_of_it_begins_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one about people and about pairs; the second one is plain."""
    monkeypatch.setattr(Text, "first_about_people", {"id": "lab", "ask": "Which lab?"})
    monkeypatch.setattr(Text, "first_about_pairs", {"id": "clues", "ask": "Which clues?"})
    keys: Keys = {}
    for place in ("background", "background", "trials.questions", "trials.questions"):
        keys = act(keys, f"add:{place}", {f"add.{place}": "text"}).keys
    plain = {"id": "comment", "type": "text"}
    assert keys["background"] == [{"id": "lab", "ask": "Which lab?", "type": "text"}, plain]
    assert keys["trials"]["questions"] == [{"id": "clues", "ask": "Which clues?", "type": "text"}, plain]
    published = {
        type_: act({}, "add:trials.questions", {"add.trials.questions": type_}).keys["trials"]["questions"][
            0
        ]["id"]
        for type_ in ("2afc", "text", "likert", "slider", "number")
    }
    assert published == {
        "2afc": "choice",
        "text": "clues",
        "likert": "uncertainty",
        "slider": "certainty",
        "number": "number",
    }


def test_exclusion_rules_are_added_one_by_one_or_as_the_default_set() -> None:
    keys = dict(act({}, "add:exclude", {"add.exclude": "hidden"}).keys)
    assert keys == {"exclude": [{"rule": "hidden"}]}
    typed = {"exclude.0.seconds": "45", "exclude.0.pay": "no"}
    keys = dict(fields_to_keys(keys, typed).keys)
    assert keys == {"exclude": [{"rule": "hidden", "seconds": 45, "pay": False}]}
    keys = dict(act(keys, "add:exclude", {"add.exclude": "default"}).keys)
    assert keys["exclude"][0] == {"rule": "hidden", "seconds": 45, "pay": False}
    assert [entry["rule"] for entry in keys["exclude"]].count("hidden") == 1
    assert len(keys["exclude"]) == len(DEFAULT)
    form = {section.id: section for section in sections(keys, {})}["exclude"]
    (rules,) = form.parts
    assert isinstance(rules, ListView)
    assert (rules.cards[0].title, rules.cards[0].is_folded) == ("Page hidden", True)
    assert rules.cards[0].gist == (
        "hidden, at least 45 seconds; share of the time, at least 0.33; not in the numbers; not paid"
    )
    offered = [name for name, _ in rules.types]
    assert offered[0] == "default"
    assert not {"hidden", "sped-up"} & set(offered), "each rule is named once"


def test_there_is_an_end_to_adding() -> None:
    keys: Keys = {"background": [{}] * MOST, "scales": {str(n): [] for n in range(MOST)}}
    for action in ("add:background", "add:scales"):
        with pytest.raises(BadAction, match="already"):
            act(keys, action, {"add.background": "text"})


@pytest.mark.parametrize(
    "action", ["up:background.7", "remove:", "fly", "add:x", "drop:[", "drop:[1]", "up:scales.0"]
)
def test_a_button_that_is_not_there_is_refused(action: str) -> None:
    with pytest.raises(BadAction):
        act({"scales": {"a": []}}, action, {})


# The pages


def draft_of(database: Database, slug: str = "nav") -> Keys:
    with database.reading() as session:
        return dict(session.exec(select(Draft.keys).join(Study).where(Study.slug == slug)).one())


ENTRY = re.compile(
    r"<input (?P<input>[^>]*)>|<textarea (?P<area>[^>]*)>\n?(?P<text>.*?)</textarea>"
    r"|<select (?P<select>[^>]*)>(?P<options>.*?)</select>",
    re.S,
)


def form_on(page: str) -> dict[str, str]:
    """The form's fields as a browser would send them."""
    form = re.search(r"<form[^>]*data-design.*?</form>", page, re.S)
    assert form
    fields: dict[str, str] = {}
    for found in ENTRY.finditer(form[0]):
        attributes = found["input"] or found["area"] or found["select"]
        name = re.search(r'name="([^"]*)"', attributes)
        is_pick = 'type="checkbox"' in attributes or 'type="radio"' in attributes
        if not name or (is_pick and "checked" not in attributes):
            continue
        if found["select"] is not None:
            chosen = re.search(r'value="([^"]*)" selected', found["options"])
            value = chosen[1] if chosen else re.findall(r'value="([^"]*)"', found["options"])[0]
        elif found["area"] is not None:
            value = found["text"]
        else:
            value = re.findall(r'value="([^"]*)"', attributes)[0]
        fields[html.unescape(name[1])] = html.unescape(value)
    return fields


def words_at(page: str, place: str) -> str:
    found = re.search(rf'id="{re.escape(place)}-error" data-error>([^<]*)<', page)
    assert found, place
    return html.unescape(found[1])


def test_the_form_holds_every_field_and_sent_as_it_came_it_writes_no_draft(
    owner: Person, database: Database, study: str
) -> None:
    page = owner.get(DESIGN)
    assert page.headers["content-security-policy"].endswith("frame-src 'self'")
    form = form_on(page.text)
    sent = {name: value for name, value in form.items() if name != "csrf"}
    reply = owner.post(DESIGN, sent, follow_redirects=False)
    assert (reply.status_code, reply.headers["location"]) == (303, f"{DESIGN}?said=saved")
    with database.reading() as session:
        assert session.exec(select(Draft)).all() == []


def test_an_incomplete_design_is_saved_and_each_fault_stands_at_its_field_and_in_the_list(
    owner: Person, database: Database, study: str
) -> None:
    form = form_on(owner.get(DESIGN).text) | {
        "title": "",
        "trials.questions.2.labels": "only one",
        "action": "save",
    }
    page = owner.post(DESIGN, form).text
    assert "title" not in draft_of(database)
    assert words_at(page, "title") == "“Title” is empty: fill it in."
    assert "give at least 2" in words_at(page, "trials.questions.2.labels")
    assert words_at(page, "consent.text") == ""
    assert "2 problems to correct" in page
    assert {'href="#title"', 'href="#trials.questions.2.labels"'} <= set(re.findall(r'href="#[^"]+"', page))
    assert re.search(r'id="title"[^>]* aria-invalid="true"', page)
    with database.reading() as session:
        saved = session.exec(select(AuditEntry).where(AuditEntry.action == "draft.save")).one()
    assert (saved.actor, saved.before["title"], saved.after["title"]) == (
        "owner@example.org",
        "Which navigation looks natural?",
        None,
    )


def test_without_a_script_questions_are_added_moved_edited_and_removed(
    owner: Person, database: Database, study: str
) -> None:
    def press(action: str, **more: str) -> str:
        form = form_on(owner.get(DESIGN).text)
        reply = owner.post(DESIGN, {**form, **more, "action": action}, follow_redirects=False)
        assert reply.status_code == 303, reply.text
        return str(reply.headers["location"])

    assert press("add:background", **{"add.background": "number"}).endswith("#background.1.ask")
    press("up:background.1", **{"background.1.ask": "Age?"})
    press("add:scales")
    press("save", **{"scales.0.name": "speed", "scales.0.labels": "slow\nfast", "background.1.scale": ""})
    press("save", **{"background.1.labels": "", "background.1.scale": "speed"})
    press("remove:trials.questions.1")
    keys = draft_of(database)
    assert keys["background"] == [
        {"id": "age", "type": "number", "ask": "Age?", "minimum": 0, "maximum": 120},
        {"id": "familiarity", "type": "likert", "ask": "How familiar are you with games?", "scale": "speed"},
    ]
    assert keys["scales"] == {"speed": ["slow", "fast"]}
    assert [question["id"] for question in keys["trials"]["questions"]] == ["choice", "uncertainty"]
    assert keys["sample"]["conditions"] == {"human-hybrid": 6, "hybrid-symbolic": 4}


def test_a_form_of_some_hundred_fields_is_taken_and_one_without_end_refused(
    owner: Person, database: Database, study: str
) -> None:
    many = [{"id": f"q{n}", "type": "text", "ask": "?"} for n in range(MOST)]
    with database.transaction() as session:
        create_study(session, owner.who, "long", {"background": many, "title": "Long"}, NOW)
    address = "/admin/studies/long/design/all"
    form = form_on(owner.get(address).text)
    assert len(form) > 500
    assert owner.post(address, {**form, "background.99.ask": "last"}).status_code == 200
    assert draft_of(database, "long")["background"][99]["ask"] == "last"
    assert owner.post(address, {f"x{n}": "" for n in range(6000)}).status_code == 400
    assert owner.post(address, {"title": "x" * 2_000_000}).status_code == 413
    body = {"revision": 0, "fields": {"title": "x" * 2_000_000}}
    assert owner.send("POST", "/admin/studies/long/draft", body).status_code == 413


def test_a_script_saves_what_is_typed_and_is_told_what_is_wrong(
    owner: Person, database: Database, study: str
) -> None:
    form = form_on(owner.get(DESIGN).text)
    reply = owner.send("POST", DRAFT, {"revision": int(form["revision"]), "fields": {"title": "Nu"}}).json()
    assert (reply["marks"], reply["html"]) == ({}, "")
    assert draft_of(database)["title"] == "Nu"
    body = {"revision": reply["revision"], "fields": {"background.0.id": "A b"}, "action": "add:scales"}
    reply = owner.send("POST", DRAFT, body).json()
    assert [*reply["marks"]] == ["background.0.id"]
    assert ": use lower-case lette" in reply["marks"]["background.0.id"]
    assert 'id="scales.0.name"' in reply["html"]
    assert reply["focus"] == "scales.0.name"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{",
        '{"revision": "1", "fields": {}}',
        '{"revision": 1, "fields": {"a": "\\ud800"}}',
        "[" * 9999,
    ],
)
def test_a_script_that_sends_something_else_is_told_so(owner: Person, study: str, body: str) -> None:
    reply = owner.post(DRAFT, content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code == 400
    assert "could not be read" in reply.json()["message"]


def test_a_form_of_before_a_version_from_elsewhere_is_kept_and_can_be_saved_over_what_is_there(
    owner: Person,
    make_person: Callable[..., Person],
    share_with: Callable[..., None],
    database: Database,
    study: str,
    tmp_path: Path,
) -> None:
    """A version of the command line ends the history of changes, so there is nothing to merge over."""
    other = make_person(Role.EDITOR, "grace@example.org")
    share_with(other)
    mine, theirs = form_on(owner.get(DESIGN).text), form_on(other.get(DESIGN).text)
    other.post(DESIGN, {**theirs, "title": "Versioned"})
    with database.transaction() as session:
        load_file(session, tmp_path, title="From the command line")
    add = {"title": "Theirs", "action": "add:background", "add.background": "text"}
    other.post(DESIGN, {**form_on(other.get(DESIGN).text), **add})
    reply = owner.post(DESIGN, {**mine, "title": "Mine"})
    assert reply.status_code == 409
    assert "grace@example.org changed this design since you opened it." in reply.text
    assert draft_of(database)["title"] == "Theirs"
    typed = form_on(reply.text)
    assert typed["title"] == "Mine"
    assert typed["consent.text"].strip() == mine["consent.text"].strip()
    assert owner.post(DESIGN, {**typed, "title": "Mine again"}).status_code == 409
    script = owner.send("POST", DRAFT, {"revision": int(mine["revision"]), "fields": {"title": "Mine"}})
    assert script.status_code == 409
    assert owner.post(DESIGN, {**typed, "over": "yes"}).status_code == 200
    assert draft_of(database)["title"] == "Mine"
    assert len(draft_of(database)["background"]) == 1


def test_a_page_opened_before_a_new_version_cannot_put_the_old_one_back(
    owner: Person, database: Database, study: str
) -> None:
    old = form_on(owner.get(DESIGN).text)
    owner.post(DESIGN, {**old, "title": "Newer"})
    with database.transaction() as session:
        row = session.exec(select(Study)).one()
        save_version(session, owner.who, StudyHere(row.id or 0, row.slug, State(row.state)), "", NOW)
    assert owner.post(DESIGN, {**old, "instructions": "Old page"}).status_code == 200
    merged = draft_of(database)
    assert (merged["title"], merged["instructions"]) == ("Newer", "Old page")


def test_a_key_that_the_form_does_not_show_is_named_and_can_be_taken_out(
    owner: Person, database: Database, study: str
) -> None:
    odd = drafted(extra="<b>", consent="a text")
    with database.transaction() as session:
        create_study(session, owner.who, "odd", odd, NOW)
    address = "/admin/studies/odd/design/all"
    page = owner.get(address).text
    drops = [html.unescape(value) for value in re.findall(r'value="(drop:[^"]*)"', page)]
    assert sorted(drops) == ['drop:["consent"]', 'drop:["extra"]']
    owner.post(address, {**form_on(page), "title": "Kept"})
    assert draft_of(database, "odd") == tidied({**odd, "title": "Kept", "study": "odd"})
    for drop in drops:
        owner.post(address, {**form_on(owner.get(address).text), "action": drop})
    assert not {"extra", "consent"} & set(draft_of(database, "odd"))


def test_a_viewer_sees_everything_and_can_change_nothing(
    viewer: Person, share_with: Callable[..., None], study: str
) -> None:
    share_with(viewer)
    page = viewer.get(DESIGN).text
    main = page.partition("<main")[2]
    assert '<fieldset class="fields" disabled' in main
    assert 'name="action"' not in main
    assert '/versions" data-version' not in main
    assert viewer.get(f"{DRAFT}/page/consent").status_code == 200
    assert viewer.post(DESIGN, form_on(page)).status_code == 403
    assert viewer.send("POST", DRAFT, {"revision": 0, "fields": {}}).status_code == 403


# The participant's page beside the form

KINDS: tuple[PageName, ...] = ("consent", "background", "instructions", "trial", "debrief")
NASTY = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"


def test_the_participants_pages_are_shown_as_they_will_be_and_send_nothing(owner: Person, study: str) -> None:
    pages = {kind: owner.get(f"{DRAFT}/page/{kind}") for kind in KINDS}
    for reply in pages.values():
        policy = reply.headers["content-security-policy"]
        assert "frame-ancestors 'self'" in policy
        assert "form-action 'none'" in policy
        assert re.findall(r'<button type="submit"(?! disabled)', reply.text) == []
        assert re.findall(r'<script[^>]*src="([^"]*)"', reply.text) == ["/static/admin/design-page.js"]
        assert "modulepreload" not in reply.text
    assert "Taking part is voluntary." in pages["consent"].text
    assert "How familiar are you with games?" in pages["background"].text
    assert "Watch both videos." in pages["instructions"].text
    assert "Pair 1 of 10" in pages["trial"].text
    clips = re.findall(r'<video src="/admin/stimuli/([^/"]+)/clip\.mp4"', pages["trial"].text)
    assert sorted(clip.partition("-")[0] for clip in clips) == ["human", "hybrid"]
    assert "DONE42" in pages["debrief"].text


def test_a_draft_with_nothing_in_it_has_pages_that_say_what_is_missing(
    owner: Person, database: Database
) -> None:
    with database.transaction() as session:
        create_study(session, owner.who, "blank", {}, NOW)
    shown = {kind: owner.get(f"/admin/studies/blank/draft/page/{kind}").text for kind in KINDS}
    assert NO_TEXT.strip("*") in shown["consent"]
    assert NO_PAIRS in shown["trial"]
    assert "participants do not see this page" in shown["background"]
    assert "Thank you" in shown["debrief"]


def test_a_table_with_a_fault_in_every_row_says_the_first_at_its_field() -> None:
    def mark(n: int) -> str:
        faults = [FaultView("items", "", f"Row {row} is wrong", "correct it") for row in range(1, n + 1)]
        return marked(faults)["items"]

    assert mark(3) == "Row 1 is wrong: correct it. Row 2 is wrong: correct it. Row 3 is wrong: correct it."
    assert mark(30) == f"{mark(3)} And 27 more, listed at the top of the page."


@pytest.mark.slow
@given(keys=KEYS)
def test_any_draft_can_be_shown(keys: Keys) -> None:
    design = design_as_far(keys)
    for kind in KINDS:
        page = page_of(design, place_in(keys, kind, shown_pairs(keys, {})), block_of(design))
        assert "<html" in inert(html_of(page))
    shell = Shell(Who(1, "a@b.c", Role.OWNER), "a@b.c", True, True, "x", StudyTab("s", State.DRAFT), "")
    errors = marked(fault_views(keys, check_draft(keys, {}).faults))
    form = html_of(FieldsPage(shell=shell, slug="s", sections=sections(keys, errors)))
    names = set(re.findall(r'name="([a-z_.0-9]+)"', form)) - {
        "action",
    }
    assert {name for name in names if not name.startswith("add.")} <= set(keys_to_fields(keys))


def nasty_design() -> Keys:
    questions = [
        {"id": "choice", "type": "2afc", "ask": NASTY},
        {"id": NASTY, "type": "likert", "ask": NASTY, "labels": [NASTY, "b"]},
        {"id": "c", "type": "choice", "ask": NASTY, "options": [NASTY, "b"]},
        {"id": "d", "type": NASTY, "ask": NASTY, "scale": NASTY, NASTY: 1},
    ]
    return drafted(
        title=NASTY,
        consent={"version": NASTY, "text": f"{NASTY}\n\n[x](javascript:alert(3))"},
        instructions=NASTY,
        background=questions[1:],
        scales={NASTY: [NASTY, "b"]},
        trials={"questions": questions, "order": NASTY},
        completion={"message": NASTY, "code": NASTY, "redirect": "javascript:alert(4)//http://x"},
        extra={NASTY: NASTY},
    )


def test_nothing_that_is_typed_runs_or_becomes_markup(owner: Person, database: Database) -> None:
    with database.transaction() as session:
        create_study(session, owner.who, "nasty", nasty_design(), NOW)
    here = "/admin/studies/nasty"
    for address in (f"{here}/design/all", *(f"{here}/draft/page/{kind}" for kind in KINDS)):
        text = owner.get(address).text
        assert "alert(1)" in text or "page/debrief" in address
        assert "<script>" not in text
        assert "<img" not in text
        assert 'href="javascript:' not in text
    fields = form_on(owner.get(f"{here}/design/all").text)
    assert fields["title"] == NASTY
    body = {"revision": int(fields["revision"]), "fields": {}, "action": "save"}
    told = owner.send("POST", f"{here}/draft", body).json()
    assert "<script>" not in told["html"] + told["list"]


def test_there_is_no_page_of_another_name(owner: Person, study: str) -> None:
    assert owner.get(f"{DRAFT}/page/secret").status_code == 404
