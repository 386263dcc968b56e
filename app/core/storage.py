"""Temporary storage failures: a full disk, a database that is away or locked."""

import asyncio
import errno
import shutil
import time
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlmodel import Session

from app.core.database import Database

FULL = (errno.ENOSPC, errno.EDQUOT)
LEAST_FREE_BYTES = 50_000_000
"""What a service has to have left, or it is not ready: hours of answers, or one clip."""
STORED_S, TRACE_S = 2.0, 5.0
"""How long a write that went well says that the next one will, and how long one that is made to see may take."""
# BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL: the rest are faults of a statement.
_OF_THE_PLACE = frozenset({5, 6, 7, 8, 10, 13, 14, 15})


def is_full(error: BaseException) -> bool:
    """True if a write failed because the disk is full."""
    return isinstance(error, OSError) and error.errno in FULL


def passes(error: BaseException) -> bool:
    """True if the failure is temporary and not a fault of ours."""
    if isinstance(error, OperationalError):
        code = getattr(error.orig, "sqlite_errorcode", None)
        # The low byte is SQLite's primary result code; the extended ones add detail above it.
        return code is None or code & 0xFF in _OF_THE_PLACE
    return isinstance(error, NoConnection) or is_full(error)


def error_text(error: BaseException) -> str:
    """The fault in one line, as the database or the system says it."""
    original = getattr(error, "orig", None) or getattr(error, "strerror", None) or error
    return " ".join(str(original).split())


def lacks_room(folder: Path) -> str | None:
    """A message if the folder's free space is too low; None otherwise."""
    free = shutil.disk_usage(folder).free
    if free >= LEAST_FREE_BYTES:
        return None
    return f"{folder} has {free / 1e6:.0f} MB left; at least {LEAST_FREE_BYTES / 1e6:.0f} are needed"


async def why_not_stored(database: Database) -> str | None:
    """The reason why nothing can be stored now, None if it can: from the last write, or a test write."""
    if database.failure is None and time.monotonic() - database.stored_at < STORED_S:
        return None
    try:
        async with asyncio.timeout(TRACE_S):
            await database.write(_leave_a_trace)
    except TimeoutError:
        return f"the database has not answered within {TRACE_S:g} s"
    except DBAPIError as error:
        return str(error.orig)
    except SQLAlchemyError as error:
        return str(error)
    return None


def _leave_a_trace(session: Session) -> None:
    """Make a test write without effect: on SQLite a number in the file's first page, on PostgreSQL a transaction id."""
    if session.get_bind().dialect.name == "sqlite":
        version = session.execute(text("PRAGMA user_version")).scalar_one()
        # The same number again still writes the first page, so a full disk is noticed.
        session.execute(text(f"PRAGMA user_version = {int(version)}"))
    else:
        session.execute(text("SELECT txid_current()"))
