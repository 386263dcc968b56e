"""Positions of a pair as if both had been logged alike: how they were logged is no behaviour, and tells the source.

Trained judges do the same by what their card says; these are for judges that learnt nothing.
"""

import csv
import hashlib
import io
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from analysis.files.faults import TableFault
from analysis.learning.logged import InCommon, as_logged, in_common
from analysis.learning.paths import Path as Course
from app.core.spreadsheet import csv_rows
from app.judges.base import JudgeInfo, Needs, StimulusFiles
from app.judges.runner import PairToJudge

Columns = Mapping[str, npt.NDArray[np.float64]]
_PLACE = ("t_s", "x_m", "y_m")


@contextmanager
def logged_alike(info: JudgeInfo, pairs: Sequence[PairToJudge]) -> Iterator[Sequence[PairToJudge]]:
    """Pairs with equal logging: the coarser time step and the fewer decimals of the two, for a judge that reads
    positions.

    Pairs that were logged alike are unchanged, as is a file that is no table of positions: its reader reports the
    problem. The files are temporary.
    """
    if info.needs is not Needs.POSITIONS:
        yield pairs
        return
    with tempfile.TemporaryDirectory(prefix="alike-") as folder:
        read: dict[Path, Columns | None] = {}

        def columns_of(files: StimulusFiles) -> Columns | None:
            if files.positions is None:
                return None
            if files.positions not in read:
                read[files.positions] = _columns(files.positions)
            return read[files.positions]

        def alike(pair: PairToJudge) -> PairToJudge:
            a, b = columns_of(pair.a), columns_of(pair.b)
            if a is None or b is None:
                return pair
            common = in_common([_course(a), _course(b)], ["a", "b"])
            if common == InCommon():
                return pair
            shown = [
                replace(files, positions=_written(columns, common, Path(folder)))
                for files, columns in ((pair.a, a), (pair.b, b))
            ]
            return replace(pair, a=shown[0], b=shown[1])

        yield [alike(pair) for pair in pairs]


def _columns(positions: Path) -> Columns | None:
    try:
        header, *rows = [row.cells for row in csv_rows(positions)]
        table = np.array(rows, dtype=float)
    except (OSError, ValueError, TableFault):
        return None
    if table.ndim != 2 or table.shape[1] != len(header) or not set(_PLACE) <= set(header):
        return None
    columns = {name: table[:, at] for at, name in enumerate(header)}
    # Interpolation needs times that rise.
    is_path = len(table) > 1 and np.isfinite(table).all() and (np.diff(columns["t_s"]) > 0).all()
    return columns if is_path else None


def _course(columns: Columns) -> Course:
    t_s, x_m, y_m = (columns[name] for name in _PLACE)
    return Course(t_s, x_m, y_m, columns.get("z_m", np.zeros_like(t_s)), columns.get("heading_rad"))


def _written(columns: Columns, common: InCommon, folder: Path) -> Path:
    """A file of the same columns, each linear between its moments, headings along the shorter way round."""
    before, after = columns["t_s"], as_logged(_course(columns), common)
    moved = {"t_s": after.t_s, "x_m": after.x_m, "y_m": after.y_m, "z_m": after.z_m}
    if after.heading_rad is not None:
        moved["heading_rad"] = after.heading_rad
    shown = [
        moved[name] if name in moved else np.interp(after.t_s, before, values)
        for name, values in columns.items()
    ]
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(columns)
    # Nine significant digits: the rounding to common decimals shows again, without the noise of binary fractions.
    writer.writerows([f"{value:.9g}" for value in row] for row in zip(*shown, strict=True))
    content = table.getvalue().encode()
    target = folder / f"{hashlib.sha256(content).hexdigest()}.csv"
    target.write_bytes(content)
    return target
