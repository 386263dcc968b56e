"""CSV that people open in spreadsheets: its rows by column, and cells that would run as formulas.

A cell that begins with one of `= + - @`, a tab or a line break, after any number of apostrophes, gets one apostrophe
more when it is written, unless it is a number; a reader takes that one off again. So nothing is lost, and a file
without such cells is the same byte for byte. `analysis.data.reading` undoes it by the same rule.
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from analysis.files.faults import TableFault
from analysis.files.quotes import OR_MAPPED
from analysis.files.text_tables import EmptyTable, NotUtf8, decoded, open_text_table, text_table
from app.core.errors import StudyError
from app.core.problems import Problem, nearest, quoted

_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
# Negative numbers begin with a formula's sign as well, and have to stay numbers for R and pandas.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-](inf|nan)")
_LONGEST_CELL = csv.field_size_limit()
_IN_UTF8 = "save it as CSV in UTF-8"


def defused(cell: str) -> str:
    """The cell as it is written."""
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def restored(cell: str) -> str:
    """The cell that `defused` was given."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def csv_text(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A small table as CSV, each cell defused."""
    return rows_text([head]) + rows_text(rows)


def rows_text(rows: Iterable[Sequence[str]]) -> str:
    """Rows of a table as CSV, each cell defused."""
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([defused(cell) for cell in row] for row in rows)
    return table.getvalue()


def csv_lines(rows: Iterable[Mapping[Any, Any]], names: Sequence[str]) -> Iterator[str]:
    """The header and each row as one piece of CSV text."""
    pieces: list[str] = []

    class Sink:
        def write(self, text: str) -> None:
            pieces.append(text.removesuffix("\r\n") + "\n")

    # Set to end lines in both characters, the writer quotes a cell that holds either of them.
    writer = csv.writer(Sink(), lineterminator="\r\n")
    writer.writerow(names)
    for row in rows:
        yield pieces.pop()
        writer.writerow([defused(_cell(row[name])) for name in names])
    yield pieces.pop()


def plain_cell(value: Any) -> Any:
    """A value as text formats hold it: times in ISO 8601 UTC with Z."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return value


def _cell(value: Any) -> str:
    value = plain_cell(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        # Before str(), which would write Python's True.
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


@dataclass(frozen=True, slots=True)
class CsvRow:
    """A row that holds something. `row` counts as a spreadsheet does, `line` is where it begins in the text."""

    row: int
    line: int
    cells: list[str]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row under a header, as `CsvRow`; its cells by column."""

    row: int
    line: int
    cells: Mapping[str, str]


class BadTable(StudyError):
    """A table that cannot be used; `problem` says where and why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def refuse_table(problem: Problem) -> None:
    """Raises BadTable."""
    raise BadTable(problem)


def csv_rows(
    source: str | Path, cell: Callable[[str], str] = str.strip, known: Collection[str] = ()
) -> Iterator[CsvRow]:
    """The rows of a CSV text, or of a file, that are not blank, the first being the header.

    Each cell goes through `cell`; `known` are columns that it may have. Raises TableFault where a row is not certain,
    OSError for a file that cannot be opened.
    """
    try:
        if isinstance(source, str):
            table = text_table(source.encode("utf-8", "surrogatepass"), names=known)
        else:
            table = open_text_table(source, names=known)
    except EmptyTable:
        return
    for given in table.rows():
        if any(each.strip() for each in given.cells):
            if max(map(len, given.cells)) > _LONGEST_CELL:
                problem = f"a cell has more than {_LONGEST_CELL:,} characters; is a quote never closed?"
                raise TableFault(problem, "shorter cells", row=given.row, line=given.line)
            yield CsvRow(given.row, given.line, [cell(each) for each in given.cells])


class CsvTable:
    """A CSV text or file with a header: rows by column; each problem is passed to `refuse`.

    `needed` columns are required and, if `known` is given, no others are allowed. A table with an invalid header yields
    no rows; a row of another length is refused and skipped, unless it is short of `optional` columns at its end alone,
    which are then empty. Without `refuse`, the first problem raises BadTable.
    """

    def __init__(
        self,
        source: str | Path,
        file: str = "",
        needed: Collection[str] = (),
        *,
        known: Collection[str] = (),
        optional: Collection[str] = (),
        cell: Callable[[str], str] = str.strip,
        refuse: Callable[[Problem], None] = refuse_table,
    ) -> None:
        self.file, self._refuse, self._optional = file, refuse, optional
        self._rows = csv_rows(source, cell, (*known, *needed))
        self.header: Sequence[str] = ()
        self.header_row = 1
        header = self._next()
        if header is None:
            return
        problems = list(self._header_problems(header, needed, known))
        for problem in problems:
            refuse(problem)
        if not problems:
            self.header, self.header_row = header.cells, header.row

    def __iter__(self) -> Iterator[TableRow]:
        while self.header and (row := self._next()):
            absent = self.header[len(row.cells) :]
            if len(row.cells) <= len(self.header) and all(name in self._optional for name in absent):
                cells = [*row.cells, *("" for _ in absent)]
                yield TableRow(row.row, row.line, dict(zip(self.header, cells, strict=True)))
            else:
                message = f"has {len(row.cells)} cells, the header {len(self.header)}"
                remedy = (
                    "give each row a cell for each column, empty or not"
                    if absent
                    else "quote cells that hold the separator"
                )
                self._refuse(Problem(self.file, row.line, message, remedy, row.row))

    def _next(self) -> CsvRow | None:
        try:
            return next(self._rows, None)
        except TableFault as fault:
            self._refuse(problem_of(fault, self.file))
        except OSError as error:
            raise _unreadable(Path(self.file), error) from None
        return None

    def _header_problems(
        self, header: CsvRow, needed: Collection[str], known: Collection[str]
    ) -> Iterator[Problem]:
        def problem(message: str, remedy: str) -> Problem:
            return Problem(self.file, header.line, message, remedy, header.row)

        for name, times in Counter(header.cells).items():
            if known and name not in known:
                remedy = nearest(name, known, f"known columns: {', '.join(known)}")
                yield problem(f"unknown column {quoted(name)}", remedy)
            elif name and times > 1:
                yield problem(
                    f"the column {quoted(name)} comes {'twice' if times == 2 else f'{times} times'}",
                    "name each column once",
                )
        for name in needed:
            if name not in header.cells:
                alike = next((each for each in header.cells if each.casefold() == name.casefold()), None)
                remedy = f"write {name} for {alike}" if alike else f"needed are {', '.join(needed)}"
                yield problem(f"the column {quoted(name)} is missing", remedy)


def text_in(path: Path, largest_bytes: int, remedy: str = _IN_UTF8) -> str:
    """The text of a file, as `text_of` reads its bytes. Raises BadTable."""
    try:
        if path.stat().st_size > largest_bytes:
            raise BadTable(
                Problem(str(path), 0, f"is larger than {largest_bytes // 10**6} MB", "is it the right file?")
            )
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    return text_of(data, str(path), remedy)


def text_of(data: bytes, file: str = "", remedy: str = _IN_UTF8) -> str:
    """The bytes of a file as text: UTF-8, or UTF-16 and UTF-32 with a byte order mark. Raises BadTable."""
    try:
        text = bytes(decoded(data))
        return text.decode()
    except TableFault as fault:
        raise BadTable(Problem(file, 0, fault.problem, remedy)) from None
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        problem = Problem(file, line, "is not UTF-8", remedy)
    try:
        for _ in text_table(text).rows():
            pass
    except NotUtf8 as fault:
        if fault.column:
            problem = Problem(file, fault.line, fault.problem, remedy, fault.row, fault.column)
    except TableFault:
        # Not a table, or one that has other faults, too.
        pass
    raise BadTable(problem)


def problem_of(fault: TableFault, file: str) -> Problem:
    """A fault of a table as a problem of a file, which no mapping file describes."""
    remedy = fault.remedy.removesuffix(OR_MAPPED)
    return Problem(file, fault.line, fault.problem, remedy, fault.row or None, fault.column)


def _unreadable(path: Path, error: Exception) -> BadTable:
    return BadTable(Problem(str(path), 0, f"cannot be read ({getattr(error, 'strerror', None) or error})"))
