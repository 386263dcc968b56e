"""Studies found by name, their newest versions, and the list of all: for whoever reads no study file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import and_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from app.core.errors import NotFound
from app.sessions.design import BLOCK
from app.sessions.tables import Mode, ParticipantSession
from app.studies.tables import Study, StudyVersion, Unit

# A design without blocks is one of pairs.
_ONE_BLOCK = ({"id": BLOCK, "task": "pair"},)


def study_named(session: Session, slug: str) -> Study:
    slug = slug.encode("utf-8", "replace").decode()
    study = session.exec(select(Study).where(Study.slug == slug)).first()
    if study is None:
        known = session.exec(select(Study.slug).order_by(Study.slug)).all()
        raise NotFound(f"there is no study {slug!r}; there is {', '.join(known) or 'none yet'}")
    return study


def newest_version(session: Session, study: Study) -> StudyVersion | None:
    newest = col(StudyVersion.number).desc()
    return session.exec(
        select(StudyVersion).where(StudyVersion.study_id == study.id).order_by(newest).limit(1)
    ).first()


@dataclass(frozen=True, slots=True)
class StudySummary:
    """One study for a list: units are counted by task, and sessions per status, over all modes and versions."""

    slug: str
    state: str
    version: int
    units: Mapping[str, int]
    sessions: Mapping[tuple[str, str], int]
    is_archived: bool


def summaries(session: Session) -> list[StudySummary]:
    """Every study with its newest version and sessions by (mode, status); previews are not counted."""
    later = aliased(StudyVersion)
    is_newest = ~(
        select(later.id)
        .where(later.study_id == StudyVersion.study_id, later.number > StudyVersion.number)
        .exists()
    )
    studies = (
        select(Study, StudyVersion.number, StudyVersion.id)
        .outerjoin(StudyVersion, and_(col(StudyVersion.study_id) == Study.id, is_newest))
        .order_by(Study.slug)
    )
    counts = (
        select(StudyVersion.study_id, ParticipantSession.mode, ParticipantSession.status, func.count())
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .where(ParticipantSession.mode != Mode.PREVIEW)
        .group_by(col(StudyVersion.study_id), ParticipantSession.mode, ParticipantSession.status)
    )
    sessions: dict[int, dict[tuple[str, str], int]] = {}
    for study_id, mode, status, n in session.exec(counts):
        sessions.setdefault(study_id, {})[mode, status] = n
    found = session.exec(studies).all()
    units = units_of(session, [version for _, _, version in found if version is not None])
    return [
        StudySummary(
            study.slug,
            study.state,
            number or 0,
            units.get(version or 0, {}),
            sessions.get(study.id or 0, {}),
            study.archived_at is not None,
        )
        for study, number, version in found
    ]


def units_of(session: Session, versions: Sequence[int]) -> dict[int, dict[str, int]]:
    """How many units each of the versions has, by task, in the order of its blocks."""
    designs = select(StudyVersion.id, StudyVersion.design).where(col(StudyVersion.id).in_(versions))
    of, block = col(Unit.version_id), col(Unit.block)
    counts = select(of, block, func.count()).where(of.in_(versions)).group_by(of, block)
    n = {(version, block): n for version, block, n in session.execute(counts)}
    found: dict[int, dict[str, int]] = {}
    for version, text in session.exec(designs):
        by_task = found.setdefault(version or 0, {})
        for each in json.loads(text).get("blocks", _ONE_BLOCK):
            by_task[each["task"]] = by_task.get(each["task"], 0) + n.get((version or 0, each["id"]), 0)
    return found
