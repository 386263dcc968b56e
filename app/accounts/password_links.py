"""Links by which a user chooses a password without the old one: once, within a week, kept as hashes."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, select

from app.accounts import logins, passwords, users
from app.accounts.audit import Actor
from app.accounts.hashing import hash_password
from app.accounts.logins import token_hash
from app.accounts.passwords import WeakPassword
from app.accounts.tables import PasswordLink, User
from app.core.database import Database
from app.core.errors import NotFound, StudyError, at_field

LASTS = timedelta(days=7)
MOST_OPEN = 3


class LinkEnded(StudyError):
    status_code = 410
    title = "This link has ended"


@dataclass(frozen=True, slots=True)
class ChosenPassword:
    """`again` is the password typed twice, `browser` what asks, to be listed among the user's logins."""

    new: str
    again: str
    browser: str


def make_password_link(session: Session, user_id: int, now: datetime, *, keeps_others: bool = False) -> str:
    """A new link's token; earlier links of the user end, or, if it `keeps_others`, those between the oldest and the
    newest, so that MOST_OPEN are open.
    """
    users.end_password_links(session, user_id, now, keep=MOST_OPEN - 1 if keeps_others else 0)
    token = secrets.token_urlsafe(32)
    session.add(
        PasswordLink(user_id=user_id, token_sha256=token_hash(token), made_at=now, expires_at=now + LASTS)
    )
    return token


def email_of_link(session: Session, token: str, now: datetime) -> str:
    """The address of the user. Raises NotFound, LinkEnded."""
    return _found(session, token, now)[1].email


async def choose_password(
    database: Database, token: str, chosen: ChosenPassword, now: datetime
) -> tuple[str, str]:
    """Set the password, end all logins and API tokens; returns the address and a new login's token.

    Raises NotFound, LinkEnded, WeakPassword.
    """
    email = await database.read(email_of_link, token, now)
    with at_field("again"):
        if chosen.again != chosen.new:
            raise WeakPassword("The passwords do not match.")
    passwords.check_strength(chosen.new, email)
    new_hash = await hash_password(chosen.new, email)

    def set_it(session: Session) -> str:
        link, user = _found(session, token, now, to_use=True)
        link.used_at = now
        session.add(link)
        # Nobody's id, as for a reset: who had the account before may still have its tokens.
        users.set_password(session, user.id or 0, new_hash, by=Actor(None, user.email), now=now)
        return logins.log_in(session, user.id or 0, chosen.browser, now)

    return email, await database.write(set_it)


def _found(session: Session, token: str, now: datetime, *, to_use: bool = False) -> tuple[PasswordLink, User]:
    """The link and its user; `to_use` locks the link, so that of two at once one gets it."""
    found = (
        select(PasswordLink, User)
        .join(User, col(User.id) == PasswordLink.user_id)
        .where(PasswordLink.token_sha256 == token_hash(token))
    )
    row = session.exec(found.with_for_update(of=PasswordLink) if to_use else found).first()
    if row is None:
        raise NotFound("There is nothing at this address.")
    link, user = row
    if link.used_at is not None or now >= link.expires_at or user.disabled_at is not None:
        raise LinkEnded("It was used, replaced by a newer one, or is older than a week. Ask for a new one.")
    return link, user
