"""References of practice items: what is right is read from the list, and faults name the row."""

from typing import Any

import pytest

from app.questions.base import Question
from app.tasks.rating.items import read_item_file
from app.tasks.rating.reference import check_references, is_right, references

SEEN = {"id": "seen", "type": "choice", "ask": "A person?", "options": ["Yes", "4"]}
LOGIC = {"id": "logic", "type": "likert", "ask": "Logical?", "labels": ["poor", "fair", "good"]}
SCALED = {"id": "agree", "ask": "Agree?", "scale": "agreement"}
SPEED = {"id": "speed", "type": "number", "ask": "How fast?", "minimum": 0}
SURE = {"id": "sure", "type": "slider", "ask": "How sure?"}
WHY = {"id": "why", "type": "text", "ask": "Why?"}
ASKED = [SEEN, LOGIC, SCALED, SPEED, SURE, WHY]


def question(keys: dict[str, Any]) -> Question:
    return Question.model_validate({"required": True, **keys})


def test_references_are_read_one_by_one() -> None:
    assert references("seen=Yes; logic = 2..3 ;") == {"seen": "Yes", "logic": "2..3"}
    assert references("") == {}
    for text in ("seen", "=Yes", "seen=", "seen=Yes; seen=No"):
        with pytest.raises(ValueError, match=text.rpartition(" ")[2]):
            references(text)


@pytest.mark.parametrize(
    ("keys", "wanted", "right", "wrong"),
    [
        (SEEN, "Yes", ["Yes"], ["4", None]),
        (SEEN, "4", ["4"], ["Yes"]),  # an option that looks like a number is an option
        (LOGIC, "2..3", [2, 3], [1, None]),
        (LOGIC, "good", [3], [1, 2]),
        (LOGIC, "2", [2], [1, 3]),
        (SPEED, "1.5..", [1.5, 1e9], [1, 0]),
        (SPEED, "..-1", [-1, -2.5], [0]),
    ],
)
def test_right_is_the_option_or_within_the_range(
    keys: dict[str, Any], wanted: str, right: list[Any], wrong: list[Any]
) -> None:
    of = question(keys)
    assert [is_right(of, wanted, value) for value in right] == [True] * len(right)
    assert [is_right(of, wanted, value) for value in wrong] == [False] * len(wrong)


def faults(right: str, kind: str = "practice") -> list[str]:
    rows = f'item,text,kind,right\np1,One,{kind},"{right}"\nm1,Two,main,\n'
    found = read_item_file("items.csv", rows)
    check_references(found, ASKED)
    return [f"{each.line}: {each.message}" for each in found.problems]


@pytest.mark.parametrize(
    "right",
    ["seen=Yes", "logic=2..3", "logic=good", "agree=4..5", "agree=agree", "speed=3", "sure=90..; seen=4", ""],
)
def test_references_that_can_be_met_are_taken(right: str) -> None:
    assert faults(right) == []


@pytest.mark.parametrize(
    ("right", "kind", "said"),
    [
        ("seen=Maybe", "practice", "2: column 'right': 'Maybe' is no answer to 'seen'"),
        ("logic=4..5", "practice", "2: column 'right': '4..5' is no answer to 'logic'"),
        ("logic=3..2", "practice", "2: column 'right': '3..2' is no answer to 'logic'"),
        ("speed=fast", "practice", "2: column 'right': 'fast' is no answer to 'speed'"),
        ("sure=101", "practice", "2: column 'right': '101' is no answer to 'sure'"),
        ("sure=..", "practice", "2: column 'right': '..' is no answer to 'sure'"),
        ("why=so", "practice", "2: column 'right': 'why' has no answer that is right"),
        ("other=1", "practice", "2: column 'right': there is no question 'other'"),
        ("Yes", "practice", "2: column 'right': 'Yes' is not allowed"),
        ("seen=Yes", "main", "2: column 'right': 'p1' is not for practice"),
    ],
)
def test_what_nobody_could_meet_is_refused_by_its_row(right: str, kind: str, said: str) -> None:
    assert faults(right, kind) == [said]
