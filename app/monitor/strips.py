"""A strip of marks for the trials of a session: answered, answered with a remark, or still to come."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from sqlalchemy import select
from sqlmodel import Session, col

from app.trials.flags import split
from app.trials.responses import Response
from app.trials.tables import Trial

MOST_MARKS = 16


class Mark(StrEnum):
    """The meaning of one mark. It says nothing about right and wrong, which a study that runs keeps to itself."""

    DONE = "done"
    FLAGGED = "flagged"
    OPEN = "open"


_WORST = (Mark.FLAGGED, Mark.OPEN, Mark.DONE)


def strips_of(session: Session, ids: Sequence[int]) -> Mapping[int, Sequence[Mark]]:
    """The marks of these sessions' trials, practice too, in their order; a mark for several where they are many."""
    rows = session.execute(
        select(
            col(Trial.session_id),
            col(Trial.position),
            col(Response.id),
            col(Response.raised),
            col(Response.unplayable),
        )
        .outerjoin(Response, col(Response.trial_id) == col(Trial.id))
        .where(col(Trial.session_id).in_(ids))
        .order_by(col(Trial.session_id), col(Trial.position))
    )
    found: dict[int, dict[int, Mark]] = {}
    for session_id, position, response_id, raised, unplayable in rows:
        marks = found.setdefault(session_id, {})
        mark = (
            Mark.OPEN if response_id is None else Mark.FLAGGED if unplayable or split(raised) else Mark.DONE
        )
        if marks.get(position) is not Mark.FLAGGED:
            marks[position] = mark
    return {session_id: _grouped(list(marks.values())) for session_id, marks in found.items()}


def _grouped(marks: Sequence[Mark]) -> Sequence[Mark]:
    """At most `MOST_MARKS`: each of several trials in a row, as the one of them that is most to be looked at."""
    size = -(-len(marks) // MOST_MARKS) or 1
    return [min(marks[at : at + size], key=_WORST.index) for at in range(0, len(marks), size)]
