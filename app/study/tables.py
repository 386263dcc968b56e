"""Every table. What a participant sent is append-only: corrections and exclusions stand beside it, never in it.

Where an id is kept outside of its row (in a process, a link, the name of a folder), it is never given again.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from app.people import tables as people  # noqa: F401  (users, whom several tables refer to)
from app.schema import NEVER_AGAIN, json_column, one_of, text_column
from app.study.design import TIE, Kind, Layout, Member, Side

PRESSED = ", ".join(f"'{pressed}'" for pressed in (*Side, TIE))


class State(StrEnum):
    """What a study takes: entries while `pilot` or `live`, answers until `closed`."""

    DRAFT = "draft"
    PILOT = "pilot"
    LIVE = "live"
    PAUSED = "paused"
    CLOSED = "closed"


class Mode(StrEnum):
    LIVE = "live"
    PILOT = "pilot"
    PREVIEW = "preview"
    SIMULATED = "simulated"


class Status(StrEnum):
    """How far a session came: `arrived` takes the answer to the consent page, `active` all others.

    `unplayable` went to the last page without a single clip that would play.
    """

    ARRIVED = "arrived"
    ACTIVE = "active"
    COMPLETED = "completed"
    REFUSED = "refused"
    UNDER_AGE = "under-age"
    UNPLAYABLE = "unplayable"


DECLINED = (Status.REFUSED, Status.UNDER_AGE)
BEGUN = (Status.ACTIVE, Status.COMPLETED, Status.UNPLAYABLE)


class Study(SQLModel, table=True):
    """Once closed, sessions under way may go on until `closes_at`; then they are shown `closing`.

    An archived study is left out of the list, and closed to participants whatever its state.
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

    `sides_known` is false where answers were imported that do not say which clip was on the left, else NULL.
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


class StudyShare(SQLModel, table=True):
    """A study that a user who is no owner sees."""

    __tablename__ = "study_share"

    study_id: int = Field(foreign_key="study.id", primary_key=True)
    user_id: int = Field(foreign_key="user_account.id", primary_key=True, index=True)


class StudyClip(SQLModel, table=True):
    """A clip that a study may use, so that whoever sees the study sees the clip."""

    __tablename__ = "study_clip"

    study_id: int = Field(foreign_key="study.id", primary_key=True, ondelete="CASCADE")
    stimulus_id: int = Field(foreign_key="stimulus.id", primary_key=True, index=True, ondelete="CASCADE")


class Draft(SQLModel, table=True):
    """A study's design being written: the keys of its study file, complete or not. `revision` counts its saves."""

    __tablename__ = "draft"

    id: int | None = Field(default=None, primary_key=True)
    study_id: int = Field(foreign_key="study.id", unique=True)
    keys: dict[str, Any] = Field(sa_column=json_column())
    revision: int = 1
    saved_by: int | None = Field(default=None, foreign_key="user_account.id")
    saved_at: datetime


class Stimulus(SQLModel, table=True):
    """One clip, as processed. Without files where only answers were imported from elsewhere."""

    __tablename__ = "stimulus"
    __table_args__ = (CheckConstraint("duration_s > 0", name="duration_s"),)

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    source: str
    attributes: dict[str, str] = Field(sa_column=json_column())
    original_name: str | None = None
    original_sha256: str | None = None
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


class Pair(SQLModel, table=True):
    """Two stimuli of a version, with the clips they had when it was saved: processing anew changes no version."""

    __tablename__ = "pair"
    __table_args__ = (
        UniqueConstraint("version_id", "name"),
        UniqueConstraint("version_id", "position"),
        one_of("kind", Kind),
        one_of("truth", Member),
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
    clip_a_sha256: str | None = None
    clip_a_bytes: int | None = None
    clip_a_duration_s: float | None = None
    clip_b_sha256: str | None = None
    clip_b_bytes: int | None = None
    clip_b_duration_s: float | None = None


class ParticipantSession(SQLModel, table=True):
    """One person's run. `ordinal` counts planned sessions of a version and mode: balance rests on its being unique.

    `is_signed` says that a link of ours vouched for `participant`. `step` is the index of the current page among the
    session's pages; `page_shown_at` when that page was first served.
    """

    __tablename__ = "participant_session"
    __table_args__ = (
        UniqueConstraint("version_id", "mode", "ordinal"),
        one_of("mode", Mode),
        one_of("status", Status),
        CheckConstraint("step >= 0", name="step"),
        Index("ix_participant_session_version_participant", "version_id", "participant"),
        NEVER_AGAIN,
    )

    id: int | None = Field(default=None, primary_key=True)
    version_id: int = Field(foreign_key="study_version.id")
    arm: str = "main"
    mode: str
    participant: str | None = None
    is_signed: bool = False
    recruiter: dict[str, str] = Field(sa_column=json_column())
    ordinal: int | None = None
    seed: int | None = None
    status: str = Status.ARRIVED
    step: int = 0
    page_shown_at: datetime | None = None
    arrived_at: datetime
    consented_at: datetime | None = None
    ended_at: datetime | None = None


class SessionToken(SQLModel, table=True):
    """What opens a session, as its SHA-256: the random token itself is in its participant's browser alone."""

    __tablename__ = "session_token"

    sha256: str = Field(primary_key=True)
    session_id: int = Field(foreign_key="participant_session.id", index=True)


class Trial(SQLModel, table=True):
    """One pair at one position. `sent_left` and `sent_right` are the bytes of each clip that were sent, as ranges.

    They are NULL where that was not recorded: in sessions begun before 0.4, and in imported ones.
    """

    __tablename__ = "trial"
    __table_args__ = (
        UniqueConstraint("session_id", "position"),
        UniqueConstraint("session_id", "pair_id"),
        one_of("left_member", Member),
        CheckConstraint("position >= 1", name="position"),
        NEVER_AGAIN,
    )

    id: int | None = Field(default=None, primary_key=True)
    session_id: int = Field(foreign_key="participant_session.id")
    position: int
    pair_id: int = Field(foreign_key="pair.id", index=True)
    left_member: str
    sent_left: list[list[int]] | None = Field(default=None, sa_column=json_column(nullable=True))
    sent_right: list[list[int]] | None = Field(default=None, sa_column=json_column(nullable=True))


class Response(SQLModel, table=True):
    """What one session answered on one page. `side` is what the person pressed, `tie` for no difference; which
    member that was, the trial knows.

    `answers` holds the questions that have no column of their own. `odd_playback` keeps telemetry that could not be
    read, as it came; `flags` says what was odd. `raised` and `unwatched` are what `app.study.flags` found; that, the
    server's `interval_ms` and whether each clip was fetched are NULL where nothing was recorded. `certainty` is the
    answer to a slider of that id, as the number it stands for.
    """

    __tablename__ = "response"
    __table_args__ = (
        UniqueConstraint("session_id", "page"),
        UniqueConstraint("session_id", "submit_id"),
        CheckConstraint(f"side IN ({PRESSED})", name="side"),
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
    layout: str | None = None
    opened_ms: int | None = None
    interval_ms: int | None = None
    fetched_a: bool | None = None
    fetched_b: bool | None = None
    certainty: float | None = None


class Playback(SQLModel, table=True):
    """How one clip of one trial was played. Times in milliseconds, `played` in seconds of the clip."""

    __tablename__ = "playback"
    __table_args__ = (
        UniqueConstraint("response_id", "member"),
        one_of("member", Member),
        # The few that the monitor looks for.
        Index(
            "ix_playback_away",
            "response_id",
            "stalls",
            "hidden_ms",
            sqlite_where=text("stalls > 0 OR hidden_ms > 0"),
            postgresql_where=text("stalls > 0 OR hidden_ms > 0"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    response_id: int = Field(foreign_key="response.id")
    member: str
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


class Exclusion(SQLModel, table=True):
    """A session left out of the analysis, with the reason; taken back by `lifted_at`, never deleted."""

    __tablename__ = "exclusion"
    __table_args__ = (
        Index(
            "uq_exclusion_standing",
            "session_id",
            unique=True,
            sqlite_where=text("lifted_at IS NULL"),
            postgresql_where=text("lifted_at IS NULL"),
        ),
    )

    id: int | None = Field(default=None, primary_key=True)
    session_id: int = Field(foreign_key="participant_session.id", index=True)
    reason: str = Field(sa_column=text_column())
    excluded_by: int | None = Field(default=None, foreign_key="user_account.id")
    excluded_at: datetime
    lifted_by: int | None = Field(default=None, foreign_key="user_account.id")
    lifted_at: datetime | None = None


class SessionNote(SQLModel, table=True):
    __tablename__ = "session_note"

    id: int | None = Field(default=None, primary_key=True)
    session_id: int = Field(foreign_key="participant_session.id", index=True)
    text: str = Field(sa_column=text_column())
    written_by: int | None = Field(default=None, foreign_key="user_account.id")
    written_at: datetime
