"""What is due on pages that nobody looks at, every second: an agent's move, a deadline, somebody who has left."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from sqlalchemy.exc import OperationalError

from app.core import clock, dependencies
from app.core.database import Database
from app.core.settings import Settings
from app.tasks.registry import live_tasks

EVERY_S = 1.0
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


async def _sweep(database: Database, settings: Settings) -> None:
    while True:
        try:
            await clock.agree(database)
            for task in live_tasks():
                await task.sweep(database, settings, await dependencies.now())
        except Exception:
            _log.exception("what was due could not be written; it is tried again")
        await asyncio.sleep(EVERY_S)
