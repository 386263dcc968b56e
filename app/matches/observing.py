"""A match in the observer's view, at any of its events: tables for each game, events in words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import partial
from typing import Any

from sqlalchemy import Row, select
from sqlmodel import Session

from app.matches.watching import Sat, match_row, seat_names, seats_at
from app.studies.access import StudyHere
from app.tasks.game.fold import event_of, event_table
from app.tasks.game.games import GAMES, KITS
from app.tasks.game.live import BY_HAND
from app.tasks.game.match import START, STOP, Match
from app.tasks.game.observed import Names, Observed
from app.tasks.game.parts import amount, shape
from app.tasks.game.replay import FED

Moved = Callable[[Mapping[str, Any]], str]


@dataclass(frozen=True, slots=True)
class Happened:
    """One event of a match. `after_s` is the time since the first; `auto` the reason for an automatic move, `reason`
    the player's own.
    """

    seq: int
    after_s: float
    round: int
    phase: str
    who: str
    shape: str
    what: str
    message: str
    auto: str
    rt_ms: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Replay:
    """A match at its event `at`, counted from 1, with all events up to its last one; `seats` as they were then."""

    at: int
    events: tuple[Happened, ...]
    observed: Observed
    seats: tuple[Sat, ...]

    @property
    def event(self) -> Happened:
        return self.events[self.at - 1]

    @property
    def n(self) -> int:
        return len(self.events)


def replay_at(session: Session, study: StudyHere, match_id: int, at: int) -> Replay:
    """The match after its event `at`, after its last one for 0 or more than there are. Raises NotFound."""
    row = match_row(session, study, match_id)
    log = session.connection().execute(
        select(event_table)
        # Events that a write adds between the two reads are left out.
        .where(event_table.c.match_id == row.id, event_table.c.seq <= row.last_seq)
        .order_by(event_table.c.seq)
    )
    lines = log.all()
    at = at if 0 < at <= len(lines) else len(lines)
    match = _played(row, lines[:at])
    names = seat_names(match.game, match.config)
    view = match.game.view(match.state, "observer")
    begun: datetime = lines[0].received_at
    moved = partial(KITS[row.game].move_words, match.config, names)
    events = tuple(_happened(line, names, begun, moved) for line in lines)
    observed = KITS[row.game].observe(view, names, match.game.payoffs(match.state))
    return Replay(at, events, observed, seats_at(session, row.id, match, at))


def _played(row: Row[Any], lines: Sequence[Row[Any]]) -> Match:
    game = GAMES[row.game]
    match = Match(game, game.Config.model_validate(row.config), int(row.seed))
    for line in lines:
        if line.kind in FED:
            match.append(event_of(line))
    return match


def _happened(line: Row[Any], names: Names, begun: datetime, moved: Moved) -> Happened:
    return Happened(
        seq=line.seq,
        after_s=(line.received_at - begun).total_seconds(),
        round=line.round,
        phase=line.phase,
        who=names.get(line.seat, "") if line.seat else "",
        shape=shape(line.seat) if line.seat else "",
        what=_words(line, moved),
        message=line.message,
        auto=line.auto,
        rt_ms=line.rt_ms,
        reason=line.reason,
    )


def _words(line: Row[Any], moved: Moved) -> str:
    """The event in words, to follow the player's name, if any."""
    move: Mapping[str, Any] = line.move or {}
    match line.kind:
        case "move" | "nature":
            return moved(move)
        case "note" if move.get("kind") == START:
            return "The match begins"
        case "note" if move.get("kind") == STOP:
            return f"The match is ended: {STOPPED.get(move['reason'], move['reason'])}"
        case "resolve":
            return f"gets {_exact(line.payoff_round)} points, {_exact(line.payoff_total)} so far"
        case "left":
            return f"leaves ({LEFT.get(move.get('reason', ''), move.get('reason', ''))})"
        case "returned":
            return "comes back"
        case "replaced":
            return f"is replaced by the agent {str(move.get('agent', '')).rpartition('-')[0]}"
    return str(move.get("kind", line.kind))


STOPPED = {"left": "a player left", BY_HAND: "stopped by hand"}
LEFT = {"withdrew": "by the button", "closed": "the browser fell silent", "timeout": "two moves missed"}


def _exact(text: str | None) -> str:
    return amount(Fraction(text)) if text else "0"
