"""Records of each game: its beginning and its rounds, from what a later judge may know of a match.

Seats have names that do not reveal the player: in the record of one seat `This player` and `The other` (`Other 1` and
so on, counted from the seat), in that of a match `Player 1` and so on.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from app.library.records import Line, Player, Table
from app.tasks.game.base import Seat, View
from app.tasks.game.record_options import Text

Parts = tuple[Line | Table, ...]
OWN: Final = "This player"
OWN_WITHIN: Final = "this player"
"""The same within a sentence."""
MASK: Final = "[masked]"
# Names are not found: records with messages have to be read before they are shown (docs/games.md).
_CONTACT = re.compile(r"(?:https?://|www\.)\S+|[^\s@]+@[^\s@]+\.\w+|(?<!\w)@\w{2,}|\+?\d(?:[ ()/.-]*\d){8,}")
_LENGTHS = ((40, "short"), (120, "medium"))


@dataclass(frozen=True, slots=True)
class Played:
    """The record's content for one match: `about` each player, the beginning, and the rounds by number.

    Without a `title` it has that of the game's page.
    """

    title: str
    players: tuple[Player, ...]
    parts: Parts
    rounds: Mapping[int, Parts]


@dataclass(frozen=True, slots=True)
class RecordedMatch:
    """A match as recorded: the `view` of a later judge, and the `seat` whose record it is, None for all.

    `personas` has what those seats alone were told about their role: judges decide whether they play accordingly.
    """

    view: View
    n_seats: int
    seat: Seat | None
    text: Text
    personas: Mapping[Seat, str] = field(default_factory=dict)

    def name(self, seat: Seat) -> str:
        """The name of a seat in the record."""
        if self.seat is None:
            return f"Player {seat}"
        if seat == self.seat:
            return OWN
        # Counted from the record's own seat, as a seat's number would tell its role.
        after = (seat - self.seat) % self.n_seats
        return "The other" if self.n_seats == 2 else f"Other {after}"

    @property
    def seats(self) -> list[Seat]:
        """All seats; the one whose record it is first."""
        first = self.seat or 1
        return [(first - 1 + i) % self.n_seats + 1 for i in range(self.n_seats)]

    def message(self, seat: Seat, message: str) -> tuple[Line, ...]:
        """A message as a line; none where there was none, or where messages are not shown."""
        if not message.strip() or self.text is Text.NUMBERS:
            return ()
        if self.text is Text.LENGTH:
            return (Line(text=f"{self.name(seat)} writes a {length_class(message)} message."),)
        return (Line(text=f"{self.name(seat)} writes: {_CONTACT.sub(MASK, message)}"),)


def reason_line(text: Text, who: str, what: str, reason: str) -> tuple[Line, ...]:
    """A reason as a line, shown as messages are; none where there was none. `who` is empty in the record of one seat,
    `what` is the move, such as `a bid`."""
    if not reason.strip() or text is Text.NUMBERS:
        return ()
    shown = f"[{length_class(reason)}]" if text is Text.LENGTH else _CONTACT.sub(MASK, reason)
    return (Line(text=f"Reason{f' of {who}' if who else ''} for {what or 'the move'}: {shown}"),)


def length_class(message: str) -> str:
    """`short` up to 40 characters, `medium` up to 120, else `long`."""
    return next((name for most, name in _LENGTHS if len(message) <= most), "long")


def players_of(looked: RecordedMatch, about: Mapping[Seat, str] | None = None) -> tuple[Player, ...]:
    """The players of a record in order, with their descriptions."""
    return tuple(Player(name=looked.name(seat), about=(about or {}).get(seat, "")) for seat in looked.seats)
