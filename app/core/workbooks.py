"""Workbooks of spreadsheets (xlsx, xls) as text: the one reader of them."""

import io
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
    """The sheets of a workbook that was sent, under its name. Raises BadTable."""
    path = Path(name)
    try:
        with ZipFile(io.BytesIO(data)) as packed:
            if sum(each.file_size for each in packed.infolist()) > _MOST_UNPACKED:
                raise _bad(path, "is a workbook too large to be read", "save its sheet as CSV")
    except BadZipFile:
        pass  # of the older kind, or none: the reader says
    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(data)) as workbook:
            return [Sheet(each, _rows(workbook, each)) for each in workbook.sheet_names]
    except CalamineError as error:
        raise _bad(path, f"is no workbook that can be read ({error})", "save it as xlsx or as CSV") from None


def _rows(workbook: CalamineWorkbook, name: str) -> list[list[str]]:
    # Without the empty cells before the first full one, places would not be those of the spreadsheet.
    rows = workbook.get_sheet_by_name(name).to_python(skip_empty_area=False)
    return [[_text(cell) for cell in row] for row in rows]


def _text(cell: object) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()


def _bad(path: Path, message: str, remedy: str) -> BadTable:
    return BadTable(Problem(str(path), 0, message, remedy))
