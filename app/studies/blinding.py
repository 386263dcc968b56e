"""Blinding of live votes while a study takes participants: one rule for results, monitor, reports and judges.

Experimenters who watch votes tend to stop when the result pleases them. A user who may change the study may unblind the
results for themselves; that makes an entry in the audit log, which the results page then shows. Tables and packages can
still be exported: each export is in the audit log. A single session shows its answers, so that its data can be checked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from app.accounts.logins import Who
from app.accounts.tables import AuditEntry
from app.core.errors import Conflict
from app.studies.access import StudyHere
from app.trials.tables import Mode, State

OPEN = "results.open"


@dataclass(frozen=True, slots=True)
class Opening:
    """An entry of a user who opened the results while the study was running."""

    user_id: int | None
    actor: str
    at: datetime


def is_blinded(study: StudyHere, mode: str) -> bool:
    """True if results of this mode are blinded: live answers, while more may come."""
    return mode == Mode.LIVE and study.state is not State.CLOSED


def openings(session: Session, study: StudyHere) -> Sequence[Opening]:
    """Users who opened the results while the study was running, earliest first."""
    found = select(AuditEntry).where(AuditEntry.study == study.slug, AuditEntry.action == OPEN)
    return [
        Opening(one.user_id, one.actor, one.at) for one in session.exec(found.order_by(col(AuditEntry.id)))
    ]


def may_look(session: Session, who: Who, study: StudyHere, mode: str) -> bool:
    """True if this user may see the votes of a mode: they are not blinded, or the user opened them."""
    return bool(open_to(session, who, [study], mode))


def open_to(session: Session, who: Who, studies: Sequence[StudyHere], mode: str) -> list[StudyHere]:
    """The studies whose votes of a mode this user may see."""
    blinded = [study.slug for study in studies if is_blinded(study, mode)]
    opened: set[str | None] = set()
    if blinded:
        mine = (
            col(AuditEntry.study).in_(blinded),
            AuditEntry.action == OPEN,
            AuditEntry.user_id == who.user_id,
        )
        opened = set(session.exec(select(AuditEntry.study).where(*mine)))
    return [study for study in studies if study.slug in opened or not is_blinded(study, mode)]


def require_open(session: Session, who: Who, study: StudyHere, mode: str) -> None:
    """Raises Conflict where the study's votes are closed to this user."""
    if not may_look(session, who, study, mode):
        raise Conflict(
            f"The live results of {study.slug} are closed while it runs. Open them on its results page first; "
            "that is noted in the audit log."
        )
