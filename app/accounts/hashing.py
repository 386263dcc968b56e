"""Passwords checked and hashed in threads, two at a time: each takes 64 MB and a tenth of a second."""

from collections.abc import Sequence
from datetime import datetime

import anyio
import anyio.to_thread

from app.accounts import passwords, throttle
from app.accounts.throttle import Count
from app.core.database import Database

AT_ONCE = 2
_limiter: anyio.CapacityLimiter | None = None


async def try_password(
    database: Database, counts: Sequence[Count], password: str, kept: str | None, now: datetime
) -> Sequence[int]:
    """Count the attempt and check the password; what comes back is for `throttle.forgive`, empty where it is wrong.

    Takes as long where there is no hash to check against. Raises TooManyAttempts.
    """
    await database.peek(throttle.check_open, counts, now)
    attempts = await database.write(throttle.begin_attempt, counts, now)
    fits = await anyio.to_thread.run_sync(passwords.fits, password, kept, limiter=_hashing())
    return attempts if fits else []


async def hash_password(password: str, email: str = "") -> str:
    """Raises WeakPassword."""
    return await anyio.to_thread.run_sync(passwords.hashed, password, email, limiter=_hashing())


def _hashing() -> anyio.CapacityLimiter:
    global _limiter
    if _limiter is None:
        _limiter = anyio.CapacityLimiter(AT_ONCE)
    return _limiter
