"""Matches as two tables: `moves`, one row for each event, and `seats_played`, one for each occupancy of a seat."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from app.core.errors import StudyError
from app.tasks.game.base import Agent, Seat, canonical_json, state_hash
from app.tasks.game.match import Logged, Match, config_hash

MOVES = (
    *("study", "version", "arm", "mode", "match", "game", "config_hash", "seq", "round", "phase", "kind"),
    *("seat", "role", "occupant", "session", "move", "message", "auto", "shown_at", "received_at"),
    *("deadline_at", "rt_ms", "payoff_round", "payoff_total", "state_hash", "excluded", "reason"),
)
"""The columns of `moves`, in order (docs/games.md)."""
LATER = frozenset({"reason"})
"""Those that files of earlier versions have not."""
VERDICTS = ("use", "pay", "rules")
"""The verdicts of a study's exclusion rules on the person's session: the service's exports have them after `MOVES`."""

SEATS_PLAYED = (
    *("study", "version", "arm", "mode", "match", "game", "config_hash", "seat", "role", "occupant"),
    *("session", "agent", "from_seq", "to_seq", "left_reason", "end_reason", "payoff_units", "may_show"),
)
"""The columns of `seats_played` before those of the game's metrics."""

MODE = "simulated"


@dataclass(frozen=True, slots=True)
class Played:
    """A finished match, its identifier in the tables, and who sat on each seat."""

    id: str
    match: Match
    agents: Sequence[Agent]


def agent_id(agent: Agent) -> str:
    """An agent's name and the first 8 hexadecimal digits of the hash of its parameters."""
    return f"{agent.name}-{state_hash(agent)[:8]}"


@dataclass(frozen=True, slots=True)
class Holder:
    """The occupant of a seat of a match, as in the tables."""

    occupant: str
    session: str = ""
    agent: str = ""
    may_show: str = ""


def move_rows(played: Played) -> Iterator[list[str]]:
    """A match as rows of `moves`."""
    return rows_of_moves(played.match, _holders(played), {"mode": MODE, "match": played.id})


def rows_of_moves(
    match: Match,
    holders: Mapping[Seat, Holder],
    shared: Mapping[str, str],
    beside: Mapping[int, Mapping[str, str]] | None = None,
) -> Iterator[list[str]]:
    """Rows for any match: `shared` is in all rows, `beside` has further facts about events, by `seq`."""
    roles = {role.seat: role.name for role in match.game.seats(match.config)}
    of_match = {**shared, "game": match.game.name, "config_hash": config_hash(match.config)}
    for line in match.log:
        who = {}
        if line.event.seat is not None:
            holder = holders[line.event.seat]
            who = {"seat": str(line.event.seat), "role": roles[line.event.seat]}
            who |= {"occupant": holder.occupant, "session": holder.session}
        row = {**of_match, **who, **line_cells(line), **(beside or {}).get(line.seq, {})}
        yield [row.get(column, "") for column in MOVES]


def line_cells(line: Logged) -> Mapping[str, str]:
    """The log's values for one event, by column: a replay must reproduce them."""
    event = line.event
    return {
        "seq": str(line.seq),
        "round": str(line.round),
        "phase": line.phase,
        "kind": event.kind,
        "seat": "" if event.seat is None else str(event.seat),
        "move": canonical_json(event.move) if event.move else "",
        "message": event.message,
        "auto": event.auto,
        "reason": event.reason,
        "payoff_round": amount_text(line.payoff_round),
        "payoff_total": amount_text(line.payoff_total),
        "state_hash": line.state_hash,
    }


def seat_rows(played: Played) -> Iterator[list[str]]:
    """A match as rows of `seats_played`, the metrics last and in the order of their names."""
    if played.match.outcome is None:
        raise StudyError(f"match {played.id} is not over")
    return rows_of_seats(played.match, _holders(played), {"mode": MODE, "match": played.id})


def rows_of_seats(
    match: Match, holders: Mapping[Seat, Holder], shared: Mapping[str, str]
) -> Iterator[list[str]]:
    """The same of any match that is over."""
    outcome = match.outcome
    assert outcome is not None
    metrics = match.game.metrics(match.config, match.events)
    for role in match.game.seats(match.config):
        holder = holders[role.seat]
        cells = {
            **shared,
            "game": match.game.name,
            "config_hash": config_hash(match.config),
            "seat": str(role.seat),
            "role": role.name,
            "occupant": holder.occupant,
            "session": holder.session,
            "agent": holder.agent,
            "from_seq": "1",
            "to_seq": str(len(match.log)),
            "left_reason": "finished",
            "end_reason": outcome.reason,
            "payoff_units": amount_text(outcome.payoffs[role.seat - 1]),
            "may_show": holder.may_show,
        }
        measured = [amount_text(value) for _, value in sorted(metrics[role.seat].items())]
        yield [*(cells.get(column, "") for column in SEATS_PLAYED), *measured]


def _holders(played: Played) -> Mapping[Seat, Holder]:
    return {
        seat: Holder(agent.occupant, agent=agent_id(agent)) for seat, agent in enumerate(played.agents, 1)
    }


def seat_columns(match: Match) -> list[str]:
    """The columns of `seats_played` for the game of a finished match."""
    return [*SEATS_PLAYED, *sorted(match.game.metrics(match.config, match.events)[1])]


def amount_value(value: Fraction | float | None) -> int | float | None:
    """A number for a table: an integer if whole, else the nearest double."""
    if value is None:
        return None
    return int(value) if value == int(value) else float(value)


def amount_text(value: Fraction | float | None) -> str:
    """A number as a cell: an integer if whole, else the nearest double; empty for None."""
    if value is None:
        return ""
    # repr() is the shortest text that is read as the same double.
    return str(int(value)) if value == int(value) else repr(float(value))


def move_of(cell: str) -> Mapping[str, object]:
    """Parse a move. Raises ValueError for anything but a JSON object."""
    if not cell:
        return {}
    try:
        move = json.loads(cell)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(move, dict):
        raise ValueError("it is no JSON object")
    return move
