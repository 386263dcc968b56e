"""Contents of records and texts, in SQL: each once, by its SHA-256, which stimuli and versions refer to."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, or_
from sqlmodel import Session, col, select

from app.core.errors import NotFound
from app.library.kinds import StimulusKind
from app.library.tables import LIBRARY, Content, Stimulus

if TYPE_CHECKING:  # what reads files is not for those who only look
    from app.library.documents import Document, ImportedDocument


@dataclass(frozen=True, slots=True)
class ContentFacts:
    """A stimulus of any kind. `sha256` is of what is shown: the processed clip, or the content, as frozen in versions.

    `content` is canonical JSON for a record and Markdown for a text; a clip has none.
    """

    id: int
    name: str
    kind: StimulusKind
    source: str
    attributes: Mapping[str, str]
    sha256: str
    content: str | None


def is_kept() -> ColumnElement[bool]:
    """The condition on `Stimulus` that there is something to show: a clip, a record or a text."""
    return or_(col(Stimulus.clip_sha256).is_not(None), col(Stimulus.content_sha256).is_not(None))


def contents_named(session: Session, names: Collection[str]) -> Mapping[str, ContentFacts]:
    """Stimuli of any kind by name, those without anything to show left out."""
    rows = session.exec(
        select(Stimulus, Content.content)
        .outerjoin(Content, col(Content.sha256) == Stimulus.content_sha256)
        .where(col(Stimulus.name).in_(list(names)), is_kept())
    )
    return {
        row.name: ContentFacts(
            id=row.id or 0,
            name=row.name,
            kind=StimulusKind(row.kind),
            source=row.source,
            attributes=row.attributes,
            sha256=row.shown_sha256 or "",
            content=content,
        )
        for row, content in rows
    }


def content_of(session: Session, sha256: str) -> str:
    """The content of a record or a text, as a version froze it (`unit_member.sha256`). Raises NotFound."""
    found = session.get(Content, sha256)
    if found is None:
        raise NotFound("There is no such record or text.")
    return found.content


def add_documents(
    session: Session,
    documents: "Sequence[ImportedDocument]",
    now: datetime,
    *,
    uploaded_by: int | None = None,
    collection: int = LIBRARY,
) -> None:
    """Put records and texts into a collection; names have been checked before."""
    for each in documents:
        keep_content(session, each.document)
    session.add_all(
        Stimulus(
            name=each.name,
            kind=each.document.kind,
            source=each.source,
            attributes=dict(each.attributes),
            original_name=each.original_name,
            original_bytes=each.original_bytes,
            content_sha256=each.document.sha256,
            rules={},
            uploaded_by=uploaded_by,
            imported_at=now,
            collection_id=collection,
        )
        for each in documents
    )


def keep_content(session: Session, document: "Document") -> str:
    """Keep a content where it is not there yet; returns its SHA-256."""
    sha256 = document.sha256
    if session.get(Content, sha256) is None:
        session.add(Content(sha256=sha256, content=document.content))
        session.flush()
    return sha256
