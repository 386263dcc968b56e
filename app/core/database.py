"""The database: many readers, one writer that commits waiting work in groups.

Every request that changes something awaits `Database.write`, which returns only after the commit (docs/decisions/0001).
One connection per process writes, and jobs that arrive together are committed together. If one of a group fails, the
group is rolled back and each job is run and committed alone, so that no answer depends on another's. SQLite is written
and peeked at in the event loop itself: handing its microseconds of work to a thread costs more than doing it.
PostgreSQL, over the network, has a writer thread.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, TypeVar

import anyio.to_thread
from sqlalchemy import URL, Connection, Engine
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from app.core.committed import call_committed
from app.core.engines import LOCK_WAIT_S, make_engine
from app.core.errors import Stale
from app.core.statements import keep_driver, say
from app.core.write_queue import WriteQueue

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")

TRIES = (
    3  # to write what was prepared, before whoever asks is told that somebody else keeps changing the same
)
# A command such as an import holds SQLite's lock for about a second (docs/decisions/0001).
LOCK_RETRY_S = 0.02
# More threads that peek wait for each other instead of the server: measured by `bench.matches` (p99 2 to 3 s with 40).
PEEKING_THREADS = 4


@dataclass(frozen=True, slots=True)
class _Job:
    run: Callable[[Session], Any]
    done: Callable[[Any, BaseException | None], object]
    waits: bool = False  # for the writes of all others, where there is a queue
    deadline: float = field(default_factory=lambda: time.monotonic() + LOCK_WAIT_S)


class _Locked(Exception):
    """Another process holds SQLite's write lock; `jobs` are those of the group still to be done."""

    def __init__(self, jobs: "list[_Job]") -> None:
        super().__init__("database is locked")
        self.jobs = jobs


def _is_deadlock(error: Exception) -> bool:
    """True if PostgreSQL aborted the transaction to resolve a deadlock."""
    return isinstance(error, OperationalError) and getattr(error.orig, "sqlstate", "") == "40P01"


def _forget(_result: Any, _error: BaseException | None) -> None:
    """Ignore the result: no caller waits for this job."""


class Database:
    """One database for one process: `write`, `peek`, `read` for requests, `transaction`, `reading` for commands.

    The first three belong to one event loop.
    """

    def __init__(self, url: URL, *, checkpointing: bool = False) -> None:
        self.url = url
        self._read_engine = make_engine(url, writing=False)
        self._write_engine = make_engine(url, writing=True, checkpointing=checkpointing)
        self._is_local = url.get_backend_name() == "sqlite"
        # In the event loop nothing may wait for a lock: the group is tried again instead.
        self._loop_engine = make_engine(url, writing=True, checkpointing=checkpointing, lock_wait_s=0)
        self._kept: Connection | None = None
        self._waiting: list[_Job] = []
        self.failure: str | None = None  # why the last group could not be stored; None once one could
        self.stored_at = float("-inf")  # when one last could
        self._queue: WriteQueue[_Job] = WriteQueue()
        self._writer: threading.Thread | None = None
        self._peeking: Session | None = None
        self._is_listened_to = False
        # Neither begins nor ends a transaction, which over the network are two more round trips.
        self._peek_engine = self._read_engine.execution_options(isolation_level="AUTOCOMMIT")
        self._peekers: anyio.CapacityLimiter | None = None

    @property
    def is_local(self) -> bool:
        """True if this process alone writes the database while the service runs."""
        return self._is_local

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """A session that commits at the end of the block, or leaves everything as it was."""
        # Attributes expired by the commit would be read again after the session is closed, and fail.
        with Session(self._write_engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def _in_loop(self) -> Iterator[Session]:
        """Like `transaction`, on a connection that is kept: to take one and give it back took a quarter of a commit.

        The driver begins and commits where it runs all statements: SQLAlchemy's way into a transaction and out of it
        takes ten times as long.
        """
        if self._kept is None:
            self._kept = self._loop_engine.connect()
        try:
            with Session(self._kept, expire_on_commit=False) as session:
                driver = keep_driver(session, self._kept)
                if driver is not None:
                    say(driver, "BEGIN IMMEDIATE")
                yield session
                if driver is None or session.in_transaction():
                    session.commit()
                else:
                    say(driver, "COMMIT")
                    call_committed(session)
        except BaseException:
            self._let_go()  # whatever the failure left in it
            raise

    def _let_go(self) -> None:
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session to read with."""
        with Session(self._read_engine, expire_on_commit=False) as session:
            yield session

    async def read(self, job: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `job(session, ...)` in a thread; the session is put first."""
        return await self._in_thread(self._read_engine, None, lambda session: job(session, *args, **kwargs))

    async def peek(self, job: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Like `read`, for a job that finds a row or two by key: SQLite answers faster than a thread would start, and
        few threads are faster than many that each wait for the network.
        """
        if not self._is_local:
            if self._peekers is None:  # not before an event loop runs
                self._peekers = anyio.CapacityLimiter(PEEKING_THREADS)
            return await self._in_thread(
                self._peek_engine, self._peekers, lambda session: job(session, *args, **kwargs)
            )
        if self._peeking is None:
            # Each statement sees what is committed, as on PostgreSQL. An open transaction would keep an old snapshot:
            # later peeks stale, and the log never begun anew. To begin and end one took as long as to find a session.
            self._peeking = Session(self._peek_engine, expire_on_commit=False)
        listened = bool(self._read_engine.dispatch.before_cursor_execute)
        # Looked for anew after an error, which gives the connection back, and where something begins to listen.
        if listened is not self._is_listened_to or not self._peeking.in_transaction():
            keep_driver(self._peeking, self._peeking.connection())
            self._is_listened_to = listened
        try:
            return job(self._peeking, *args, **kwargs)
        except BaseException:
            self._peeking.rollback()
            raise
        finally:
            # Or a later peek would be given an object as it was.
            if len(self._peeking.identity_map):
                self._peeking.expunge_all()

    async def _in_thread(
        self, engine: Engine, limiter: anyio.CapacityLimiter | None, job: Callable[[Session], T]
    ) -> T:
        def run() -> T:
            try:
                return once()
            except OperationalError as error:
                if not error.connection_invalidated:
                    raise
                return once()  # the server was restarted: all connections are new now

        def once() -> T:
            with Session(engine, expire_on_commit=False) as session:
                return job(session)

        return await anyio.to_thread.run_sync(run, limiter=limiter)

    async def write(self, job: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `job(session, ...)` with the next group; returns after its commit, raises what it raised.

        A job may be run twice and must have no effect but on its session.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def settle(result: Any, error: BaseException | None) -> None:
            if future.done():
                # The group may be committing already: its job cannot be withdrawn, and this future takes no result.
                return  # the request was cancelled; what it asked for is done all the same
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

        # A future belongs to the loop's thread: setting it from the writer thread would not wake the loop.
        done = settle if self._is_local else lambda *by: loop.call_soon_threadsafe(settle, *by)

        # A job speaks the language of who asks, in the writer thread and in a group with others' jobs.
        context = copy_context()
        self._put(_Job(lambda session: context.run(job, session, *args, **kwargs), done))
        return await future

    async def prepare_and_write(self, prepare: Callable[[Session], S], job: Callable[[Session, S], T]) -> T:
        """Write `job(session, what prepare(session) read)`: `prepare` reads files, CSV and YAML, in a thread.

        A job raises Stale if what was read has changed since; both are then repeated, a limited number of times.
        """
        for _ in range(TRIES - 1):
            try:
                return await self.write(job, await self.read(prepare))
            except Stale:
                continue
        return await self.write(job, await self.read(prepare))

    def write_soon(self, job: Callable[..., object], *args: object) -> None:
        """Queue `job(session, ...)` without waiting: for notes whose loss in a crash would cost no answer."""
        self._put(_Job(lambda session: job(session, *args), _forget))

    def write_after(self, job: Callable[..., object], *args: object) -> None:
        """Like `write_soon`, for what many send every few seconds: over the network the writes of all others go first,
        those that came later, too.
        """
        self._put(_Job(lambda session: job(session, *args), _forget, waits=True))

    def close(self) -> None:
        """Finish the queued work and let go of the database."""
        self._write_waiting()
        if self._writer:
            self._queue.end()
            self._writer.join()
        if self._peeking:
            self._peeking.close()
        self._let_go()
        self._loop_engine.dispose()
        self._write_engine.dispose()
        self._read_engine.dispose()

    def _put(self, job: _Job) -> None:
        if self._is_local:
            self._waiting.append(job)
            # One callback for all jobs of this turn of the loop; each further job joins the same commit.
            if len(self._waiting) == 1:
                asyncio.get_running_loop().call_soon(self._write_waiting)
            return
        if self._writer is None:
            self._writer = threading.Thread(target=self._write_queued, name="database-writer", daemon=True)
            self._writer.start()
        self._queue.put(job, waits=job.waits)

    def _write_waiting(self) -> None:
        """Commit everything that arrived in one turn of the event loop, as one group."""
        group, self._waiting = self._waiting, []
        if not group:
            return
        try:
            self._commit(group, self._in_loop)
        except _Locked as locked:
            for job in locked.jobs:
                if time.monotonic() < job.deadline:
                    self._waiting.append(job)
                else:
                    job.done(None, locked.__cause__)
            if self._waiting:
                asyncio.get_running_loop().call_later(LOCK_RETRY_S, self._write_waiting)

    def _write_queued(self) -> None:
        """Commit, in the writer thread, everything that arrived during the last commit, as one group."""
        while group := self._queue.group():
            self._commit(group, self.transaction)

    def _commit(
        self, group: list[_Job], writing: Callable[[], AbstractContextManager[Session]], tries: int = TRIES
    ) -> None:
        try:
            with writing() as session:
                results = []
                # Flushed per job, so that a broken constraint fails within this group; expunged, so that no job
                # sees another's objects: run alone after a failure, it has to find the same.
                for job in group:
                    results.append(job.run(session))
                    if session.in_transaction():  # else it holds nothing: the driver ran all statements
                        session.flush()
                        session.expunge_all()
        except Exception as error:
            if isinstance(error, OperationalError):
                self.failure = str(error.orig)
                if self._is_local and "locked" in self.failure:
                    raise _Locked(group) from error
            # Alone as well as in a group: after a deadlock PostgreSQL has rolled back, and the same job may succeed.
            if len(group) == 1 and _is_deadlock(error) and tries > 1:
                return self._commit(group, writing, tries - 1)
            if len(group) == 1:
                group[0].done(None, error)
                return
            for position, job in enumerate(group):
                try:
                    self._commit([job], writing)
                except _Locked as locked:
                    raise _Locked(group[position:]) from locked.__cause__
            return
        # Only after the block's commit, so that nobody is told "saved" for what a full disk then refuses.
        self.failure, self.stored_at = None, time.monotonic()
        for job, result in zip(group, results, strict=True):
            job.done(result, None)
