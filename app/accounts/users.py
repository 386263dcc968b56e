"""Users: added, given another role, switched off and on; never deleted, as the audit log names them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, func, select, update

from app.accounts.audit import Actor, record
from app.accounts.tables import ApiToken, Login, PasswordLink, Role, User
from app.core.errors import Conflict, NotFound, StudyError

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_LONGEST_EMAIL = 254


class BadEmail(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class UserView:
    id: int
    email: str
    role: Role
    created_at: datetime
    disabled_at: datetime | None
    seen_at: datetime | None = None


def checked_email(text: str) -> str:
    """An email address in the one way it is kept. Raises BadEmail."""
    # RFC 5321 lets capitals matter before the @, but people type them as they please.
    email = text.strip().lower()
    if len(email) > _LONGEST_EMAIL or not email.isprintable() or not _EMAIL.fullmatch(email):
        raise BadEmail(f"{text.strip()[:80]!r} is not an email address; write it as name@example.org.")
    return email


def checked_role(text: str) -> Role:
    try:
        return Role(text)
    except ValueError:
        raise StudyError(f"there is no role {text[:40]!r}; use {', '.join(Role)}") from None


def add_user(
    session: Session, email: str, role: Role, password_hash: str, *, by: Actor, now: datetime
) -> int:
    """Add a user. Raises Conflict if the address is known."""
    email = checked_email(email)
    refuse_known(session, email)
    user = User(email=email, role=role, password_hash=password_hash, created_at=now)
    session.add(user)
    session.flush()
    record(session, by, "user.add", now=now, subject=email, after={"role": role})
    return user.id or 0


def refuse_known(session: Session, email: str) -> None:
    """Raises Conflict."""
    if is_known(session, email):
        raise Conflict(f"There is already a user {email}.")


def is_known(session: Session, email: str) -> bool:
    return session.exec(select(User.id).where(User.email == email)).first() is not None


def users(session: Session) -> Sequence[UserView]:
    """All users, with the time they were last active."""
    seen = select(Login.user_id, func.max(Login.seen_at)).group_by(col(Login.user_id))
    last = dict(session.exec(seen).all())
    return [_view(user, last.get(user.id or 0)) for user in session.exec(select(User).order_by(User.email))]


def user_with(session: Session, user_id: int) -> UserView:
    user = _user(session, user_id)
    seen = select(func.max(Login.seen_at)).where(Login.user_id == user_id)
    return _view(user, session.exec(seen).one())


def is_nobody(session: Session) -> bool:
    """True if there are no users."""
    return session.exec(select(User.id).limit(1)).first() is None


def set_role(session: Session, user_id: int, role: Role, *, by: Actor, now: datetime) -> None:
    """Raises Conflict where the last owner would be one no more."""
    _hold_owners(session)
    user = _user(session, user_id)
    if user.role == role:
        return
    before, user.role = user.role, role
    session.add(user)
    _keep_an_owner(session)
    record(session, by, "user.role", now=now, subject=user.email, before=before, after=role)


def set_disabled(session: Session, user_id: int, disabled: bool, *, by: Actor, now: datetime) -> None:
    """Disable a user, ending all logins, tokens and password links, or enable them again.

    Users cannot disable themselves.
    """
    _hold_owners(session)
    user = _user(session, user_id)
    if (user.disabled_at is not None) == disabled:
        return
    if user_id == by.user_id:
        raise Conflict("You cannot switch yourself off; ask another owner.")
    user.disabled_at = now if disabled else None
    session.add(user)
    _keep_an_owner(session)
    if disabled:
        # Revoked for good, so that switching the user on again brings no old login or token back.
        for table in (Login, ApiToken):
            mine = update(table).where(col(table.user_id) == user_id, col(table.revoked_at).is_(None))
            session.execute(mine.values(revoked_at=now))
        end_password_links(session, user_id, now)
    record(session, by, "user.disable" if disabled else "user.enable", now=now, subject=user.email)


def set_password(session: Session, user_id: int, password_hash: str, *, by: Actor, now: datetime) -> None:
    """Change a password; every login and password link of the user ends, and, if someone else changes it, every API
    token too.

    Changing one's own password keeps one's programs running; a reset is for an account that its owner has lost control
    of.
    """
    user = _user(session, user_id)
    user.password_hash = password_hash
    session.add(user)
    for table in (Login,) if by.user_id == user_id else (Login, ApiToken):
        mine = update(table).where(col(table.user_id) == user_id, col(table.revoked_at).is_(None))
        session.execute(mine.values(revoked_at=now))
    end_password_links(session, user_id, now)
    record(session, by, "user.password", now=now, subject=user.email)


def end_password_links(session: Session, user_id: int, now: datetime, *, keep: int = 0) -> None:
    """End the user's open links to choose a password; with `keep`, of more than these all but the oldest and the
    newest ones.

    An invitation, or a link that an owner sends, ends all before it, so the oldest is the one that strangers who ask
    for links must not end.
    """
    is_open = (
        col(PasswordLink.user_id) == user_id,
        col(PasswordLink.used_at).is_(None),
        col(PasswordLink.expires_at) > now,
    )
    open_links = session.exec(select(PasswordLink.id).where(*is_open).order_by(col(PasswordLink.id))).all()
    kept = {*open_links[:1], *open_links[-(keep - 1) :]} if keep > 1 else {*open_links[:keep]}
    others = update(PasswordLink).where(*is_open, col(PasswordLink.id).not_in(kept))
    session.execute(others.values(used_at=now))


def password_hash_of_user(session: Session, user_id: int) -> str:
    return _user(session, user_id).password_hash


def user_named(session: Session, email: str) -> UserView:
    user = session.exec(select(User).where(User.email == checked_email(email))).first()
    if user is None:
        raise NotFound(f"there is no user {email!r}")
    return _view(user)


def first_owner(session: Session) -> UserView | None:
    """The owner who has been here longest and is not disabled; None where there is none."""
    owners = select(User).where(User.role == Role.OWNER, col(User.disabled_at).is_(None))
    user = session.exec(owners.order_by(col(User.id))).first()
    return None if user is None else _view(user)


def _user(session: Session, user_id: int) -> User:
    # A larger number would be an error in PostgreSQL, whose integer ends there.
    user = session.get(User, user_id) if user_id < 2**31 else None
    if user is None:
        raise NotFound("There is no such user.")
    return user


def _hold_owners(session: Session) -> None:
    """Lock the owners' rows: if two owners remove each other's role at once, the second fails."""
    # SQLite knows no row locks and needs none: BEGIN IMMEDIATE lets one writer in at a time.
    session.exec(select(User.id).where(User.role == Role.OWNER).with_for_update()).all()


def _keep_an_owner(session: Session) -> None:
    session.flush()
    owners = select(func.count()).select_from(User).where(User.role == Role.OWNER)
    if not session.exec(owners.where(col(User.disabled_at).is_(None))).one():
        raise Conflict("This is the last owner; make another user an owner first.")


def _view(user: User, seen_at: datetime | None = None) -> UserView:
    return UserView(user.id or 0, user.email, Role(user.role), user.created_at, user.disabled_at, seen_at)
