"""Options for making records of matches. Imports nothing, so that commands can list the choices."""

from dataclasses import dataclass
from enum import StrEnum


class Text(StrEnum):
    """The display of messages: none, one of three classes of length, or in full without contacts."""

    NUMBERS = "numbers"
    LENGTH = "length"
    FULL = "full"


class By(StrEnum):
    """The scope of one record: one seat, a match with all its seats, or one decision of a seat."""

    SEAT = "seat"
    MATCH = "match"
    DECISION = "decision"


class Automatic(StrEnum):
    """Rounds with a move that was made for a player: left out, or marked."""

    LEAVE_OUT = "leave-out"
    MARK = "mark"


class Hybrid(StrEnum):
    """Seats that had several occupants: of the source `hybrid`, left out, or of the first alone, up to the switch."""

    KEEP = "keep"
    CUT = "cut"
    LEAVE_OUT = "leave-out"


class Sources(StrEnum):
    """The name of a record's source: the kind of occupant, or for programs the agent's name."""

    OCCUPANT = "occupant"
    AGENT = "agent"


class People(StrEnum):
    """The matches to use: those in which every person agreed to be shown, or all, if consent was obtained elsewhere."""

    AGREED = "agreed"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Options:
    """Options of records. `rounds` shows that many rounds of each from the first on, or takes their decisions; None
    shows all.
    """

    by: By = By.SEAT
    rounds: int | None = None
    text: Text = Text.NUMBERS
    automatic: Automatic = Automatic.LEAVE_OUT
    hybrid: Hybrid = Hybrid.KEEP
    sources: Sources = Sources.OCCUPANT
