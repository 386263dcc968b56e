"""A form's text against the questions asked: typed values, or what is wrong with each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.core.errors import InvalidAnswer
from app.studies.questions.base import Question
from app.studies.questions.registry import TYPES


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
    columns, values, errors = dict[str, Any](), dict[str, Any](), dict[str, str]()
    for question in questions:
        type_ = TYPES[question.type]
        try:
            value = type_.answer(question, form)
        except ValueError as error:
            errors[question.id] = str(error)
            continue
        if value is None:
            if question.required and not optional:
                errors[question.id] = "Please answer this question."
        elif of_trial and (column := type_.column(question.id)):
            columns[column] = value
        else:
            values[question.id] = value
    if errors:
        raise InvalidAnswer(errors)
    return Answers(**columns, extra=values)
