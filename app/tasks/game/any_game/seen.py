"""The observer's view of any game: its facts, the players' state, and moves in words."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from app.tasks.game.any_game.words import ROUND, by_seat, moved, shared, value_text, words
from app.tasks.game.base import GameConfig, View
from app.tasks.game.observed import Names, Observed, seat_cell
from app.tasks.game.parts import MISSING, Cell, Fact, Row, Table, amount


def observe(view: View, names: Names, payoffs: Sequence[Fraction]) -> Observed:
    """The observer's view in tables: facts, each seat's values, and past rounds."""
    own = by_seat(view.facts, len(names))
    rows = tuple(
        Row(
            (
                seat_cell(names, seat),
                *(Cell(values[seat - 1]) for values in own.values()),
                Cell(amount(payoffs[seat - 1])),
            )
        )
        for seat in names
    )
    facts = tuple(Fact(name, value) for name, value in shared(view.facts, len(names)))
    board = Table("Now", ("Player", *own, "Points"), rows, (len(own) + 1,))
    return Observed(facts, board, _history(view, names))


def _history(view: View, names: Names) -> Table:
    """One row for each round: common values, and each seat's own values under its name."""
    keys = list(dict.fromkeys(key for entry in view.history for key in entry if key != ROUND))
    numbered = list(enumerate(view.history, 1))
    rows = tuple(
        Row(
            (
                Cell(str(entry.get(ROUND, i))),
                *(Cell(_past(entry[key], names) if key in entry else MISSING) for key in keys),
            )
        )
        for i, entry in reversed(numbered)
    )
    return Table("Rounds so far", ("Round", *map(words, keys)), rows, (0,), "No round is over yet.")


def _past(value: Any, names: Names) -> str:
    if isinstance(value, list | tuple) and len(value) == len(names) > 1:
        return ", ".join(
            f"{name}: {value_text(each)}" for name, each in zip(names.values(), value, strict=True)
        )
    return value_text(value)


def move_words(_: GameConfig, names: Names, move: Mapping[str, Any]) -> str:
    """A move in words: its kind, and its fields with their values."""
    kind = str(move["kind"]).replace("_", " ")
    return f"{kind}: {moved(move)}" if len(move) > 1 else kind
