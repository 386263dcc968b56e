"""Studies found by name, their newest versions, and the list of all: for whoever reads no study file."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlmodel import Session, col, func, select

from app.core.errors import NotFound
from app.sessions.tables import Mode, ParticipantSession
from app.studies.tables import Study, StudyVersion, Unit


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
    sessions: Mapping[tuple[str, str], int]
    is_archived: bool


def summaries(session: Session) -> list[StudySummary]:
    """Every study with its newest version and sessions by (mode, status); previews are not counted."""
    result = []
    for study in session.exec(select(Study).order_by(Study.slug)):
        version = newest_version(session, study)
        counts = session.exec(
            select(ParticipantSession.mode, ParticipantSession.status, func.count())
            .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
            .where(StudyVersion.study_id == study.id, ParticipantSession.mode != Mode.PREVIEW)
            .group_by(ParticipantSession.mode, ParticipantSession.status)
        )
        n_pairs = session.exec(
            select(func.count()).select_from(Unit).where(Unit.version_id == (version.id if version else None))
        ).one()
        result.append(
            StudySummary(
                study.slug,
                study.state,
                version.number if version else 0,
                n_pairs,
                {(mode, status): n for mode, status, n in counts},
                study.archived_at is not None,
            )
        )
    return result
