"""The queue: requests ask, the worker takes, everybody may look. All of it in SQL, so a restart loses nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, case, exists
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import Session, SQLModel, col, or_, select, update
from sqlmodel.sql.expression import SelectOfScalar

from app.core.errors import Conflict
from app.core.schema import cleaned
from app.core.statements import Hot
from app.jobs.tables import Job, JobStatus, Kind

MOST_TRIES = 4
STANDING = (JobStatus.QUEUED, JobStatus.RUNNING)
IMPORTING = (Kind.IMPORT, Kind.WALKS)


@dataclass(frozen=True, slots=True)
class JobView:
    """A job as pages and programs see it: `done` of `total`, `total` 0 while it is not known."""

    id: int
    kind: Kind
    status: JobStatus
    done: int
    total: int
    doing: str
    message: str
    result: Any
    params: Mapping[str, Any]
    study_id: int | None
    asked_by: int | None
    asked_at: datetime
    ended_at: datetime | None
    seen_at: datetime | None
    tries: int = 0

    @property
    def is_over(self) -> bool:
        return self.status not in STANDING


def ask(
    session: Session,
    kind: Kind,
    params: Mapping[str, Any],
    *,
    now: datetime,
    asked_by: int | None = None,
    study_id: int | None = None,
) -> int:
    """Put a job into the queue; returns its id."""
    job = Job(kind=kind, params=cleaned(dict(params)), study_id=study_id, asked_by=asked_by, asked_at=now)
    session.add(job)
    session.flush()
    return job.id or 0


# Every page of a study asks. In SQL `= NULL` is never true, and jobs of no study have NULL there.
_OF_STUDY = (
    select_columns(*SQLModel.metadata.tables[str(Job.__tablename__)].c)
    .where(col(Job.kind) == bindparam("kind"), col(Job.study_id).is_not_distinct_from(bindparam("study_id")))
    .order_by(col(Job.id).desc())
    .limit(bindparam("limit"))
)
_JOBS = Hot(_OF_STUDY)
_STANDING = Hot(_OF_STUDY.where(or_(*(col(Job.status) == status for status in STANDING))))


def jobs_of(
    session: Session, kind: Kind, study_id: int | None, *, limit: int = 50, standing: bool = False
) -> Sequence[JobView]:
    """Jobs, newest first; `standing` leaves out finished ones."""
    session.flush()  # what was just asked for counts
    of = {"kind": kind, "study_id": study_id, "limit": limit}
    return [view(job) for job in (_STANDING if standing else _JOBS).all(session, of)]


def cancel(session: Session, job_id: int, now: datetime) -> None:
    """A queued job is over at once, a running one at its next step. Raises Conflict for one that is over."""
    # One conditional update: a job that ends meanwhile is not overwritten.
    mine = update(Job).where(col(Job.id) == job_id, col(Job.status).in_(STANDING))
    if not session.execute(mine.values(status=JobStatus.CANCELLED, ended_at=now)).rowcount:  # type: ignore[attr-defined]
        raise Conflict("This job is already over.")


def mark_job_seen(session: Session, job_id: int, now: datetime) -> None:
    """Record that the result was opened."""
    unseen = update(Job).where(
        col(Job.id) == job_id, col(Job.seen_at).is_(None), col(Job.status) == JobStatus.DONE
    )
    session.execute(unseen.values(seen_at=now))


def _ready(kinds: Sequence[Kind], now: datetime) -> SelectOfScalar[Job]:
    """Queued jobs that may begin, as their time has come.

    No import begins while the clips of its collection are to be processed anew: new rules come first.
    """
    may_begin = or_(col(Job.kind).not_in(IMPORTING), ~is_held())
    is_due = or_(col(Job.not_before).is_(None), col(Job.not_before) <= now)
    return select(Job).where(Job.status == JobStatus.QUEUED, col(Job.kind).in_(kinds), may_begin, is_due)


def is_held() -> ColumnElement[bool]:
    """The condition on an import that the collection in its `params` is being processed anew, or is to be. Jobs of
    earlier releases name none, and wait for any.
    """
    other = aliased(Job)
    mine, its = (col(each.params)["collection"].as_integer() for each in (Job, other))
    of_it = or_(mine.is_(None), its.is_(None), mine == its)
    return exists(
        select(other.id).where(other.kind == Kind.REPROCESS, col(other.status).in_(STANDING), of_it)
    )


# Every lane of an idle worker asks, four times a second.
_QUEUED = Hot(select(col(Job.id)).where(Job.status == JobStatus.QUEUED).limit(1))


def is_waiting(session: Session, kinds: Sequence[Kind], now: datetime) -> bool:
    """True if a job of these kinds may begin."""
    if _QUEUED.first(session, {}) is None:
        return False
    queued = _ready(kinds, now).with_only_columns(col(Job.id))
    return session.execute(queued.limit(1)).first() is not None


def take(session: Session, kinds: Sequence[Kind], now: datetime, *, again: bool = False) -> JobView | None:
    """Take the oldest waiting job, of the first of these kinds that has one, and mark it as running.

    `again` considers only jobs begun before.
    """
    queued = _ready(kinds, now)
    if again:
        queued = queued.where(Job.tries > 0)
    in_turn = case({kind: turn for turn, kind in enumerate(kinds)}, value=col(Job.kind))
    oldest = queued.order_by(in_turn, col(Job.id)).limit(1)
    # On PostgreSQL a lane takes another row instead of waiting for one that is then taken; SQLite ignores it.
    job = session.exec(oldest.with_for_update(skip_locked=True)).first()
    if job is None:
        return None
    job.status, job.begun_at, job.tries = JobStatus.RUNNING, now, job.tries + 1
    session.add(job)
    session.flush()
    return view(job)


def requeue(session: Session, now: datetime) -> None:
    """Queue the jobs of a worker that died from the start, except one during which it has died often."""
    running = update(Job).where(col(Job.status) == JobStatus.RUNNING)
    hopeless = running.where(col(Job.tries) >= MOST_TRIES)
    message = f"The worker has ended {MOST_TRIES} times during this job; it is not tried again."
    session.execute(hopeless.values(status=JobStatus.FAILED, ended_at=now, message=message, doing=""))
    session.execute(running.values(status=JobStatus.QUEUED, begun_at=None, done=0, doing=""))


def give_back(session: Session, job_id: int, *, was_try: bool = False) -> None:
    """The worker is to end in good order: the job waits for the next one, and this was no try unless `was_try`."""
    mine = update(Job).where(col(Job.id) == job_id, col(Job.status) == JobStatus.RUNNING)
    values = {"status": JobStatus.QUEUED, "begun_at": None, "done": 0, "doing": ""}
    session.execute(mine.values(tries=Job.tries - (0 if was_try else 1), **values))


def put_off(session: Session, job_id: int, until: datetime, why: str) -> None:
    """A running job waits until it is tried again; `why` is shown meanwhile."""
    mine = update(Job).where(col(Job.id) == job_id, col(Job.status) == JobStatus.RUNNING)
    values = {"status": JobStatus.QUEUED, "begun_at": None, "done": 0, "doing": "", "not_before": until}
    session.execute(mine.values(message=why, **values))


def begin_anew(session: Session, *which: ColumnElement[bool]) -> None:
    """Restart running jobs that depend on data changed in this session, after its commit; waiting ones do not begin
    before.
    """
    standing = update(Job).where(*which, col(Job.status).in_(STANDING))
    was_running = case((col(Job.status) == JobStatus.RUNNING, 1), else_=0)
    values = {"status": JobStatus.QUEUED, "begun_at": None, "done": 0, "doing": ""}
    session.execute(standing.values(tries=Job.tries - was_running, **values))


def ask_again(job: Job) -> None:
    """Queue a finished or running job again; its handler finds `again` among the parameters."""
    job.params = {**job.params, "again": 1 + job.params.get("again", 0)}
    if job.status == JobStatus.DONE:
        job.status, job.begun_at, job.ended_at, job.done, job.tries = JobStatus.QUEUED, None, None, 0, 0


def tell(session: Session, job_id: int, done: int, total: int, doing: str) -> bool:
    """Note progress; False once the job is to stop."""
    mine = update(Job).where(col(Job.id) == job_id, col(Job.status) == JobStatus.RUNNING)
    values = {"done": done, "total": total, "doing": doing[:200]}
    return bool(session.execute(mine.values(**values)).rowcount)  # type: ignore[attr-defined]


def is_running(session: Session, job_id: int) -> bool:
    """False once the job was cancelled."""
    return session.exec(select(Job.status).where(Job.id == job_id)).first() == JobStatus.RUNNING


def is_known(session: Session, job_id: int) -> bool:
    """False once the job's study has been deleted, and the job with it."""
    return session.exec(select(Job.id).where(Job.id == job_id)).first() is not None


def finish(
    session: Session,
    asked: JobView,
    status: JobStatus,
    now: datetime,
    *,
    message: str = "",
    result: Any = None,
) -> None:
    """A running job is over; one that was cancelled meanwhile stays cancelled, one that was asked for again waits."""
    is_mine = (col(Job.id) == asked.id, col(Job.status) == JobStatus.RUNNING)
    # Locked, as it may be cancelled or asked for again at this moment.
    job = session.exec(select(Job).where(*is_mine).with_for_update()).first()
    if job is None:
        return
    job.status, job.message, job.result, job.ended_at, job.doing = status, message, result, now, ""
    if status == JobStatus.DONE and job.params.get("again") != asked.params.get("again"):
        job.status, job.ended_at, job.done, job.tries = JobStatus.QUEUED, None, 0, 0


def view(job: Job | Any) -> JobView:
    return JobView(
        id=job.id or 0,
        kind=Kind(job.kind),
        status=JobStatus(job.status),
        done=job.done,
        total=job.total,
        doing=job.doing,
        message=job.message,
        result=job.result,
        params=job.params,
        study_id=job.study_id,
        asked_by=job.asked_by,
        asked_at=job.asked_at,
        ended_at=job.ended_at,
        seen_at=job.seen_at,
        tries=job.tries,
    )
