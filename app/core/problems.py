"""A problem in a submitted file: its position, what is wrong, and the remedy."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

_LONGEST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a file. `line` is of its text, 0 where it is about the whole of it; `row` counts as a
    spreadsheet does, the header being row 1.
    """

    file: str
    line: int
    message: str
    remedy: str = ""
    row: int | None = None
    column: str = ""
    value: str | None = None

    def __str__(self) -> str:
        at_line = f":{self.line}" if self.line and self.row is None else ""
        place = (
            one_line(self.file) + at_line,
            f"row {self.row}" if self.row is not None else "",
            f"column {one_line(self.column)}" if self.column else "",
            f"value {shown(self.value)}" if self.value is not None else "",
        )
        named = ", ".join(part for part in place if part)
        return f"{named}{': ' if named else ''}{self.message}{f' ({self.remedy})' if self.remedy else ''}"


def one_line(text: str) -> str:
    """The text with anything that would break a line, or colour a terminal, escaped."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def shown(text: str) -> str:
    """A value quoted for a message, shortened where it is long."""
    short = text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
    return f"'{one_line(short)}'"


def quoted(text: str) -> str:
    """`text` in quotes, on one line and not too long."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def nearest(value: str, known: Iterable[str], otherwise: str) -> str:
    """Ask whether the closest of the `known` values was meant, or say `otherwise`."""
    close = get_close_matches(value, list(known), n=1)
    return f"did you mean {quoted(close[0])}?" if close else otherwise


def message_of(fault: Mapping[str, object]) -> str:
    """The message of one error of pydantic, without the prefix that it gives to what a rule of ours says."""
    return plain_message(str(fault["msg"]))


def plain_message(message: str) -> str:
    """The message without pydantic's prefix."""
    return message.removeprefix("Value error, ")


# A place in the study file: keys and list indices, from the top.
Place = tuple[str | int, ...]


def dotted(place: Place) -> str:
    """A place as a message names it: entries of a list counted from 1."""
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in place)


@dataclass(frozen=True, slots=True)
class Fault:
    """A broken rule at a place in the study file, before the place has become a line."""

    place: Place
    message: str
    remedy: str


def listed(values: Iterable[str], joint: str = "or") -> str:
    """Values as a list in a sentence: `a, b or c`."""
    *first, last = values
    return f"{', '.join(first)} {joint} {last}" if first else last


def counted(n: int, one: str, many: str = "") -> str:
    """`1 pair`, `2 pairs`."""
    return f"{n} {one if n == 1 else many or one + 's'}"
