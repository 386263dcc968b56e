"""Passwords: argon2 through pwdlib. A hash takes a tenth of a second: never in the event loop."""

import secrets
from functools import cache

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from app.errors import StudyError

SHORTEST, LONGEST = 10, 200
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"

_hasher = PasswordHash((Argon2Hasher(),))


class WeakPassword(StudyError):
    status_code = 422


def check_strength(password: str) -> None:
    """Raises WeakPassword for one that is too short or too long."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise WeakPassword(
            f"A password has {SHORTEST} to {LONGEST} characters; this one has {len(password)}."
        )


def hashed(password: str) -> str:
    """Raises WeakPassword."""
    check_strength(password)
    return _hasher.hash(password)


def fits(password: str, password_hash: str | None) -> bool:
    """Whether it is the password; takes as long where there is no hash to hold it against."""
    is_it = len(password) <= LONGEST and _hasher.verify(password, password_hash or _nobody())
    return is_it and password_hash is not None


@cache
def _nobody() -> str:
    """What a stranger's password is held against; made at its first use, as most commands need none."""
    return _hasher.hash(secrets.token_urlsafe())


def generated() -> str:
    """79 bits, in letters that are not mistaken for each other when read out."""
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(4))
