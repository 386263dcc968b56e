"""Stimuli: those there are, those on their way in, and the one set of rules that all clips go through."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint
from sqlmodel import Field, SQLModel

from app.core.schema import json_column, one_of, text_column
from app.jobs import tables  # noqa: F401  (jobs and users, that uploads refer to)
from app.library.kinds import StimulusKind


class UploadStatus(StrEnum):
    """`receiving` while bytes come in, `waiting` for the worker, then `done` or `refused`."""

    RECEIVING = "receiving"
    WAITING = "waiting"
    DONE = "done"
    REFUSED = "refused"
    CANCELLED = "cancelled"


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


class LibraryRules(SQLModel, table=True):
    """Processing rules; those of the newest row are in force."""

    __tablename__ = "library_rules"

    id: int | None = Field(default=None, primary_key=True)
    rules: dict[str, Any] = Field(sa_column=json_column())
    saved_by: int | None = Field(default=None, foreign_key="user_account.id")
    saved_at: datetime
