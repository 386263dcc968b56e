"""Deletion of all sessions of one mode of a version: previews that are replaced, simulated people who are removed."""

from typing import Any

from sqlmodel import Session, col, delete, func, select

from app.tasks.forgetting import forget_rows
from app.trials.responses import Evidence, Response
from app.trials.tables import (
    Exclusion,
    Mode,
    ParticipantIdentity,
    ParticipantSession,
    SessionNote,
    SessionToken,
    SessionVerdict,
    Trial,
)

# Rows that refer to others go first, as the foreign keys demand.
_TABLES = (Response, Trial, SessionToken, Exclusion, SessionNote, SessionVerdict, ParticipantIdentity)


def forget_sessions(session: Session, version_id: int, mode: Mode) -> int:
    """Delete the sessions of a version and mode with all their rows; returns how many there were."""
    mine = (col(ParticipantSession.version_id) == version_id, col(ParticipantSession.mode) == mode)
    sessions = select(ParticipantSession.id).where(*mine)
    n = session.exec(select(func.count()).select_from(ParticipantSession).where(*mine)).one()
    responses = select(Response.id).where(col(Response.session_id).in_(sessions))
    forget_rows(session, version_id, mode)
    session.execute(delete(Evidence).where(col(Evidence.response_id).in_(responses)))
    for table in _TABLES:
        of_table: Any = table
        session.execute(delete(table).where(of_table.session_id.in_(sessions)))
    session.execute(delete(ParticipantSession).where(*mine))
    return n
