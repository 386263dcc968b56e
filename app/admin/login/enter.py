"""The login as one step: throttle, password, fresh token."""

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from app.accounts import logins, throttle
from app.accounts.hashing import try_password
from app.accounts.logins import WRONG, WrongLogin
from app.core.database import Database


@dataclass(frozen=True, slots=True)
class Attempt:
    """`address` is where it comes from; `ends` the token of an earlier login of the same browser.

    `known` is the browser, where this user has come in with it before (see `throttle`).
    """

    email: str
    password: str
    address: str
    browser: str
    ends: str
    known: str


async def enter(database: Database, attempt: Attempt, now: datetime) -> str:
    """A new login's token. Raises WrongLogin or TooManyAttempts."""
    counts = throttle.counts_for(attempt.email, attempt.address, attempt.known)
    user_id, kept = await database.peek(logins.password_hash_of, attempt.email)
    attempts = await try_password(database, counts, attempt.password, kept, now)
    if not attempts or user_id is None:
        await database.write(logins.note_failed, attempt.email, now)
        raise WrongLogin(WRONG)

    # One write: attempts are forgiven only if the login is made.
    def come_in(session: Session) -> str:
        throttle.forgive(session, counts, attempts)
        return logins.log_in(session, user_id, attempt.browser, now, ends=attempt.ends, kept=kept)

    return await database.write(come_in)
