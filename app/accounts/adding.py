"""Passwords that an owner gives: generated unless they say one, hashed in a thread, shown once."""

from dataclasses import dataclass
from datetime import datetime

from app.accounts import passwords, users
from app.accounts.audit import Actor
from app.accounts.hashing import hash_password
from app.accounts.tables import Role
from app.core.database import Database


@dataclass(frozen=True, slots=True)
class NewUser:
    """`password` None has one generated."""

    email: str
    role: Role
    password: str | None = None


@dataclass(frozen=True, slots=True)
class PasswordGiven:
    """`generated` is None where the owner gave one of their own."""

    id: int
    email: str
    generated: str | None


async def add_user(database: Database, new: NewUser, by: Actor, now: datetime) -> PasswordGiven:
    """Raises BadEmail, WeakPassword, Conflict."""
    email, generated = users.checked_email(new.email), _generated_unless(new.password)
    kept = await hash_password(new.password or generated or "", email)
    user_id = await database.write(users.add_user, email, new.role, kept, by=by, now=now)
    return PasswordGiven(user_id, email, generated)


async def reset_password(
    database: Database, user_id: int, password: str | None, by: Actor, now: datetime
) -> PasswordGiven:
    """All their logins end and all their API tokens are revoked. Raises WeakPassword, NotFound."""
    user = await database.read(users.user_with, user_id)
    generated = _generated_unless(password)
    kept = await hash_password(password or generated or "", user.email)
    await database.write(users.set_password, user_id, kept, by=by, now=now)
    return PasswordGiven(user_id, user.email, generated)


def _generated_unless(password: str | None) -> str | None:
    return None if password else passwords.generated()
