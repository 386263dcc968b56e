"""The audit log as it is read: newest first, a page at a time, by study, person, kind, action and period."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session, col, select

from app.accounts.audit import COMMAND_LINE, NOBODY, SERVICE
from app.accounts.profile import names_of
from app.accounts.sentences import actions_of, kinds
from app.accounts.tables import AuditEntry

PAGE = 50
NAMES = {
    COMMAND_LINE.name: "somebody at the command line",
    NOBODY.name: "somebody unknown",
    SERVICE.name: "the service itself",
}
CHANGES = "changes"  # whatever is of no kind in NO_CHANGES
NO_CHANGES = ("exports", "uploads", "logins")


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Empty means any; `kind` is one of `sentences.kinds` or `changes`, `before` an entry's id, 0 for the newest page.

    `since` is when the period begins.
    """

    kind: str = ""
    study: str = ""
    actor: str = ""
    action: str = ""
    before: int = 0
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class EntryView:
    """One thing done; `before` and `after` are plain JSON values, None where there is nothing to tell.

    `who` is the actor's name, or address, in words.
    """

    id: int
    at: datetime
    actor: str
    action: str
    study: str | None
    subject: str
    before: Any
    after: Any
    who: str = ""


@dataclass(frozen=True, slots=True)
class AuditChoices:
    """The values by which the log can be filtered."""

    studies: Sequence[str]
    actors: Sequence[str]
    actions: Sequence[str]


def entries(session: Session, wanted: AuditFilter, limit: int = PAGE) -> Sequence[EntryView]:
    """The newest `limit` entries that fit."""
    found = select(AuditEntry)
    for column, value in (
        (AuditEntry.study, wanted.study),
        (AuditEntry.actor, wanted.actor),
        (AuditEntry.action, wanted.action),
    ):
        if value:
            found = found.where(column == value)
    if wanted.kind in kinds():
        found = found.where(col(AuditEntry.action).in_(actions_of(wanted.kind)))
    elif wanted.kind == CHANGES:
        no_changes = frozenset().union(*map(actions_of, NO_CHANGES))
        found = found.where(col(AuditEntry.action).not_in(no_changes))
    if wanted.since:
        found = found.where(col(AuditEntry.at) >= wanted.since)
    if wanted.before:
        found = found.where(col(AuditEntry.id) < wanted.before)
    newest = found.order_by(col(AuditEntry.id).desc()).limit(limit)
    rows = session.exec(newest).all()
    names = names_of(session, {entry.user_id for entry in rows if entry.user_id})
    return [_view(entry, names.get(entry.user_id or 0, "")) for entry in rows]


def choices(session: Session, study: str = "") -> AuditChoices:
    """The values that occur, in one study's entries or in all."""
    return AuditChoices(
        studies=_distinct(session, AuditEntry.study, ""),
        actors=_distinct(session, AuditEntry.actor, study),
        actions=_distinct(session, AuditEntry.action, study),
    )


def _distinct(session: Session, column: Any, study: str) -> list[str]:
    found = select(column).distinct()
    if study:
        found = found.where(AuditEntry.study == study)
    return sorted(value for value in session.exec(found) if value)


def _view(entry: AuditEntry, name: str) -> EntryView:
    return EntryView(
        id=entry.id or 0,
        at=entry.at,
        actor=entry.actor,
        action=entry.action,
        study=entry.study,
        subject=entry.subject,
        before=entry.before,
        after=entry.after,
        who=name or NAMES.get(entry.actor, entry.actor),
    )
