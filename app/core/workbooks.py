"""Workbooks of spreadsheets (xlsx, xls) as text: the one reader of them."""

import io
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zipfile import BadZipFile, ZipFile

from python_calamine import CalamineError, CalamineWorkbook

from app.core.problems import Problem
from app.core.spreadsheet import BadTable

_LARGEST_BYTES: Final = 20_000_000
# A small file may unpack to any size.
_MOST_UNPACKED: Final = 200_000_000
# The reader makes a place for each cell up to the last one: two cells in opposite corners would take all memory.
_MOST_CELLS: Final = 5_000_000
_PLACE: Final = re.compile(rb"""\br=["']([A-Z]{0,3})(\d{1,10})["']""")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of a workbook: its rows from the first on, each cell as text, stripped of blanks.

    A whole number has no decimals, whatever format the workbook shows.
    """

    name: str
    rows: Sequence[Sequence[str]]


def sheets_in(path: Path) -> list[Sheet]:
    """The sheets of a workbook in their order. Raises BadTable."""
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise _bad(path, f"is larger than {_LARGEST_BYTES // 10**6} MB", "is it the right file?")
        with CalamineWorkbook.from_path(path) as workbook:
            return [Sheet(name, _rows(workbook, name)) for name in workbook.sheet_names]
    except CalamineError as error:
        raise _bad(path, f"is no workbook that can be read ({error})", "save it as xlsx or as CSV") from None
    except OSError as error:
        raise _bad(path, f"cannot be read ({error.strerror or error})", "") from None


def sheets_of(data: bytes, name: str) -> list[Sheet]:
    """The sheets of a workbook (xlsx) that was sent, under its name. Raises BadTable."""
    path = Path(name)
    _check_extent(data, path)
    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(data)) as workbook:
            return [Sheet(each, _rows(workbook, each)) for each in workbook.sheet_names]
    except CalamineError as error:
        raise _bad(path, f"is no workbook that can be read ({error})", "save it as xlsx or as CSV") from None


def _check_extent(data: bytes, path: Path) -> None:
    """Refuse a workbook that a stranger made to take all memory. Raises BadTable."""
    too_large = _bad(path, "is a workbook too large to be read", "save its sheet as CSV")
    try:
        with ZipFile(io.BytesIO(data)) as packed:
            parts = packed.infolist()
            if not any(part.filename == "xl/workbook.xml" for part in parts):
                raise _bad(path, "is no workbook of the kind xlsx", "save it as xlsx or as CSV")
            if sum(part.file_size for part in parts) > _MOST_UNPACKED:
                raise too_large
            for part in parts:
                if part.filename.endswith(".xml") and _extent(packed.read(part)) > _MOST_CELLS:
                    raise too_large
    # Older kinds cannot be looked through before they are read; a damaged one has any error of the unpacker.
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        raise _bad(path, "is no workbook that can be read", "save it as xlsx or as CSV") from None


def _extent(part: bytes) -> int:
    """Rows times columns up to the last cell that a part of a workbook names."""
    rows = columns = 0
    for letters, row in _PLACE.findall(part):
        rows = max(rows, int(row))
        column = 0
        for letter in letters:
            column = 26 * column + letter - 64
        columns = max(columns, column)
    return rows * max(columns, 1)


def _rows(workbook: CalamineWorkbook, name: str) -> list[list[str]]:
    # Without the empty cells before the first full one, places would not be those of the spreadsheet.
    rows = workbook.get_sheet_by_name(name).to_python(skip_empty_area=False)
    return [[_text(cell) for cell in row] for row in rows]


def _text(cell: object) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()


def _bad(path: Path, message: str, remedy: str) -> BadTable:
    return BadTable(Problem(str(path), 0, message, remedy))
