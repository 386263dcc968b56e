"""CSV that people open in spreadsheets: cells that would run as formulas, and what is wrong with a file in words.

A cell that begins with one of `= + - @`, a tab or a line break, after any number of apostrophes, gets one apostrophe
more when it is written, unless it is a number; a reader takes that one off again. So nothing is lost, and a file
without such cells is the same byte for byte. `analysis.data.reading` undoes it by the same rule.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-](inf|nan)")


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


class NotCsv(Exception):
    """Text that cannot be read as CSV from a row on; its words say why."""

    def __init__(self, row: int, line: int, why: str) -> None:
        super().__init__(why)
        self.row, self.line = row, line


def csv_rows(text: str) -> Iterator[CsvRow]:
    """The rows of a CSV text that are not blank, the first being the header; cells without the spaces around them.

    Raises NotCsv at the row that cannot be read, once those before it have been given.
    """
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    row = line = 1
    try:
        for given in reader:
            cells = [cell.strip() for cell in given]
            if any(cells):
                yield CsvRow(row, line, cells)
            row, line = row + 1, reader.line_num + 1
    except csv.Error as error:
        raise NotCsv(row, line, csv_fault(error)) from None


def is_separated_otherwise(header: Sequence[str]) -> bool:
    """Whether a header is one cell that holds semicolons or tabs: the columns are not separated by commas."""
    return len(header) == 1 and any(separator in header[0] for separator in ";\t")


def csv_fault(error: csv.Error) -> str:
    """What Python's reader says, for people."""
    said = str(error)
    if "field larger than field limit" in said:
        return f"a cell has more than {csv.field_size_limit():,} characters; is a quote never closed?"
    if "new-line character" in said:
        return "a line ends in a way that is not known; save it as CSV in UTF-8"
    return said
