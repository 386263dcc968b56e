"""Files of positions (docs/clips.md): where the player was at each moment of a clip, as arrays."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from app.core.spreadsheet import CsvRow, NotCsv, csv_rows
from app.judges.base import JudgeFailed, StimulusFiles

Floats = npt.NDArray[np.float64]

TIME = "t_s"
_LARGEST_BYTES = 50 * 10**6
_FEWEST = 2


def read_positions(
    files: StimulusFiles, columns: Sequence[str], optional: Sequence[str] = ()
) -> Mapping[str, Floats]:
    """The time `t_s` and other named columns of a clip's positions, in the order of time; `optional` ones if there.

    Raises JudgeFailed for a file that is not there, is no such table, lacks a column, or has a cell that is no number.
    """
    path = files.positions
    if path is None:
        raise JudgeFailed(None, "the clip has no positions")
    rows = _rows(path)
    header = rows[0].cells if rows else []
    wanted = (TIME, *columns)
    missing = [column for column in wanted if column not in header]
    if missing:
        raise JudgeFailed(path, f"lacks the column {', '.join(missing)}")
    if len(rows) - 1 < _FEWEST:
        raise JudgeFailed(path, f"holds {len(rows) - 1} positions; at least {_FEWEST} are needed")
    for row in rows:
        if len(row.cells) != len(header):
            counts = f"{len(row.cells)} cells, the header {len(header)}"
            raise JudgeFailed(path, f"row {row.row} has {counts}; is it cut short?")
    taken = (*wanted, *(column for column in optional if column in header))
    values = {column: _numbers(path, rows, header.index(column), column) for column in taken}
    if not (np.diff(values[TIME]) > 0).all():
        raise JudgeFailed(path, f"has times ({TIME}) that do not rise from row to row")
    return values


def _rows(path: Path) -> list[CsvRow]:
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            raise JudgeFailed(path, f"is larger than {_LARGEST_BYTES // 10**6} MB")
        with path.open(encoding="utf-8-sig", newline="") as file:
            return list(csv_rows(file.read()))
    except FileNotFoundError:
        raise JudgeFailed(path, "is not there") from None
    except OSError as error:
        raise JudgeFailed(path, f"cannot be read ({error.strerror})") from None
    except NotCsv as fault:
        raise JudgeFailed(path, f"is not CSV from row {fault.row} on ({fault}); check the quotes") from None
    except UnicodeDecodeError:
        raise JudgeFailed(path, "is not UTF-8; save it as CSV in UTF-8") from None


def _numbers(path: Path, rows: Sequence[CsvRow], index: int, column: str) -> Floats:
    numbers = np.empty(len(rows) - 1)
    for at, row in enumerate(rows[1:]):
        cell = row.cells[index]
        try:
            numbers[at] = float(cell)
        except ValueError:
            numbers[at] = np.nan
        if not np.isfinite(numbers[at]):
            raise JudgeFailed(path, f"row {row.row}, column {column}: {cell[:40]!r} is no number")
    return numbers
