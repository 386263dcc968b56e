"""The two sides of a page that shows two things, and what a choice between them presses."""

from enum import StrEnum
from typing import Final, Literal


class Side(StrEnum):
    """Where a participant saw a clip."""

    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self) -> "Side":
        return Side.RIGHT if self is Side.LEFT else Side.LEFT


TIE: Final = "tie"
# What a choice presses: a side, or that there is no difference.
Pressed = Side | Literal["tie"]
