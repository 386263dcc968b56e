"""Stimuli: those there are, those on their way in, the collections they belong to, and the rules of each of these."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint
from sqlmodel import Field, SQLModel

from app.core.schema import NEVER_AGAIN, json_column, one_of, text_column
from app.jobs import tables  # noqa: F401  (jobs and users, that uploads refer to)
from app.library.kinds import StimulusKind


class UploadStatus(StrEnum):
    """`receiving` while bytes come in, `waiting` for the worker, then `done` or `refused`."""

    RECEIVING = "receiving"
    WAITING = "waiting"
    DONE = "done"
    REFUSED = "refused"
    CANCELLED = "cancelled"


LIBRARY = 1
"""The id of the collection that the migrations make: of stimuli that came before there were collections, and of those
that are added without naming one."""


class Collection(SQLModel, table=True):
    """Stimuli that belong together, with one set of processing rules: a study's own (`study.collection_id`), or shared.

    The stimuli of one that is open are seen by every user.
    """

    __tablename__ = "collection"
    __table_args__ = (NEVER_AGAIN,)

    id: int | None = Field(default=None, primary_key=True)
    slug: str = Field(unique=True)
    title: str
    is_open: bool = False
    created_by: int | None = Field(default=None, foreign_key="user_account.id")
    created_at: datetime


class Stimulus(SQLModel, table=True):
    """One clip, as processed, or one record or text. Without either where only answers were imported from elsewhere."""

    __tablename__ = "stimulus"
    __table_args__ = (one_of("kind", StimulusKind), CheckConstraint("duration_s > 0", name="duration_s"))

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    source: str
    attributes: dict[str, str] = Field(sa_column=json_column())
    original_name: str | None = None
    original_sha256: str | None = None
    # Originals may have 4 GB, more than PostgreSQL's integer holds.
    original_bytes: int | None = Field(default=None, sa_type=BigInteger)
    clip_sha256: str | None = None
    clip_bytes: int | None = None
    positions_sha256: str | None = None
    rules: dict[str, Any] = Field(sa_column=json_column())
    duration_s: float | None = None
    width: int | None = None
    height: int | None = None
    fps: float | None = None
    frames: int | None = None
    uploaded_by: int | None = Field(default=None, foreign_key="user_account.id", index=True)
    imported_at: datetime
    kind: str = StimulusKind.CLIP
    content_sha256: str | None = Field(default=None, foreign_key="content.sha256", index=True)
    original_video: dict[str, Any] | None = Field(default=None, sa_column=json_column(nullable=True))
    collection_id: int = Field(default=LIBRARY, foreign_key="collection.id", index=True)

    @property
    def shown_sha256(self) -> str | None:
        """The hash of what people see, as frozen in versions."""
        return self.clip_sha256 or self.content_sha256


class Content(SQLModel, table=True):
    """The content of a record (canonical JSON) or text (Markdown), by the SHA-256 of its UTF-8."""

    __tablename__ = "content"

    sha256: str = Field(primary_key=True)
    content: str = Field(sa_column=text_column())


class StudyClip(SQLModel, table=True):
    """A stimulus that a study may use, which makes it visible to everyone who sees the study."""

    __tablename__ = "study_clip"

    study_id: int = Field(foreign_key="study.id", primary_key=True, ondelete="CASCADE")
    stimulus_id: int = Field(foreign_key="stimulus.id", primary_key=True, index=True, ondelete="CASCADE")


class StudyCollection(SQLModel, table=True):
    """A collection that a study uses besides its own: its stimuli are counted, and offered for pairs."""

    __tablename__ = "study_collection"

    study_id: int = Field(foreign_key="study.id", primary_key=True, ondelete="CASCADE")
    collection_id: int = Field(foreign_key="collection.id", primary_key=True, index=True)


class Upload(SQLModel, table=True):
    """One file being sent. How much of it has come is the length of its part file, not a column."""

    __tablename__ = "upload"
    __table_args__ = (one_of("status", UploadStatus), CheckConstraint("bytes >= 0", name="bytes"))

    id: int | None = Field(default=None, primary_key=True)
    token: str = Field(unique=True)
    user_id: int = Field(foreign_key="user_account.id", index=True)
    file_name: str
    bytes: int = Field(sa_type=BigInteger)
    name: str
    source: str
    attributes: dict[str, str] = Field(sa_column=json_column())
    status: str = UploadStatus.RECEIVING
    message: str = Field(default="", sa_column=text_column())
    job_id: int | None = Field(default=None, foreign_key="job.id")
    stimulus_id: int | None = Field(default=None, foreign_key="stimulus.id")
    created_at: datetime
    ended_at: datetime | None = None
    collection_id: int = Field(default=LIBRARY, foreign_key="collection.id")


class LibraryRules(SQLModel, table=True):
    """Processing rules of a collection; those of its newest row are in force."""

    __tablename__ = "library_rules"

    id: int | None = Field(default=None, primary_key=True)
    rules: dict[str, Any] = Field(sa_column=json_column())
    saved_by: int | None = Field(default=None, foreign_key="user_account.id")
    saved_at: datetime
    collection_id: int = Field(default=LIBRARY, foreign_key="collection.id", index=True)
