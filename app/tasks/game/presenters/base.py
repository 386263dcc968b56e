"""The protocol of a game's presenter, and shared texts."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

from app.tasks.game.base import View
from app.tasks.game.moves import MoveSchema
from app.tasks.game.parts import Ended, Entered, Face, Fact, Rules, amount, shape


class Presenter(Protocol):
    """Pure functions of what one viewer may know: equal views and moves give equal pages, whatever the hidden state."""

    @property
    def title(self) -> str:
        """The game's name for participants."""

    def rules(self, view: View) -> Rules:
        """The rules as far as the viewer may know them; for a seat, including its own part."""

    def face(self, view: View, legal: MoveSchema | None, entered: Entered) -> Face:
        """The match under way; `legal` is None where the viewer may not act now."""

    def ended(self, view: View) -> Ended:
        """The match at its end."""


def seat_of(view: View) -> int:
    """The viewer's seat; 0 without one: before the match, or for a record."""
    return view.viewer if isinstance(view.viewer, int) else 0


def round_of(view: View, noun: str = "Round") -> str:
    """`Round 3 of 20`; without the end where that is hidden."""
    return f"{noun} {view.round}" + (f" of {view.rounds}" if view.rounds else "")


def player(seat: int) -> str:
    """A player's name."""
    return f"Player {seat}"


def you(seat: int, name: str = "") -> Fact:
    """The viewer's identity."""
    return Fact("You are", name or player(seat), shape=shape(seat))


def plural(value: Fraction | int | str, noun: str) -> str:
    """`1 point`, `3 points`."""
    return f"{amount(value)} {noun}{'' if Fraction(value) == 1 else 's'}"


def listed(items: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""


def percent(share: Fraction | str) -> str:
    """A share as percent, at most one decimal."""
    tenths = round(Fraction(share) * 1000)
    return f"{tenths // 10}.{tenths % 10}%" if tenths % 10 else f"{tenths // 10}%"
