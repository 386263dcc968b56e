"""The queue of uploaded files: who is next, and about how long it takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from app.accounts.logins import Who
from app.jobs.tables import Job, JobStatus, Kind
from app.library.tables import Upload, UploadStatus
from app.library.uploads import STANDING, call_off

_MEASURED = 20  # finished imports that the estimate rests on
_AT_ONCE = 2  # lanes of the worker that take imports


@dataclass(frozen=True, slots=True)
class Place:
    """The queue position of one waiting file: the number before it, and the seconds until it is done, None if unknown.

    `is_held` while all clips are being reprocessed: then the queue stands still.
    """

    before: int
    seconds: float | None
    is_held: bool

    @property
    def says(self) -> str:
        if self.is_held:
            return "Waits until all clips are processed by the new rules"
        where = "Next in line" if not self.before else f"{self.before} before it"
        return where if self.seconds is None else f"{where}, done in {_duration_text(self.seconds)}"


def places(session: Session) -> Mapping[str, Place]:
    """Queue positions by upload token, for all users' files waiting to be processed, in order."""
    waiting = (
        select(Upload.token, Upload.bytes, Job.status)
        .join(Job, col(Job.id) == col(Upload.job_id))
        .where(col(Job.status).in_((JobStatus.QUEUED, JobStatus.RUNNING)), Job.kind == Kind.IMPORT)
        .where(Upload.status == UploadStatus.WAITING)
        .order_by(col(Job.id))
    )
    pace, is_held, found = _seconds_a_byte(session), _is_held(session), dict[str, Place]()
    total = 0
    for token, n_bytes, status in session.exec(waiting):
        total += n_bytes
        if status == JobStatus.QUEUED:
            # However many lanes there are, a file takes its own time at least.
            seconds = None if pace is None else pace * max(total / _AT_ONCE, n_bytes)
            found[token] = Place(len(found), seconds, is_held)
    return found


def cancel_all(session: Session, who: Who, now: datetime) -> Sequence[str]:
    """Call off all of the user's uploads that are not over; returns their tokens."""
    mine = select(Upload.token).where(Upload.user_id == who.user_id, col(Upload.status).in_(STANDING))
    tokens = session.exec(mine).all()
    for token in tokens:
        call_off(session, who, token, now)
    return tokens


def _is_held(session: Session) -> bool:
    standing = (JobStatus.QUEUED, JobStatus.RUNNING)
    anew = select(Job.id).where(Job.kind == Kind.REPROCESS, col(Job.status).in_(standing))
    return session.exec(anew.limit(1)).first() is not None


def _seconds_a_byte(session: Session) -> float | None:
    done = (
        select(Upload.bytes, Job.begun_at, Job.ended_at)
        .join(Job, col(Job.id) == col(Upload.job_id))
        .where(Job.status == JobStatus.DONE, Upload.status == UploadStatus.DONE)
        .order_by(col(Job.id).desc())
        .limit(_MEASURED)
    )
    rows = [(n, ended - begun) for n, begun, ended in session.exec(done) if begun and ended]
    n_bytes = sum(n for n, _ in rows)
    return sum(took.total_seconds() for _, took in rows) / n_bytes if n_bytes else None


def _duration_text(seconds: float) -> str:
    if seconds < 60:
        return "less than a minute"
    minutes = round(seconds / 60)
    return "about a minute" if minutes == 1 else f"about {minutes} minutes"
