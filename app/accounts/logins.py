"""Logins: a fresh token for each; they end, expire and can be revoked."""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import bindparam
from sqlalchemy import select as select_columns
from sqlmodel import Session, SQLModel, col, select, update

from app.accounts.audit import NOBODY, Actor, record
from app.accounts.tables import ApiToken, Login, Role, User
from app.core.errors import NotFound, StudyError
from app.core.statements import Hot

LASTS = timedelta(days=14)
IDLE = timedelta(days=3)
SEEN_EVERY = timedelta(minutes=5)
FOR_OWNERS = "This is for owners."
CHANGES_NOTHING = "Your role is viewer: you can see everything here but change nothing."
WRONG = "Incorrect email address or password."
_LONGEST_BROWSER = 200
_login, _user = (SQLModel.metadata.tables[str(table.__tablename__)] for table in (Login, User))
# Every request of an experimenter asks.
_LOGGED_IN = Hot(
    select_columns(
        _login.c.id,
        _login.c.seen_at,
        _login.c.expires_at,
        _user.c.id,
        _user.c.email,
        _user.c.role,
    )
    .join(_user, _user.c.id == _login.c.user_id)
    .where(
        _login.c.token_sha256 == bindparam("token_sha256"),
        _login.c.revoked_at.is_(None),
        _user.c.disabled_at.is_(None),
    )
)


class WrongLogin(StudyError):
    status_code = 401
    title = "Log in"


class NotLoggedIn(StudyError):
    """The page is for experimenters who have logged in."""

    status_code = 401
    title = "Log in"


class NoToken(StudyError):
    """No redirect to a login page: programs cannot log in there."""

    status_code = 401
    title = "No token"

    @property
    def headers(self) -> Mapping[str, str]:
        return {"WWW-Authenticate": "Bearer"}


class TokenEnded(NoToken):
    """The API token was good until a day that is past."""


class NotAllowed(StudyError):
    """Logged in, but this is not for their role, or the form did not come from our page."""

    status_code = 403
    title = "Not allowed"


@dataclass(frozen=True, slots=True)
class Who:
    """The user behind a request: in a browser, with a `login_id`, or a program's, with a `token_id`."""

    user_id: int
    email: str
    role: Role
    login_id: int | None = None
    seen_at: datetime | None = None
    token_id: int | None = None

    @property
    def actor(self) -> Actor:
        return Actor(self.user_id, self.email)

    @property
    def is_owner(self) -> bool:
        return self.role is Role.OWNER

    @property
    def may_edit(self) -> bool:
        return self.role is not Role.VIEWER


@dataclass(frozen=True, slots=True)
class LoginView:
    id: int
    browser: str
    created_at: datetime
    seen_at: datetime
    is_this: bool


def token_hash(token: str) -> str:
    # Unsalted and fast is enough for 256 random bits, and a row has to be found by its hash.
    return hashlib.sha256(token.encode()).hexdigest()


def password_hash_of(session: Session, email: str) -> tuple[int | None, str | None]:
    """The user's id and hash to check a password against (None for a stranger)."""
    user = session.exec(select(User).where(User.email == email, col(User.disabled_at).is_(None))).first()
    return (user.id, user.password_hash) if user else (None, None)


def log_in(
    session: Session, user_id: int, browser: str, now: datetime, *, ends: str = "", kept: str | None = None
) -> str:
    """A new login's token, for the cookie; the browser's previous login (`ends`) is revoked.

    `kept` is the hash against which the password was checked: if it has changed meanwhile, the login fails.
    """
    token = secrets.token_urlsafe(32)
    user = session.get(User, user_id)
    if user is None or user.disabled_at or (kept is not None and user.password_hash != kept):
        raise WrongLogin(WRONG)
    if ends:
        ended = update(Login).where(
            col(Login.token_sha256) == token_hash(ends), col(Login.revoked_at).is_(None)
        )
        session.execute(ended.values(revoked_at=now))
    session.add(
        Login(
            user_id=user_id,
            token_sha256=token_hash(token),
            browser=browser[:_LONGEST_BROWSER],
            created_at=now,
            seen_at=now,
            expires_at=now + LASTS,
        )
    )
    record(session, Actor(user_id, user.email), "login", now=now, subject=user.email)
    return token


def note_failed(session: Session, email: str, now: datetime) -> None:
    """Record a failed login in the audit log, with the account's name only if the account exists.

    Text typed into the wrong field may be a password, so unknown names are not kept.
    """
    user = session.exec(select(User).where(User.email == email)).first()
    actor = Actor(user.id, user.email) if user else NOBODY
    record(session, actor, "login.fail", now=now, subject=user.email if user else "")


def who_logged_in(session: Session, token: str, now: datetime) -> Who | None:
    found = _LOGGED_IN.first(session, {"token_sha256": token_hash(token)})
    if found is None:
        return None
    login_id, seen_at, expires_at, user_id, email, role = found
    if now > expires_at or now > seen_at + IDLE:
        return None
    return Who(user_id, email, Role(role), login_id, seen_at)


def mark_seen(session: Session, login_id: int, now: datetime) -> None:
    session.execute(update(Login).where(col(Login.id) == login_id).values(seen_at=now))


def log_out(session: Session, who: Who, login_id: int, now: datetime) -> None:
    """End one of the user's own logins."""
    mine = update(Login).where(
        # PostgreSQL refuses a number beyond its integer with an error, where none found is meant.
        col(Login.id) == min(login_id, 2**31 - 1),
        col(Login.user_id) == who.user_id,
        col(Login.revoked_at).is_(None),
    )
    if not session.execute(mine.values(revoked_at=now)).rowcount:  # type: ignore[attr-defined]
        raise NotFound("There is no such login.")
    record(session, who.actor, "logout", now=now, subject=who.email)


def log_out_elsewhere(session: Session, who: Who, now: datetime) -> None:
    """End all of the user's logins but the one that asks; a program's request (it has none) ends all."""
    others = update(Login).where(
        col(Login.user_id) == who.user_id,
        col(Login.revoked_at).is_(None),
        # Ids begin with 1; a comparison with NULL would be true of no row.
        col(Login.id) != (who.login_id or 0),
    )
    session.execute(others.values(revoked_at=now))
    record(session, who.actor, "logout.elsewhere", now=now, subject=who.email)


def logins(session: Session, who: Who, now: datetime) -> Sequence[LoginView]:
    """The user's active logins, newest first."""
    standing = select(Login).where(
        Login.user_id == who.user_id,
        col(Login.revoked_at).is_(None),
        col(Login.expires_at) > now,
        col(Login.seen_at) > now - IDLE,
    )
    return [
        LoginView(login.id or 0, login.browser, login.created_at, login.seen_at, login.id == who.login_id)
        for login in session.exec(standing.order_by(col(Login.seen_at).desc()))
    ]


@dataclass(frozen=True, slots=True)
class Holder:
    """The user behind an API token."""

    who: Who
    used_at: datetime | None


def who_holds(session: Session, token: str, now: datetime) -> Holder | None:
    """The user behind an API token, None for one that is unknown or revoked. Raises TokenEnded."""
    found = session.execute(
        select_columns(
            col(ApiToken.id),
            col(ApiToken.used_at),
            col(ApiToken.expires_at),
            col(User.id),
            col(User.email),
            col(User.role),
        )
        .join(User, col(User.id) == col(ApiToken.user_id))
        .where(
            col(ApiToken.token_sha256) == token_hash(token),
            col(ApiToken.revoked_at).is_(None),
            col(User.disabled_at).is_(None),
        )
    ).first()
    if found is None:
        return None
    token_id, used_at, expires_at, user_id, email, role = found
    if expires_at is not None and now >= expires_at:
        raise TokenEnded(f"This token ended on {expires_at:%Y-%m-%d}; make another on your account's page.")
    return Holder(Who(user_id, email, Role(role), token_id=token_id), used_at)
