"""A form's text against the questions asked: typed values, or what is wrong with each."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.core.errors import InvalidAnswer
from app.studies.file.questions import Question, sides_of
from app.studies.file.rules import ROUNDING


@dataclass(frozen=True, slots=True)
class Answers:
    """Values with a column of their own, and `extra`: question id to value for the others."""

    side: str | None = None
    uncertainty: int | None = None
    rationale: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    certainty: float | None = None


def read_answers(
    questions: Sequence[Question], form: Mapping[str, str], *, of_trial: bool = False, optional: bool = False
) -> Answers:
    """Check a form; `optional` lets required questions go unanswered (a clip would not play).

    The published questions of a trial have columns of their own; everything else is `extra`.

    Raises InvalidAnswer with every error. A question without an answer is missing: it has no entry at all.
    """
    side: str | None = None
    certainty: float | None = None
    values, errors = dict[str, Any](), dict[str, str]()
    for question in questions:
        text = form.get(question.id, "").replace("\x00", "").strip()
        if not text:
            if question.required and not optional:
                errors[question.id] = "Please answer this question."
            continue
        try:
            value = _value(question, text)
        except ValueError as error:
            errors[question.id] = str(error)
            continue
        if question.type == "2afc":
            side = text
        elif question.type == "slider" and question.id == "certainty" and of_trial:
            certainty = float(value)
        else:
            values[question.id] = value
    if errors:
        raise InvalidAnswer(errors)
    if not of_trial:
        return Answers(extra=values)
    return Answers(side, values.pop("uncertainty", None), values.pop("rationale", None), values, certainty)


def _value(question: Question, text: str) -> Any:
    """The typed value of one answer. Raises ValueError with what is allowed, in words for the participant."""
    match question.type:
        case "2afc":
            if text not in sides_of(question):
                raise ValueError(
                    "Please choose the left video, the right video or no difference."
                    if question.allow_tie
                    else "Please choose the left or the right video."
                )
            return text
        case "likert":
            if text not in map(str, range(1, len(question.labels) + 1)):
                raise ValueError(f"Please choose one of the {len(question.labels)} answers.")
            return int(text)
        case "choice":
            if text not in question.options:
                raise ValueError("Please choose one of the answers given.")
            return text
        case "number":
            return _number(question, text)
        case "slider":
            return _on_slider(question, text)
        case "text":
            if len(text) > question.max_length:
                raise ValueError(
                    f"Please shorten this to {question.max_length} characters; it has {len(text)}."
                )
            return text
    raise ValueError(f"Nothing is known of questions of type {question.type}.")


def _number(question: Question, text: str) -> int | float:
    if re.search(r",\d{3}(\D|$)", text) or ("," in text and "." in text):
        raise ValueError("Please write the number without separators, such as 1000 or 1.5.")
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        raise ValueError("Please give a number.") from None
    low, high = question.minimum, question.maximum
    if (
        not math.isfinite(number)
        or (low is not None and number < low)
        or (high is not None and number > high)
    ):
        bounds = [("at least", low), ("at most", high)]
        allowed = " and ".join(f"{words} {bound:g}" for words, bound in bounds if bound is not None)
        raise ValueError(f"Please give a number{f', {allowed}' if allowed else ''}.")
    return int(number) if number.is_integer() else number


def _on_slider(question: Question, text: str) -> int | float:
    number = _number(question, text)
    low, step = question.minimum or 0, question.step or 1
    steps = (number - low) / step
    if abs(steps - round(steps)) > ROUNDING * max(1, steps):
        raise ValueError(f"Please give a number in steps of {step:g} from {low:g}.")
    return number
