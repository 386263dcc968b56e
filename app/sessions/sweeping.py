"""Processes due events of pages that nobody is viewing, every second: agents' moves, deadlines, players who left.

It also gives back the places of idle sessions, closes studies whose last day is over, and ends visits that never
answered the consent page.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta

from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from app.core import clock, dependencies
from app.core.database import Database
from app.core.settings import Settings
from app.sessions import beginning_queries
from app.sessions.entering import day_of
from app.sessions.slots import settle_places
from app.sessions.where import SESSIONS
from app.tasks.running import live_tasks

EVERY_S = 1.0
PLACES_EVERY = timedelta(seconds=10)
VISITS_EVERY = timedelta(minutes=10)
VISIT_LASTS = timedelta(days=1)
"""After the day on which somebody came: as long they may think about taking part."""
_log = logging.getLogger("likely-human")


@asynccontextmanager
async def sweeping(database: Database, settings: Settings) -> AsyncIterator[None]:
    """Sweep for as long as the block runs; several processes may."""
    with suppress(OperationalError):  # it is measured as soon as the server answers
        await clock.agree(database)
    sweeper = asyncio.create_task(_sweep(database, settings))
    try:
        yield
    finally:
        sweeper.cancel()
        with suppress(asyncio.CancelledError):
            await sweeper
        for task in live_tasks():
            await task.end(database)


def end_visits(session: Session, now: datetime) -> None:
    """End visits undecided for a day: only a count per version and day is kept, and they cannot be resumed."""
    before = {"before": day_of(now - VISIT_LASTS)}
    # Tokens first: the second statement changes the status by which this one finds its visits.
    session.connection().execute(beginning_queries.END_VISIT_TOKENS, before)
    session.connection().execute(beginning_queries.END_VISITS, before)


async def _sweep(database: Database, settings: Settings) -> None:
    visits_due = places_due = await dependencies.now()
    while True:
        try:
            # Each second, as a host's clock may be set while the service runs (decision 0018).
            await clock.agree(database)
            if (now := await dependencies.now()) >= visits_due:
                await database.write(end_visits, now)
                visits_due = now + VISITS_EVERY
            if now >= places_due:
                await database.write(settle_places, now)
                places_due = now + PLACES_EVERY
            for task in live_tasks():
                await task.sweep(database, settings, SESSIONS, await dependencies.now())
        # A database that is away for a moment must not end the sweeper for good.
        except Exception:
            _log.exception("what was due could not be written; it is tried again")
        await asyncio.sleep(EVERY_S)
