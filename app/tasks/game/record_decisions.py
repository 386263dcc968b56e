"""The decisions of one seat, each with its record: the situation it was made in, and the move.

A situation is short, so that it recurs across matches: the pending decision, and of the past the last round only, in
words that hold for any seat. It contains nothing private, and no later move.
"""

from dataclasses import dataclass
from typing import Final

from app.library.records import Line
from app.tasks.game.record_rounds import Parts

FIRST: Final = Line(text="It is the first round.")
NOW: Final = Line(text="Now:")


@dataclass(frozen=True, slots=True)
class Decision:
    """One move that a seat made in a `round`: `name` is what was decided, `before` the situation.

    `phase` is that of the move in games in which a seat moves several times in a round.
    """

    name: str
    round: int
    before: Parts
    move: Parts
    phase: str = ""


def counted(n: int, noun: str) -> str:
    """`1 offer`, `2 offers`."""
    return f"{n} {noun}{'' if n == 1 else 's'}"
