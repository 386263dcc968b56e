"""Which clip a session sees where."""

from dataclasses import dataclass

from sqlmodel import Session, col, select

from app.errors import NotFound
from app.study.design import Member, Side, member_at
from app.study.sessions import locate
from app.study.tables import Pair, Stimulus, StudyVersion, Trial

NO_CLIP = "There is no such clip on the page you are on."


@dataclass(frozen=True, slots=True)
class ServedClip:
    sha256: str
    clip_bytes: int
    padded_bytes: int


def clip_for(session: Session, token: str, position: int, side: Side) -> ServedClip:
    """The clip that a session sees at a position and side: of its current trial or the next, no other."""
    where = locate(session, token)
    if where.page.kind != "trial" or position - where.page.position not in (0, 1):
        raise NotFound(NO_CLIP)
    trial = session.execute(
        select(Trial.left_member, Pair.stimulus_a_id, Pair.stimulus_b_id, StudyVersion.padded_bytes)
        .join(Pair, col(Pair.id) == Trial.pair_id)
        .join(StudyVersion, col(StudyVersion.id) == Pair.version_id)
        .where(Trial.session_id == where.session_id, Trial.position == position)
    ).first()
    if trial is None:
        raise NotFound(NO_CLIP)
    is_a = member_at(side, Member(trial.left_member)) is Member.A
    stimulus_id = trial.stimulus_a_id if is_a else trial.stimulus_b_id
    sha256, clip_bytes = session.execute(
        select(Stimulus.clip_sha256, Stimulus.clip_bytes).where(Stimulus.id == stimulus_id)
    ).one()
    return ServedClip(sha256 or "", clip_bytes or 0, trial.padded_bytes)
