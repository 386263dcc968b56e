"""The worker over a real queue: order, cancelling, failing in words, and taking up what a dead worker left."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from sqlmodel import Session

from app.core.database import Database
from app.core.errors import StudyError
from app.core.settings import Settings
from app.jobs import queue
from app.jobs.tables import Job, JobStatus, Kind
from app.serving import background_worker
from app.worker import handlers
from app.worker.context import Handler, Work
from app.worker.worker import drain, work

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PATIENCE_S = 600.0  # the machine may be busy


@pytest.fixture
def handle(monkeypatch: pytest.MonkeyPatch) -> Callable[[Kind, Handler], None]:
    """Put a handler of the test's own in the place of a kind's."""
    mine = dict(handlers.HANDLERS)
    for module in ("app.worker.handlers", "app.worker.worker"):
        monkeypatch.setattr(f"{module}.HANDLERS", mine)
    return mine.__setitem__


@pytest.fixture
def running(settings: Settings, database: Database) -> Iterator[threading.Event]:
    stop = threading.Event()
    thread = threading.Thread(target=work, args=(settings, database, stop))
    thread.start()
    yield stop
    stop.set()
    thread.join()


def ask(database: Database, kind: Kind, **params: object) -> int:
    with database.transaction() as session:
        return queue.ask(session, kind, params, now=NOW)


def state(database: Database, job_id: int) -> Job:
    with database.reading() as session:
        job = session.get(Job, job_id)
    assert job is not None
    return job


def wait_for(condition: Callable[[], bool], every_s: float = 0.02) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "never came true"
        time.sleep(every_s)


@pytest.mark.both_databases
def test_a_job_is_done_once_and_keeps_its_result(
    settings: Settings, database: Database, handle: Callable[[Kind, Handler], None]
) -> None:
    seen = []

    def note(job: Work) -> object:
        seen.append(job.params["n"])
        return {"twice": 2 * job.params["n"]}

    handle(Kind.REPORT, note)
    first, second = ask(database, Kind.REPORT, n=1), ask(database, Kind.REPORT, n=2)
    drain(settings, database)
    assert seen == [1, 2]
    assert [state(database, job).result for job in (first, second)] == [{"twice": 2}, {"twice": 4}]
    assert state(database, first).status == JobStatus.DONE


def test_a_refusal_is_told_in_its_words_and_a_defect_without_its_insides(
    settings: Settings, database: Database, handle: Callable[[Kind, Handler], None]
) -> None:
    def refuse(_job: Work) -> None:
        raise StudyError("the study has no clips")

    def break_down(_job: Work) -> None:
        raise RuntimeError("/secret/path")

    handle(Kind.REPORT, refuse)
    handle(Kind.PACKAGE, break_down)
    refused, broken = ask(database, Kind.REPORT), ask(database, Kind.PACKAGE)
    drain(settings, database)
    assert (state(database, refused).status, state(database, refused).message) == (
        JobStatus.FAILED,
        "the study has no clips",
    )
    assert state(database, broken).status == JobStatus.FAILED
    assert "secret" not in state(database, broken).message


def test_a_running_job_that_is_cancelled_stops_at_its_next_step(
    database: Database, handle: Callable[[Kind, Handler], None], running: threading.Event
) -> None:
    begun, ended, steps = threading.Event(), threading.Event(), []

    def plod(job: Work) -> None:
        try:
            for step in range(10_000):
                begun.set()
                job.progress(step, 10_000, "plodding")
                steps.append(step)
                time.sleep(0.01)
        finally:
            ended.set()

    handle(Kind.REPORT, plod)
    job_id = ask(database, Kind.REPORT)
    assert begun.wait(PATIENCE_S)
    wait_for(lambda: state(database, job_id).doing == "plodding")
    with database.transaction() as session:
        queue.cancel(session, job_id, NOW)
    assert ended.wait(PATIENCE_S)
    assert len(steps) < 10_000
    assert state(database, job_id).status == JobStatus.CANCELLED


@pytest.mark.any_database
def test_a_computation_that_tells_nothing_is_ended_in_its_midst(
    settings: Settings, database: Database, handle: Callable[[Kind, Handler], None]
) -> None:
    """Cancelled, and at the end of the worker; what it catches itself does not save it."""
    begun = threading.Event()

    def compute(job: Work) -> None:
        with job.computing():
            begun.set()
            while True:
                try:
                    sum(range(1_000))
                except Exception:
                    sum(range(1_000))
                    if caught:
                        raise
                    caught.append(True)

    handle(Kind.REPORT, compute)
    for is_cancelled, status in ((True, JobStatus.CANCELLED), (False, JobStatus.QUEUED)):
        caught: list[bool] = []
        begun.clear()
        job_id, stop = ask(database, Kind.REPORT), threading.Event()
        thread = threading.Thread(target=work, args=(settings, database, stop))
        thread.start()
        assert begun.wait(PATIENCE_S)
        if is_cancelled:
            with database.transaction() as session:
                queue.cancel(session, job_id, NOW)
            handle(Kind.PACKAGE, lambda _job: "next")
            following = ask(database, Kind.PACKAGE)
            wait_for(lambda last=following: state(database, last).status == JobStatus.DONE)  # type: ignore[misc]
        stop.set()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
        assert state(database, job_id).status == status


def test_clips_do_not_wait_behind_a_long_report(
    database: Database, handle: Callable[[Kind, Handler], None], running: threading.Event
) -> None:
    release = threading.Event()
    handle(Kind.REPORT, lambda _job: release.wait(PATIENCE_S))
    handle(Kind.IMPORT, lambda _job: "in")
    report = ask(database, Kind.REPORT)
    wait_for(lambda: state(database, report).status == JobStatus.RUNNING)
    clip = ask(database, Kind.IMPORT)
    wait_for(lambda: state(database, clip).status == JobStatus.DONE)
    assert state(database, report).status == JobStatus.RUNNING
    release.set()


@pytest.mark.both_databases
def test_what_a_stopped_worker_was_at_is_done_by_the_next(
    settings: Settings, database: Database, handle: Callable[[Kind, Handler], None]
) -> None:
    begun = threading.Event()

    def wait(job: Work) -> None:
        begun.set()
        while True:
            job.progress(0, 1)
            time.sleep(0.02)

    handle(Kind.REPORT, wait)
    job_id = ask(database, Kind.REPORT)
    stop = threading.Event()
    first = threading.Thread(target=work, args=(settings, database, stop))
    first.start()
    assert begun.wait(PATIENCE_S)
    stop.set()
    first.join()
    assert state(database, job_id).status == JobStatus.QUEUED
    handle(Kind.REPORT, lambda _job: "whole")
    stop.clear()
    second = threading.Thread(target=work, args=(settings, database, stop))
    second.start()
    wait_for(lambda: state(database, job_id).status == JobStatus.DONE)
    stop.set()
    second.join()
    assert state(database, job_id).result == "whole"


def _pid_of_worker() -> int | None:
    children = subprocess.run(
        ["pgrep", "-P", str(os.getpid()), "-f", "app.worker"], capture_output=True, text=True, check=False
    ).stdout.split()
    return int(children[0]) if children else None


@pytest.mark.any_database
def test_the_service_starts_a_worker_again_that_was_killed_and_ends_it_with_itself(
    settings: Settings, database: Database
) -> None:
    with background_worker(settings):
        wait_for(lambda: _pid_of_worker() is not None, every_s=0.2)
        first = _pid_of_worker()
        assert first is not None
        os.kill(first, signal.SIGKILL)
        with (
            database.transaction() as session
        ):  # a living worker is nice, and may hold SQLite's lock for long
            job_id = _left_running(session)
        wait_for(lambda: _pid_of_worker() not in (None, first), every_s=0.2)
        wait_for(
            lambda: state(database, job_id).status == JobStatus.FAILED, every_s=0.2
        )  # taken up: there is no such study
        second = _pid_of_worker()
        assert second is not None
    assert not os.path.exists(f"/proc/{second}")


def _left_running(session: Session) -> int:
    """A report that a worker was at when it died."""
    job_id = queue.ask(session, Kind.REPORT, {"slug": "none-such", "mode": None, "seed": 1}, now=NOW)
    queue.take(session, [Kind.REPORT], NOW)
    return job_id


def test_a_job_that_keeps_killing_the_worker_is_given_up_and_harms_no_other(
    settings: Settings, database: Database, handle: Callable[[Kind, Handler], None]
) -> None:
    """A worker that dies leaves its jobs running; here they are put so, as often as a worker would have died."""
    killer, innocent = ask(database, Kind.REPORT), ask(database, Kind.IMPORT)
    with database.transaction() as session:
        queue.take(session, [Kind.IMPORT], NOW)
    for _ in range(queue.MOST_TRIES):
        with database.transaction() as session:
            queue.take(session, [Kind.REPORT], NOW)
        with database.transaction() as session:
            queue.requeue(session, NOW)
    handle(Kind.IMPORT, lambda _job: "in")
    drain(settings, database)
    assert state(database, killer).status == JobStatus.FAILED
    assert "not tried again" in state(database, killer).message
    assert state(database, innocent).result == "in"


def test_a_mail_that_was_put_off_is_tried_in_its_lane_and_holds_up_no_start(
    settings: Settings, database: Database, handle: Callable[[Kind, Handler], None]
) -> None:
    threads: list[str] = []
    handle(Kind.MAIL, lambda _: threads.append(threading.current_thread().name))
    job = ask(database, Kind.MAIL, mail="reset", user=1)
    with database.transaction() as session:
        assert queue.take(session, [Kind.MAIL], NOW)
        queue.put_off(session, job, NOW, "later")
    stop = threading.Event()
    thread = threading.Thread(target=work, args=(settings, database, stop), name="worker")
    thread.start()
    try:
        wait_for(lambda: state(database, job).status == JobStatus.DONE)
    finally:
        stop.set()
        thread.join()
    [name] = threads
    assert name.startswith("lane-")
