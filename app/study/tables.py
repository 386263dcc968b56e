"""Every table. What a participant sent is append-only: corrections and exclusions stand beside it, never in it."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, Index, Text, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

from app.study.design import Kind, Member, Side

SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class State(StrEnum):
    """What a study takes: entries while `live`, answers until `closed`."""

    DRAFT = "draft"
    LIVE = "live"
    PAUSED = "paused"
    CLOSED = "closed"


class Mode(StrEnum):
    LIVE = "live"
    PILOT = "pilot"
    PREVIEW = "preview"
    SIMULATED = "simulated"


class Status(StrEnum):
    """How far a session came: `arrived` takes the answer to the consent page, `active` all others."""

    ARRIVED = "arrived"
    ACTIVE = "active"
    COMPLETED = "completed"
    REFUSED = "refused"
    UNDER_AGE = "under-age"


def _one_of(column: str, values: type[StrEnum]) -> CheckConstraint:
    allowed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({allowed})", name=column)


def _json() -> Column[Any]:
    return Column(JSON().with_variant(JSONB(), "postgresql"), nullable=False)


def _text(nullable: bool = False) -> Column[Any]:
    return Column(Text(), nullable=nullable)


class Study(SQLModel, table=True):
    __tablename__ = "study"
    __table_args__ = (_one_of("state", State),)

    id: int | None = Field(default=None, primary_key=True)
    slug: str = Field(unique=True)
    state: str = State.DRAFT
    created_at: datetime


class StudyVersion(SQLModel, table=True):
    """One numbered design. Frozen once a session exists: a change then makes the next version."""

    __tablename__ = "study_version"
    __table_args__ = (
        UniqueConstraint("study_id", "number"),
        CheckConstraint("number >= 1", name="number"),
        CheckConstraint("padded_bytes >= 0", name="padded_bytes"),
    )

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id")
    number: int
    sha256: str
    design: str = Field(sa_column=_text())
    padded_bytes: int
    created_at: datetime
    frozen_at: datetime | None = None


class Stimulus(SQLModel, table=True):
    """One clip, as processed. Without files where only answers were imported from elsewhere."""

    __tablename__ = "stimulus"
    __table_args__ = (CheckConstraint("duration_s > 0", name="duration_s"),)

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    source: str
    attributes: dict[str, str] = Field(sa_column=_json())
    original_name: str | None = None
    original_sha256: str | None = None
    original_bytes: int | None = None
    clip_sha256: str | None = None
    clip_bytes: int | None = None
    positions_sha256: str | None = None
    rules: dict[str, Any] = Field(sa_column=_json())
    duration_s: float | None = None
    width: int | None = None
    height: int | None = None
    fps: float | None = None
    frames: int | None = None
    imported_at: datetime


class Pair(SQLModel, table=True):
    __tablename__ = "pair"
    __table_args__ = (
        UniqueConstraint("version_id", "name"),
        UniqueConstraint("version_id", "position"),
        _one_of("kind", Kind),
        _one_of("truth", Member),
        CheckConstraint("stimulus_a_id <> stimulus_b_id", name="two_clips"),
    )

    id: int | None = Field(default=None, primary_key=True)
    version_id: int = Field(foreign_key="study_version.id")
    name: str
    position: int
    condition: str
    kind: str
    stimulus_a_id: int = Field(foreign_key="stimulus.id")
    stimulus_b_id: int = Field(foreign_key="stimulus.id")
    truth: str | None = None


class ParticipantSession(SQLModel, table=True):
    """One person's run. `ordinal` counts planned sessions of a version and mode: balance rests on its being unique.

    `step` is the index of the current page among the session's pages; `page_shown_at` when that page was first served.
    """

    __tablename__ = "participant_session"
    __table_args__ = (
        UniqueConstraint("version_id", "mode", "ordinal"),
        _one_of("mode", Mode),
        _one_of("status", Status),
        CheckConstraint("step >= 0", name="step"),
        Index("ix_participant_session_version_participant", "version_id", "participant"),
    )

    id: int | None = Field(default=None, primary_key=True)
    token: str = Field(unique=True)
    version_id: int = Field(foreign_key="study_version.id")
    arm: str = "main"
    mode: str
    participant: str | None = None
    recruiter: dict[str, str] = Field(sa_column=_json())
    ordinal: int | None = None
    seed: int | None = None
    status: str = Status.ARRIVED
    step: int = 0
    page_shown_at: datetime | None = None
    arrived_at: datetime
    consented_at: datetime | None = None
    ended_at: datetime | None = None


class Trial(SQLModel, table=True):
    __tablename__ = "trial"
    __table_args__ = (
        UniqueConstraint("session_id", "position"),
        UniqueConstraint("session_id", "pair_id"),
        _one_of("left_member", Member),
        CheckConstraint("position >= 1", name="position"),
    )

    id: int | None = Field(default=None, primary_key=True)
    session_id: int = Field(foreign_key="participant_session.id")
    position: int
    pair_id: int = Field(foreign_key="pair.id", index=True)
    left_member: str


class Response(SQLModel, table=True):
    """What one session answered on one page. `side` is what the person pressed; which member that was, the trial knows.

    `answers` holds the questions that have no column of their own. `odd_playback` keeps telemetry that could not be
    read, as it came; `flags` says what was odd.
    """

    __tablename__ = "response"
    __table_args__ = (
        UniqueConstraint("session_id", "page"),
        UniqueConstraint("session_id", "submit_id"),
        _one_of("side", Side),
        CheckConstraint("uncertainty BETWEEN 1 AND 11", name="uncertainty"),
        CheckConstraint("rt_ms >= 0", name="rt_ms"),
        CheckConstraint("trial_id IS NOT NULL OR side IS NULL", name="side_needs_trial"),
    )

    id: int | None = Field(default=None, primary_key=True)
    session_id: int = Field(foreign_key="participant_session.id")
    trial_id: int | None = Field(default=None, foreign_key="trial.id", unique=True)
    page: str
    submit_id: str
    side: str | None = None
    uncertainty: int | None = None
    rationale: str | None = Field(default=None, sa_column=_text(nullable=True))
    answers: dict[str, Any] = Field(sa_column=_json())
    unplayable: bool = False
    rt_ms: int | None = None
    shown_at: datetime | None = None
    answered_at: datetime | None = None
    flags: list[str] = Field(sa_column=_json())
    odd_playback: str | None = Field(default=None, sa_column=_text(nullable=True))


class Playback(SQLModel, table=True):
    """How one clip of one trial was played. Times in milliseconds, `played` in seconds of the clip."""

    __tablename__ = "playback"
    __table_args__ = (UniqueConstraint("response_id", "member"), _one_of("member", Member))

    id: int | None = Field(default=None, primary_key=True)
    response_id: int = Field(foreign_key="response.id")
    member: str
    watched: bool
    plays: int
    played: list[list[float]] = Field(sa_column=_json())
    duration_s: float | None = None
    stalls: int
    stall_ms: int
    dropped_frames: int
    frames: int
    drift_ms_max: int | None = None
    hidden_ms: int
    page_loads: int
    max_rate: float | None = None
    failed: bool
    errors: list[str] = Field(sa_column=_json())
