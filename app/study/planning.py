"""A new session's trials into SQL: takes the next ordinal, which decides whose mirror it is."""

import random

from sqlalchemy import insert
from sqlmodel import Session, col, func, select

from app.study.assignment import plan_session
from app.study.design import Kind, Member, PairToPlan
from app.study.file.load import StudyDesign
from app.study.tables import Pair, ParticipantSession, StudyVersion, Trial


def plan_trials(
    session: Session, version_id: int, mode: str, session_id: int, design: StudyDesign, rng: random.Random
) -> dict[str, int]:
    """Store the trials of a session that begins; returns its ordinal and seed."""
    s = ParticipantSession
    session.execute(select(StudyVersion.id).where(StudyVersion.id == version_id).with_for_update())
    last = session.exec(select(func.max(s.ordinal)).where(s.version_id == version_id, s.mode == mode)).one()
    ordinal, seed = (last or 0) + 1, rng.getrandbits(31)
    pairs = session.exec(select(Pair).where(Pair.version_id == version_id).order_by(col(Pair.position)))
    trials = plan_session(
        [PairToPlan(p.id or 0, p.condition, Kind(p.kind), Member(p.truth or "a")) for p in pairs],
        order=design.trials.order,
        sides=design.trials.sides,
        rng=random.Random(seed),
        mirror_of=_lefts(session, version_id, mode, ordinal - 1) if ordinal % 2 == 0 else None,
    )
    rows = [
        {"session_id": session_id, "position": t.position, "pair_id": t.pair_id, "left_member": t.left}
        for t in trials
    ]
    session.execute(insert(Trial), rows)
    return {"ordinal": ordinal, "seed": seed}


def _lefts(session: Session, version_id: int, mode: str, ordinal: int) -> dict[int, Member]:
    s = ParticipantSession
    rows = session.exec(
        select(Trial.pair_id, Trial.left_member)
        .join(s, col(s.id) == Trial.session_id)
        .where(s.version_id == version_id, s.mode == mode, s.ordinal == ordinal)
    )
    return {pair_id: Member(left) for pair_id, left in rows}
