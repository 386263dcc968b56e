"""Keys of recruitment and quality in the design's form: what is typed is the study of the same YAML, by its hash."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from app.admin.design.actions import act
from app.admin.design.choices import Known, choices
from app.admin.design.fields import fields_to_keys, keys_to_fields
from app.admin.design.sections import sections
from app.admin.design.views import CardView, FieldsView, GroupView, ListView, Part, PicksView
from app.core.database import Database
from app.studies.drafts import create_study
from app.studies.file.drafts import check_draft
from app.studies.file.keys import ORDER
from app.studies.file.yamlpatch import WrittenFile
from tests.admin.persons import Person
from tests.admin.test_design import form_on
from tests.factories import NOW, study_file
from tests.studies.clips import facts

pytestmark = pytest.mark.any_database

Keys = dict[str, Any]
SIGHT = {
    "id": "sight",
    "type": "choice",
    "ask": "Do you see well?",
    "options": ["well", "badly"],
    "accept": ["well"],
}

# Of each key: the YAML of a study, the buttons to press with what is chosen beside them, and what is typed.
CASES: Mapping[str, tuple[str, list[tuple[str, str]], dict[str, str]]] = {
    "target": (
        "{target: 60, idle_minutes: 20, opens: 2026-03-01T09:00+01:00, ends: 2026-03-31T18:00+02:00}",
        [],
        {
            "target": "60",
            "idle_minutes": "20",
            "opens": "2026-03-01T09:00+01:00",
            "ends": "2026-03-31T18:00+02:00",
        },
    ),
    "stop_when": (
        "{stop_when: {measure: preference, source: hybrid, narrower_than: 0.1, at_least: 40, expected: 0.8}}",
        [],
        {
            "stop_when.measure": "preference",
            "stop_when.source": "hybrid",
            "stop_when.narrower_than": "0.1",
            "stop_when.at_least": "40",
            "stop_when.expected": "0.8",
        },
    ),
    "exclude": (
        "{exclude: [{rule: hidden, seconds: 45, pay: false}, {rule: attention-failed, at_least: 3, use: true}]}",
        [("add:exclude", "hidden"), ("add:exclude", "attention-failed")],
        {
            "exclude.0.seconds": "45",
            "exclude.0.pay": "no",
            "exclude.1.at_least": "3",
            "exclude.1.use": "yes",
        },
    ),
    "exclude by default": ("{exclude: default}", [("add:exclude", "default")], {}),
    "recruitment": (
        "{recruitment: {from: other, parameters: {participant: id, session: visit}, ids: hashed, not_if_in: [pilot]}}",
        [],
        {
            "recruitment.from": "other",
            "recruitment.parameters.participant": "id",
            "recruitment.parameters.session": "visit",
            "recruitment.ids": "hashed",
            "recruitment.not_if_in": "pilot",
        },
    ),
    "devices": (
        "{devices: {minimum_width: 600, telephones: false, browsers: [chrome, safari], kept: true}}",
        [],
        {
            "devices.minimum_width": "600",
            "devices.telephones": "no",
            "devices.browsers.chrome": "yes",
            "devices.browsers.safari": "yes",
            "devices.kept": "yes",
        },
    ),
    "screening": (
        yaml.safe_dump({"screening": [SIGHT]}),
        [("add:screening", "choice")],
        {
            "screening.0.id": "sight",
            "screening.0.ask": "Do you see well?",
            "screening.0.options": "well\nbadly",
            "screening.0.accept": "well",
        },
    ),
    "viewing_conditions": ("{viewing_conditions: true}", [], {"viewing_conditions": "yes"}),
    "comprehension": (
        "{comprehension: {tries: 1, failed: end, questions: [{id: when, type: choice, ask: 'When?', "
        "options: [at once, after both], answer: after both}]}}",
        [("add:comprehension.questions", "choice")],
        {
            "comprehension.questions.0.id": "when",
            "comprehension.questions.0.ask": "When?",
            "comprehension.questions.0.options": "at once\nafter both",
            "comprehension.questions.0.answer": "after both",
            "comprehension.tries": "1",
            "comprehension.failed": "end",
        },
    ),
    "retention": ("{retention: {days: 365}}", [], {"retention.days": "365"}),
}


def drafted(**changes: object) -> Keys:
    return {key: value for key, value in study_file(**changes).items() if value is not None}


def hash_of(keys: Keys) -> str:
    check = check_draft(keys, facts())
    assert check.faults == ()
    assert check.design is not None
    return check.design.sha256()


@pytest.mark.parametrize("name", CASES)
def test_what_the_form_makes_is_the_study_of_the_same_yaml(name: str) -> None:
    written, pressed, typed = CASES[name]
    keys = drafted()
    for action, chosen in pressed:
        keys = act(keys, action, {f"add.{action.partition(':')[2]}": chosen}).keys
    keys = fields_to_keys(keys, typed).keys
    by_file = drafted(**yaml.safe_load(written))
    assert hash_of(keys) == hash_of(by_file)
    assert hash_of(keys) != hash_of(drafted())
    for each in (keys, by_file):
        assert fields_to_keys(each, keys_to_fields(each)).keys == each


def test_attention_checks_and_the_choice_of_pairs_are_those_of_the_study_file() -> None:
    keys = drafted()
    keys = act(keys, "add:trials.attention.questions", {"add.trials.attention.questions": "choice"}).keys
    typed = {
        "trials.attention.questions.0.id": "check",
        "trials.attention.questions.0.ask": "Choose two.",
        "trials.attention.questions.0.options": "one\ntwo",
        "trials.attention.questions.0.expect": "two",
        "trials.attention.failed": "exclude",
        "trials.attention.after": "3",
    }
    question = {
        "id": "check",
        "type": "choice",
        "ask": "Choose two.",
        "options": ["one", "two"],
        "expect": "two",
    }
    attention = {"questions": [question], "failed": "exclude", "after": 3}
    written = drafted(trials={**drafted()["trials"], "attention": attention})
    assert hash_of(fields_to_keys(keys, typed).keys) == hash_of(written)
    sample = {"seed": 7, "conditions": {"human-hybrid": 3, "hybrid-symbolic": 3, "human-symbolic": 3}}
    block = {"id": "rank", "task": "pair", "sample": sample, "trials": drafted()["trials"]}
    in_blocks = drafted(trials=None, sample=None, blocks=[block])
    asked = {"blocks.0.per_participant": "4", "blocks.0.allocate": "informative"}
    chosen = fields_to_keys(in_blocks, asked).keys
    by_file = drafted(
        trials=None, sample=None, blocks=[{**block, "per_participant": 4, "allocate": "informative"}]
    )
    assert hash_of(chosen) == hash_of(by_file)


def test_a_target_of_precision_is_chosen_from_the_means_with_two_ends() -> None:
    questions = [
        {"id": "logic", "type": "likert", "ask": "How logical is it?", "scale": "agreement"},
        {"id": "count", "type": "number", "ask": "How many?"},
        {"id": "why", "type": "text", "ask": "Why?"},
    ]
    rated = {"id": "rate", "task": "rating", "items": "item,text\n1,a\n", "questions": questions}
    logic = ("logic", "logic: How logical is it?")
    assert choices("means", drafted(sample=None, trials=None, blocks=[rated]), Known(), "measure") == [logic]
    pairs = {"id": "watch", "task": "pair", **{key: drafted()[key] for key in ("sample", "trials")}}
    both = choices("means", drafted(sample=None, trials=None, blocks=[pairs, rated]), Known(), "measure")
    assert [value for value, _ in both] == ["accuracy", "preference", "logic"]
    keys = drafted(sample=None, trials=None, blocks=[pairs, rated], stop_when={})
    typed = {"stop_when.measure": "logic", "stop_when.narrower_than": "0.5"}
    made = fields_to_keys(keys, typed).keys
    assert made["stop_when"] == {"measure": "logic", "narrower_than": 0.5}


WHOLE = """\
# Ours, with every key: comments and order stay.
study: whole
title:   "Which navigation looks human?"   # wide
consent: {version: 1, text: "Taking part\\nis voluntary."}
devices: {minimum_width: 600, browsers: [firefox, chrome]}
viewing_conditions: yes
instructions: "Watch.\\nThen answer."
sample: {match: goal, seed: 7, conditions: {human-hybrid: 3}}
trials:
  questions:
    - {id: choice, type: 2afc, ask: "Which?"}
arms:
  - {id: slow, target: 5, set: {trials.watch: both-to-end}}   # as it was
  - {id: fast, target: 5, set: {trials.watch: free}}
opens: 2026-03-01T09:00+01:00
stop_when: {measure: accuracy, narrower_than: 0.1}
exclude: [default, {rule: hidden, seconds: 45}]
hypotheses:
  - {id: h1, compare: [slow, fast], measure: accuracy, direction: less, test: mann-whitney, expect: [0.6, 0.7]}
completion: {message: "Thank\\nyou.", code: X1}
recruitment: {from: prolific}
"""


def test_a_form_saved_as_it_came_changes_no_byte_of_the_study_file(owner: Person, database: Database) -> None:
    """Uploaded, so that the file is kept as it was written."""
    keys = yaml.safe_load(
        WHOLE.replace("yes", "'yes'").replace("2026-03-01T09:00+01:00", "'2026-03-01T09:00+01:00'")
    )
    with database.transaction() as session:
        create_study(session, owner.who, "whole", keys, NOW, WrittenFile(WHOLE, keys))
    address = "/admin/studies/whole"
    page = owner.get(f"{address}/design/all")
    form = form_on(page.text)
    owner.post(f"{address}/design/all", {**form, "action": "save"})
    assert form_on(owner.get(f"{address}/design/all").text)["revision"] == form["revision"]
    assert owner.get(f"{address}/draft.yaml").text == WHOLE


def labels_in(parts: list[Part]) -> list[str]:
    """The labels of fields, groups and lists."""
    found: list[str] = []
    for part in parts:
        match part:
            case FieldsView() | PicksView():
                found += [field.label for field in part.fields]
            case GroupView():
                found += [part.title, *labels_in([*part.parts])]
            case ListView():
                cards: list[CardView] = [*part.cards]
                found += [label for card in cards for label in labels_in([*card.parts])]
    return found


def test_no_key_of_the_study_file_is_a_label_in_these_parts_of_the_form() -> None:
    keys = drafted(
        screening=[SIGHT],
        arms=[{"id": "a"}, {"id": "b"}],
        exclude="default",
        hypotheses=[{"id": "h1", "measure": "preference"}],
        stop_when={"measure": "preference"},
        recruitment={"from": "other"},
        retention={"days": 3},
    )
    own = {
        "arms",
        "screening",
        "exclude",
        "hypotheses",
        "stop_when",
        "recruitment",
        "devices",
        "comprehension",
        "days",
    }
    shown = [each for each in sections(act(keys, "", {}).keys, {}) if each.id in own]
    assert {each.id for each in shown} == own
    labels = {label for each in shown for label in labels_in([*each.parts])}
    assert len(labels) > 40
    assert not [
        label for label in labels if "_" in label or label in ORDER or label != label[:1].upper() + label[1:]
    ]


def test_each_part_of_the_form_has_an_id_of_its_own(owner: Person, database: Database) -> None:
    keys = drafted(
        screening=[SIGHT], arms=[{"id": "a"}, {"id": "b"}], exclude="default", hypotheses=[{"id": "h1"}]
    )
    with database.transaction() as session:
        create_study(session, owner.who, "ids", {**keys, "languages": {"en": ".", "de": {}}}, NOW)
    ids = re.findall(r'\bid="([^"]+)"', owner.get("/admin/studies/ids/design/all").text)
    assert sorted({each for each in ids if ids.count(each) > 1}) == []
    assert {"arms", "arms-error", "hypotheses-error", "languages.de", "languages-error"} <= set(ids)
