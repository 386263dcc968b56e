"""API tokens: made by a user for a program, shown once, revocable."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select, update

from app.errors import Conflict, NotFound, StudyError
from app.people.audit import record
from app.people.logins import Who, token_hash
from app.people.tables import ApiToken

PREFIX = "lh_"
MOST, LONGEST_NAME = 50, 80


class BadName(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class TokenView:
    id: int
    name: str
    created_at: datetime
    used_at: datetime | None


def make_token(session: Session, who: Who, name: str, now: datetime) -> str:
    """A new token, to be shown this once."""
    name = name.strip()
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise BadName(f"Give the token a name of 1 to {LONGEST_NAME} characters: what it is for.")
    if len(tokens(session, who)) >= MOST:
        raise Conflict(f"You have {MOST} tokens; revoke one first.")
    token = PREFIX + secrets.token_urlsafe(32)
    session.add(ApiToken(user_id=who.user_id, name=name, token_sha256=token_hash(token), created_at=now))
    record(session, who.actor, "token.make", now=now, subject=name)
    return token


def tokens(session: Session, who: Who) -> Sequence[TokenView]:
    """The user's standing tokens."""
    mine = select(ApiToken).where(ApiToken.user_id == who.user_id, col(ApiToken.revoked_at).is_(None))
    return [
        TokenView(token.id or 0, token.name, token.created_at, token.used_at)
        for token in session.exec(mine.order_by(col(ApiToken.id)))
    ]


def revoke_token(session: Session, who: Who, token_id: int, now: datetime) -> None:
    token = session.get(ApiToken, token_id) if token_id < 2**31 else None
    if token is None or token.user_id != who.user_id or token.revoked_at:
        raise NotFound("There is no such token.")
    token.revoked_at = now
    session.add(token)
    record(session, who.actor, "token.revoke", now=now, subject=token.name)


def mark_used(session: Session, token_id: int, now: datetime) -> None:
    session.execute(update(ApiToken).where(col(ApiToken.id) == token_id).values(used_at=now))
