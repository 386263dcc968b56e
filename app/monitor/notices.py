"""Notices for a study's owner about recruiting links and full blocks."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from sqlmodel import Session, col, func, select

from app.sessions.links import PARTICIPANT_KEYS, id_in
from app.sessions.runs import run_of
from app.studies.file.recruiters import RECRUITERS, known_parameters
from app.studies.file.recruitment import DesignRecruitment
from app.trials.loads import LEFT_AFTER, loads_of
from app.trials.runs import Run
from app.trials.tables import BEGUN, Mode, ParticipantIdentity, ParticipantSession, Status, StudyVersion

NEWEST = 500
"""So many of the newest sessions are looked at for the parameters of their links."""
_IDS = {name.casefold() for name in PARTICIPANT_KEYS}


def notices_of(session: Session, study_id: int, now: datetime) -> Sequence[str]:
    """Sentences; none where all is as usual."""
    return [*_of_links(session, study_id), *_of_full_blocks(session, study_id, now)]


def _of_links(session: Session, study_id: int) -> Iterator[str]:
    recruitment = _recruitment(session, study_id)
    ids, known, asked = _names(recruitment)
    newest = (
        select(ParticipantSession.recruiter, ParticipantSession.is_signed, ParticipantIdentity)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .outerjoin(ParticipantIdentity, col(ParticipantIdentity.session_id) == ParticipantSession.id)
        .where(
            StudyVersion.study_id == study_id,
            col(ParticipantSession.mode).in_([Mode.LIVE, Mode.PILOT]),
            col(ParticipantSession.status).in_(BEGUN),
        )
        .order_by(col(ParticipantSession.id).desc())
        .limit(NEWEST)
    )
    unknown, unfilled, without = Counter[str](), Counter[tuple[str, str]](), 0
    for recruiter, is_signed, identity in session.exec(newest):
        parameters = identity.parameters if identity else recruiter
        unknown.update(name for name in parameters if name.strip().casefold() not in known)
        own = [(name, value) for name, value in parameters.items() if name.strip().casefold() in ids]
        unfilled.update((name, value) for name, value in own if not id_in(value))
        is_named = identity is not None and (identity.external_id or identity.hashed_id)
        without += recruitment is not None and not (own or is_named or is_signed)
    for (name, value), n in unfilled.most_common(5):
        yield (
            f"{_sessions(n)} came with {name}={json.dumps(value[:60], ensure_ascii=False)}, which is not an "
            "id: the recruiter has not filled it in. Correct the link there."
        )
    if without:
        yield (
            f"{_sessions(without)} came without {asked}, the parameter that holds the id: they cannot be told "
            "from the recruiter's people. The page Recruitment has the link to enter there."
        )
    if unknown:
        names = ", ".join(f"{name[:60]} ({n})" for name, n in unknown.most_common(10))
        who = "the study's recruiter does not send" if recruitment else "no recruiter we know sends"
        yield (
            f"Parameters of links that {who}: {names}. They are kept and mean nothing here; "
            f"a participant's id comes as {asked}."
        )


def _recruitment(session: Session, study_id: int) -> DesignRecruitment | None:
    newest = (
        select(StudyVersion.id, StudyVersion.sha256)
        .where(StudyVersion.study_id == study_id)
        .order_by(col(StudyVersion.number).desc())
    )
    found = session.exec(newest).first()
    return run_of(session, found[0] or 0, found[1]).design.recruitment if found else None


def _names(recruitment: DesignRecruitment | None) -> tuple[set[str], set[str], str]:
    """Names of parameters that hold an id, of all that may come, and the former in words; those in lower case."""
    if recruitment is None:
        return _IDS, _IDS | known_parameters(), " or ".join(PARTICIPANT_KEYS)
    names, known = recruitment.names, RECRUITERS.get(recruitment.recruiter)
    # A link of ours names its participant in its own way.
    may_come = {*names.values(), *(known.beside if known else ()), PARTICIPANT_KEYS[0]}
    return {names["participant"].casefold()}, {name.casefold() for name in may_come}, names["participant"]


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
        since, main = now - LEFT_AFTER, [unit.id for unit in block.units if unit.kind == "main"]
        arms = block.design.arms or run.design.arm_ids
        loads = [loads_of(session, version_id, Mode.LIVE, block.id, since, arm) for arm in arms]
        if all(each.get(unit, 0) >= wanted for each in loads for unit in main):
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
