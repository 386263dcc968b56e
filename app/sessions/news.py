"""Waking whoever waits for a page to change: at a commit of this process; other processes are asked by their rows."""

import asyncio
import threading
from collections.abc import Iterable

from sqlmodel import Session

from app.core.committed import once_committed

_lock = threading.Lock()
_waiting: dict[int, set[tuple[asyncio.AbstractEventLoop, asyncio.Event]]] = {}


def changed(session: Session, session_ids: Iterable[int]) -> None:
    """The pages of these sessions may look different once the write is committed."""
    ids = frozenset(session_ids)
    if ids:
        once_committed(session, lambda: _wake(ids))


def _wake(ids: frozenset[int]) -> None:
    with _lock:
        found = [each for id_ in ids for each in _waiting.get(id_, ())]
    for loop, news in found:
        if not loop.is_closed():
            loop.call_soon_threadsafe(news.set)


class Listener:
    """Hears of changes of one session's page from when it is entered on, so that none falls between two looks."""

    def __init__(self, session_id: int) -> None:
        self._id, self._event = session_id, asyncio.Event()
        self._entry = (asyncio.get_running_loop(), self._event)

    def __enter__(self) -> "Listener":
        with _lock:
            _waiting.setdefault(self._id, set()).add(self._entry)
        return self

    def __exit__(self, *_: object) -> None:
        with _lock:
            others = _waiting.get(self._id, set())
            others.discard(self._entry)
            if not others:
                _waiting.pop(self._id, None)

    async def wait(self, seconds: float) -> None:
        """Until there is news, or so many seconds are over."""
        try:
            await asyncio.wait_for(self._event.wait(), seconds)
        except TimeoutError:
            return
        self._event.clear()
