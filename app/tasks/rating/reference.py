"""References of practice items: which answers are right, as the column `right` of the items says it.

`seen=Yes; quality=4..5`: a question, and the option or the range of numbers that is right. A range may be open at one
end (`4..`, `..2`); a point of a scale is its number or its label.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.core.problems import listed, quoted
from app.questions.base import Question, finite_number, texts_of
from app.questions.registry import TYPES, type_of
from app.questions.scales import SCALES
from app.tasks.rating.items import ItemFile, ItemRow
from app.trials.design import Kind

RIGHT = "right"
OF_TYPES = ("choice", "likert", "number", "slider")
_NUMBER = r"-?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"({_NUMBER})?\.\.({_NUMBER})?")
A_REFERENCE = "write QUESTION=ANSWER, or QUESTION=LOW..HIGH of numbers; several with `;` between them"


def references(right: str) -> Mapping[str, str]:
    """The right answer, as it is written, by question. Raises ValueError."""
    found: dict[str, str] = {}
    for part in filter(None, map(str.strip, right.split(";"))):
        question, equals, wanted = map(str.strip, part.partition("="))
        if not (question and equals and wanted) or question in found:
            raise ValueError(part)
        found[question] = wanted
    return found


def is_right(question: Question, wanted: str, value: Any) -> bool:
    """True if an answer is the right one, or lies within the range."""
    if value is None:
        return False
    if (bounds := _bounds(wanted)) is not None and question.type != "choice":
        low, high = bounds
        number = finite_number(value)
        return number is not None and (low is None or low <= number) and (high is None or number <= high)
    return TYPES[question.type].name_of(question, value) in (wanted, question.says(wanted))


def check_references(found: ItemFile, questions: object) -> None:
    """Add what is wrong with the references to the file's problems; `questions` are the draft's, of any shape."""
    asked = {
        str(keys.get("id")).strip(): keys
        for keys in (questions if isinstance(questions, (list, tuple)) else ())
        if isinstance(keys, Mapping)
    }
    for row in found.rows:
        if row.right:
            _check_row(found, row, asked)


def _check_row(found: ItemFile, row: ItemRow, asked: Mapping[str, Mapping[str, Any]]) -> None:
    if row.kind is not Kind.PRACTICE:
        found.refuse(row.line, f"column 'right': {quoted(row.id)} is not for practice", "leave it empty")
        return
    try:
        wanted = references(row.right)
    except ValueError:
        found.refuse_cell(row.line, RIGHT, row.right, A_REFERENCE)
        return
    for name, answer in wanted.items():
        keys = asked.get(name)
        if keys is None:
            remedy = f"use {listed(asked)}" if asked else "add the question first"
            found.refuse(row.line, f"column 'right': there is no question {quoted(name)}", remedy)
        elif type_of(keys) not in OF_TYPES:
            remedy = f"have references to questions of the types {listed(OF_TYPES, 'and')} alone"
            found.refuse(row.line, f"column 'right': {quoted(name)} has no answer that is right", remedy)
        elif not _can_be_given(keys, answer):
            said = f"column 'right': {quoted(answer)} is no answer to {quoted(name)}"
            found.refuse(row.line, said, "write an answer as it is written there, or a range of numbers")


def _can_be_given(keys: Mapping[str, Any], wanted: str) -> bool:
    """False for an answer that the question of a draft does not have, as far as that can be told."""
    bounds = _bounds(wanted)
    match type_of(keys):
        case "choice":
            options = texts_of(keys.get("options"))
            return not options or wanted in (each.strip() for each in options)
        case "likert":
            labels = texts_of(keys.get("labels")) or texts_of(SCALES.get(str(keys.get("scale"))))
            if bounds is None:
                return not labels or wanted in (each.strip() for each in labels)
            return not labels or _overlap(bounds, 1, len(labels))
        case "slider":
            low, high = finite_number(keys.get("minimum", 0)), finite_number(keys.get("maximum", 100))
        case _:
            low, high = finite_number(keys.get("minimum")), finite_number(keys.get("maximum"))
    return bounds is not None and _overlap(bounds, low, high)


def _bounds(wanted: str) -> tuple[float | None, float | None] | None:
    """The lowest and highest right number; None for a text that is no range."""
    if (number := finite_number(wanted)) is not None:
        return number, number
    ends = _RANGE.fullmatch(wanted)
    if ends is None or not (ends[1] or ends[2]):
        return None
    return finite_number(ends[1]), finite_number(ends[2])


def _overlap(bounds: Sequence[float | None], low: float | None, high: float | None) -> bool:
    first, last = bounds
    if first is not None and last is not None and first > last:
        return False
    return (first is None or high is None or first <= high) and (last is None or low is None or last >= low)
