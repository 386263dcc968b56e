"""The observer's view of the public-goods game: the state, and each move in words."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from app.tasks.game.base import GameConfig, View
from app.tasks.game.observed import Names, Observed, seat_cell
from app.tasks.game.parts import Cell, Fact, Row, Table, amount
from app.tasks.game.presenters.base import listed
from app.tasks.game.record_decisions import counted


def move_words(_: GameConfig, names: Names, move: Mapping[str, Any]) -> str:
    """A contribution, or the points to each who got any."""
    if move["kind"] == "contribute":
        return f"puts in {amount(move['amount'])}"
    points = {int(name.rpartition("_")[2]): each for name, each in move.items() if name != "kind"}
    given = [f"{counted(each, 'point')} to {names[seat]}" for seat, each in points.items() if each]
    return f"gives {listed(given) or 'no points'}"


def observe(view: View, names: Names, payoffs: Sequence[Fraction]) -> Observed:
    """Contributions and points in this round; finished rounds by player."""
    facts = view.facts
    board_title, contributions, points = _board(view)
    rows = tuple(
        Row(
            (
                seat_cell(names, seat),
                Cell(_known(contributions[seat - 1])),
                Cell(_given(points[seat - 1], names)),
                Cell(amount(payoffs[seat - 1])),
            )
        )
        for seat in names
    )
    about = (
        Fact("Each has", f"{amount(facts['endowment'])} points", "in each round"),
        Fact("A point in the project", f"gives each {amount(Fraction(facts['mpcr']))}"),
    )
    board = Table(board_title, ("Player", "Put in", "Points given", "Points"), rows, (1, 3))
    past = tuple(
        Row((Cell(str(entry["round"])), *(Cell(_past(entry, seat)) for seat in names)))
        for entry in reversed(view.history)
    )
    title = "Rounds so far: put in, and deduction points got"
    return Observed(
        about, board, Table(title, ("Round", *names.values()), past, (0,), "No round is over yet.")
    )


def _board(view: View) -> tuple[str, Sequence[int | None], Sequence[Sequence[int] | None]]:
    """Title, contributions and points: of the last round that is over until the first move of the next."""
    contributions, points = view.facts["contributions"], view.facts["points"]
    if any(each is not None for each in contributions) or not view.history:
        return "This round", contributions, points
    last = view.history[-1]
    return f"Round {last['round']}", last["contributions"], last["points"]


def _known(value: int | None) -> str:
    return "not yet" if value is None else amount(value)


def _given(points: Sequence[int] | None, names: Names) -> str:
    if points is None:
        return "not yet"
    return listed([f"{each} to {names[seat]}" for seat, each in enumerate(points, 1) if each]) or "none"


def _past(entry: Mapping[str, Any], seat: int) -> str:
    got = sum(points[seat - 1] for points in entry["points"])
    put = amount(entry["contributions"][seat - 1])
    return f"{put}, {counted(got, 'point')}" if got else put
