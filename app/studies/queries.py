"""Studies found by name, their newest versions, and the list of all: for whoever reads no study file."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import and_
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from app.core.errors import NotFound
from app.sessions.design import Slot
from app.sessions.tables import Mode, ParticipantSession
from app.studies.tables import Study, StudyVersion, Unit, UnitMember


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
    """One study for a list: sessions are counted per status, over all modes and versions."""

    slug: str
    state: str
    version: int
    n_pairs: int
    n_items: int
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
    is_pair = (
        select(UnitMember.unit_id).where(UnitMember.unit_id == Unit.id, UnitMember.slot == Slot.B).exists()
    )
    n_pairs, n_items = (
        select(func.count())
        .select_from(Unit)
        .where(Unit.version_id == StudyVersion.id, which)
        .correlate(StudyVersion)
        .scalar_subquery()
        for which in (is_pair, ~is_pair)
    )
    studies = (
        select(Study, StudyVersion.number, n_pairs, n_items)
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
    return [
        StudySummary(
            study.slug,
            study.state,
            number or 0,
            pairs or 0,
            items or 0,
            sessions.get(study.id or 0, {}),
            study.archived_at is not None,
        )
        for study, number, pairs, items in session.exec(studies)
    ]
