"""Notices for a study's owner about recruiting links and full blocks."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from sqlmodel import Session, col, func, select

from app.sessions.links import PARTICIPANT_KEYS, id_in
from app.sessions.runs import run_of
from app.trials.loads import LEFT_AFTER, loads_of
from app.trials.runs import Run
from app.trials.tables import BEGUN, Mode, ParticipantSession, Status, StudyVersion

NEWEST = 500
"""So many of the newest sessions are looked at for the parameters of their links."""
# What recruiters send beside an id: Prolific, MTurk, CloudResearch, SONA.
BESIDE_AN_ID = (
    "STUDY_ID", "SESSION_ID", "assignmentId", "hitId", "turkSubmitTo", "projectId", "experiment_id", "credit_token"
)  # fmt: skip
_IDS = {name.casefold() for name in PARTICIPANT_KEYS}
_KNOWN = _IDS | {name.casefold() for name in BESIDE_AN_ID}


def notices_of(session: Session, study_id: int, now: datetime) -> Sequence[str]:
    """Sentences; none where all is as usual."""
    return [*_of_links(session, study_id), *_of_full_blocks(session, study_id, now)]


def _of_links(session: Session, study_id: int) -> Iterator[str]:
    newest = (
        select(ParticipantSession.recruiter)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .where(
            StudyVersion.study_id == study_id,
            col(ParticipantSession.mode).in_([Mode.LIVE, Mode.PILOT]),
            col(ParticipantSession.status).in_(BEGUN),
        )
        .order_by(col(ParticipantSession.id).desc())
        .limit(NEWEST)
    )
    unknown, unfilled = Counter[str](), Counter[tuple[str, str]]()
    for recruiter in session.exec(newest):
        unknown.update(name for name in recruiter if name.strip().casefold() not in _KNOWN)
        unfilled.update(
            (name, value)
            for name, value in recruiter.items()
            if name.strip().casefold() in _IDS and not id_in(value)
        )
    for (name, value), n in unfilled.most_common(5):
        yield (
            f"{_sessions(n)} came with {name}={json.dumps(value[:60], ensure_ascii=False)}, which is not an "
            "id: the recruiter has not filled it in. Correct the link there."
        )
    if unknown:
        names = ", ".join(f"{name[:60]} ({n})" for name, n in unknown.most_common(10))
        yield (
            f"Parameters of links that no recruiter we know sends: {names}. They are kept and mean nothing here; a "
            f"participant's id comes as {' or '.join(PARTICIPANT_KEYS)}."
        )


def _of_full_blocks(session: Session, study_id: int, now: datetime) -> Iterator[str]:
    newest = (
        select(StudyVersion.id, StudyVersion.sha256)
        .where(StudyVersion.study_id == study_id)
        .order_by(col(StudyVersion.number).desc())
    )
    found = session.exec(newest).first()
    if found is None:
        return
    version_id, run = found[0] or 0, run_of(session, found[0] or 0, found[1])
    for block in run.blocks:
        wanted = block.design.wanted_per_unit
        if not wanted:
            continue
        loads = loads_of(session, version_id, Mode.LIVE, block.id, now - LEFT_AFTER)
        if all(loads.get(unit.id, 0) >= wanted for unit in block.units if unit.kind == "main"):
            yield _full(session, version_id, run, block.id, skips=block.design.skips_when_full)


def _full(session: Session, version_id: int, run: Run, block: str, *, skips: bool) -> str:
    of_version = (ParticipantSession.version_id == version_id, ParticipantSession.mode == Mode.LIVE)
    if skips and len(run.blocks) > 1:
        begun = select(ParticipantSession.blocks).where(
            *of_version, col(ParticipantSession.status).in_(BEGUN)
        )
        n = sum(blocks is not None and not _has(blocks, block) for blocks in session.exec(begun))
        return f"Block {block} has all its answers: new participants skip it ({n} so far)."
    refused = select(func.count()).select_from(ParticipantSession)
    n = session.exec(refused.where(*of_version, ParticipantSession.status == Status.FULL)).one()
    return f"Block {block} has all its answers, so the study takes no new participants ({n} so far)."


def _has(blocks: Sequence[Sequence[object]], block: str) -> bool:
    return bool({str(id_): n for id_, n, *_ in blocks}.get(block))


def _sessions(n: int) -> str:
    return f"{n} session{'' if n == 1 else 's'}"
