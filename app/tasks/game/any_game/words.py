"""Facts and history of any game's views in words and tables, used where a game has no texts of its own.

A list with one value for each seat is by seat, in order; anything else is the same for all players.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from app.tasks.game.parts import MISSING, amount
from app.tasks.game.presenters.base import listed

ROUND = "round"
Entry = Mapping[str, Any]


def words(name: str) -> str:
    """A key in words, to begin a cell or a label: `Last price` for `last_price`."""
    text = name.replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def value_text(value: Any) -> str:
    """A value of a view or a move in words."""
    if value is None:
        return MISSING
    # Before whole numbers, as True is an int in Python.
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | Fraction):
        return amount(value)
    if isinstance(value, Mapping):
        return (
            listed([f"{name.replace('_', ' ')} {value_text(each)}" for name, each in value.items()])
            or MISSING
        )
    if isinstance(value, Sequence) and not isinstance(value, str):
        return listed([value_text(each) for each in value]) or MISSING
    return str(value)


def is_by_seat(value: Any, n_seats: int) -> bool:
    """True for a list with a value for each seat."""
    return isinstance(value, list | tuple) and n_seats > 1 and len(value) == n_seats


def shared(entry: Entry, n_seats: int) -> Iterator[tuple[str, str]]:
    """Keys and values that are the same for all, in words."""
    for name, value in entry.items():
        if name != ROUND and not is_by_seat(value, n_seats):
            yield words(name), value_text(value)


def by_seat(entry: Entry, n_seats: int) -> Mapping[str, Sequence[str]]:
    """Each seat's own values, in words, by the key in words."""
    return {
        words(name): [value_text(each) for each in value]
        for name, value in entry.items()
        if is_by_seat(value, n_seats)
    }


def moved(move: Entry) -> str:
    """A move in words: its fields with their values; its kind where it has none."""
    fields = [
        f"{name.replace('_', ' ')} {value_text(value)}" for name, value in move.items() if name != "kind"
    ]
    return listed(fields) or str(move["kind"]).replace("_", " ")
