"""Files of positions (docs/clips.md): where the player was at each moment of a clip, as arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from app.core.spreadsheet import BadTable, CsvTable, TableRow, text_in
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
    wanted = (TIME, *columns)
    if not path.exists():
        raise JudgeFailed(path, "is not there")
    try:
        table = CsvTable(text_in(path, _LARGEST_BYTES), path.name, wanted)
        rows = list(table)
    except BadTable as error:
        raise JudgeFailed(None, str(replace(error.problem, file=path.name))) from None
    if len(rows) < _FEWEST:
        raise JudgeFailed(path, f"holds {len(rows)} positions; at least {_FEWEST} are needed")
    taken = (*wanted, *(column for column in optional if column in table.header))
    values = {column: _numbers(path, rows, column) for column in taken}
    if not (np.diff(values[TIME]) > 0).all():
        raise JudgeFailed(path, f"has times ({TIME}) that do not rise from row to row")
    return values


def _numbers(path: Path, rows: Sequence[TableRow], column: str) -> Floats:
    numbers = np.empty(len(rows))
    for at, row in enumerate(rows):
        cell = row.cells[column]
        try:
            numbers[at] = float(cell)
        except ValueError:
            numbers[at] = np.nan
        if not np.isfinite(numbers[at]):
            raise JudgeFailed(path, f"row {row.row}, column {column}: {cell[:40]!r} is no number")
    return numbers
