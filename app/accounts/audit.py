"""The audit log: what experimenters change, with before and after, take out, send in, and how they log in."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from app.accounts.tables import AuditEntry
from app.core.schema import clean, cleaned


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of a change: a user, or the command line."""

    user_id: int | None
    name: str


COMMAND_LINE = Actor(None, "command line")
NOBODY = Actor(None, "nobody known")
SERVICE = Actor(None, "the service itself")


def record(
    session: Session,
    actor: Actor,
    action: str,
    *,
    now: datetime,
    study: str | None = None,
    subject: str = "",
    before: Any = None,
    after: Any = None,
) -> None:
    """Note one change in the transaction that makes it. `action` is `noun.verb`, such as `version.save`."""
    session.add(
        AuditEntry(
            at=now,
            user_id=actor.user_id,
            actor=actor.name,
            action=action,
            study=study,
            subject=clean(subject),
            before=cleaned(before),
            after=cleaned(after),
        )
    )
