"""CSV that people open in spreadsheets: the one reader of it, and cells that would run as formulas.

A cell that begins with one of `= + - @`, a tab or a line break, after any number of apostrophes, gets one apostrophe
more when it is written, unless it is a number; a reader takes that one off again. So nothing is lost, and a file
without such cells is the same byte for byte. `analysis.data.reading` undoes it by the same rule.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import StudyError
from app.core.problems import Problem, nearest, quoted

_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-](inf|nan)")
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_IN_UTF8 = "save it as CSV in UTF-8"


def defused(cell: str) -> str:
    """The cell as it is written."""
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def restored(cell: str) -> str:
    """The cell that `defused` was given."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def csv_text(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A small table as CSV, each cell defused."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([defused(cell) for cell in row] for row in rows)
    return table.getvalue()


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


class NotCsv(Exception):
    """Text that cannot be read as CSV from a row on; its words say why."""

    def __init__(self, row: int, line: int, why: str) -> None:
        super().__init__(why)
        self.row, self.line = row, line


class BadTable(StudyError):
    """A table that cannot be used; `problem` says where and why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def refuse_table(problem: Problem) -> None:
    """Raises BadTable."""
    raise BadTable(problem)


def csv_rows(text: str | Iterable[str], cell: Callable[[str], str] = str.strip) -> Iterator[CsvRow]:
    """The rows of a CSV text, or of its lines, that are not blank, the first being the header.

    Each cell goes through `cell`. Raises NotCsv at the row that cannot be read, once those before it have been given.
    """
    lines = io.StringIO(text.removeprefix("\ufeff"), newline="") if isinstance(text, str) else text
    reader = csv.reader(lines, strict=True)
    row = line = 1
    try:
        for given in reader:
            if any(each.strip() for each in given):
                yield CsvRow(row, line, [cell(each) for each in given])
            row, line = row + 1, reader.line_num + 1
    except csv.Error as error:
        raise NotCsv(row, line, _explained(error)) from None
    except UnicodeDecodeError:
        raise NotCsv(row, line, "it is no text in UTF-8") from None


class CsvTable:
    """A CSV text with a header: rows by column, and what is wrong with them given to `refuse`, one by one.

    `needed` columns have to be there and, where `known` is given, no others. Nothing comes of a table whose header
    does not hold; a row of another length is refused and passed over. Without `refuse`, the first problem raises
    BadTable.
    """

    def __init__(
        self,
        text: str | Iterable[str],
        file: str = "",
        needed: Collection[str] = (),
        *,
        known: Collection[str] = (),
        cell: Callable[[str], str] = str.strip,
        refuse: Callable[[Problem], None] = refuse_table,
    ) -> None:
        self.file, self._refuse, self._rows = file, refuse, csv_rows(text, cell)
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
            if len(row.cells) == len(self.header):
                yield TableRow(row.row, row.line, dict(zip(self.header, row.cells, strict=True)))
            else:
                self._refuse(
                    Problem(
                        self.file,
                        row.line,
                        f"has {len(row.cells)} cells, the header {len(self.header)}",
                        "quote cells that hold commas",
                        row.row,
                    )
                )

    def _next(self) -> CsvRow | None:
        try:
            return next(self._rows, None)
        except NotCsv as fault:
            self._refuse(
                Problem(
                    self.file,
                    fault.line,
                    f"not readable as CSV: {fault}",
                    "look at the quotes in this row",
                    fault.row,
                )
            )
            return None

    def _header_problems(
        self, header: CsvRow, needed: Collection[str], known: Collection[str]
    ) -> Iterator[Problem]:
        def problem(message: str, remedy: str) -> Problem:
            return Problem(self.file, header.line, message, remedy, header.row)

        if is_separated_otherwise(header.cells):
            yield problem("the columns are not separated by commas", "put commas between them")
            return
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
                yield problem(f"the column {quoted(name)} is missing", f"needed are {', '.join(needed)}")


def text_in(path: Path, largest_bytes: int, remedy: str = _IN_UTF8) -> str:
    """The text of a file in UTF-8. Raises BadTable."""
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
    """The bytes of a file as text in UTF-8. Raises BadTable."""
    if data.startswith(_UTF16_MARKS):
        raise BadTable(Problem(file, 0, "is UTF-16", remedy))
    if b"\0" in data:
        raise BadTable(Problem(file, 0, "is not text", remedy))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadTable(Problem(file, line, "is not UTF-8", remedy)) from None


def lines_in(path: Path) -> Iterator[str]:
    """The lines of a large file, one by one. Raises BadTable where it cannot be opened."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from file
    except OSError as error:
        raise _unreadable(path, error) from None


def is_separated_otherwise(header: Sequence[str]) -> bool:
    """Whether a header is one cell that holds semicolons or tabs: the columns are not separated by commas."""
    return len(header) == 1 and any(separator in header[0] for separator in ";\t")


def _unreadable(path: Path, error: Exception) -> BadTable:
    return BadTable(Problem(str(path), 0, f"cannot be read ({getattr(error, 'strerror', None) or error})"))


def _explained(error: csv.Error) -> str:
    """What Python's reader says, for people."""
    said = str(error)
    if "field larger than field limit" in said:
        return f"a cell has more than {csv.field_size_limit():,} characters; is a quote never closed?"
    if "new-line character" in said:
        return "a line ends in a way that is not known; save it as CSV in UTF-8"
    return said
