"""A user's own settings: the name that others see, and the news that they want by email."""

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlmodel import Session, col, select

from app.accounts.audit import COMMAND_LINE, NOBODY, SERVICE, record
from app.accounts.logins import Who
from app.accounts.tables import User
from app.core.errors import NotFound, StudyError

LONGEST_NAME = 80


class News(StrEnum):
    """A kind of news by email."""

    TARGET = "target"
    LOOK = "look"


class BadProfile(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class Profile:
    """`name` is empty where the address is shown."""

    name: str = ""
    mails: tuple[News, ...] = ()


def profile_of(session: Session, user_id: int) -> Profile:
    user = session.get(User, user_id)
    if user is None:
        raise NotFound("There is no such user.")
    return Profile(user.name or "", tuple(news for news in News if news in (user.mails or ())))


def set_profile(session: Session, who: Who, name: str, mails: Collection[str], now: datetime) -> None:
    """Raises BadProfile."""
    name = " ".join(name.split())
    # An address in the place of a name could pass for another user in the log.
    if len(name) > LONGEST_NAME or not name.isprintable() or "@" in name:
        raise BadProfile(f"A name has at most {LONGEST_NAME} characters and no @.")
    before = profile_of(session, who.user_id)
    if name and name != before.name:
        _refuse_taken(session, who.user_id, name)
    after = Profile(name, tuple(news for news in News if news in mails))
    if before == after:
        return
    user = session.get_one(User, who.user_id)
    user.name, user.mails = name or None, list(after.mails)
    session.add(user)
    record(
        session,
        who.actor,
        "user.profile",
        now=now,
        subject=who.email,
        before=_said(before),
        after=_said(after),
    )


def _refuse_taken(session: Session, user_id: int, name: str) -> None:
    """Raises BadProfile for a name that would pass for another user, or for the service, in the log."""
    others = select(User.name).where(User.id != user_id, col(User.name).is_not(None))
    if _bare(name) in {_bare(actor.name) for actor in (COMMAND_LINE, NOBODY, SERVICE)}:
        raise BadProfile("The audit log uses this name for the service itself; choose another.")
    if _folded(name) in {_folded(other or "") for other in session.exec(others)}:
        raise BadProfile("Another user has this name; choose one that tells you apart.")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _bare(name: str) -> str:
    return _folded(name).removeprefix("the ").removesuffix(" itself")


def _said(profile: Profile) -> Mapping[str, object]:
    return {"name": profile.name, "mails": list(profile.mails)}


def names_of(session: Session, user_ids: Collection[int]) -> Mapping[int, str]:
    """Names by user id, of those who have given one."""
    named = select(User.id, User.name).where(col(User.id).in_(user_ids), col(User.name).is_not(None))
    return {id_ or 0: name or "" for id_, name in session.exec(named)}


def who_wants(session: Session, news: News) -> Sequence[int]:
    """Ids of users who want this kind of news."""
    users = (
        select(User)
        .where(col(User.disabled_at).is_(None), col(User.mails).is_not(None))
        .order_by(col(User.id))
    )
    return [user.id or 0 for user in session.exec(users) if news in (user.mails or ())]
