"""Metadata of an event, and its row."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

from app.tasks.game.base import Agent
from app.tasks.game.match import Logged
from app.tasks.game.tables import Occupant


@dataclass(frozen=True, slots=True)
class Sitter:
    """The occupant of a seat in a new match: a person by session and trial, or an agent."""

    session_id: int | None = None
    trial_id: int | None = None
    occupant: Occupant = Occupant.HUMAN
    agent: Agent | None = None


@dataclass(frozen=True, slots=True)
class By:
    """Metadata of a move: the form's number, and the person's response time."""

    submit_id: str | None = None
    shown_at: datetime | None = None
    auto: str = ""
    delay: timedelta | None = None


def event_row(match_id: int, line: Logged, meta: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the log. `meta` has when it was received, its deadline, who was on the seat, and how it came (`By`)."""
    event, by, holder = line.event, meta["by"], meta["occupancy"]
    shown: datetime | None = by.shown_at
    # Never below 0, as a clock may be set back between the two.
    waited = None if shown is None else max(0, round((meta["received_at"] - shown).total_seconds() * 1000))
    return {
        "match_id": match_id,
        "seq": line.seq,
        "round": line.round,
        "phase": line.phase,
        "phase_id": event.phase_id,
        "kind": event.kind,
        "seat": event.seat,
        "occupant": holder["occupant"] if holder else None,
        "session_id": holder["session_id"] if holder else None,
        "move": dict(event.move),
        "message": event.message,
        "reason": event.reason,
        "auto": event.auto,
        "shown_at": shown,
        "received_at": meta["received_at"],
        "deadline_at": meta["deadline_at"],
        "rt_ms": waited,
        "delay_ms": None if by.delay is None else round(by.delay.total_seconds() * 1000),
        "payoff_round": _exact(line.payoff_round),
        "payoff_total": _exact(line.payoff_total),
        "state_hash": line.state_hash,
        "submit_id": by.submit_id,
    }


def _exact(value: Fraction | None) -> str | None:
    return None if value is None else str(value)
