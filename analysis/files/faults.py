"""The one kind of fault of a table of text, and notes about one that can be read."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LONGEST = 60
_MOST_NOTES = 50
# Of a context: files read in two threads of a server must not mix their notes.
_NOTES: ContextVar[list[str] | None] = ContextVar("notes", default=None)


class TableFault(Exception):
    """A table that cannot be read unambiguously, with the first place where it cannot.

    `row` counts as a spreadsheet does, the header being row 1, and `line` is of the text; both are 0 if the fault is
    the whole file's. `remedy` says what is allowed.
    """

    def __init__(
        self, problem: str, remedy: str = "", *, row: int = 0, line: int = 0, column: str = ""
    ) -> None:
        self.problem, self.remedy, self.row, self.line, self.column = problem, remedy, row, line, column
        place = ", ".join(([f"row {row}"] if row else []) + ([f"column {column}"] if column else []))
        said = f"{place}: {problem}" if place else problem
        super().__init__(f"{said}; allowed: {remedy}" if remedy else said)


def excerpt(text: str) -> str:
    """The beginning of a text in quotes, on one line."""
    short = text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
    return repr(short)


@contextmanager
def noting() -> Iterator[list[str]]:
    """Collect what readers note within the block, each note once."""
    notes: list[str] = []
    token = _NOTES.set(notes)
    try:
        yield notes
    finally:
        _NOTES.reset(token)


def note(text: str) -> None:
    """Add a note about a table that was read, for the collector of notes."""
    notes = _NOTES.get()
    if notes is not None and text not in notes and len(notes) < _MOST_NOTES:
        notes.append(text)
