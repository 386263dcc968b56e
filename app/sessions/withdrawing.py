"""Withdrawal: a participant's answers are deleted; a count is kept, and their place becomes free.

It cannot be undone. Files exported before are beyond its reach.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, func, select, update
from sqlmodel import Session, SQLModel, col

from app.accounts.audit import Actor, record
from app.accounts.tables import AuditEntry
from app.core.errors import NotFound
from app.jobs import queue
from app.jobs.tables import Job, JobStatus, Kind
from app.sessions.entering import day_of
from app.sessions.identity import forget_identity
from app.sessions.receipts import NO_RECEIPT
from app.sessions.runs import run_of
from app.tasks.listed import TASKS
from app.tasks.running import task_named
from app.trials.loads import HOLD_VERSION
from app.trials.responses import Evidence, Response
from app.trials.tables import (
    BEGUN,
    Exclusion,
    ParticipantSession,
    SessionNote,
    SessionToken,
    SessionVerdict,
    Status,
    Study,
    StudyVersion,
    Trial,
)
from app.verdicts.judging import judge_others

PARTICIPANT = Actor(None, "a participant")
# Their files hold what is deleted, so they are made anew without it.
_MADE_OF_ANSWERS = (Kind.REPORT, Kind.PACKAGE, Kind.RESULTS)
_session, _version, _study = (
    SQLModel.metadata.tables[str(table.__tablename__)] for table in (ParticipantSession, StudyVersion, Study)
)
_FOUND = (
    select(
        _session.c.status,
        _session.c.mode,
        _session.c.version_id,
        _session.c.arm,
        _version.c.sha256,
        _study.c.id,
        _study.c.slug,
    )
    .join(_version, _version.c.id == _session.c.version_id)
    .join(_study, _study.c.id == _version.c.study_id)
    .where(_session.c.id == bindparam("session_id"))
    .with_for_update(of=_session)
)


def withdraw(session: Session, session_id: int, now: datetime) -> str:
    """Delete a session's answers and identity; returns its study's name. Raises NotFound if it has none.

    Matches with other people keep its moves, without its number.
    """
    found = session.connection().execute(_FOUND, {"session_id": session_id}).first()
    if found is None or found.status not in BEGUN:
        raise NotFound(NO_RECEIPT)
    n_votes = erase(session, session_id, Status.WITHDRAWN, now)
    # Reasons and notes may quote the person; that something was done stays in the log.
    of_session = (col(AuditEntry.study) == found.slug, col(AuditEntry.subject) == f"session {session_id}")
    session.execute(update(AuditEntry).where(*of_session).values(before=None, after=None))
    made = (col(Job.study_id) == found.id, col(Job.kind).in_(_MADE_OF_ANSWERS))
    queue.begin_anew(session, *made)  # it may have read the answers already
    # The worker removes the files of jobs that are no more.
    session.execute(delete(Job).where(*made, col(Job.status) == JobStatus.DONE))
    _hold_judges_anew(session, found.id, found.mode)
    # A judge that learned from these votes would keep, and quote, what was deleted.
    if n_votes:
        renew = {"mode": found.mode, "answers": n_votes}
        params = {"name": "", "slug": found.slug, "renew": renew}
        queue.ask(session, Kind.TRAINING, params, now=now, study_id=found.id)
    record(session, PARTICIPANT, "session.withdraw", now=now, study=found.slug, after={"mode": found.mode})
    return str(found.slug)


def erase(
    session: Session, session_id: int, status: Status, now: datetime, *, keeps_token: bool = False
) -> int:
    """Delete what is kept of a session but the count that `status` is; returns the number of votes deleted.

    Its place becomes free. With `keeps_token` the page that says so can be found again, as in a preview.
    """
    connection = session.connection()
    found = connection.execute(_FOUND, {"session_id": session_id}).one()
    # The freed ordinal is given anew under this row. Session, then version: another order of locks may deadlock.
    HOLD_VERSION.all(session, {"version_id": found.version_id})
    run = run_of(session, found.version_id, found.sha256, found.arm)
    for name in TASKS:
        task_named(name).forget(session, run, session_id, now)
    choices = (col(Response.session_id) == session_id, col(Response.side).is_not(None))
    n_votes = session.scalar(select(func.count()).select_from(Response).where(*choices)) or 0
    responses: Any = select(col(Response.id)).where(col(Response.session_id) == session_id)
    # Foreign keys demand this order: evidence refers to responses, and responses to trials.
    session.execute(delete(Evidence).where(col(Evidence.response_id).in_(responses)))
    tables = [Response, Exclusion, SessionNote, SessionVerdict, Trial]
    for table in tables if keeps_token else [*tables, SessionToken]:
        of_table: Any = table
        session.execute(delete(table).where(of_table.session_id == session_id))
    forget_identity(session, session_id)
    on = day_of(now)
    # The ordinal goes as well: the next session takes it, mirrored as this one was (decision 0004).
    nothing = {
        **dict.fromkeys(("participant", "ordinal", "seed", "blocks", "page_shown_at", "consented_at")),
        **dict.fromkeys(("language", "consent_sha256", "seen_at", "released_at", "device")),
        **{"status": status, "is_signed": False, "recruiter": {}, "step": 0},
        **{"arrived_at": on, "ended_at": on},
    }
    session.execute(
        update(ParticipantSession).where(col(ParticipantSession.id) == session_id).values(**nothing)
    )
    if status is Status.WITHDRAWN:
        judge_others(session, run.design, now)
    return n_votes


def _hold_judges_anew(session: Session, study_id: int, mode: str) -> None:
    """Queue a new evaluation of judges: verdicts, which hold nobody's answers, are kept, scores are recomputed."""
    runs = select(Job).where(
        col(Job.study_id) == study_id,
        col(Job.kind) == Kind.JUDGES,
        col(Job.status).in_((JobStatus.DONE, JobStatus.RUNNING)),
    )
    for job in session.scalars(runs):
        if job.result is None or job.result["mode"] == mode:
            queue.ask_again(job)


def require_of(session: Session, session_id: int, slug: str) -> None:
    """Raises NotFound for a session of another study."""
    found = (
        select(col(ParticipantSession.id))
        .join(StudyVersion, col(StudyVersion.id) == col(ParticipantSession.version_id))
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .where(col(ParticipantSession.id) == session_id, col(Study.slug) == slug)
    )
    if session.execute(found).first() is None:
        raise NotFound(NO_RECEIPT)
