"""Files of verdicts and of pairs into checked tables: CSV, JSON lines and Parquet, by their suffix."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from analysis.data.checking import check_columns
from analysis.data.columns import Column, names
from analysis.data.naming import note_names
from analysis.data.reading import _json_object, _require_text, read_csv
from analysis.data.text_files import open_csv
from analysis.errors import ReadError, why_unread
from analysis.judging.columns import PAIR_COLUMNS, VERDICT_COLUMNS, with_items_named
from analysis.judging.verdicts import check_verdicts, require_verdict_columns


def read_verdicts(path: Path | str) -> pd.DataFrame:
    """Read and check a file of verdicts.

    One row is what one run of one judge says of one pair (`judge, pair` and `choice`, `score` or both) or of
    one clip (`judge, stimulus, score`, or `judge, item, value`); `run` and `study` are optional. A file may hold
    both kinds of row, for different judges.

    Returns
    -------
    DataFrame
        As `check_verdicts` returns it.

    Raises
    ------
    ReadError
        If the file is missing, empty, not text or not what its suffix says.
    SchemaError
        At the first cell that is not allowed.
    """
    path = Path(path)
    present = _present(path, VERDICT_COLUMNS)
    theirs = with_items_named(present)
    present = [theirs.get(name, name) for name in present]
    require_verdict_columns(present, str(path))
    named = {ours: name for name, ours in theirs.items()}
    wanted = [
        replace(column, name=named.get(column.name, column.name))
        for column in VERDICT_COLUMNS
        if column.name in present
    ]
    frame, first_row = _read(path, wanted)
    found = check_verdicts(frame.rename(columns=theirs), str(path), first_row)
    note_names(str(path), found)
    return found


def read_pairs(path: Path | str) -> pd.DataFrame:
    """Read and check a file of pairs (`PAIR_COLUMNS`, such as exported labels), one row per pair of a study.

    Verdicts may refer to them in addition to the pairs that people answered. Raises as `read_verdicts`.
    """
    path = Path(path)
    _present(path, PAIR_COLUMNS)
    frame, first_row = _read(path, PAIR_COLUMNS)
    return check_columns(frame, PAIR_COLUMNS, str(path), first_row)


def _present(path: Path, columns: Sequence[Column]) -> list[str]:
    """The names of the columns that the file has."""
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return list(open_csv(path, names(columns)).header)
    if suffix == ".jsonl":
        return list(dict.fromkeys(name for row in _objects(path) for name in row))
    if suffix == ".parquet":
        return list(_parquet(path).column_names)
    allowed = ".csv, .jsonl or .parquet"
    raise ReadError(str(path), f"the suffix {suffix or '(none)'!r} is not known; allowed: {allowed}")


def _read(path: Path, columns: Sequence[Column]) -> tuple[pd.DataFrame, int]:
    """The columns, and the number of the first data row in an error."""
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return read_csv(path, columns), 2
    if suffix == ".jsonl":
        rows = _objects(path)
        # A key that an object leaves out is a missing cell: most of these columns are optional.
        cells = {name: [row.get(name) for row in rows] for name in names(columns)}
        frame = pd.DataFrame(cells, dtype=object)
    else:
        table = _parquet(path)
        # Without pandas' metadata, which can make a column the index.
        frame = table.select([name for name in names(columns) if name in table.column_names]).to_pandas(
            ignore_metadata=True
        )
    if frame.empty:
        raise ReadError(str(path), "the file has no rows; allowed: at least one row")
    return frame, 1


def _objects(path: Path) -> list[dict[str, Any]]:
    _require_text(path)
    with path.open("rb") as file:
        # Bytes, because texts also break at U+2028, which a JSON text may hold.
        lines = file.read().rstrip().splitlines()
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            raise ReadError(str(path), f"row {number}: the line is empty; allowed: one JSON object to a line")
        rows.append(_json_object(str(path), number, line))
    return rows


def _parquet(path: Path) -> pa.Table:
    try:
        return pyarrow.parquet.read_table(path)
    except pa.ArrowException as error:
        raise ReadError(str(path), f"not a Parquet file ({' '.join(str(error).split())})") from error
    except OSError as error:
        raise ReadError(str(path), f"cannot be read ({why_unread(error)})") from error
