"""Records of the water auction: its days, and the bids of a seat."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.library.records import Line, Table
from app.tasks.game.base import Seat
from app.tasks.game.match import Match
from app.tasks.game.parts import amount
from app.tasks.game.record_decisions import Decision
from app.tasks.game.record_rounds import OWN, Played, RecordedMatch, players_of


def record(looked: RecordedMatch) -> Played:
    residents = looked.view.facts["residents"]
    rounds = {}
    for entry in looked.view.history:
        # The player is out: the days that follow are none of this seat's.
        if looked.seat is not None and entry["bids"][looked.seat - 1] is None:
            break
        rows = tuple(
            (
                looked.name(seat),
                amount(entry["bids"][seat - 1]),
                seat in entry["winners"],
                amount(entry["statuses"][seat - 1]["balance"]),
                amount(entry["statuses"][seat - 1]["health"]),
            )
            for seat in looked.seats
            if entry["bids"][seat - 1] is not None
        )
        columns = ("Resident", "Bid ($)", "Got water", "Balance after ($)", "Health after")
        supply = Line(text=f"{amount(entry['supply'])} units of water are for sale.")
        rounds[entry["day"]] = (supply, Table(columns=columns, rows=rows))
    rules = (
        "Residents bid for water on each day of a drought, all at once. The highest bids whose need fits in what is"
        " left win and pay what they bid. Water adds health, a day without takes it; who has none left is out."
    )
    about = {
        seat: f"needs {amount(who['need'])} units of water a day and earns ${amount(who['salary'])}"
        + (f"; was told: “{looked.personas[seat]}”" if seat in looked.personas else "")
        for seat, who in enumerate(residents, 1)
    }
    return Played("Bids for water", players_of(looked, about), (Line(text=rules),), rounds)


def decisions(match: Match, looked: RecordedMatch, seat: Seat, found: Played) -> Iterator[Decision]:
    own = seat - 1
    bids = {entry["day"]: entry["bids"][own] for entry in looked.view.history}
    state = match.game.initial(match.config)
    for line in match.log:
        if line.event.kind == "move" and line.event.seat == seat and bids.get(line.round) is not None:
            view = match.game.view(state, seat)
            yield Decision(
                "bid",
                line.round,
                tuple(Line(text=text) for text in _day(view.facts, view.history, line.round, own)),
                (Line(text=f"{OWN} bids ${amount(bids[line.round])}."),),
            )
        if line.event.kind in ("nature", "move"):
            state = match.game.apply(state, line.event)


def _day(
    facts: Mapping[str, Any], history: tuple[Mapping[str, Any], ...], day: int, own: int
) -> Iterator[str]:
    residents = facts["residents"]
    n_others = sum(resident["alive"] for resident in residents) - 1
    yield f"It is day {day}. {amount(facts['supply'])} units of water are for sale, and {n_others} others can bid."
    yield (
        f"{OWN} has ${amount(residents[own]['balance'])}, and {amount(residents[own]['health'])} points of health."
    )
    if history:
        got = "got" if own + 1 in history[-1]["winners"] else "did not get"
        yield f"On the day before it bid ${amount(history[-1]['bids'][own])} and {got} water."
