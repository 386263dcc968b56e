"""Choosing a game and its configurations: in the study file, in the design's form, questions on the rules from CSV."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from app.admin.design.fields import fields_to_keys, keys_to_fields
from app.admin.design.nodes import leaves
from app.admin.design.outline import outline
from app.studies.file.bundle import read_bundle
from app.studies.file.drafts import check_draft, draft_of_design
from app.studies.file.load import StudyFileProblems, load_study
from app.tasks.game.games import GAMES
from app.tasks.game.sampling import presets
from app.tasks.game.settings import GameDesign

AT = "blocks.0.configs"
CSV = "id,ask,options,answer\nq1,What without a deal?,Half | Nothing,Nothing\n"


def study(**block: Any) -> dict[str, Any]:
    consent = {"version": "1", "text": "# Consent\n\nVoluntary."}
    return {
        "study": "x",
        "title": "A game",
        "consent": consent,
        "blocks": [{"id": "play", "task": "game", **block}],
    }


def design(**block: Any) -> GameDesign:
    check = check_draft(study(**block), {})
    assert check.design is not None, check.faults
    return check.design.blocks_of(GameDesign)[0]


def faults(**block: Any) -> list[tuple[Any, ...]]:
    return [(*fault.place[2:], fault.message) for fault in check_draft(study(**block), {}).faults]


def test_configurations_are_parameters_a_list_a_preset_or_a_sample_and_come_back_as_they_were_given() -> None:
    named = presets(GAMES["glee-bargaining"].Config)
    for given, n in (
        ({"rounds": 4}, 1),
        ([{"rounds": 4}, {"rounds": 5}], 2),
        ("grid", 384),
        ("human-study", len(named["human-study"])),
        ({"sample": "main+variants", "main": {"discount_alice": "0.95"}}, None),
        ({"sample": "main+variants+random", "random_share": 0.1, "seed": 3}, None),
    ):
        block = design(game="glee-bargaining", configs=given)
        assert n is None or len(block.configs) == n
        assert design(game="glee-bargaining", configs=block.keys()["configs"]) == block
        if not isinstance(given, list):
            assert block.keys()["configs"] == given
    assert "configs" not in design(game="sug").keys()  # noqa: SIM118  (its keys in the file)


def test_configuration_faults_are_reported_at_their_parameter() -> None:
    unknown = "the game has no parameter 'roundz'"
    assert faults(game="sug", configs={"roundz": 3, "rounds": 1}) == [
        ("configs", "rounds", "configs: rounds: should be greater than or equal to 2"),
        ("configs", "roundz", unknown),
    ]
    assert faults(game="sug", configs=[{"rounds": 3}, {"roundz": 1}]) == [("configs", 1, "roundz", unknown)]
    assert faults(game="sug", configs="setting-1") == [("configs", "there is no preset 'setting-1'")]
    sample = {"sample": "main+everything", "main": {"roundz": 1}}
    [fault] = faults(game="sug", configs=sample)
    assert fault[:2] == ("configs", "sample")
    assert faults(game="sug", configs={**sample, "sample": "main"}) == [
        ("configs", "main", "roundz", unknown)
    ]


def test_the_form_has_the_parameters_of_the_game_and_the_ways_to_choose() -> None:
    keys = study(game="glee-bargaining")
    for game, model in ((name, each.Config) for name, each in GAMES.items()):
        # Residents are rows of fields.
        places = [leaf.place[2:] for leaf in leaves(outline(study(game=game)))]
        there = {place[1] for place in places if place[:1] == ("configs",)}
        assert there == {"way", *model.model_fields}
    assert keys_to_fields(keys)[f"{AT}.way"] == "start 0"
    one = fields_to_keys(keys, {f"{AT}.discount_alice": "0.95", f"{AT}.messages": "no"}).keys
    assert one["blocks"][0]["configs"] == {"discount_alice": "0.95", "messages": False}
    assert keys_to_fields(one)[f"{AT}.way"] == "one"
    short = fields_to_keys(one, {f"{AT}.way": "start 2"}).keys
    assert short["blocks"][0]["configs"] == {"rounds": 4, "messages": False}
    assert keys_to_fields(short)[f"{AT}.way"] == "start 2"
    sample = fields_to_keys(one, {f"{AT}.way": "sample"}).keys
    assert sample["blocks"][0]["configs"]["main"] == {"discount_alice": "0.95", "messages": False}
    assert keys_to_fields(sample)[f"{AT}.main.discount_alice"] == "0.95"
    shared = fields_to_keys(sample, {f"{AT}.random_share": "0.1"}).keys
    assert shared["blocks"][0]["configs"]["random_share"] == 0.1
    listed = fields_to_keys(shared, {f"{AT}.way": "list"}).keys
    assert listed["blocks"][0]["configs"] == [{"discount_alice": "0.95", "messages": False}]
    grid = fields_to_keys(shared, {f"{AT}.way": "preset grid", f"{AT}.random_share": "0.2"}).keys
    assert grid["blocks"][0]["configs"] == "grid"
    again = fields_to_keys(grid, {f"{AT}.way": "one"}).keys
    assert "configs" not in again["blocks"][0]
    # A page that was made from another draft is taken as it is.
    assert fields_to_keys(keys, keys_to_fields(shared), whole=True).keys["blocks"] == shared["blocks"]
    # Another game has other parameters.
    assert fields_to_keys(listed, {"blocks.0.game": "wac"}).keys["blocks"][0] == {
        "id": "play",
        "task": "game",
        "game": "wac",
    }


def test_a_sample_is_kept_with_the_version_and_comes_back_in_the_form() -> None:
    check = check_draft(study(game="wac", configs={"sample": "main+variants"}), {})
    assert check.design is not None
    draft = draft_of_design(check.design, {})
    assert draft["blocks"][0]["configs"] == {"sample": "main+variants"}
    assert '"sample"' not in check_draft(study(game="wac"), {}).design.canonical_json()  # type: ignore[union-attr]


def test_questions_on_the_rules_come_from_a_file(tmp_path: Path) -> None:
    keys = study(game="glee-bargaining", comprehension={"questions": "rules.csv", "tries": 2})
    keys["blocks"] = [dict(keys["blocks"][0])]
    path = tmp_path / "study.yaml"
    path.write_text(yaml.safe_dump(keys))
    (tmp_path / "rules.csv").write_text(CSV)
    [question] = load_study(path, {}).blocks_of(GameDesign)[0].comprehension.questions
    assert (question.options, question.answer) == (("Half", "Nothing"), "Nothing")
    uploaded = read_bundle({each.name: each.read_bytes() for each in tmp_path.iterdir()})
    assert uploaded["blocks"][0]["comprehension"]["questions"] == [
        {"id": "q1", "ask": "What without a deal?", "options": ["Half", "Nothing"], "answer": "Nothing"}
    ]
    for text, said in (
        ("id,ask\nq1,What?\n", "rules.csv:1: the column 'options' is missing"),
        (CSV + "q2,Who?,A,A\n", "options has 1 entry"),
        (CSV + "q2,Who?,A|B,C\n", "the answer 'C' is not among the options"),
        (CSV + "q1,Who?,A|B,A\n", "two questions have the id 'q1'"),
    ):
        (tmp_path / "rules.csv").write_text(text)
        with pytest.raises(StudyFileProblems, match=said.replace("(", r"\(")):
            load_study(path, {})
    (tmp_path / "rules.csv").unlink()
    with pytest.raises(StudyFileProblems, match="there is no such file"):
        load_study(path, {})
