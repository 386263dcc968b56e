"""Who may see how live votes fall while a study takes people: one rule for results, monitor, reports and judges.

Whoever watches them stops when it pleases. Whoever may change the study may open them for themselves, knowingly;
that is one entry of the audit log, which the results page then shows. Tables and packages can be taken out all the
same: each is in the audit log. A single session shows its answers, by which its data are checked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from app.accounts.logins import Who
from app.accounts.tables import AuditEntry
from app.core.errors import Conflict
from app.studies.access import StudyHere
from app.trials.states import State
from app.trials.tables import Mode

OPEN = "results.open"


@dataclass(frozen=True, slots=True)
class Opening:
    """Somebody opened the results while the study was running."""

    user_id: int | None
    actor: str
    at: datetime


def is_blinded(study: StudyHere, mode: str) -> bool:
    """Whether looking at this mode has to be said: live answers, while more may come."""
    return mode == Mode.LIVE and study.state is not State.CLOSED


def openings(session: Session, study: StudyHere) -> Sequence[Opening]:
    """Who opened the results while the study was running, the first first."""
    found = select(AuditEntry).where(AuditEntry.study == study.slug, AuditEntry.action == OPEN)
    return [
        Opening(one.user_id, one.actor, one.at) for one in session.exec(found.order_by(col(AuditEntry.id)))
    ]


def may_look(session: Session, who: Who, study: StudyHere, mode: str) -> bool:
    """Whether this user sees how the votes of a mode fall: they are not blinded, or the user opened them."""
    return not is_blinded(study, mode) or any(one.user_id == who.user_id for one in openings(session, study))


def require_open(session: Session, who: Who, study: StudyHere, mode: str) -> None:
    """Raises Conflict where the study's votes are closed to this user."""
    if not may_look(session, who, study, mode):
        raise Conflict(
            f"The live results of {study.slug} are closed while it runs. Open them on its results page first; "
            "that is noted in the audit log."
        )
