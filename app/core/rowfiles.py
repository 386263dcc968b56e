"""CSV lists of a study file, of pairs or of items: parsing and problems."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from app.core.problems import Problem, listed, quoted
from app.core.spreadsheet import CsvTable

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
AN_ID = "use letters, digits, `.`, `_` and `-`, at most 80"
MOST_NAME = 80


def stands_inline(value: str) -> bool:
    """True if a key's value is the list itself, header and rows, and not the name of a file."""
    return "\n" in value.strip()


@dataclass(frozen=True, slots=True)
class RowText:
    """A list as CSV, and where it begins; `by_row` where it has no lines of a file."""

    file: str
    text: str
    first_line: int = 1
    by_row: bool = False


@dataclass(slots=True)
class RowFile:
    """The problems of a list.

    `file` and `first_line` locate the list. Without lines of a file (`by_row`) problems name the row, the header being
    row 1 as in a spreadsheet.
    """

    file: str
    first_line: int = 1
    by_row: bool = False
    problems: list[Problem] = field(default_factory=list)

    def refuse(self, line: int | None, message: str, remedy: str) -> None:
        """Record a problem of a line, or of the whole list."""
        if self.by_row and line is not None:
            message = f"row {line}: {message}"
        self.problems.append(Problem(self.file, self.first_line + (line or 1) - 1, message, remedy))

    def take(self, problem: Problem) -> None:
        """Record a problem found by the CSV reader, as `refuse` does."""
        column = f"column {quoted(problem.column)}: " if problem.column else ""
        self.refuse(problem.line, column + problem.message, problem.remedy)

    def where(self, line: int) -> str:
        return f"in row {line}" if self.by_row else f"on line {self.first_line + line - 1}"

    def refuse_cell(self, line: int, column: str, value: str, remedy: str) -> None:
        self.refuse(line, f"column {quoted(column)}: {quoted(value)} is not allowed", remedy)


def rows_under(
    found: RowFile, text: str, columns: Sequence[str], required: Sequence[str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a list with the line of each, every column in it, empty where a cell is.

    Nothing where the header does not hold; a row of another length is refused and passed over.
    """
    table = CsvTable(text, found.file, required, known=columns, refuse=found.take)
    if not table.header and not found.problems:
        is_file = found.first_line == 1 and not found.by_row
        message = "the file is empty" if is_file else "there are no rows"
        found.refuse(None, message, f"begin with the columns {', '.join(columns)}")
    for row in table:
        cells = dict.fromkeys(columns, "") | dict(row.cells)
        for name in required:
            if not cells[name]:
                found.refuse(row.line, f"column {quoted(name)} is empty", "fill it in")
        yield row.line, cells


def check_id(found: RowFile, line: int, column: str, value: str) -> None:
    if value and not ID.fullmatch(value):
        found.refuse_cell(line, column, value, AN_ID)


def check_name(found: RowFile, line: int, column: str, value: str) -> None:
    if len(value) > MOST_NAME or not value.isprintable():
        found.refuse_cell(line, column, value, f"use one line of at most {MOST_NAME} characters")


_Word = TypeVar("_Word", bound=StrEnum)


def word_in(found: RowFile, line: int, column: str, value: str, words: type[_Word]) -> _Word | None:
    """The cell as one of `words`; None where it is empty."""
    if value and value not in [word.value for word in words]:
        found.refuse_cell(line, column, value, f"use {listed(words)}, or leave it empty")
        return None
    return words(value) if value else None
