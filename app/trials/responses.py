"""Participants' responses, append-only: corrections and exclusions are stored in tables of their own."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from app.core.schema import json_column, one_of, text_column
from app.trials import tables  # noqa: F401  (sessions and trials, that responses refer to)
from app.trials.design import Layout, Slot


class Response(SQLModel, table=True):
    """One session's answer to one page. `side` is the side pressed, `tie` for no difference; the trial's plan maps it
    to a member.

    `answers` holds the questions without a column of their own. `odd_playback` keeps unreadable telemetry as sent;
    `flags` marks it. `raised`, `unwatched` and `study_rule` (the study's own rule that excludes the answer) are the
    findings of `app.trials.examining`; these, the server's `interval_ms` and whether each clip was fetched are NULL if
    not recorded. `certainty` is the numeric answer to a slider of that id.
    """

    __tablename__ = "response"
    __table_args__ = (
        # Two windows may answer one page at the same instant; only the database sees both.
        UniqueConstraint("session_id", "page"),
        UniqueConstraint("session_id", "submit_id"),
        CheckConstraint("side IN ('left', 'right', 'tie')", name="side"),
        CheckConstraint("uncertainty BETWEEN 1 AND 11", name="uncertainty"),
        one_of("layout", Layout),
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
    rationale: str | None = Field(default=None, sa_column=text_column(nullable=True))
    answers: dict[str, Any] = Field(sa_column=json_column())
    unplayable: bool = False
    rt_ms: int | None = None
    shown_at: datetime | None = None
    answered_at: datetime | None = None
    flags: list[str] = Field(sa_column=json_column())
    odd_playback: str | None = Field(default=None, sa_column=text_column(nullable=True))
    raised: str | None = None
    unwatched: bool | None = None
    study_rule: str | None = None
    layout: str | None = None
    opened_ms: int | None = None
    interval_ms: int | None = None
    fetched_a: bool | None = None
    fetched_b: bool | None = None
    certainty: float | None = None
    typed: dict[str, Any] | None = Field(default=None, sa_column=json_column(nullable=True))


class Evidence(SQLModel, table=True):
    """Evidence of watching a stimulus of a trial, as reported by the browser. Times in ms, `played` in seconds.

    `reading` is the evidence of reading a record or text, NULL for clips.
    """

    __tablename__ = "evidence"
    __table_args__ = (
        UniqueConstraint("response_id", "slot"),
        one_of("slot", Slot),
        # The few that the monitor looks for.
        Index(
            "ix_evidence_away",
            "response_id",
            "stalls",
            "hidden_ms",
            sqlite_where=text("stalls > 0 OR hidden_ms > 0"),
            postgresql_where=text("stalls > 0 OR hidden_ms > 0"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    response_id: int = Field(foreign_key="response.id")
    slot: str
    watched: bool
    plays: int
    played: list[list[float]] = Field(sa_column=json_column())
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
    errors: list[str] = Field(sa_column=json_column())
    reading: dict[str, Any] | None = Field(default=None, sa_column=json_column(nullable=True))
