"""The worker: processes the queue's jobs outside the service, and resumes after a crash."""

import fcntl
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from sqlmodel import Session

from app.core.database import Database
from app.core.errors import StudyError, page_words
from app.core.settings import Settings
from app.core.storage import error_text, is_full, passes
from app.jobs import queue
from app.jobs.queue import JobView
from app.jobs.tables import JobStatus, Kind
from app.library.clips.errors import ClipError
from app.library.clips.store import ClipStore
from app.studies.deleting import remove_outputs
from app.worker.context import Cancelled, Later, Stopping, Work
from app.worker.handlers import HANDLERS, LANES
from app.worker.newsletter import watch
from app.worker.tidying import tidy

IDLE_S, AGAIN_S = 0.25, 1.0
T = TypeVar("T")
_log = logging.getLogger("likely-human.worker")


def work(settings: Settings, database: Database, stop: threading.Event) -> None:
    """Do jobs until `stop`. One worker per data folder: a second waits for the first to end."""
    with _holding(settings, stop) as held:
        if not held:
            return
        # Under the lock alone: a job marked as running can only be a dead worker's then.
        with database.transaction() as session:
            queue.requeue(session, datetime.now(UTC))
        tidy(settings.data_dir, database, datetime.now(UTC))
        _do_again(settings, database, stop)
        lanes = [
            threading.Thread(target=_lane, args=(settings, database, kinds, stop), name=f"lane-{number}")
            for number, kinds in enumerate(LANES, start=1)
        ]
        if settings.can_mail:
            lanes.append(threading.Thread(target=watch, args=(database, stop), name="news"))
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()


def _do_again(settings: Settings, database: Database, stop: threading.Event) -> None:
    """Repeat jobs begun before, one by one: a job that crashes the worker must not take others with it.

    Mails are left to their lane: a server that does not answer would hold up the other lanes.
    """
    kinds = tuple(kind for kind in HANDLERS if kind != Kind.MAIL)
    while not stop.is_set():
        with database.transaction() as session:
            job = queue.take(session, kinds, datetime.now(UTC), again=True)
        if job is None:
            return
        _do(settings, database, job, stop)


def drain(settings: Settings, database: Database) -> None:
    """Do everything that is queued, in this thread; for tests and commands."""
    kinds = tuple(HANDLERS)
    while (job := _next(database, kinds)) is not None:
        if not _do(settings, database, job, threading.Event()):
            return


def _lane(settings: Settings, database: Database, kinds: Sequence[Kind], stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            job = _next(database, kinds)
            if job is not None:
                _do(settings, database, job, stop)
                continue
        except Exception:  # the database may be away for a while; the lane must outlive that
            _log.exception("the worker goes on after an error")
        stop.wait(IDLE_S)


def _next(database: Database, kinds: Sequence[Kind]) -> JobView | None:
    # Looked for by reading: every lane asks four times a second, and a write takes the lock that answers need.
    with database.reading() as session:
        if not queue.is_waiting(session, kinds, datetime.now(UTC)):
            return None
    with database.transaction() as session:
        return queue.take(session, kinds, datetime.now(UTC))


def _do(settings: Settings, database: Database, job: JobView, stop: threading.Event) -> bool:
    """Run a job; False if the worker was told to end, and the job stays queued."""
    status, message, result = JobStatus.DONE, "", None
    try:
        result = HANDLERS[job.kind](Work(job, settings, database, ClipStore(settings.data_dir), stop))
    except Cancelled:
        return True
    except Stopping:
        with database.transaction() as session:
            queue.give_back(session, job.id)
        return False
    except Later as later:
        put_off = partial(_put_off, job_id=job.id, until=later.until, why=str(later))
        return _written(database, stop, put_off) is not None
    except (StudyError, ClipError) as error:
        status, message = JobStatus.FAILED, page_words(error)
    except Exception as error:
        if is_full(error):
            message = "The disk is full. Start it again when there is space."
        elif passes(error) and job.tries < queue.MOST_TRIES:  # the database was away
            _log.warning("job %s (%s) is begun anew: %s", job.id, job.kind, error_text(error))
            return _written(database, stop, partial(_begin_anew, job_id=job.id)) is not None
        elif not _is_analysis_error(error):
            _log.exception("job %s (%s) failed", job.id, job.kind)
            message = (
                f"Something went wrong on our side ({type(error).__name__}); the service's log says more."
            )
        else:
            message = page_words(error)
        status = JobStatus.FAILED

    def finish(session: Session) -> bool:
        queue.finish(session, job, status, datetime.now(UTC), message=message, result=result)
        return queue.is_known(session, job.id)

    is_known = _written(database, stop, finish)
    if is_known is False:  # its study was deleted while this was made
        remove_outputs(settings.data_dir, job.id)
    return is_known is not None


def _put_off(session: Session, job_id: int, until: datetime, why: str) -> bool:
    queue.put_off(session, job_id, until, why)
    return True


def _begin_anew(session: Session, job_id: int) -> bool:
    queue.give_back(session, job_id, was_try=True)
    return True


def _written(database: Database, stop: threading.Event, job: Callable[[Session], T]) -> T | None:
    """Return the result of a write, retried until the database accepts it; None if the worker is to end first: its
    successor repeats the job.
    """
    while True:
        try:
            with database.transaction() as session:
                return job(session)
        except Exception as error:
            if not passes(error):
                raise
            _log.warning("the worker waits for the database: %s", error_text(error))
        if stop.wait(AGAIN_S):
            return None


def _is_analysis_error(error: Exception) -> bool:
    return any(cls.__name__ == "AnalysisError" for cls in type(error).__mro__)


@contextmanager
def _holding(settings: Settings, stop: threading.Event) -> Iterator[bool]:
    with (settings.data_dir / "worker.lock").open("a") as file:
        while not stop.is_set():
            try:
                # Not blocking: a process that waits in flock would not see `stop`.
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                stop.wait(IDLE_S)
                continue
            yield True
            return
        yield False
