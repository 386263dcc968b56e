"""Lists of a study file that are CSV, of pairs or of items: reading them, and naming what is wrong with them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from app.core.spreadsheet import NotCsv, csv_rows, is_separated_otherwise
from app.studies.file.problems import Problem, listed, nearest, quoted

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
AN_ID = "use letters, digits, `.`, `_` and `-`, at most 80"
MOST_NAME = 80


def stands_inline(value: str) -> bool:
    """Whether a key's value is the list itself, header and rows, and not the name of a file."""
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
    """What is wrong with a list.

    `file` and `first_line` say where the list begins. Without lines of a file (`by_row`) problems name the row,
    the header being row 1 as in a spreadsheet.
    """

    file: str
    first_line: int = 1
    by_row: bool = False
    problems: list[Problem] = field(default_factory=list)

    def refuse(self, line: int | None, message: str, remedy: str) -> None:
        """Name what is wrong with a line of the list, or with the list."""
        if self.by_row and line is not None:
            message = f"row {line}: {message}"
        self.problems.append(Problem(self.file, self.first_line + (line or 1) - 1, message, remedy))

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
    lines = _lines(found, text)
    header_line, header = next(lines, (1, []))
    if not header:
        if not found.problems:
            message = (
                "the file is empty" if found.first_line == 1 and not found.by_row else "there are no rows"
            )
            found.refuse(None, message, f"begin with the columns {', '.join(columns)}")
        return
    if not _header_holds(found, header_line, header, columns, required):
        return
    for line, cells in lines:
        if len(cells) != len(header):
            counts = f"{len(cells)} cells under {len(header)} columns"
            found.refuse(line, counts, "give every column one cell")
            continue
        row = dict.fromkeys(columns, "") | dict(zip(header, cells, strict=True))
        for name in required:
            if not row[name]:
                found.refuse(line, f"column {quoted(name)} is empty", "fill it in")
        yield line, row


def _lines(found: RowFile, text: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, each with the line it begins on."""
    try:
        for row in csv_rows(text):
            yield row.line, row.cells
    except NotCsv as fault:
        found.refuse(fault.line, f"not readable as CSV: {fault}", "look at the quotes in this row")


def _header_holds(
    found: RowFile, line: int, header: Sequence[str], columns: Sequence[str], required: Sequence[str]
) -> bool:
    if is_separated_otherwise(header):
        found.refuse(line, "the columns are not separated by commas", "put commas between them")
        return False
    for name in header:
        if name not in columns:
            remedy = nearest(name, columns, f"known columns: {', '.join(columns)}")
            found.refuse(line, f"unknown column {quoted(name)}", remedy)
    for name in columns:
        if header.count(name) > 1:
            found.refuse(line, f"the column {quoted(name)} comes twice", "remove one of the two")
        if name in required and name not in header:
            found.refuse(line, f"the column {quoted(name)} is missing", f"needed are {', '.join(required)}")
    return not found.problems


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
