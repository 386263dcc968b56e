"""Studies, their versions and drafts, and the units of a version: the stimuli of one trial."""

from datetime import datetime
from typing import Any

from sqlmodel import Field, SQLModel

from app.core.schema import json_column, text_column
from app.trials import tables  # noqa: F401  (units and sessions, that belong to versions)


class StudyShare(SQLModel, table=True):
    """A study that a user who is no owner sees."""

    __tablename__ = "study_share"

    study_id: int = Field(foreign_key="study.id", primary_key=True)
    user_id: int = Field(foreign_key="user_account.id", primary_key=True, index=True)


class StudyTag(SQLModel, table=True):
    """A word by which people find a study in the list; what participants see does not depend on it."""

    __tablename__ = "study_tag"

    study_id: int = Field(foreign_key="study.id", primary_key=True, ondelete="CASCADE")
    tag: str = Field(primary_key=True)


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


class DraftChange(SQLModel, table=True):
    """One save of a draft, from the revision `before` to the next: what changed, there and back, and in which place.

    `kind` is `edit`, `replace`, `undo`, `redo` or `save`.
    """

    __tablename__ = "draft_change"

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id", index=True)
    before: int
    revision: int
    changes: list[dict[str, Any]] = Field(sa_column=json_column())
    kind: str
    place: str
    saved_by: int | None = Field(default=None, foreign_key="user_account.id")
    saved_at: datetime


class StudyNote(SQLModel, table=True):
    """A note of an experimenter on a study, for those who see the study."""

    __tablename__ = "study_note"

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id", index=True)
    text: str = Field(sa_column=text_column())
    written_by: int | None = Field(default=None, foreign_key="user_account.id")
    written_at: datetime
    edited_at: datetime | None = None


class ResultsLink(SQLModel, table=True):
    """A link that shows a study's results of one mode without a login, until it ends; kept as its hash."""

    __tablename__ = "results_link"

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id", index=True)
    token_sha256: str = Field(unique=True)
    mode: str
    name: str
    made_by: int | None = Field(default=None, foreign_key="user_account.id")
    made_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None
    opened_at: datetime | None = None
