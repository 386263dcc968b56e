"""What a handler is given: its job's parameters, where data are, and a way to tell how far it is."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from app.clips.store import ClipStore
from app.database import Database
from app.jobs import queue
from app.jobs.queue import JobView
from app.settings import Settings

TELL_EVERY_S = 0.3


class Cancelled(Exception):
    """Somebody called the job off; what is half done is to be cleared away."""


class Stopping(Exception):
    """The worker is to end; the job is done again when it next starts."""


@dataclass(slots=True)
class Work:
    """One job under way. `progress(done, total, doing)` may raise Cancelled or Stopping."""

    job: JobView
    settings: Settings
    database: Database
    store: ClipStore
    stop: threading.Event
    _told_at: float = field(default=0.0)

    @property
    def params(self) -> Mapping[str, Any]:
        return self.job.params

    def now(self) -> datetime:
        return datetime.now(UTC)

    def progress(self, done: int, total: int, doing: str = "") -> None:
        """Told at most every 0.3 s, so that a quick step costs no write."""
        if self.stop.is_set():
            raise Stopping
        if time.monotonic() - self._told_at < TELL_EVERY_S:
            return
        self._told_at = time.monotonic()
        with self.database.transaction() as session:
            goes_on = queue.tell(session, self.job.id, done, total, doing)
        if not goes_on:
            raise Cancelled


# Returns the job's result: plain JSON values, or None. Raises StudyError or ClipError to fail in words.
Handler = Callable[[Work], Any]
