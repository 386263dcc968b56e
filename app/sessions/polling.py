"""Pages that change by themselves: what is due is written before they are shown, and a poll waits for news."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

from fastapi import Response
from fastapi.responses import JSONResponse

from app.core import dependencies
from app.core.database import Database
from app.sessions.news import Listener, hears_all
from app.sessions.pages import MessagePage
from app.sessions.state_machine import Where, is_due, locate, note_present, session_of, settle
from app.sessions.views import page_for

POLL_S = 25.0
PRESENT_S = 5.0
ELSEWHERE_S = 1.0
"""How long a poll waits, how often it notes its browser, and how often it looks for what another process wrote that is
not heard of."""
NO_STORE = {"Cache-Control": "no-store"}


async def current(database: Database, token: str, now: datetime) -> Where:
    """Where a session stands, once everything is written that is due on its page."""
    where = await database.peek(locate, token)
    if is_due(where, now):
        await database.write(settle, token, now)
        where = await database.peek(locate, token)
    return where


async def news_of(
    database: Database, token: str, now: datetime, after: str, is_gone: Callable[[], Awaitable[bool]]
) -> Response:
    """What has changed since the version `after`, as soon as something has; 204 after `POLL_S` without."""
    loop = asyncio.get_running_loop()
    end = loop.time() + POLL_S
    with Listener(await database.peek(session_of, token)) as listener:
        while True:
            where = await current(database, token, now)
            task = where.live
            if task is None or where.is_shut_out(now):
                return JSONResponse({"reload": True}, headers=NO_STORE)
            page = page_for(where, now)
            if isinstance(page, MessagePage):
                return JSONResponse({"reload": True}, headers=NO_STORE)
            if task.version(page) != after:
                database.write_soon(note_present, where, now, True)
                return JSONResponse(task.news(page), headers=NO_STORE)
            # Until there is news, the page is what it was: only whoever looks at it is noted.
            is_news = False
            while not is_news:
                database.write_soon(note_present, where, now, True)
                if loop.time() >= end or await is_gone():
                    return Response(status_code=204, headers=NO_STORE)
                left = max(0.0, end - loop.time())
                hears = hears_all(database)
                is_news = await listener.wait(min(PRESENT_S if hears else ELSEWHERE_S, left)) or not hears
                now = await dependencies.now()
