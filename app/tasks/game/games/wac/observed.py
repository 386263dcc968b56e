"""The observer's view of the water auction: the state, and each move in words."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from app.tasks.game.base import GameConfig, View
from app.tasks.game.observed import Names, Observed
from app.tasks.game.parts import MISSING, Cell, Fact, Table, amount, shape
from app.tasks.game.parts import Row as Line


def move_words(_: GameConfig, names: Names, move: Mapping[str, Any]) -> str:
    if move["kind"] == "bid":
        return f"bids ${amount(move['amount'])}"
    return f"{amount(move['value'])} units of water are for sale"


def observe(view: View, names: Names, payoffs: Sequence[Fraction]) -> Observed:
    facts, most = view.facts, view.facts["most_health"]
    supply = facts["supply"]
    day, bids = _board(view)
    rows = []
    for seat, who in enumerate(facts["residents"], 1):
        bid, health = bids[seat - 1], max(0, who["health"])
        said = f"${amount(bid)}" if bid is not None else "not yet" if who["alive"] else "out"
        cells = (
            *(Cell(names[seat], shape(seat)), Cell(amount(who["need"])), Cell(f"${amount(who['balance'])}")),
            *(Cell(f"{health} of {most}"), Cell(said), Cell(amount(payoffs[seat - 1]))),
        )
        rows.append(Line(cells))
    columns = ("Resident", "Needs", "Money", "Health", day, "Points")
    past = tuple(
        Line(
            (
                *(Cell(str(entry["day"])), Cell(amount(entry["supply"]))),
                *(
                    Cell(
                        "out" if bid is None else f"${amount(bid)}",
                        mark="yes" if seat in entry["winners"] else "",
                    )
                    for seat, bid in enumerate(entry["bids"], 1)
                ),
            )
        )
        for entry in reversed(view.history)
    )
    history = Table(
        "Days so far: bids, marked who got water",
        ("Day", "Water", *names.values()),
        past,
        tuple(range(2 + len(names))),
        "No day is over yet.",
    )
    about = (Fact("Water today", MISSING if supply is None else f"{amount(supply)} units"),)
    return Observed(about, Table("Residents", columns, tuple(rows), (1, 2, 3, 4, 5)), history)


def _board(view: View) -> tuple[str, Sequence[int | None]]:
    """Bids with their heading: of the last day that is over until the first bid of the next."""
    if any(bid is not None for bid in view.facts["bids"]) or not view.history:
        return "Bid today", view.facts["bids"]
    last = view.history[-1]
    return f"Bid on day {last['day']}", last["bids"]
