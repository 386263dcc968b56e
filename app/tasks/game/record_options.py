"""How records of matches are made. Imports nothing, so that commands can name the choices before they run."""

from dataclasses import dataclass
from enum import StrEnum


class Text(StrEnum):
    """How messages are shown: not at all, as one of three classes of length, or in full without contacts."""

    NUMBERS = "numbers"
    LENGTH = "length"
    FULL = "full"


class By(StrEnum):
    """What one record is of: one seat, a match with all its seats, or one decision of a seat."""

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
    """What the source of a record is called: by the kind of occupant, or for programs by the agent's name."""

    OCCUPANT = "occupant"
    AGENT = "agent"


class People(StrEnum):
    """Whose matches are used: where every person agreed to be shown, or all, whoever agreed elsewhere."""

    AGREED = "agreed"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Options:
    """How records are made. `rounds` shows so many rounds of each from the first on, or takes the decisions of these;
    None shows all there are."""

    by: By = By.SEAT
    rounds: int | None = None
    text: Text = Text.NUMBERS
    automatic: Automatic = Automatic.LEAVE_OUT
    hybrid: Hybrid = Hybrid.KEEP
    sources: Sources = Sources.OCCUPANT
