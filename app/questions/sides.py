"""The sides of a page that shows two things, and the side a choice presses."""

from enum import StrEnum
from typing import Final, Literal


class Side(StrEnum):
    """The side on which a participant saw a clip."""

    LEFT = "left"
    RIGHT = "right"

    @property
    def other(self) -> "Side":
        return Side.RIGHT if self is Side.LEFT else Side.LEFT


TIE: Final = "tie"
# What a choice presses: a side, or that there is no difference.
Pressed = Side | Literal["tie"]
