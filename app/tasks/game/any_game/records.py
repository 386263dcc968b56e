"""Records of any game: its rounds as the view of a later judge has them, and the moves of one seat, in plain tables."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.library.records import Line, Table
from app.tasks.game.any_game.words import ROUND, by_seat, moved, shared
from app.tasks.game.base import Seat
from app.tasks.game.match import Match
from app.tasks.game.record_decisions import FIRST, NOW, Decision
from app.tasks.game.record_rounds import OWN, Parts, Played, RecordedMatch, players_of


def record(looked: RecordedMatch) -> Played:
    """The record of any game: history entries by their key `round`, or else counted."""
    rounds = {
        int(entry.get(ROUND, i)): _round(looked, entry) for i, entry in enumerate(looked.view.history, 1)
    }
    about = tuple(Line(text=f"{name}: {value}.") for name, value in shared(looked.view.facts, looked.n_seats))
    return Played("", players_of(looked), about, rounds)


def _round(looked: RecordedMatch, entry: Mapping[str, Any]) -> Parts:
    lines = tuple(Line(text=f"{name}: {value}.") for name, value in shared(entry, looked.n_seats))
    own = by_seat(entry, looked.n_seats)
    if not own:
        return lines
    rows = tuple((looked.name(seat), *(values[seat - 1] for values in own.values())) for seat in looked.seats)
    return (*lines, Table(columns=("Player", *own), rows=rows))


def decisions(match: Match, looked: RecordedMatch, seat: Seat, found: Played) -> Iterator[Decision]:
    """Each move of the seat after the round before it; the move as it was made, with its message."""
    for line in match.log:
        event = line.event
        if event.kind != "move" or event.seat != seat:
            continue
        before = found.rounds.get(line.round - 1)
        past: Parts = (FIRST,) if before is None else (Line(text="In the round before:"), *before, NOW)
        did = Line(text=f"{OWN}: {moved(event.move)}.")
        kind = str(event.move["kind"])
        yield Decision(kind, line.round, past, (did, *looked.message(seat, event.message)), line.phase)
