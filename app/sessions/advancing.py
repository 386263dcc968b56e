"""Moving a session on: to the next page, past pages that it does not need, or to an early end."""

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, select, update
from sqlmodel import Session, SQLModel

from app.core.statements import Hot
from app.sessions.here import StudyWhere
from app.sessions.slots import note_completed
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, Status
from app.verdicts.judging import judge_session

_session, _response = (
    SQLModel.metadata.tables[str(table.__tablename__)] for table in (ParticipantSession, Response)
)
_ADVANCE = (
    update(_session)
    .where(_session.c.id == bindparam("session_id"))
    .values(step=bindparam("step"), page_shown_at=None, seen_at=bindparam("seen_at"))
)
# Whether a single trial's clips could be played.
PLAYED = Hot(
    select(func.count()).where(
        _response.c.session_id == bindparam("session_id"),
        _response.c.trial_id.is_not(None),
        _response.c.unplayable.is_(False),
    )
)
ADVANCE = Hot(_ADVANCE)
COMPLETE = Hot(_ADVANCE.values(status=bindparam("status"), ended_at=bindparam("ended_at")))


def advance(session: Session, where: StudyWhere, now: datetime, pages: int = 1) -> None:
    """Move on by a number of pages."""
    step = where.step + pages
    values: dict[str, Any] = {"session_id": where.session_id, "step": step, "seen_at": now}
    # The last page has no form, so a session that reaches it is over.
    if where.pages.keys[step].kind == "debrief":
        (played,) = PLAYED.first(session, {"session_id": where.session_id})
        values |= {"status": Status.COMPLETED if played else Status.UNPLAYABLE, "ended_at": now}
        COMPLETE.run(session, values)
        # First, as a session that a rule leaves out does not count for its place.
        judge_session(session, where.design, where.session_id, now)
        # Whoever finished without a place is one more than was wanted, and does not count.
        if played and where.released_at is None:
            note_completed(session, where, now)
    else:
        ADVANCE.run(session, values)


def end_early(session: Session, where: StudyWhere, status: Status, now: datetime) -> None:
    """End a session on its current page; its answers are kept."""
    ended = {"session_id": where.session_id, "step": where.step, "status": status, "ended_at": now}
    COMPLETE.run(session, {**ended, "seen_at": now})
    judge_session(session, where.design, where.session_id, now)
