"""Which clip a session sees where."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlmodel import Session, col

from app.errors import NotFound
from app.study.design import Member, Side, member_at
from app.study.file.load import StudyDesign
from app.study.runs import run_of
from app.study.sessions import locate
from app.study.tables import Pair, State, Study, StudyVersion, Trial

NO_CLIP = "There is no such clip on the page you are on."


@dataclass(frozen=True, slots=True)
class ServedClip:
    trial_id: int
    side: Side
    sha256: str
    clip_bytes: int
    padded_bytes: int


def clip_for(session: Session, token: str, position: int, side: Side, now: datetime) -> ServedClip:
    """The clip that a session sees at a position and side: of its current trial or the next, no other."""
    where = locate(session, token)
    if where.is_shut_out(now) or where.page.kind != "trial" or position - where.page.position not in (0, 1):
        raise NotFound(NO_CLIP)
    trial = session.execute(
        select(
            col(Trial.id),
            col(Trial.left_member),
            col(Pair.clip_a_sha256),
            col(Pair.clip_a_bytes),
            col(Pair.clip_b_sha256),
            col(Pair.clip_b_bytes),
            col(StudyVersion.padded_bytes),
        )
        .join(Pair, col(Pair.id) == col(Trial.pair_id))
        .join(StudyVersion, col(StudyVersion.id) == col(Pair.version_id))
        .where(col(Trial.session_id) == where.session_id, col(Trial.position) == position)
    ).first()
    if trial is None:
        raise NotFound(NO_CLIP)
    is_a = member_at(side, Member(trial.left_member)) is Member.A
    sha256 = trial.clip_a_sha256 if is_a else trial.clip_b_sha256
    clip_bytes = trial.clip_a_bytes if is_a else trial.clip_b_bytes
    return ServedClip(trial.id, side, sha256 or "", clip_bytes or 0, trial.padded_bytes)


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
