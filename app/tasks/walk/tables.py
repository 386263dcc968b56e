"""People's walks: the server's replay so far, and the key presses, append-only."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import CheckConstraint, UniqueConstraint, delete
from sqlmodel import Field, Session, SQLModel, col, select

from app.core.schema import json_column, one_of
from app.trials import tables  # noqa: F401  (sessions and trials, that these refer to)
from app.trials.tables import Mode, ParticipantSession


class Over(StrEnum):
    """The end of a walk: the goal was reached, or time ran out."""

    ARRIVED = "arrived"
    TIME = "time"


class Walk(SQLModel, table=True):
    """The walk of one trial, as far as the server has computed it; `over` is NULL while it lasts.

    `walker` is x, y, heading and the two speeds after `tick` ticks, in the units of `stimuli.steps`; `length_um` the
    length of its path. `frames` were drawn in `drawn_ms`, of which `slow_ms` at fewer than 20 a second. `input` has the
    input devices, joined by `;`.
    """

    __tablename__ = "walk"
    __table_args__ = (one_of("over", Over), CheckConstraint("tick >= 0", name="tick"))

    id: int | None = Field(default=None, primary_key=True)
    trial_id: int = Field(foreign_key="trial.id", unique=True)
    session_id: int = Field(foreign_key="participant_session.id", index=True)
    tick: int
    walker: list[int] = Field(sa_column=json_column())
    length_um: int
    over: str | None = None
    began_at: datetime
    over_at: datetime | None = None
    frames: int
    drawn_ms: int
    slow_ms: int
    input: str


class WalkSteps(SQLModel, table=True):
    """Keys pressed and turns from one tick on: a pair of keys and turn for each tick. Never changed."""

    __tablename__ = "walk_steps"
    __table_args__ = (UniqueConstraint("walk_id", "from_tick"),)

    id: int | None = Field(default=None, primary_key=True)
    walk_id: int = Field(foreign_key="walk.id", ondelete="CASCADE")
    from_tick: int
    n: int
    steps: list[list[int]] = Field(sa_column=json_column())
    frames: int | None = None
    drawn_ms: int | None = None
    input: str
    received_at: datetime


def forget_walks(session: Session, version_id: int, mode: Mode) -> None:
    """Delete the walks of a version and mode, with their steps."""
    sessions = select(ParticipantSession.id).where(
        ParticipantSession.version_id == version_id, ParticipantSession.mode == mode
    )
    forget_walks_of(session, sessions)


def forget_walks_of(session: Session, sessions: Any) -> None:
    """Delete the walks of sessions, given as ids or a SELECT of them."""
    walks: Any = select(Walk.id).where(col(Walk.session_id).in_(sessions))
    session.execute(delete(WalkSteps).where(col(WalkSteps.walk_id).in_(walks)))
    session.execute(delete(Walk).where(col(Walk.session_id).in_(sessions)))
