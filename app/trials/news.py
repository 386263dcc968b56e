"""Wakes requests that wait for a page to change: on commits of this process, and through PostgreSQL on those of others.

A commit that changes pages notifies every process that serves the same database (`hearing`), on this host or another.
"""

import asyncio
import hashlib
import os
import secrets
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import event, text
from sqlmodel import Session

from app.core.committed import once_committed
from app.core.database import Database

CHANNEL = "likely_human_news"
LOOK_S, AGAIN_S = 1.0, 2.0
MOST_IDS = 500
"""Ids of one notification, whose text has at most 8,000 bytes."""
_NEWS = "news"
# The statement NOTIFY takes no parameters; the function does.
_NOTIFY = text(f"SELECT pg_notify('{CHANNEL}', :payload)")

_lock = threading.Lock()
_waiting: dict[int, list["Listener"]] = {}
_hearing: set[str] = set()
_process: tuple[int, str] = (0, "")


def changed(session: Session, session_ids: Iterable[int]) -> None:
    """The pages of these sessions may look different once the write is committed."""
    ids = frozenset(session_ids)
    if ids:
        session.info.setdefault(_NEWS, set()).update(ids)
        once_committed(session, lambda: _wake(ids))


def number_of(name: str) -> int:
    """A negative id for a player without a session, such as a program; session ids are positive."""
    # Not hash(): its values for texts differ from one process to the next, and this number is sent between them.
    return -1 - int(hashlib.sha256(name.encode()).hexdigest()[:12], 16)


@event.listens_for(Session, "before_commit")
def _notify(session: Session) -> None:
    # Before the commit: PostgreSQL delivers a notification with its transaction, and none that was rolled back.
    ids = sorted(session.info.pop(_NEWS, ()))
    if not ids or session.get_bind().dialect.name != "postgresql":
        return
    for at in range(0, len(ids), MOST_IDS):
        payload = f"{_name()}:{','.join(map(str, ids[at : at + MOST_IDS]))}"
        session.connection().execute(_NOTIFY, {"payload": payload})


@event.listens_for(Session, "after_rollback")
def _forget(session: Session) -> None:
    session.info.pop(_NEWS, None)


def _name() -> str:
    """A name unique to this process across hosts, so that no notice is handled twice; a fork gets its own."""
    global _process
    if _process[0] != os.getpid():
        _process = os.getpid(), secrets.token_hex(4)
    return _process[1]


def _wake(ids: Iterable[int] | None) -> None:
    """Wake the listeners of these sessions; all listeners if None."""
    with _lock:
        whom = list(_waiting) if ids is None else ids
        found = [each for id_ in whom for each in _waiting.get(id_, ())]
    for each in found:
        each.wake()


def wake_all() -> None:
    """Wake all listeners."""
    _wake(None)


@contextmanager
def hearing(database: Database) -> Iterator[None]:
    """Hear of what other processes commit, for as long as the block runs; SQLite is written by one alone."""
    if database.is_local:
        yield
        return
    stop = threading.Event()
    # A thread of its own, as waiting for psycopg's notifications blocks.
    thread = threading.Thread(target=_hear, args=(database, stop), name="news", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def hears_all(database: Database) -> bool:
    """True if this process is notified of every commit of other processes."""
    return database.is_local or str(database.url) in _hearing


def _hear(database: Database, stop: threading.Event) -> None:
    # psycopg itself does not know SQLAlchemy's names of drivers (postgresql+psycopg).
    address = database.url.set(drivername="postgresql").render_as_string(hide_password=False)
    while not stop.is_set():
        try:
            with psycopg.connect(address, autocommit=True) as connection:
                connection.execute(f"LISTEN {CHANNEL}")
                _hearing.add(str(database.url))
                _wake(None)  # what was committed while nobody listened
                while not stop.is_set():
                    # Each wait is bounded, so that the thread sees within a second that it has to stop.
                    for notice in connection.notifies(timeout=LOOK_S, stop_after=1):
                        sender, _, ids = notice.payload.partition(":")
                        if sender != _name():
                            _wake([int(id_) for id_ in ids.split(",")])
        except psycopg.Error:
            _hearing.discard(str(database.url))
            stop.wait(AGAIN_S)
        finally:
            _hearing.discard(str(database.url))


class Listener:
    """Collects changes of one session's page from entry on, so that none is missed between two checks.

    If more than `most` listen to one session, the oldest `gives_way`: a page that has been reloaded or another tab
    replaces it.
    """

    def __init__(self, session_id: int, most: int | None = None) -> None:
        self._id, self._most = session_id, most
        self._loop, self._event = asyncio.get_running_loop(), asyncio.Event()
        self.gives_way = False

    def __enter__(self) -> "Listener":
        with _lock:
            others = _waiting.setdefault(self._id, [])
            others.append(self)
            extra = others[: -self._most] if self._most is not None else []
        for each in extra:
            each.gives_way = True
            each.wake()
        return self

    def __exit__(self, *_: object) -> None:
        with _lock:
            others = _waiting.get(self._id, [])
            if self in others:
                others.remove(self)
            if not others:
                _waiting.pop(self._id, None)

    def wake(self) -> None:
        """End the wait that is under way, from any thread."""
        # A commit in another thread may come after the loop has ended, where call_soon_threadsafe raises.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self, seconds: float) -> bool:
        """Wait for a change; False if none came within so many seconds."""
        try:
            await asyncio.wait_for(self._event.wait(), seconds)
        except TimeoutError:
            return False
        self._event.clear()
        return True
