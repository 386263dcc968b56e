"""Matches that people play: who waits, matches, who sits where, and the append-only log."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import CheckConstraint, Index, UniqueConstraint, delete, text, update
from sqlmodel import Field, Session, SQLModel, col, select

from app.core.schema import NEVER_AGAIN, json_column, one_of, text_column
from app.trials import tables  # noqa: F401  (sessions and trials, that these refer to)
from app.trials.tables import Mode


def _index(where: str, name: str, *columns: str, unique: bool = False) -> Index:
    """An index of some rows alone."""
    some = text(where)
    return Index(name, *columns, unique=unique, sqlite_where=some, postgresql_where=some)


class MatchStatus(StrEnum):
    """`finished` by its rules; `stopped` before (`end_reason` says why)."""

    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"


class EntryStatus(StrEnum):
    """Progress of a participant towards a match.

    `questions` on the rules; `waiting` for others; `asked` whether they are present; `ready` confirmed; `away` did not
    confirm; `bound` reached and asked whether to wait on; `matched`; `out` plays no match on this trial.
    """

    QUESTIONS = "questions"
    WAITING = "waiting"
    ASKED = "asked"
    READY = "ready"
    AWAY = "away"
    BOUND = "bound"
    MATCHED = "matched"
    OUT = "out"


class Occupant(StrEnum):
    HUMAN = "human"
    RULE = "rule"
    MODEL = "model"
    SIMULATED = "simulated"


class Match(SQLModel, table=True):
    """One match. `last_seq` and `last_hash` are those of its last event, `opened_at` and `deadline_at` of its phase.

    `due_at` is the time of the next automatic move: an agent's, or a default one; NULL once it is over.
    """

    __tablename__ = "match"
    __table_args__ = (
        one_of("mode", Mode),
        one_of("status", MatchStatus),
        # The sweep looks each second, and nearly all matches are over and due for nothing.
        _index("due_at IS NOT NULL", "ix_match_due", "due_at"),
        NEVER_AGAIN,
    )

    id: int | None = Field(default=None, primary_key=True)
    version_id: int = Field(foreign_key="study_version.id", index=True)
    mode: str
    arm: str
    block: str
    unit_id: int = Field(foreign_key="unit.id", index=True)
    game: str
    game_version: str
    config: dict[str, Any] = Field(sa_column=json_column())
    config_hash: str
    # Text, as 48 bits do not fit PostgreSQL's 32-bit integer.
    seed: str
    status: str = MatchStatus.RUNNING
    end_reason: str = ""
    formed_at: datetime
    ended_at: datetime | None = None
    opened_at: datetime
    deadline_at: datetime | None = None
    due_at: datetime | None = None
    last_seq: int = 0
    last_hash: str = ""


class Seat(SQLModel, table=True):
    """One occupancy of a seat: a seat that is handed over has several rows. `to_seq` is NULL while it lasts.

    `missed` counts consecutive automatic moves. `away_at` is set while its person has left and no one else has the
    seat. `lapse_at` is when a silent browser counts as gone, NULL if it never polled.
    """

    __tablename__ = "seat"
    __table_args__ = (
        one_of("occupant", Occupant),
        CheckConstraint("seat >= 1", name="seat"),
        _index("lapse_at IS NOT NULL", "ix_seat_lapse", "lapse_at"),
        # Occupancies that have ended stay as rows; a seat has one that has not.
        _index("to_seq IS NULL", "uq_seat_open", "match_id", "seat", unique=True),
    )

    id: int | None = Field(default=None, primary_key=True)
    match_id: int = Field(foreign_key="match.id", ondelete="CASCADE", index=True)
    seat: int
    role: str
    occupant: str
    session_id: int | None = Field(default=None, foreign_key="participant_session.id", index=True)
    trial_id: int | None = Field(default=None, foreign_key="trial.id", index=True)
    agent: str | None = None
    settings: dict[str, Any] | None = Field(default=None, sa_column=json_column(nullable=True))
    from_seq: int
    to_seq: int | None = None
    left_reason: str = ""
    missed: int = 0
    away_at: datetime | None = None
    lapse_at: datetime | None = None
    payoff: str = ""
    bonus_minor: int | None = None


class GameEvent(SQLModel, table=True):
    """One line of a match's log, never changed. `submit_id` is that of the form that made it.

    Payoffs are exact: whole, or `numerator/denominator`.
    """

    __tablename__ = "event"
    __table_args__ = (
        UniqueConstraint("match_id", "seq"),
        UniqueConstraint("session_id", "submit_id"),
        # The last guard where two processes write at once: a seat has one move in a phase.
        _index("kind = 'move'", "uq_event_move", "match_id", "phase_id", "seat", unique=True),
        CheckConstraint("seq >= 1", name="seq"),
    )

    id: int | None = Field(default=None, primary_key=True)
    match_id: int = Field(foreign_key="match.id", ondelete="CASCADE")
    seq: int
    round: int
    phase: str
    phase_id: str
    kind: str
    seat: int | None = None
    occupant: str | None = None
    session_id: int | None = Field(default=None, foreign_key="participant_session.id")
    move: dict[str, Any] = Field(sa_column=json_column())
    message: str = Field(default="", sa_column=text_column())
    reason: str = Field(default="", sa_column=text_column())
    auto: str = ""
    shown_at: datetime | None = None
    received_at: datetime
    deadline_at: datetime | None = None
    rt_ms: int | None = None
    delay_ms: int | None = None
    payoff_round: str | None = None
    payoff_total: str | None = None
    state_hash: str
    submit_id: str | None = None


class DecisionStatus(StrEnum):
    """A decision: `open` until requested; `asked` until `asked_until`, then open again; `made`, with a move or not."""

    OPEN = "open"
    ASKED = "asked"
    MADE = "made"


class Decision(SQLModel, table=True):
    """A move requested from a language model or a program during a match. `move` is NULL if there is none.

    Once it is made, `auto` is the reason for having no move, and the match applies it at `move_at`. `calls` and
    `tokens` are its cost, or its limit while it is requested. A program (`program`, NULL for a language model) fetches
    it; `calls` are then its illegal posts, and `submit_id` is that of the legal one.
    """

    __tablename__ = "decision"
    __table_args__ = (
        UniqueConstraint("match_id", "phase_id", "seat"),
        one_of("status", DecisionStatus),
        _index("status <> 'made'", "ix_decision_open", "asked_until"),
        _index("program IS NOT NULL", "ix_decision_program", "program", "match_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    match_id: int = Field(foreign_key="match.id", ondelete="CASCADE")
    phase_id: str
    seat: int
    status: str = DecisionStatus.OPEN
    asked_until: datetime | None = None
    move: dict[str, Any] | None = Field(default=None, sa_column=json_column(nullable=True))
    message: str = Field(default="", sa_column=text_column())
    reason: str = Field(default="", sa_column=text_column())
    auto: str = ""
    move_at: datetime | None = None
    calls: int = 0
    tokens: int = 0
    program: str | None = None
    submit_id: str | None = None


class Exchange(SQLModel, table=True):
    """One question to a language model in a live match and what came back, or one post of a program, as `game play`
    keeps them."""

    __tablename__ = "exchange"

    id: int | None = Field(default=None, primary_key=True)
    match_id: int = Field(foreign_key="match.id", ondelete="CASCADE", index=True)
    at: datetime
    line: dict[str, Any] = Field(sa_column=json_column())


class Entry(SQLModel, table=True):
    """A session's way to the match of one trial. `until` is the end of its wait, `ask_until` that of the ready check.

    `waited_s` is kept after the wait; `extended`: the participant waits once more.
    """

    __tablename__ = "waiting"
    __table_args__ = (
        one_of("status", EntryStatus),
        Index("ix_waiting_pool", "version_id", "mode", "arm", "block", "status"),
        _index("due_at IS NOT NULL", "ix_waiting_due", "due_at"),
    )

    id: int | None = Field(default=None, primary_key=True)
    session_id: int = Field(foreign_key="participant_session.id", index=True)
    trial_id: int = Field(foreign_key="trial.id", unique=True)
    version_id: int = Field(foreign_key="study_version.id")
    mode: str
    arm: str
    block: str
    status: str
    tries: int = 0
    since: datetime | None = None
    until: datetime | None = None
    ask_until: datetime | None = None
    due_at: datetime | None = None
    seen_at: datetime
    extended: bool = False
    waited_s: int = 0
    reason: str = ""


def forget_matches(session: Session, version_id: int, mode: Mode) -> None:
    """Delete the matches of a version and mode, with all their rows."""
    of_mode = (col(Match.version_id) == version_id) & (col(Match.mode) == mode)
    _delete_matches(session, select(Match.id).where(of_mode))
    session.execute(delete(Entry).where((col(Entry.version_id) == version_id) & (col(Entry.mode) == mode)))


def forget_player(session: Session, session_id: int) -> None:
    """Delete a session's way to its matches, and its matches; those with other people keep its moves, without it."""
    session.execute(delete(Entry).where(col(Entry.session_id) == session_id))
    mine = set(session.exec(select(Seat.match_id).where(Seat.session_id == session_id)))
    others = select(Seat.match_id).where(
        col(Seat.match_id).in_(mine), col(Seat.session_id).is_not(None), Seat.session_id != session_id
    )
    shared = set(session.exec(others))
    _delete_matches(session, mine - shared)
    events = update(GameEvent).where(col(GameEvent.session_id) == session_id)
    # Moves are what the others' match consists of; a reason is the person's own, and in no state or view.
    session.execute(events.values(session_id=None, submit_id=None, reason=""))
    session.execute(
        update(Seat).where(col(Seat.session_id) == session_id).values(session_id=None, trial_id=None)
    )


def _delete_matches(session: Session, matches: Any) -> None:
    session.execute(delete(GameEvent).where(col(GameEvent.match_id).in_(matches)))
    session.execute(delete(Seat).where(col(Seat.match_id).in_(matches)))
    session.execute(delete(Decision).where(col(Decision.match_id).in_(matches)))
    session.execute(delete(Exchange).where(col(Exchange.match_id).in_(matches)))
    session.execute(delete(Match).where(col(Match.id).in_(matches)))
