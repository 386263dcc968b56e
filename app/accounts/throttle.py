"""Limits on password attempts, counted before the check so that a hundred concurrent attempts count as a hundred.

Attempts are counted per email address and per network. Either count would let an attacker lock others out, by trying
often in their name or from behind the same proxy; so a browser in which this user has logged in before is counted
separately (a signed cookie identifies the user), and other people's attempts cannot lock that user out.
"""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session, col, delete, func, select

from app.accounts.tables import LoginAttempt
from app.core.errors import StudyError
from app.core.networks import network_of

WINDOW = timedelta(minutes=15)
PER_USER, PER_NETWORK = 5, 50


class TooManyAttempts(StudyError):
    status_code = 429
    title = "Please wait"


@dataclass(frozen=True, slots=True)
class Count:
    """Attempts are counted under `who`; from `most` on logins are refused until the oldest is `WINDOW` ago."""

    who: str
    most: int


def counts_for(email: str, address: str, known: str) -> Sequence[Count]:
    """The counters of a login attempt; `known` identifies a browser this user has logged in with, or is empty."""
    if known:
        return [Count(f"browser {known}", PER_USER)]
    return [Count(f"user {email}", PER_USER), Count(f"from {network_of(address)}", PER_NETWORK)]


def counts_for_own_password(user_id: int) -> Sequence[Count]:
    """The counter for a logged-in user who must confirm their password."""
    return [Count(f"password {user_id}", PER_USER)]


def check_open(session: Session, counts: Sequence[Count], now: datetime) -> None:
    """Raises TooManyAttempts. Costs no write, so a flood of attempts delays nobody's answer."""
    for count in counts:
        recent = (
            select(func.count())
            .select_from(LoginAttempt)
            .where(LoginAttempt.who == count.who, col(LoginAttempt.at) > now - WINDOW)
        )
        if session.exec(recent).one() >= count.most:
            minutes = round(WINDOW.total_seconds() / 60)
            raise TooManyAttempts(f"Too many attempts. Please wait {minutes} minutes and try again.")


def begin_attempt(session: Session, counts: Sequence[Count], now: datetime) -> Sequence[int]:
    """Count an attempt, before its password is checked; returns what `forgive` takes. Raises TooManyAttempts."""
    check_open(session, counts, now)
    session.execute(delete(LoginAttempt).where(col(LoginAttempt.at) < now - WINDOW))
    attempts = [LoginAttempt(who=count.who, at=now) for count in counts]
    session.add_all(attempts)
    session.flush()
    return [attempt.id or 0 for attempt in attempts]


def forgive(session: Session, counts: Sequence[Count], attempts: Sequence[int]) -> None:
    """The password was right: this attempt does not count, nor do earlier ones in this user's name."""
    # The network's count stays: logging in to one's own account would otherwise allow more tries at others'.
    mine = [count.who for count in counts if not count.who.startswith("from ")]
    session.execute(
        delete(LoginAttempt).where(col(LoginAttempt.id).in_(attempts) | col(LoginAttempt.who).in_(mine))
    )


def known_browser(secret: str, email: str) -> str:
    """A cookie for a browser that this user has come in with."""
    return _signed(secret, email, secrets.token_urlsafe(12))


def known_as(secret: str, email: str, cookie: str) -> str:
    """The browser named by the cookie if it was issued to this user; else empty."""
    name = cookie.partition(".")[0]
    # In constant time; as bytes, since compare_digest raises TypeError for text beyond ASCII.
    is_ours = hmac.compare_digest(cookie.encode(), _signed(secret, email, name).encode())
    return name if name and is_ours else ""


def _signed(secret: str, email: str, name: str) -> str:
    mark = hmac.new(secret.encode(), f"browser {name} {email}".encode(), hashlib.sha256).hexdigest()
    return f"{name}.{mark}"
