"""Documents made from the database and written as files."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from sqlmodel import Session

from app.core.errors import StudyError
from app.core.whole_files import written_whole
from app.reports.documents.document import Document
from app.reports.documents.planned import planned
from app.reports.documents.prereg import prereg
from app.reports.study_facts import StudyFacts, study_facts
from app.studies.registering import TEMPLATES

Format = Literal["md", "pdf"]
FORMATS: tuple[Format, ...] = ("md", "pdf")


@dataclass(frozen=True, slots=True)
class Made:
    """A document with the number of the version that it is about."""

    document: Document
    version: int


def template_named(name: str) -> str:
    """Raises StudyError for one that is none."""
    if name in TEMPLATES:
        return name
    raise StudyError(f"there is no template {name!r}; use {' or '.join(TEMPLATES)}")


def made_prereg(
    session: Session,
    slug: str,
    template: str,
    made_at: datetime,
    on_progress: Callable[[int, int, str], None] | None = None,
) -> Made:
    """Raises NotFound for an unknown study, StudyError for one without a version."""
    facts = facts_with_version(session, slug)
    newest = facts.versions[-1]
    plans = list(planned(newest.design, on_progress))
    return Made(prereg(facts, template, plans, made_at), newest.number)


def facts_with_version(session: Session, slug: str) -> StudyFacts:
    facts = study_facts(session, slug)
    if not facts.versions:
        raise StudyError.of_study(slug, "has no version yet: save the design first")
    return facts


def written(document: Document, path: Path, format_: str, made_at: datetime) -> None:
    """Raises StudyError for a file that cannot be written."""
    if format_ == "pdf":
        from app.reports.documents.pdf import pdf_of

        data = pdf_of(document, made_at)
    else:
        data = document.markdown().encode()
    with written_whole(path) as file:
        file.write(data)
