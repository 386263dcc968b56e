"""Pages that change by themselves: pending changes are written before showing; a poll or stream waits for more."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from datetime import datetime
from typing import Any

from fastapi import Response
from fastapi.responses import JSONResponse, StreamingResponse
from sqlmodel import Session

from app.core import dependencies
from app.core.database import Database
from app.core.ending import is_ending
from app.sessions.here import StudyWhere
from app.sessions.views import page_for
from app.sessions.where import hold, locate, session_of
from app.tasks.running import live_of
from app.trials.news import Listener, hears_all
from app.trials.pages import MessagePage

POLL_S = 25.0
PRESENT_S = 5.0
ELSEWHERE_S = 1.0
"""How long a poll waits, how often it notes its browser, and how often it looks for what another process wrote that is
not heard of."""
STREAM_S = 240.0
IDLE_STREAM_S = 60.0
AGAIN_MS = 500
"""How long a stream of events lasts, how long where nothing changes, and how long after its end the browser opens the
next."""
# 1,050 streams of one session held up others' pages for 9 s before there was a bound (docs/serving.md).
MOST_WAITING = 2
WAY_MS = 5_000
"""Streams and polls of one session at once, and how long after it gave way to newer ones a stream is opened again:
sooner than a page takes it for lost (events.js)."""
NO_STORE = {"Cache-Control": "no-store"}
_GIVES_WAY: Mapping[str, Any] = {}


def is_due(where: StudyWhere, now: datetime) -> bool:
    """True if something must be written before the current page is shown (`settle`)."""
    task = live_of(where)
    return task is not None and not where.is_shut_out(now) and task.is_due(where, now)


def settle(session: Session, token: str, now: datetime) -> None:
    """Write what is due on the current page, unless another request already has."""
    hold(session, token)
    where = locate(session, token)
    task = live_of(where)
    if task is not None and is_due(where, now):
        task.settle(session, where, where.block, now)


def note_present(session: Session, where: StudyWhere, now: datetime, polls: bool) -> None:
    """Record a heartbeat; `polls`: from a browser that keeps polling."""
    task = live_of(where)
    if task is not None:
        task.note_present(session, where, where.block, now, polls=polls)


async def current(database: Database, token: str, now: datetime) -> StudyWhere:
    """The session's state, once everything due on its page is written."""
    where = await database.peek(locate, token)
    if is_due(where, now):
        await database.write(settle, token, now)
        where = await database.peek(locate, token)
    return where


async def news_of(
    database: Database, token: str, now: datetime, after: str, is_gone: Callable[[], Awaitable[bool]]
) -> Response:
    """Changes since the version `after`, as soon as there are any; 204 after `POLL_S` without."""
    async with aclosing(_changes(database, token, now, after, is_gone, POLL_S)) as changes:
        async for news in changes:
            if news is not None and news is not _GIVES_WAY:
                return JSONResponse(news, headers=NO_STORE)
    return Response(status_code=204, headers=NO_STORE)


async def events_of(
    database: Database, token: str, now: datetime, after: str, is_gone: Callable[[], Awaitable[bool]]
) -> Response:
    """The same as server-sent events, each change one, for `STREAM_S`; then the browser asks for the next stream."""
    await database.peek(session_of, token)  # an unknown session is refused before the stream begins

    async def stream() -> AsyncIterator[str]:
        yield f"retry: {AGAIN_MS}\nevent: here\ndata: {{}}\n\n"
        async with aclosing(_changes(database, token, now, after, is_gone, STREAM_S)) as changes:
            async for news in changes:
                if news is None:
                    yield ": still here\n\n"  # something on the way may close what is silent
                elif news is _GIVES_WAY:
                    yield f"retry: {WAY_MS}\n\n"
                else:
                    yield f"id: {news.get('version', '')}\ndata: {json.dumps(news)}\n\n"

    # Not to be held back by a proxy until it is whole.
    headers = {**NO_STORE, "X-Accel-Buffering": "no"}
    return StreamingResponse(stream(), media_type="text/event-stream", headers=headers)


async def _changes(
    database: Database,
    token: str,
    now: datetime,
    after: str,
    is_gone: Callable[[], Awaitable[bool]],
    seconds: float,
) -> AsyncGenerator[Mapping[str, Any] | None, None]:
    """The changing part of the page each time that it is another, and None now and then while it is not; at the end
    `_GIVES_WAY`, where it gives way to newer ones."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    ends = min(end, loop.time() + IDLE_STREAM_S)
    with Listener(await database.peek(session_of, token), MOST_WAITING) as listener:
        while True:
            where = await current(database, token, now)
            task = live_of(where)
            page = None if task is None or where.is_shut_out(now) else page_for(where, now)
            if task is None or page is None or isinstance(page, MessagePage):
                yield {"reload": True}
                return
            if task.version(page) != after:
                after = task.version(page)
                database.write_after(note_present, where, now, True)
                yield task.news(page)
                ends = min(end, loop.time() + IDLE_STREAM_S)
            # Until there is news, the page is what it was: only whoever looks at it is noted.
            is_news = False
            while not is_news:
                database.write_after(note_present, where, now, True)
                # A server that stops waits for the requests that are open, and a stream lasts for minutes.
                if is_ending() or loop.time() >= ends or await is_gone():
                    return
                left = max(0.0, ends - loop.time())
                hears = hears_all(database)
                is_news = await listener.wait(min(PRESENT_S if hears else ELSEWHERE_S, left)) or not hears
                if listener.gives_way:
                    yield _GIVES_WAY
                    return
                now = await dependencies.now()
                if not is_news:
                    yield None
