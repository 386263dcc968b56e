"""Work that takes longer than a page may wait for: asked for in a request, done by the worker."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import CheckConstraint, Index
from sqlmodel import Field, SQLModel

from app.accounts import tables  # noqa: F401  (users, whom jobs refer to)
from app.core.schema import NEVER_AGAIN, json_column, one_of, text_column


class Kind(StrEnum):
    IMPORT = "import"
    PREVIEW = "preview"
    REPROCESS = "reprocess"
    CLUES = "clues"
    REPORT = "report"
    PACKAGE = "package"
    JUDGES = "judges"
    RESULTS = "results"
    TRAINING = "training"
    WALKS = "walks"
    PICTURES = "pictures"
    VERDICTS = "verdicts"
    SIMULATION = "simulation"
    MAIL = "mail"


class JobStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Job(SQLModel, table=True):
    """One job. `doing` is the current step, `message` the reason for failure or the outcome.

    `tries` counts how often the worker has begun it. `seen_at` is when its result was first opened: the launch
    checklist asks whether the clues were read. `not_before` is when it is tried again.
    """

    __tablename__ = "job"
    __table_args__ = (
        one_of("kind", Kind),
        one_of("status", JobStatus),
        CheckConstraint("done >= 0 AND total >= 0", name="progress"),
        Index("ix_job_status_id", "status", "id"),
        Index("ix_job_study_id_kind", "study_id", "kind"),
        NEVER_AGAIN,
    )

    id: int | None = Field(default=None, primary_key=True)
    kind: str
    study_id: int | None = Field(default=None, foreign_key="study.id")
    params: dict[str, Any] = Field(sa_column=json_column())
    status: str = JobStatus.QUEUED
    done: int = 0
    total: int = 0
    doing: str = ""
    message: str = Field(default="", sa_column=text_column())
    tries: int = 0
    result: Any = Field(default=None, sa_column=json_column(nullable=True))
    asked_by: int | None = Field(default=None, foreign_key="user_account.id")
    asked_at: datetime
    begun_at: datetime | None = None
    ended_at: datetime | None = None
    seen_at: datetime | None = None
    not_before: datetime | None = None
