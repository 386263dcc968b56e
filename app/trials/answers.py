"""An answer: a form's text checked against the questions asked, and the response that is stored of it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import insert
from sqlmodel import Session, SQLModel

from app.core.errors import InvalidAnswer
from app.core.statements import Hot
from app.questions.base import Question
from app.questions.registry import TYPES
from app.trials.here import Where
from app.trials.responses import Response
from app.trials.typing import read_typed

_response = SQLModel.metadata.tables[str(Response.__tablename__)]
ADD_RESPONSE = Hot(insert(_response))
# Read-only, as Python makes a default argument once for all calls.
_NO_TRIAL: Mapping[str, Any] = MappingProxyType({"trial_id": None, "unplayable": False, "flags": []})


class Answers(NamedTuple):
    """Values with a column of their own, and `extra`: question id to value for the others."""

    side: str | None = None
    uncertainty: int | None = None
    rationale: str | None = None
    extra: Mapping[str, Any] = MappingProxyType({})
    certainty: float | None = None


def read_answers(
    questions: Sequence[Question], form: Mapping[str, str], *, of_trial: bool = False, optional: bool = False
) -> Answers:
    """Validate a form and return its answers; `optional` allows required questions to be unanswered (a clip would not
    play).

    The published questions of a trial have columns of their own; all others go into `extra`. An unanswered question is
    missing: it has no entry.

    Raises InvalidAnswer with every error.
    """
    columns, values, errors = dict[str, Any](), dict[str, Any](), dict[str, str]()
    for question in questions:
        type_ = TYPES[question.type]
        try:
            value = type_.answer(question, form)
        except ValueError as error:
            errors[question.id] = str(error)
            continue
        if question.required and not optional and (lack := type_.lack(question, value)):
            errors[question.id] = lack
        elif value is None:
            continue
        elif of_trial and (column := type_.column(question.id)):
            columns[column] = value
        else:
            values[question.id] = value
    if errors:
        raise InvalidAnswer(errors)
    return Answers(**columns, extra=values)


def store(
    session: Session,
    where: Where,
    form: Mapping[str, str],
    now: datetime,
    answers: Answers,
    of_trial: Mapping[str, Any] = _NO_TRIAL,
) -> int:
    """Add the response to the current page; `of_trial` has the columns that a task adds. Returns its number."""
    values = {
        "session_id": where.session_id,
        "page": str(where.page),
        "submit_id": form["submit_id"],
        "side": answers.side,
        "uncertainty": answers.uncertainty,
        "certainty": answers.certainty,
        "rationale": answers.rationale,
        "answers": answers.extra,
        "shown_at": where.shown_at,
        "answered_at": now,
        **_NO_TRIAL,
        **of_trial,
    }
    if "typed" not in values:
        values["typed"] = read_typed(form.get("typed", ""))
    return ADD_RESPONSE.add(session, values)
