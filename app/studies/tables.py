"""Studies, their versions and drafts, and the units of a version: the stimuli of one trial."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, UniqueConstraint
from sqlmodel import Field, SQLModel

from app.core.schema import NEVER_AGAIN, json_column, one_of, text_column
from app.trials import tables  # noqa: F401  (units and sessions, that belong to versions)
from app.trials.states import State


class Study(SQLModel, table=True):
    """A study. Once closed, sessions under way may continue until `closes_at`; then they are shown `closing`.

    An archived study is left out of the list, and closed to participants in any state.
    """

    __tablename__ = "study"
    __table_args__ = (one_of("state", State), NEVER_AGAIN)

    id: int | None = Field(default=None, primary_key=True)
    slug: str = Field(unique=True)
    state: str = State.DRAFT
    closes_at: datetime | None = None
    closing: str = Field(default="", sa_column=text_column())
    archived_at: datetime | None = None
    created_at: datetime


class StudyVersion(SQLModel, table=True):
    """One numbered design. Frozen once a session counts (any but a preview): a change then makes the next version.

    `sides_known` is false if answers were imported that do not say which clip was on the left, else NULL. `written` is
    the study file that the design was read from, with comments; NULL if there was none.
    """

    __tablename__ = "study_version"
    __table_args__ = (
        UniqueConstraint("study_id", "number"),
        CheckConstraint("number >= 1", name="number"),
        CheckConstraint("padded_bytes >= 0", name="padded_bytes"),
        NEVER_AGAIN,
    )

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    number: int
    sha256: str
    design: str = Field(sa_column=text_column())
    padded_bytes: int
    reason: str = Field(default="", sa_column=text_column())
    saved_by: int | None = Field(default=None, foreign_key="user_account.id")
    created_at: datetime
    frozen_at: datetime | None = None
    sides_known: bool | None = None
    written: str | None = Field(default=None, sa_column=text_column(nullable=True))


class StudyShare(SQLModel, table=True):
    """A study that a user who is no owner sees."""

    __tablename__ = "study_share"

    study_id: int = Field(foreign_key="study.id", primary_key=True)
    user_id: int = Field(foreign_key="user_account.id", primary_key=True, index=True)


class Draft(SQLModel, table=True):
    """A study's design being written: the keys of its study file, complete or not. `revision` counts its saves.

    `written` is the study file that it began from, with the keys of it then.
    """

    __tablename__ = "draft"

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id", unique=True)
    keys: dict[str, Any] = Field(sa_column=json_column())
    written: dict[str, Any] | None = Field(default=None, sa_column=json_column(nullable=True))
    revision: int = 1
    saved_by: int | None = Field(default=None, foreign_key="user_account.id")
    saved_at: datetime
