"""Which clip a session sees where."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import select
from sqlmodel import Session, col

from app.core.errors import NotFound
from app.sessions.design import Side, Slot
from app.sessions.runs import run_of
from app.sessions.state_machine import locate
from app.sessions.tables import Trial, slot_on
from app.studies.file.load import StudyDesign
from app.studies.tables import State, Study, StudyVersion, Unit, UnitMember

NO_CLIP = "There is no such clip on the page you are on."


# Where on its page a clip is: a side of a pair, or the only one.
ClipPlace = Literal["left", "right", "item"]


@dataclass(frozen=True, slots=True)
class ServedClip:
    trial_id: int
    place: ClipPlace
    sha256: str
    clip_bytes: int
    padded_bytes: int


def clip_for(session: Session, token: str, position: int, place: ClipPlace, now: datetime) -> ServedClip:
    """The clip that a session sees at a position and place: of its current trial or the next, no other."""
    where = locate(session, token)
    if where.is_shut_out(now) or where.page.kind != "trial" or position - where.page.position not in (0, 1):
        raise NotFound(NO_CLIP)
    trial = session.execute(
        select(
            col(Trial.id),
            col(UnitMember.sha256),
            col(UnitMember.bytes),
            col(StudyVersion.padded_bytes),
        )
        .join(Unit, col(Unit.id) == col(Trial.unit_id))
        .join(UnitMember, col(UnitMember.unit_id) == col(Unit.id))
        .join(StudyVersion, col(StudyVersion.id) == col(Unit.version_id))
        .where(
            col(Trial.session_id) == where.session_id,
            col(Trial.position) == position,
            col(UnitMember.slot) == (Slot.ITEM if place == "item" else slot_on(Side(place))),
            col(UnitMember.bytes).is_not(None),
        )
    ).first()
    if trial is None:
        raise NotFound(NO_CLIP)
    return ServedClip(trial.id, place, trial.sha256 or "", trial.bytes or 0, trial.padded_bytes)


def shown_design(session: Session, slug: str) -> StudyDesign | None:
    """What people who come now are shown; None where there is no such study, or nobody may see it yet."""
    newest = session.execute(
        select(col(StudyVersion.id), col(StudyVersion.sha256))
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .where(col(Study.slug) == slug, col(Study.state) != State.DRAFT)
        .order_by(col(StudyVersion.number).desc())
        .limit(1)
    ).first()
    return run_of(session, *newest).design if newest else None
