"""The decisions of one seat, each with what a record of it shows: the situation it was made in, and the move.

A situation is short, so that it comes about in several matches: what stands to be decided, and of what went before the
last round alone, in words that hold for whoever is on whatever seat. Nothing private is in it, and no later move.
"""

from dataclasses import dataclass
from typing import Final

from app.library.records import Line
from app.tasks.game.record_rounds import Parts

FIRST: Final = Line(text="It is the first round.")
NOW: Final = Line(text="Now:")


@dataclass(frozen=True, slots=True)
class Decision:
    """One move that a seat made in a `round`: `name` says what was decided, `before` is the situation.

    `phase` is that of the move in games in which a seat moves several times in a round."""

    name: str
    round: int
    before: Parts
    move: Parts
    phase: str = ""


def counted(n: int, noun: str) -> str:
    """`1 offer`, `2 offers`."""
    return f"{n} {noun}{'' if n == 1 else 's'}"
