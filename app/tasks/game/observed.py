"""The observer's view of a game: tables of the state and of past rounds, and events in words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from app.tasks.game.base import View
from app.tasks.game.parts import MISSING, Cell, Fact, Table, amount, shape
from app.tasks.game.parts import Row as Line

Names = Mapping[int, str]
"""What each seat is called for whoever sees all of them."""


@dataclass(frozen=True, slots=True)
class Observed:
    """The state at one moment: `facts`, the `board` of all players, and the finished rounds."""

    facts: tuple[Fact, ...]
    board: Table
    history: Table


ANSWERS = {"accept": "accepts", "reject": "rejects", "outside": "takes the outside option"}


def seat_cell(names: Names, seat: int) -> Cell:
    """A player, with the mark of the seat."""
    return Cell(names[seat], shape(seat))


def either(value: bool | None, yes: str, no: str) -> Cell:
    """One of two words, with its mark; a dash if not known yet."""
    return Cell(MISSING) if value is None else Cell(yes if value else no, mark="yes" if value else "no")


def players_board(
    view: View, names: Names, payoffs: Sequence[Fraction], columns: tuple[str, str]
) -> Callable[..., Table]:
    """The board of a game of two: what each has, and has earned."""

    def board(first: Sequence[str]) -> Table:
        rows = tuple(
            Line((seat_cell(names, seat), Cell(first[seat - 1]), Cell(amount(payoffs[seat - 1]))))
            for seat in names
        )
        return Table("The two players", ("Player", *columns), rows, (2,))

    return board
