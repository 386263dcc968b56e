"""A user's own password: the old one is asked for, and counted as at the login."""

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from app.accounts import logins, passwords, throttle, users
from app.accounts.audit import record
from app.accounts.hashing import hash_password, try_password
from app.accounts.logins import Who
from app.accounts.passwords import WeakPassword
from app.core.database import Database
from app.core.errors import StudyError, at_field


class WrongPassword(StudyError):
    status_code = 403
    title = "Not allowed"


@dataclass(frozen=True, slots=True)
class PasswordChange:
    """`browser` is what asks, to be listed among the user's logins; `again` the new one typed twice."""

    old: str
    new: str
    again: str
    browser: str = ""


async def change_password(database: Database, who: Who, change: PasswordChange, now: datetime) -> str:
    """Change the password and end all logins; returns a new login's token for this browser.

    Raises WrongPassword, WeakPassword, TooManyAttempts.
    """
    with at_field("again"):
        if change.again != change.new:
            raise WeakPassword("The new passwords do not match.")
    with at_field("new"):
        passwords.check_strength(change.new, who.email)
    counts = throttle.counts_for_own_password(who.user_id)
    kept = await database.peek(users.password_hash_of_user, who.user_id)
    attempts = await try_password(database, counts, change.old, kept, now)
    if not attempts:
        await database.write(record, who.actor, "password.fail", now=now, subject=who.email)
        raise WrongPassword("The current password is incorrect.")
    new_hash = await hash_password(change.new, who.email)

    def set_it(session: Session) -> str:
        throttle.forgive(session, counts, attempts)
        users.set_password(session, who.user_id, new_hash, by=who.actor, now=now)
        return logins.log_in(session, who.user_id, change.browser, now)

    return await database.write(set_it)
