"""The queue of uploaded files: who is next, and about how long it takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from app.accounts.logins import Who
from app.core.problems import counted
from app.jobs import queue
from app.jobs.tables import Job, JobStatus, Kind
from app.library.kinds import StimulusKind, kind_of
from app.library.tables import Stimulus, Upload, UploadStatus
from app.library.uploads import STANDING, call_off

_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Place:
    """The queue position of one waiting file: the number before it, and the seconds until it is done, None if unknown.

    `is_held` while the clips of its collection are being reprocessed: then it waits for that.
    """

    before: int
    seconds: float | None
    is_held: bool

    @property
    def says(self) -> str:
        if self.is_held:
            return "Waits until the clips of its collection are processed by the new rules"
        where = "Next in line" if not self.before else f"{self.before} before it"
        return where if self.seconds is None else f"{where}, done in {duration_text(self.seconds)}"


@dataclass(frozen=True, slots=True)
class Pace:
    """The speed of the worker with the files of this queue that are done: seconds of clip, bytes and files in so many
    seconds.
    """

    clip_s: float
    n_bytes: int
    n: int
    took_s: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """The time until a user's files in the queue are done, with those of others before them; `n_held` wait besides."""

    seconds: float
    n_mine: int
    n_others: int
    n_held: int
    pace: Pace

    @property
    def says(self) -> str:
        """`About 4 minutes for 12 files, measured from the 3 that are done: 2.1 seconds of clip a second.`"""
        others = f" and {counted(self.n_others, 'file')} of others before them" if self.n_others else ""
        done = "the one that is done" if self.pace.n == 1 else f"the {self.pace.n} that are done"
        about = duration_text(self.seconds)
        text = (
            f"{about[:1].upper()}{about[1:]} for {counted(self.n_mine, 'file')}{others}, measured from {done}: "
            f"{self.pace.clip_s / self.pace.took_s:.1f} seconds of clip a second."
        )
        return f"{text} {self.n_held} more wait for their collection's new rules." if self.n_held else text


@dataclass(frozen=True, slots=True)
class _Standing:
    """A file in the queue; `n_bytes` is what is left of it, and 0 for records and texts, which take no time."""

    token: str
    user_id: int
    n_bytes: float
    status: JobStatus
    is_held: bool
    asked_at: datetime


def places(session: Session) -> Mapping[str, Place]:
    """Queue positions by upload token, for all users' files waiting to be processed, in order."""
    standing = _standing(session)
    pace, found, total = _pace(session, standing), dict[str, Place](), 0.0
    for each in standing:
        total += 0 if each.is_held else each.n_bytes
        if each.status == JobStatus.QUEUED:
            before = sum(not other.is_held for other in found.values())
            found[each.token] = Place(before, _seconds(pace, total) if pace else None, each.is_held)
    return found


def estimate(session: Session, who: Who) -> Estimate | None:
    """The time until the user's last file in the queue is done; None before a clip of this queue is, by which it could
    be measured.
    """
    standing = _standing(session)
    pace = _pace(session, standing)
    going = [each for each in standing if not each.is_held]
    mine = [n for n, each in enumerate(going) if each.user_id == who.user_id]
    if not mine or pace is None:
        return None
    until = going[: mine[-1] + 1]
    return Estimate(
        seconds=_seconds(pace, sum(each.n_bytes for each in until)),
        n_mine=len(mine),
        n_others=len(until) - len(mine),
        n_held=sum(each.is_held and each.user_id == who.user_id for each in standing),
        pace=pace,
    )


def cancel_all(session: Session, who: Who, now: datetime) -> Sequence[str]:
    """Call off all of the user's uploads that are not over; returns their tokens."""
    mine = select(Upload.token).where(Upload.user_id == who.user_id, col(Upload.status).in_(STANDING))
    tokens = session.exec(mine).all()
    for token in tokens:
        call_off(session, who, token, now)
    return tokens


def _standing(session: Session) -> list[_Standing]:
    """All users' files that wait for the worker or are with it, in order."""
    columns = (Upload.token, Upload.user_id, Upload.bytes, Upload.file_name)
    of_job = (Job.status, Job.done, Job.total, Job.asked_at)
    found = (
        select_columns(*map(col, columns), *map(col, of_job), queue.is_held())
        .join(Job, col(Job.id) == col(Upload.job_id))
        .where(col(Job.status).in_(queue.STANDING), col(Job.kind) == Kind.IMPORT)
        .where(col(Upload.status) == UploadStatus.WAITING)
        .order_by(col(Job.id))
    )
    return [
        _Standing(
            token=token,
            user_id=user_id,
            n_bytes=n_bytes * (1 - done / total if total else 1) if _is_clip(file_name) else 0,
            status=JobStatus(status),
            is_held=bool(is_held) and status == JobStatus.QUEUED,
            asked_at=asked_at,
        )
        for token, user_id, n_bytes, file_name, status, done, total, asked_at, is_held in session.execute(
            found
        )
    ]


def _is_clip(file_name: str) -> bool:
    return kind_of(file_name) is StimulusKind.CLIP


def _pace(session: Session, standing: Sequence[_Standing]) -> Pace | None:
    """Measured from the clips that came out while the oldest file in the queue waited; None while there are none."""
    if not standing:
        return None
    since = min(each.asked_at for each in standing)
    done = (
        select(Stimulus.duration_s, Upload.bytes, Job.begun_at, Job.ended_at)
        .join(Upload, col(Upload.stimulus_id) == col(Stimulus.id))
        .join(Job, col(Job.id) == col(Upload.job_id))
        .where(Job.status == JobStatus.DONE, Upload.status == UploadStatus.DONE)
        .where(col(Stimulus.duration_s).is_not(None), col(Job.ended_at) >= since)
    )
    rows = [(s or 0.0, n, begun, ended) for s, n, begun, ended in session.exec(done) if begun and ended]
    if not rows:
        return None
    # By the clock: lanes that work side by side, or are busy with something else, are in it.
    took = max(ended for *_, ended in rows) - min(begun for *_, begun, _ in rows)
    pace = Pace(sum(row[0] for row in rows), sum(row[1] for row in rows), len(rows), took.total_seconds())
    return pace if pace.took_s > 0 and pace.clip_s > 0 and pace.n_bytes else None


def _seconds(pace: Pace, n_bytes: float) -> float:
    """The time for so many bytes. How long a clip is that waits is taken from its size, as it is not read before."""
    clip_s = n_bytes * pace.clip_s / pace.n_bytes
    return clip_s * pace.took_s / pace.clip_s


def duration_text(seconds: float) -> str:
    """About so long, in words."""
    if seconds < 60:
        return "less than a minute"
    minutes = round(seconds / 60)
    if seconds >= 2 * _HOUR:
        return f"about {round(seconds / _HOUR)} hours"
    return "about a minute" if minutes == 1 else f"about {minutes} minutes"
