"""The context of a handler: its job's parameters, the data locations, and a progress callback."""

import ctypes
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from app.core.database import Database
from app.core.settings import Settings
from app.jobs import queue
from app.jobs.queue import JobView
from app.library.clips.store import ClipStore

# On SQLite the worker's writes share the one lock with the answers (docs/decisions/0007).
TELL_EVERY_S = 0.3
LOOK_EVERY_S = 0.5


class Cancelled(Exception):
    """The job was cancelled; partial output must be removed."""


class Stopping(Exception):
    """The worker is to end; the job is done again when it next starts."""


class Later(Exception):
    """The job is to be tried again at a time; its text says why."""

    def __init__(self, until: datetime, why: str) -> None:
        super().__init__(why)
        self.until = until


@dataclass(slots=True)
class Work:
    """One job under way. `progress(done, total, doing)` may raise Cancelled or Stopping."""

    job: JobView
    settings: Settings
    database: Database
    store: ClipStore
    stop: threading.Event
    _written_at: float = field(default=0.0)

    @property
    def params(self) -> Mapping[str, Any]:
        return self.job.params

    def now(self) -> datetime:
        return datetime.now(UTC)

    @contextmanager
    def computing(self) -> Iterator[None]:
        """A block of long computation without progress calls, in which Cancelled or Stopping is raised asynchronously.

        For computation alone: code that writes to important files or a database must not be interrupted at any step.
        """
        over = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(threading.get_ident(), over), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()

    def _watch(self, thread: int, over: threading.Event) -> None:
        """Raise repeatedly until noticed: a library may swallow an exception."""
        while not over.wait(LOOK_EVERY_S):
            ending = Stopping if self.stop.is_set() else None if self._goes_on() else Cancelled
            if ending is not None:
                # Raised at the thread's next bytecode: a long call into C ends first.
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(ending))

    def _goes_on(self) -> bool:
        with self.database.reading() as session:
            return queue.is_running(session, self.job.id)

    def progress(self, done: int, total: int, doing: str = "") -> None:
        """Written at most every 0.3 s, so that a quick step costs no write."""
        if self.stop.is_set():
            raise Stopping
        if time.monotonic() - self._written_at < TELL_EVERY_S:
            return
        self._written_at = time.monotonic()
        with self.database.transaction() as session:
            goes_on = queue.tell(session, self.job.id, done, total, doing)
        if not goes_on:
            raise Cancelled


# Returns the job's result: plain JSON values, or None. Raises StudyError or ClipError to fail in words.
Handler = Callable[[Work], Any]
