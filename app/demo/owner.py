"""The demo's owner: made once, with a password that every start can print, as the secret tells it."""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import UTC, datetime

from app.accounts import passwords, users
from app.accounts.audit import COMMAND_LINE
from app.accounts.tables import Role
from app.core.database import Database
from app.core.settings import Settings

EMAIL = "owner@example.org"
_LENGTH = 16


@dataclass(frozen=True, slots=True)
class DemoOwner:
    """`password` is None if the owner has changed it, `email` if the folder has its own users."""

    email: str | None
    password: str | None = None


def password_of(secret: str) -> str:
    return hmac.new(secret.encode(), b"the demo's owner", hashlib.sha256).hexdigest()[:_LENGTH]


def demo_owner(settings: Settings, database: Database) -> DemoOwner:
    """The demo's owner, created if there are no users yet."""
    password = password_of(settings.secret)
    with database.reading() as session:
        if users.is_nobody(session):
            kept = None
        elif users.is_known(session, EMAIL):
            kept = users.password_hash_of_user(session, users.user_named(session, EMAIL).id)
        else:
            return DemoOwner(None)
    if kept is not None:
        return DemoOwner(EMAIL, password if passwords.fits(password, kept) else None)
    with database.transaction() as session:
        kept = passwords.hashed(password, is_drawn=True)
        users.add_user(session, EMAIL, Role.OWNER, kept, by=COMMAND_LINE, now=datetime.now(UTC))
    return DemoOwner(EMAIL, password)
