"""Configurations, samples, language models and arms in the design's form: fields that lose nothing of the file."""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.admin.design.actions import act
from app.admin.design.faults import fault_views
from app.admin.design.fields import fields_to_keys, keys_to_fields
from app.admin.design.nodes import leaves
from app.admin.design.outline import outline
from app.admin.design.sections import sections
from app.studies.file.drafts import check_draft
from app.studies.file.model import StudyFile
from app.studies.file.templates import TEMPLATES
from app.studies.file.yamlsource import read_yaml
from app.tasks.game.agents.outside import ModelAgent
from app.tasks.game.agents.registry import outside_named
from tests.admin.test_design_rows import block_of, fields_in, typed, with_game
from tests.factories import study_file

pytestmark = pytest.mark.any_database

Keys = dict[str, Any]
ROOT = Path(__file__).parents[2]
AT = "blocks.0"
MODELS = {"calls": 3, "tokens": 4}
QUESTIONS = [{"id": "choice", "type": "2afc", "ask": "Which?"}]


def documented() -> Iterator[tuple[str, Keys]]:
    """Every study file of the docs: YAML with a key of a study file and the blocks or trials of one."""
    for path in sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]):
        for number, text in enumerate(re.findall(r"^```yaml\n(.*?)^```", path.read_text(), re.S | re.M)):
            keys = read_yaml(text).data
            if isinstance(keys, dict) and {*keys} <= {*StudyFile.model_fields}:
                yield f"{path.name} {number}", keys
            elif isinstance(keys, list) and all(isinstance(each, dict) and "task" in each for each in keys):
                yield f"{path.name} {number}", {"blocks": keys}
            elif isinstance(keys, dict) and "main" in keys:
                yield f"{path.name} {number}", with_game(game="glee-bargaining", configs=keys)


def studies() -> Iterator[tuple[str, Keys]]:
    for name, template in TEMPLATES.items():
        yield name, dict(template.keys())
    for path in sorted([*(ROOT / "app").rglob("study.yaml"), *(ROOT / "tests").rglob("*study*.yaml")]):
        if isinstance(keys := read_yaml(path.read_text()).data, dict) and "study" in keys:
            yield str(path.relative_to(ROOT)), keys
    yield from documented()


@pytest.mark.slow
@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_every_study_file_goes_through_the_form_unchanged(whole: bool) -> None:
    names = set()
    for name, keys in studies():
        names.add(name.partition(" ")[0])
        made = fields_to_keys(keys, keys_to_fields(keys), whole=whole).keys
        assert yaml.safe_dump(made) == yaml.safe_dump(keys), name
    assert {"hntt-arms", "games.md", "study-file.md", "app/demo/study.yaml"} <= names


def test_the_same_keys_have_the_same_form_and_no_form_that_is_taken_changes_it() -> None:
    for name, template in TEMPLATES.items():
        keys = dict(template.keys())
        form, sent = outline(keys), keys_to_fields(keys)
        assert outline(deepcopy(keys)) is form, name
        was = deepcopy([leaf.value for leaf in leaves(form)])
        fields_to_keys(keys, {"title": "Another"}, whole=True)  # every list loses its entries
        fields_to_keys(keys, {place: f"{text}1" for place, text in sent.items()})
        assert [leaf.value for leaf in leaves(form)] == was, name


def test_keys_that_are_equal_but_not_the_same_have_forms_of_their_own() -> None:
    shown = [keys_to_fields({"title": value})["title"] for value in (1, True, 1.0)]
    assert shown == ["1", "true", "1.0"]


@pytest.mark.parametrize("whole", [False, True])
def test_a_language_of_which_the_form_shows_nothing_is_kept(whole: bool) -> None:
    for languages in ({"en": ".", "de": "de"}, {"en": ".", "de": {}}, {"de": "."}, {"es": ".", "de": "de"}):
        for texts in ({}, {"title": "Which one?", "consent": {"text": "Agree?"}}):
            keys = {"study": "x", "languages": languages, **texts}
            assert fields_to_keys(keys, keys_to_fields(keys), whole=whole).keys == keys
    keys = {"study": "x", "title": "Which?", "languages": {"en": ".", "de": "de"}}
    sent = {**keys_to_fields(keys), "languages.de.title": "Welche?"}
    assert fields_to_keys(keys, sent, whole=whole).keys["languages"] == {
        "en": ".",
        "de": {"title": "Welche?"},
    }


OWN: list[Keys] = [
    {"game": "wac", "configs": [{"days": 8}, {"residents": [{"name": "A", "need": 1, "salary": 2}]}, {}]},
    {"game": "sug", "configs": []},
    {"game": "sug", "configs": [1, "x"]},
    {"game": "sug", "configs": [{"rounds": "x", "odd": 1}]},
    {"game": "glee-bargaining", "configs": {"sample": "main", "only": {"discount_alice": [0.9, "4/5"]}}},
    {"game": "glee-bargaining", "configs": {"sample": "main", "only": {"rounds": [7, "99"], "odd": [1]}}},
    {"game": "glee-bargaining", "configs": {"sample": "main", "only": {"money": 100, "messages": []}}},
    {"game": "glee-bargaining", "configs": {"sample": "main", "only": 3}},
    {"models": {**MODELS, "settings": {"temperature": None, "odd": {"x": 1}, "max_tokens": "3"}}},
    {"models": {**MODELS, "settings": {"personas": {"a": "b\nc\n\nd", "e": "f"}, "rules": {"wac": "x"}}}},
    {"models": {**MODELS, "settings": {"rules": {"glee-bargaining": "a\nb"}, "personas": [["a", "b"]]}}},
    {"models": {**MODELS, "settings": [1]}},
    {"models": {"settings": {}}},
    {"seats": ["human", "model:asks=2:model=x"], "models": MODELS},
]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("own", OWN)
def test_what_a_form_cannot_take_is_kept_as_it_is(own: Keys, whole: bool) -> None:
    keys = with_game(**own)
    assert fields_to_keys(keys, keys_to_fields(keys), whole=whole).keys == keys
    assert sections(keys, {})


def test_no_field_of_a_block_of_matches_is_yaml() -> None:
    for own in OWN:
        written = {leaf.key for leaf in leaves(outline(with_game(**own))) if leaf.kind == "yaml"}
        assert written == set(), own


def test_configurations_are_cards_that_are_added_changed_and_removed() -> None:
    keys = with_game(game="sug", configs=[{"rounds": 5}])
    keys = act(keys, f"add:{AT}.configs", {}).keys
    block = typed(keys, **{f"{AT}.configs.1.rounds": "9", f"{AT}.configs.1.show_rounds": "no"})
    assert block["configs"] == [{"rounds": 5}, {"rounds": 9, "show_rounds": False}]
    keys = act({"study": "play", "blocks": [block]}, f"up:{AT}.configs.1", {}).keys
    assert [each["rounds"] for each in block_of(keys)["configs"]] == [9, 5]
    keys = act(keys, f"remove:{AT}.configs.0", {}).keys
    assert block_of(keys)["configs"] == [{"rounds": 5}]
    labels = [field.label for field in fields_in(keys) if field.name.startswith(f"{AT}.configs.0.")]
    assert "Players in a match" in labels


def test_a_list_of_configurations_is_saved_over_another_draft() -> None:
    keys = with_game(game="wac", configs=[{"days": 8}, {"days": 9, "residents": [{"name": "A"}]}])
    for other in ({}, with_game(game="wac", configs={}), with_game(game="sug", configs=[{}, {}, {}])):
        made = fields_to_keys(other, keys_to_fields(keys), whole=True).keys
        assert block_of(made)["configs"] == block_of(keys)["configs"]


def test_a_configuration_with_a_wrong_value_is_named_at_its_own_field() -> None:
    for configs, at in (
        ([{"rounds": 4}, {"rounds": 0}], "configs.1.rounds"),
        ([{"rounds": 0}], "configs.0.rounds"),
        ({"rounds": 0}, "configs.rounds"),
        ([{"rounds": 4}, {"rounds": 4}], "configs.1"),
    ):
        assert places(with_game(game="sug", configs=configs)) == [f"{AT}.{at}"]


def places(keys: Keys) -> list[str]:
    """Where the faults of a block stand."""
    return [view.at for view in faults(keys) if view.at.startswith(("blocks", "arms"))]


def faults(keys: Keys) -> Any:
    return fault_views(keys, check_draft(keys, None).faults)


def test_a_sample_is_kept_to_values_by_boxes() -> None:
    at = f"{AT}.configs.only"
    keys = with_game(game="glee-bargaining", configs={"sample": "main+variants", "only": {"rounds": ["12"]}})
    words = {field.name: field.label for field in fields_in(keys)}
    assert words[f"{at}.rounds.12"] == "12 rounds"
    assert words[f"{at}.messages.True"] == "Yes"
    ticked = {f"{at}.rounds.99": "yes", f"{at}.discount_bob.4/5": "yes", f"{at}.messages.False": "yes"}
    kept = typed(keys, **ticked)["configs"]["only"]
    assert kept == {"rounds": ["12", 99], "discount_bob": ["4/5"], "messages": [False]}
    keys["blocks"][0]["configs"]["only"] = kept
    assert places(keys) == []
    none = typed(keys, **{f"{at}.rounds.12": "no", f"{at}.rounds.99": "no"})["configs"]["only"]
    assert none == {"discount_bob": ["4/5"], "messages": [False]}
    for wrong, place in (
        ({"rounds": ["x"]}, "only.rounds"),
        ({"odd": [1]}, "only"),
        ({"rounds": 3}, "only.rounds"),
    ):
        keys["blocks"][0]["configs"]["only"] = wrong
        assert places(keys) == [f"{AT}.configs.{place}"]


def test_language_models_have_a_field_for_each_setting() -> None:
    at = f"{AT}.models.settings"
    keys = with_game(seats=["human", "model"], models=MODELS)
    fields = {
        f"{at}.model": "gpt",
        f"{at}.temperature.null": "yes",
        f"{at}.asks": "2",
        f"{at}.response_format": "json_object",
        f"{at}.rules.glee-bargaining": "Give.\nOr keep.",
        f"{at}.personas": "kind: You are kind.\n  And calm.\ncold: You are cold.",
    }
    settings = typed(keys, **fields)["models"]["settings"]
    assert settings == {
        "model": "gpt",
        "temperature": None,
        "asks": 2,
        "response_format": "json_object",
        "rules": {"glee-bargaining": "Give.\nOr keep."},
        "personas": {"kind": "You are kind.\nAnd calm.", "cold": "You are cold."},
    }
    keys["blocks"][0]["models"] = {**MODELS, "settings": settings}
    assert places(keys) == []
    given = typed(keys, **{f"{at}.temperature.null": "no", f"{at}.temperature": "0.2"})["models"]["settings"]
    assert given["temperature"] == 0.2
    for name, value in (("temperature", 3), ("asks", 0), ("persona", "nobody"), ("system", "$odd")):
        keys["blocks"][0]["models"] = {**MODELS, "settings": {name: value}}
        assert places(keys) == [f"{at}.{name}"], name


@pytest.mark.parametrize(
    ("own", "at", "message"),
    [
        ({"seats": ["human", "nobody:beta=2"]}, "seats.1", None),
        (
            {"game": "sug", "seats": ["human", "adaptive:beta=2", *["any"] * 3]},
            "seats.1.beta",
            "should be less",
        ),
        (
            {"game": "sug", "seats": "any", "agent": "adaptive:beta=x"},
            "agent.beta",
            "should be a valid number",
        ),
        ({"game": "sug", "leaving": {"agent": "adaptive:beta=2"}}, "leaving.agent.beta", "should be less"),
        ({"game": "sug", "leaving": {"agent": "model"}}, "leaving.agent", None),
        ({"seats": ["human", "model:temperature=3"], "models": MODELS}, "seats.1.temperature", None),
        ({"game": "sug", "seats": ["human"] * 2}, "seats", None),
        ({"seats": ["random"]}, "seats", None),
        ({"seats": "human", "disclosure": "all-people"}, "disclosure", None),
    ],
)
def test_a_fault_of_an_agent_stands_at_its_own_field(own: Keys, at: str, message: str | None) -> None:
    view = next(each for each in faults(with_game(**own)) if each.at.startswith("blocks"))
    assert view.at == f"{AT}.{at}"
    if message:
        label = {field.name: field.label for field in fields_in(with_game(**own))}[view.at]
        assert view.message.startswith(f"“{label}”: {message}")


@pytest.mark.parametrize("value", ["Rule one: share", "a:b = c: d", "ends with \\", "so a\\:b", ": x y"])
def test_a_colon_in_a_setting_of_an_agent_belongs_to_its_value(value: str) -> None:
    keys = with_game(game="sug", seats=["human", "model:asks=2", *["any"] * 3], models=MODELS)
    block = typed(keys, **{f"{AT}.seats.1.persona": value, f"{AT}.seats.1.model": "llama3:8b"})
    agent = outside_named(block["seats"][1], {})
    assert isinstance(agent, ModelAgent)
    assert (agent.asks, agent.persona, agent.model) == (2, value, "llama3:8b")
    fields = {field.name: field.value for field in fields_in({"study": "play", "blocks": [block]})}
    assert fields[f"{AT}.seats.1.persona"] == value


def with_arm(changed: Mapping[str, Any]) -> Keys:
    blocks = [{"id": "watch", "task": "pair", "pairs": "left,right\n", "trials": {"questions": QUESTIONS}}]
    blocks += block_of_matches()
    arms = [{"id": "one", "set": dict(changed)}, {"id": "two"}]
    return {"study": "x", "blocks": blocks, "arms": arms}


def block_of_matches() -> list[Keys]:
    return [block_of(with_game(game="sug", seats=["human", "any", "any", "any", "any"]))]


ARM = "arms.0.set"
WHOLE: Keys = {
    "blocks.watch.trials.questions": [*QUESTIONS, {"id": "why", "type": "text", "ask": "Why?"}],
    "blocks.watch.trials.questions.choice.ask": "Which one?",
    "background": [],
    "blocks.play.seats": ["human", "adaptive:beta=0.2", "any", "any", "any"],
}


def test_lists_and_seats_that_an_arm_sets_whole_have_fields() -> None:
    keys = with_arm(WHOLE)
    for whole in (False, True):
        assert fields_to_keys(keys, keys_to_fields(keys), whole=whole).keys == keys
    over = fields_to_keys(with_arm({}), keys_to_fields(keys), whole=True).keys
    assert over["arms"] == keys["arms"]
    assert [leaf.key for leaf in leaves(outline(keys)) if leaf.kind == "yaml"] == []
    fields = {
        f"{ARM}.blocks.watch.trials.questions.1.ask": "Why so?",
        f"{ARM}.blocks.play.seats.1.beta": "0.3",
        f"{ARM}.blocks.play.seats.2": "human",
    }
    changed = fields_to_keys(keys, {**keys_to_fields(keys), **fields}).keys["arms"][0]["set"]
    assert changed["blocks.watch.trials.questions"][1]["ask"] == "Why so?"
    assert changed["blocks.play.seats"] == ["human", "adaptive:beta=0.3", "human", "any", "any"]
    assert changed["background"] == []


def test_a_list_that_an_arm_sets_is_filled_and_emptied_by_its_buttons() -> None:
    keys = act(with_arm({}), f"add:{ARM}", {f"add.{ARM}": "blocks.watch.trials.questions"}).keys
    at = f"{ARM}.blocks.watch.trials.questions"
    assert keys["arms"][0]["set"] == {"blocks.watch.trials.questions": QUESTIONS}
    keys = act(keys, f"add:{at}", {f"add.{at}": "text"}).keys
    assert [each["type"] for each in keys["arms"][0]["set"]["blocks.watch.trials.questions"]] == [
        "2afc",
        "text",
    ]
    keys = act(keys, f"remove:{at}.0", {}).keys
    keys = act(keys, f"remove:{at}.0", {}).keys
    assert keys["arms"][0]["set"] == {"blocks.watch.trials.questions": []}
    assert "set" not in act(keys, f"remove:{at}", {}).keys["arms"][0]


def test_a_fault_in_what_an_arm_sets_stands_at_its_own_field() -> None:
    wrong = [*QUESTIONS, {"id": "why", "type": "text", "ask": ""}]
    keys = study_file(arms=[{"id": "one", "set": {"trials.questions": wrong}}, {"id": "two"}])
    views = [each for each in faults(keys) if each.at.startswith("arms")]
    assert [each.at for each in views] == [f"{ARM}.trials.questions.1.ask"]
    assert views[0].message == "“What is asked” is empty"


def test_an_arm_cannot_change_the_configurations_of_a_game() -> None:
    keys = with_arm({"blocks.play.configs.rounds": 3})
    found = [each for each in faults(keys) if each.at.startswith("arms")]
    assert found[0].message.endswith("an arm cannot change the lists and units of a block")
