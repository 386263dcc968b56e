"""Hypotheses in a study file: read, refused with a remedy, kept out of the hash where there are none."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from app.studies.file.difference import differences
from app.studies.file.drafts import check_draft, draft_of_design
from app.studies.file.hypotheses import DesignHypothesis
from app.studies.file.load import json_schema, load_study
from tests.studies.file.study_folder import EXAMPLE, SAMPLE, make_facts, make_folder, problems_of

H1 = (
    "hypotheses:\n  - {id: h1, compare: [human-hybrid, hybrid-symbolic], measure: uncertainty, direction: less, "
    "test: wilcoxon, alpha: 0.01}\n"
)
KEYS: dict[str, Any] = {
    **yaml.safe_load(EXAMPLE.replace("PAIRS", SAMPLE)),
    "consent": {"version": "1", "text": "# Consent\n"},
    "instructions": "# Go\n",
    "completion": {"message": "# Thanks\n"},
}


def keys_with(**changes: object) -> dict[str, Any]:
    one = yaml.safe_load(H1)["hypotheses"][0]
    given = {name: value for name, value in (one | changes).items() if value is not None}
    return {**KEYS, "hypotheses": [given]}


def faults_of(**changes: object) -> list[str]:
    found = check_draft(keys_with(**changes), make_facts()).faults
    return [f"{'.'.join(map(str, one.place))}: {one.message} ({one.remedy})" for one in found]


def test_a_hypothesis_is_part_of_the_design_and_comes_back_as_written(tmp_path: Path) -> None:
    design = load_study(make_folder(tmp_path, EXAMPLE + H1), make_facts())
    (one,) = design.hypotheses
    assert one == DesignHypothesis(
        id="h1",
        compare=("human-hybrid", "hybrid-symbolic"),
        measure="uncertainty",
        direction="less",
        test="wilcoxon",
        alpha=0.01,
    )
    again = check_draft(draft_of_design(design, make_facts()), make_facts())
    assert (again.faults, again.design and again.design.sha256()) == ((), design.sha256())


def test_without_hypotheses_the_hash_is_what_it_was(tmp_path: Path) -> None:
    design = load_study(make_folder(tmp_path), make_facts())
    assert "hypotheses" not in design.canonical_json()
    (tmp_path / "with").mkdir()
    assert load_study(make_folder(tmp_path / "with", EXAMPLE + H1), make_facts()).sha256() != design.sha256()


def test_a_fault_names_its_line_and_a_remedy(tmp_path: Path) -> None:
    path = make_folder(tmp_path, EXAMPLE + H1.replace("human-hybrid", "human-hybird"))
    ((file, line, message),) = problems_of(path)
    assert file == "study.yaml"
    assert line == EXAMPLE.replace("PAIRS", SAMPLE).count("\n") + 2
    assert message == "no condition, group or arm is called 'human-hybird'"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"compare": ["human-hybird", "hybrid-symbolic"]},
            "is called 'human-hybird' (did you mean 'human-hybrid'?)",
        ),
        ({"measure": "acuracy"}, "the study has no 'acuracy' (did you mean 'accuracy'?)"),
        ({"measure": "preference"}, "preference for which source? (add `source:`"),
        ({"source": "human"}, "`source` is for the measure preference alone (remove `source`)"),
        ({"compare": ["human-hybrid", "human-hybrid"]}, "'human-hybrid' is compared with itself"),
        ({"compare": ["chance", "human-hybrid"]}, "chance stands first"),
        ({"compare": ["all", "human-hybrid"]}, "`all` is compared with a part of itself"),
        ({"compare": ["human-hybrid"]}, "compare has 1 entry (give at least 2)"),
        ({"compare": ["all", "chance"]}, "'uncertainty' has no chance level (use accuracy or preference)"),
        (
            {"compare": ["all", "chance"], "measure": "accuracy", "test": "mann-whitney"},
            "mann-whitney compares two groups, and chance is none (use test wilcoxon",
        ),
        ({"direction": "lower"}, "direction: 'lower' is not allowed (use 'less', 'greater' or 'two-sided')"),
        ({"test": "t"}, "test: 't' is not allowed (use 'wilcoxon' or 'mann-whitney')"),
        ({"alpha": "0.7"}, "alpha: '0.7' is too large (use less than 0.5)"),
        ({"alfa": "0.05"}, "unknown key 'alfa' (did you mean 'alpha'?)"),
        ({"direction": None}, "direction is missing in entry 1 of hypotheses (fill in direction)"),
        ({"id": "H 1"}, "id: 'H 1' is not allowed"),
    ],
)
def test_a_fault_is_named_with_a_remedy(changes: dict[str, object], said: str) -> None:
    assert any(said in fault for fault in faults_of(**changes)), faults_of(**changes)


def test_a_name_stands_once() -> None:
    keys = keys_with()
    keys["hypotheses"] *= 2
    (fault,) = check_draft(keys, make_facts()).faults
    assert (fault.place, fault.message) == (("hypotheses", 1, "id"), "the hypothesis 'h1' comes twice")


def test_accuracy_needs_a_true_source() -> None:
    keys = {**keys_with(measure="accuracy"), "truth": {"source": "none"}}
    found = check_draft(keys, make_facts()).faults
    assert any("no answer is right or wrong" in one.message for one in found)


def test_a_question_about_items_has_to_be_answered_with_a_number() -> None:
    block = {
        "id": "rate",
        "task": "rating",
        "items": "item,text,condition\ni1,One,human\ni2,Two,llm\n",
        "questions": [
            {"id": "strategy", "type": "likert", "ask": "How good?", "labels": ["bad", "good"]},
            {"id": "why", "type": "text", "ask": "Why?"},
        ],
    }
    base = {key: KEYS[key] for key in ("study", "title", "consent", "completion")}
    one = {"id": "h1", "compare": ["human", "llm"], "direction": "greater", "test": "wilcoxon"}

    def faults(measure: str) -> list[str]:
        keys = {**base, "blocks": [block], "hypotheses": [{**one, "measure": measure}]}
        return [fault.message for fault in check_draft(keys, {}).faults]

    assert faults("strategy") == []
    assert faults("why") == ["the answers to 'why' are no numbers, so that they have no mean"]
    assert faults("accuracy") == ["measure: 'accuracy' is of pairs, and the study has none"]


def test_arms_are_compared_between_participants() -> None:
    arms = [{"id": "slow"}, {"id": "fast", "set": {"trials.watch": "free"}}]

    def faults(**changes: object) -> list[str]:
        keys = {**keys_with(**changes), "arms": arms}
        return [one.message for one in check_draft(keys, make_facts()).faults]

    assert faults(compare=["slow", "fast"], test="mann-whitney") == []
    assert faults(compare=["slow", "fast"]) == [
        "different participants are in each arm, and wilcoxon compares the same ones"
    ]
    assert faults(compare=["slow", "human-hybrid"], test="mann-whitney") == [
        "an arm is compared with a condition"
    ]


def test_expected_shares_are_in_the_order_of_the_direction() -> None:
    def said(**changes: object) -> list[str]:
        return faults_of(measure="accuracy", **changes)

    assert said(expect=["0.5", "0.7"]) == []
    assert "0.7 and 0.5 are not what the direction expects" in said(expect=["0.7", "0.5"])[0]
    assert "shares cannot be expected of 'uncertainty'" in faults_of(expect=["0.5", "0.7"])[0]


def test_differences_name_the_hypothesis_and_its_key() -> None:
    changed = differences(keys_with(), keys_with(alpha=0.05))
    assert [(one.place, one.before, one.after) for one in changed] == [
        ("hypotheses › h1 › alpha", "0.01", "0.05")
    ]
    (added,) = differences(KEYS, keys_with())
    assert (added.place, added.kind) == ("hypotheses › h1", "added")
    assert differences(keys_with(alpha=0.05), keys_with(alpha=None)) == []


def test_the_schema_for_editors_knows_the_keys() -> None:
    known = json_schema()["$defs"]["Hypothesis"]["properties"]
    assert {"compare", "measure", "direction", "test", "alpha", "correction", "smallest"} <= known.keys()
