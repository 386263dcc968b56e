"""`stop_when` in a study file: its rules, its defaults, and what a file without it means."""

from typing import Any

import pytest

from app.studies.file.rules import broken_rules
from tests.factories import study_file

STOP = {"measure": "accuracy", "narrower_than": 0.1}


def said(stop: dict[str, Any], **changes: Any) -> list[tuple[Any, str]]:
    keys = {**study_file(**changes), "stop_when": stop}
    return [(fault.place, fault.message) for fault in broken_rules(keys)]


def test_a_good_target_has_no_faults() -> None:
    assert said(STOP) == []
    assert said({"measure": "preference", "source": "hybrid", "narrower_than": 0.1}) == []


def test_what_cannot_be_looked_at_is_refused() -> None:
    assert said({**STOP, "measure": "preference"}) == [
        (("stop_when", "measure"), "a preference is of a source")
    ]
    assert said({**STOP, "source": "hybrid"}) == [(("stop_when", "source"), "accuracy is of no source")]
    assert said(STOP, truth={"source": "none"}) == [
        (("stop_when", "measure"), "no answer is right or wrong: `truth.source` is none")
    ]
    blocks = [{"id": "rate", "task": "rating", "items": "item,text\n1,a\n", "questions": []}]
    found = said(STOP, sample=None, trials=None, blocks=blocks)
    message = (
        "there is no block of pairs, and no question about items whose answers are numbers, or right or wrong"
    )
    assert (("stop_when",), message) in found
    assert said({**STOP, "measure": "speed"}) == [
        (("stop_when", "measure"), "the study has no measure 'speed'")
    ]


@pytest.mark.parametrize(("width", "is_one"), [(0.01, False), (0.02, True), (0.6, True), (0.61, False)])
def test_a_width_is_a_part_of_the_way_between_both_ends(width: float, is_one: bool) -> None:
    refused = [("stop_when", "narrower_than")]
    assert [place for place, _ in said({**STOP, "narrower_than": width})] == ([] if is_one else refused)
    # On a scale of five points the way is four points long.
    scores = {"measure": "logic", "narrower_than": 4 * width}
    assert [place for place, _ in rated(scores)] == ([] if is_one else refused)


LOGIC = {"id": "logic", "type": "likert", "ask": "Logical?", "labels": ["1", "2", "3", "4", "5"]}
COUNT = {"id": "count", "type": "number", "ask": "How many?"}
GRADE = {"id": "grade", "type": "slider", "ask": "How good?"}
KIND = {"id": "kind", "type": "choice", "ask": "Which?", "options": ["a", "b"]}


def rated(stop: dict[str, Any], *more: dict[str, Any]) -> list[tuple[Any, str]]:
    """What is said of a target in a study of ratings alone."""
    asked = [LOGIC, COUNT, GRADE, KIND]
    block = {"id": "rate", "task": "rating", "items": "item,text\n1,a\n", "questions": asked}
    return said(stop, sample=None, trials=None, blocks=[block, *more])


def test_the_mean_score_of_a_question_with_two_ends_can_be_a_target() -> None:
    assert rated({"measure": "logic", "narrower_than": 0.5, "expected": 4.2}) == []
    assert rated({"measure": "grade", "narrower_than": 10, "expected": 70}) == []
    assert rated({"measure": "logic", "narrower_than": 0.5, "expected": 5}) == [
        (("stop_when", "expected"), "5 cannot be expected")
    ]
    assert rated({"measure": "logic", "narrower_than": 0.5, "source": "hybrid"}) == [
        (("stop_when", "source"), "the mean of 'logic' is of no source")
    ]
    assert rated({"measure": "count", "narrower_than": 0.5}) == [
        (("stop_when", "measure"), "'count' has no lowest and highest answer")
    ]
    for measure in ("kind", "accuracy", "nothing"):
        assert rated({"measure": measure, "narrower_than": 0.5}) == [
            (("stop_when", "measure"), f"the study has no measure '{measure}'")
        ]


def test_accuracy_by_a_yes_no_question_can_be_a_target() -> None:
    human = {"id": "human", "type": "choice", "ask": "A person?", "options": ["Yes", "No"], "yes_no": True}
    block = {"id": "judge", "task": "rating", "items": "item,text\n2,b\n", "questions": [human]}
    assert rated({"measure": "human", "narrower_than": 0.1, "expected": 0.7}, block) == []
    assert rated({"measure": "human", "narrower_than": 0.1, "expected": 1}, block) == [
        (("stop_when", "expected"), "1 cannot be expected")
    ]
    keys = {"sample": None, "trials": None, "truth": {"source": "none"}, "blocks": [block]}
    assert said({"measure": "human", "narrower_than": 0.1}, **keys) == [
        (("stop_when", "measure"), "no answer is right or wrong: `truth.source` is none")
    ]


def test_a_question_called_as_a_measure_of_pairs_is_one_where_there_are_none() -> None:
    named = {"id": "judge", "task": "rating", "items": "item,text\n2,b\n"}
    named["questions"] = [{**LOGIC, "id": "accuracy"}]  # type: ignore[assignment]
    stop = {"measure": "accuracy", "narrower_than": 0.5}
    assert said(stop, sample=None, trials=None, blocks=[named]) == []
    pairs = {"id": "watch", "task": "pair", **{key: study_file()[key] for key in ("sample", "trials")}}
    assert said(stop, sample=None, trials=None, blocks=[named, pairs]) == [
        (("stop_when", "measure"), "'accuracy' is of pairs, and a question about items too")
    ]


def test_a_question_on_two_scales_is_no_target() -> None:
    other = {**LOGIC, "labels": ["no", "yes"]}
    block = {"id": "again", "task": "rating", "items": "item,text\n2,b\n", "questions": [other]}
    assert rated({"measure": "logic", "narrower_than": 0.5}, block) == [
        (("stop_when", "measure"), "'logic' is asked on several scales")
    ]
    same = {**block, "questions": [LOGIC]}
    assert rated({"measure": "logic", "narrower_than": 0.5}, same) == []


def test_values_of_a_file_are_texts_until_the_model_has_read_them() -> None:
    """YAML is read without types."""
    assert [place for place, _ in rated({"measure": "logic", "narrower_than": "2.5"})] == [
        ("stop_when", "narrower_than")
    ]
    assert rated({"measure": "logic", "narrower_than": "2.4", "expected": "3"}) == []
    human = {"id": "human", "type": "choice", "ask": "A?", "options": ["Yes", "No"], "yes_no": "true"}
    block = {"id": "judge", "task": "rating", "items": "item,text\n2,b\n", "questions": [human]}
    assert rated({"measure": "human", "narrower_than": "0.1"}, block) == []
