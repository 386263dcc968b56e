"""API tokens: made by a user for a program, shown once; they end at a day that is chosen then, or when revoked."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, select, update

from app.accounts.audit import record
from app.accounts.logins import NotAllowed, Who, token_hash
from app.accounts.tables import ApiToken
from app.core.errors import Conflict, NotFound, StudyError

PREFIX = "lh_"
MOST, LONGEST_NAME = 50, 80
DAYS = (30, 90, 365)  # how long a token may last; None for one that lasts until it is revoked
USUAL_DAYS = 90


class BadName(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class TokenView:
    id: int
    name: str
    created_at: datetime
    used_at: datetime | None
    expires_at: datetime | None

    def has_ended(self, now: datetime) -> bool:
        return self.expires_at is not None and now >= self.expires_at


class BadDays(StudyError):
    status_code = 422


def checked_days(text: str) -> int | None:
    """A token's lifetime in days, None for `never`. Raises BadDays."""
    choices = {"never": None, **{str(days): days for days in DAYS}}
    if text not in choices:
        raise BadDays(f"A token ends after {', '.join(map(str, DAYS))} days, or never; not {text[:40]!r}.")
    return choices[text]


def make_token(session: Session, who: Who, name: str, now: datetime, *, days: int | None = USUAL_DAYS) -> str:
    """A new token, to be shown this once. Raises NotAllowed for a program, BadName, Conflict."""
    if who.token_id is not None:
        raise NotAllowed("A token makes no tokens; make one on your account's page.")
    name = name.strip()
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise BadName(f"Give the token a name of 1 to {LONGEST_NAME} characters: what it is for.")
    if len(tokens(session, who)) >= MOST:
        raise Conflict(f"You have {MOST} tokens; revoke one first.")
    token = PREFIX + secrets.token_urlsafe(32)
    ends = None if days is None else now + timedelta(days=days)
    session.add(
        ApiToken(
            user_id=who.user_id, name=name, token_sha256=token_hash(token), created_at=now, expires_at=ends
        )
    )
    after = {"ends": f"{ends:%Y-%m-%d}" if ends else "never"}
    record(session, who.actor, "token.make", now=now, subject=name, after=after)
    return token


def tokens(session: Session, who: Who) -> Sequence[TokenView]:
    """The user's tokens that are not revoked, including expired ones."""
    mine = select(ApiToken).where(ApiToken.user_id == who.user_id, col(ApiToken.revoked_at).is_(None))
    return [
        TokenView(token.id or 0, token.name, token.created_at, token.used_at, token.expires_at)
        for token in session.exec(mine.order_by(col(ApiToken.id)))
    ]


def revoke_token(session: Session, who: Who, token_id: int, now: datetime) -> None:
    """Revoke a token. Raises NotFound, or NotAllowed if a program would revoke a token other than its own."""
    if who.token_id not in (None, token_id):
        raise NotAllowed("A token revokes none but itself; revoke others on your account's page.")
    token = session.get(ApiToken, token_id) if token_id < 2**31 else None
    if token is None or token.user_id != who.user_id or token.revoked_at:
        raise NotFound("There is no such token.")
    token.revoked_at = now
    session.add(token)
    record(session, who.actor, "token.revoke", now=now, subject=token.name)


def mark_used(session: Session, token_id: int, now: datetime) -> None:
    session.execute(update(ApiToken).where(col(ApiToken.id) == token_id).values(used_at=now))
