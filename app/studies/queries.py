"""Studies by name and their newest versions, for callers that read no study file."""

from sqlalchemy import case
from sqlmodel import Session, SQLModel, col, select

from app.core.errors import NotFound
from app.trials.tables import State, Study, StudyVersion

_study = SQLModel.metadata.tables[str(Study.__tablename__)]
# An archived study is to participants as a closed one. What was chosen for its closing holds while it is closed.
STATE = case((_study.c.archived_at.is_(None), _study.c.state), else_=State.CLOSED.value).label("state")


def study_named(session: Session, slug: str) -> Study:
    # An argument that is no UTF-8 comes with lone surrogates (PEP 383), which no database takes.
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
