"""What cannot be stored now and may be later: a disk that is full, a database that is away or held by somebody."""

import errno
import shutil
from pathlib import Path

from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection

FULL = (errno.ENOSPC, errno.EDQUOT)
LEAST_FREE_BYTES = 50_000_000
"""What a service has to have left, or it is not ready: hours of answers, or one clip."""
# BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL: the rest are faults of a statement.
_OF_THE_PLACE = frozenset({5, 6, 7, 8, 10, 13, 14, 15})


def is_full(error: BaseException) -> bool:
    """Whether a file could not be written because the disk is full."""
    return isinstance(error, OSError) and error.errno in FULL


def passes(error: BaseException) -> bool:
    """Whether the same may go well later, and nothing of ours is at fault."""
    if isinstance(error, OperationalError):
        code = getattr(error.orig, "sqlite_errorcode", None)
        return code is None or code & 0xFF in _OF_THE_PLACE
    return isinstance(error, NoConnection) or is_full(error)


def said(error: BaseException) -> str:
    """The fault in one line, as the database or the system says it."""
    original = getattr(error, "orig", None) or getattr(error, "strerror", None) or error
    return " ".join(str(original).split())


def lacks_room(folder: Path) -> str | None:
    """What is wrong with the space of a folder, None where there is enough."""
    free = shutil.disk_usage(folder).free
    if free >= LEAST_FREE_BYTES:
        return None
    return f"{folder} has {free / 1e6:.0f} MB left; at least {LEAST_FREE_BYTES / 1e6:.0f} are needed"
