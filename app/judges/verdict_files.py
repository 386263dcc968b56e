"""Files of verdicts as they are sent: CSV in any common form or an Excel workbook, read into one table of text."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from analysis.files.numbers import with_points
from app.core.problems import Problem
from app.core.spreadsheet import BadTable, CsvTable, defused, restored, text_of
from app.core.workbooks import sheets_of

MOST_BYTES = 4_000_000  # of a file of verdicts: tens of thousands of them
MOST_ROWS = 200_000
_WORKBOOKS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{")  # of a list of objects, of one, or one in each line
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_NUMBERS = ("score", "value")


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the file; `row` counts as a spreadsheet does, the header being row 1."""

    row: int
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Sent:
    """A file as it was read. `problems` are what kept rows, or all of it, from being read; `notes` what was changed."""

    header: Sequence[str] = ()
    lines: Sequence[Line] = ()
    problems: Sequence[Problem] = ()
    notes: Sequence[str] = field(default=())

    def csv(self) -> str:
        """The table as plain CSV: commas, points in numbers, no blanks around cells."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows([defused(line.cells[name]) for name in self.header] for line in self.lines)
        return text.getvalue()


def read_sent(data: bytes, name: str) -> Sent:
    """The table in the bytes of a file; what cannot be read is a problem in it. Raises BadTable for no table at all."""
    notes: list[str] = []
    problems: list[Problem] = []
    if _JSON.match(data):
        raise BadTable(
            Problem(name, 0, "is JSON, not a table", "save it as CSV, with the columns in the first line")
        )
    text = _text(data, name, notes)
    table = CsvTable(text, name, cell=_cell, refuse=problems.append)
    lines: list[Line] = []
    for row in table:
        if len(lines) == MOST_ROWS:
            remedy = f"send at most {MOST_ROWS:,} at once, or use the command line, which has no limit"
            problems.append(Problem(name, 0, f"has more than {MOST_ROWS:,} rows", remedy))
            break
        lines.append(Line(row.row, row.cells))
    return Sent(table.header, _pointed(lines, table.header, notes), problems, notes)


def _cell(text: str) -> str:
    return restored(text).strip()


def _text(data: bytes, name: str, notes: list[str]) -> str:
    if not (data.startswith((_ZIP, _OLE)) or Path(name).suffix.lower() in _WORKBOOKS):
        return text_of(data, name)
    sheets = [sheet for sheet in sheets_of(data, name) if any(any(row) for row in sheet.rows)]
    sheet = next((each for each in sheets if "judge" in next(filter(any, each.rows), ())), None)
    sheet = sheet or (sheets[0] if sheets else None)
    if sheet is not None and len(sheets) > 1:
        notes.append(f"The sheet {sheet.name} was read; a file of verdicts is one sheet.")
    text = io.StringIO()
    rows = sheet.rows if sheet else ()
    # Of a sheet the last columns may be empty, although a header names none.
    width = max((place for row in rows for place, cell in enumerate(row, start=1) if cell), default=0)
    csv.writer(text, lineterminator="\n").writerows(row[:width] for row in rows)
    return text.getvalue()


def _pointed(lines: Sequence[Line], header: Sequence[str], notes: list[str]) -> Sequence[Line]:
    """Decimal commas as points, where the whole column has them."""
    for name in _NUMBERS:
        if name not in header:
            continue
        texts = list(dict.fromkeys(line.cells[name] for line in lines))
        points = dict(zip(texts, with_points(texts), strict=True))
        if any(text != point for text, point in points.items()):
            notes.append(f"Decimal commas in {name} were read as points.")
            lines = [Line(line.row, {**line.cells, name: points[line.cells[name]]}) for line in lines]
    return lines
