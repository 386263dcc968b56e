"""The protocol of a game's presenter, and shared texts."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Protocol

from app.core.language import gettext as _
from app.core.language import ngettext
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


def round_of(view: View) -> str:
    """`Round 3 of 20`; without the end where that is hidden."""
    if view.rounds:
        return _("Round {n} of {total}").format(n=view.round, total=view.rounds)
    return _("Round {n}").format(n=view.round)


def day_of(view: View) -> str:
    """The same in days."""
    if view.rounds:
        return _("Day {n} of {total}").format(n=view.round, total=view.rounds)
    return _("Day {n}").format(n=view.round)


def player(seat: int) -> str:
    """A player's name."""
    return _("Player {number}").format(number=seat)


def you(seat: int, name: str = "") -> Fact:
    """The viewer's identity."""
    return Fact(_("You are"), name or player(seat), shape=shape(seat))


def plural(value: Fraction | int | str, noun: str) -> str:
    """`1 point`, `3 points`."""
    number = Fraction(value)
    # No language has a form of its own for a fraction: as after a round number.
    n = abs(int(number)) if number.denominator == 1 else 100
    if noun in _COUNTED:
        return _COUNTED[noun](n).format(n=amount(value))
    return f"{amount(value)} {noun}{'' if number == 1 else 's'}"  # a game's own unit, in the game's own words


_COUNTED: Mapping[str, Callable[[int], str]] = {
    "point": lambda n: ngettext("{n} point", "{n} points", n),
    "deduction point": lambda n: ngettext("{n} deduction point", "{n} deduction points", n),
    "round": lambda n: ngettext("{n} round", "{n} rounds", n),
    "day": lambda n: ngettext("{n} day", "{n} days", n),
    "unit": lambda n: ngettext("{n} unit", "{n} units", n),
    "product": lambda n: ngettext("{n} product", "{n} products", n),
    "minute": lambda n: ngettext("{n} minute", "{n} minutes", n),
    "second": lambda n: ngettext("{n} second", "{n} seconds", n),
}


def listed(items: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return _("{items} and {last}").format(items=_(", ").join(items[:-1]), last=items[-1])


def percent(share: Fraction | str) -> str:
    """A share as percent, at most one decimal."""
    tenths = round(Fraction(share) * 1000)
    return f"{tenths // 10}.{tenths % 10}%" if tenths % 10 else f"{tenths // 10}%"
