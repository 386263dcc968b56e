"""The monitor as it changes: server-sent events, computed once however many watch."""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

from app.admin.running.views import MonitorFragment, monitor_view
from app.core.database import Database
from app.core.ending import is_ending
from app.core.templating import html_of
from app.studies.access import StudyHere

EVERY_S = 2.0
LASTS_S = 25.0  # then the browser asks again, and shows its login again
LOOKS_S = 0.2  # how soon an ending service is noticed
BUDGET_S = 1.0  # nobody waits for an event, so more is counted at once than for a page
MOST_FEEDS = 64


@dataclass(slots=True)
class Feed:
    """The updates shared by all who watch the same numbers: rebuilt at most every `EVERY_S`, by the first request."""

    made_at: float = float("-inf")
    html: str = ""
    tag: str = ""
    is_whole: bool = True
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def fresh(
        self, database: Database, study: StudyHere, version: str, mode: str, now: datetime, *, sees_live: bool
    ) -> None:
        async with self.lock:
            if self.is_whole and time.monotonic() - self.made_at < EVERY_S:
                return
            view = await database.read(monitor_view, study, version, mode, now, BUDGET_S, sees_live=sees_live)
            self.html = html_of(MonitorFragment(view))
            self.tag = hashlib.sha256(self.html.encode()).hexdigest()[:16]
            self.is_whole, self.made_at = not view.now.behind, time.monotonic()


_feeds: WeakKeyDictionary[Database, dict[tuple[Any, ...], Feed]] = WeakKeyDictionary()


def feed_of(database: Database, *key: Any) -> Feed:
    feeds = _feeds.setdefault(database, {})
    if key not in feeds and len(feeds) >= MOST_FEEDS:
        del feeds[next(iter(feeds))]
    return feeds.setdefault(key, Feed())


async def watch(
    database: Database,
    study: StudyHere,
    version: str,
    mode: str,
    clock: Callable[[], datetime],
    seen: str = "",
    lasts_s: float = LASTS_S,
    *,
    sees_live: bool,
) -> AsyncIterator[str]:
    """Events for one browser: the fragment whenever it has changed since the event `seen`, a heartbeat otherwise.

    Users who see live votes (`sees_live`) and those who do not get different ones.
    """
    # Of this loop: an asyncio.Lock can be waited for in one loop alone.
    feed = feed_of(database, asyncio.get_running_loop(), study.id, study.state, version, mode, sees_live)
    ends = time.monotonic() + lasts_s
    yield "retry: 1000\n\n"
    while not is_ending() and time.monotonic() < ends:
        await feed.fresh(database, study, version, mode, clock(), sees_live=sees_live)
        yield event(feed.html, feed.tag) if feed.tag != seen else "event: same\ndata:\n\n"
        seen = feed.tag
        wakes = time.monotonic() + (EVERY_S if feed.is_whole else LOOKS_S)
        while not is_ending() and time.monotonic() < min(wakes, ends):
            await asyncio.sleep(LOOKS_S)


def event(html: str, tag: str) -> str:
    # A line break ends a field of server-sent events, so each line is a field of its own.
    lines = "\n".join(f"data: {line}" for line in html.splitlines())
    return f"event: numbers\nid: {tag}\n{lines}\n\n"
