"""A user's own password: the old one is asked for, and counted as at the door."""

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from app.database import Database
from app.errors import StudyError
from app.people import logins, passwords, throttle, users
from app.people.hashing import hash_password, try_password
from app.people.logins import Who
from app.people.passwords import WeakPassword


class WrongPassword(StudyError):
    status_code = 403
    title = "Not allowed"


@dataclass(frozen=True, slots=True)
class PasswordChange:
    """`browser` is what asks, to be listed among the user's logins; `again` the new one typed twice, or None."""

    old: str
    new: str
    browser: str = ""
    again: str | None = None


async def change_password(database: Database, who: Who, change: PasswordChange, now: datetime) -> str:
    """All logins end; returns a new one's token for the browser that asked, empty for a program.

    Raises WrongPassword, WeakPassword, TooManyAttempts.
    """
    if change.again is not None and change.again != change.new:
        raise WeakPassword("The new password and its repetition differ.")
    passwords.check_strength(change.new)
    counts = throttle.counts_for_own_password(who.user_id)
    kept = await database.peek(users.password_hash_of_user, who.user_id)
    attempts = await try_password(database, counts, change.old, kept, now)
    if not attempts:
        raise WrongPassword("That is not your password as it is now.")
    new_hash = await hash_password(change.new)

    def set_it(session: Session) -> str:
        throttle.forgive(session, counts, attempts)
        users.set_password(session, who.user_id, new_hash, by=who.actor, now=now)
        return logins.log_in(session, who.user_id, change.browser, now) if who.login_id else ""

    return await database.write(set_it)
