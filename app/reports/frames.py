"""SQL to DataFrames: the only way that data reach the analysis."""

from collections.abc import Sequence

import pandas as pd
import pyarrow as pa
from sqlalchemy import CursorResult
from sqlmodel import Session

from analysis import check_responses, majority_vote, select_rows
from analysis.data.columns import ANALYZED_COLUMNS, RESPONSE_COLUMNS, Column, ColumnType, names
from analysis.data.selection import with_unwatched
from app.reports import selects
from app.studies.queries import study_named

_ROWS_AT_ONCE = 50_000
_TYPES: dict[ColumnType, pa.DataType] = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "time": pa.timestamp("us", tz="UTC"),
    "json": pa.string(),
}

_NULLABLE = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}


def responses_frame(
    session: Session, slug: str, columns: Sequence[Column] = RESPONSE_COLUMNS
) -> pd.DataFrame:
    """A study's responses, checked: all columns, or only `ANALYZED_COLUMNS`, which are read in a third of the time.

    Raises NotFound for an unknown study.
    """
    study_named(session, slug)
    # The connection's own rows: the session would make each of them anew.
    result = session.connection().execute(selects.responses(slug, names(columns)))
    return check_responses(_frame(result, columns), slug, columns=columns)


def _frame(result: CursorResult[tuple[object, ...]], columns: Sequence[Column]) -> pd.DataFrame:
    """The rows, a part of them at a time, in columns of Arrow; texts that come again and again are kept once."""
    parts: list[list[pa.Array]] = [[] for _ in columns]
    for rows in result.partitions(_ROWS_AT_ONCE):
        for part, column, cells in zip(parts, columns, zip(*rows, strict=True), strict=True):
            part.append(pa.array(cells, _TYPES[column.type]))
    frame = {}
    for part, column in zip(parts, columns, strict=True):
        cells = pa.chunked_array(part, _TYPES[column.type])
        repeated = column.type == "text" and not (column.prose or column.distinct)
        cells = cells.dictionary_encode() if repeated else cells
        frame[column.name] = cells.to_pandas(types_mapper=_NULLABLE.get)
    return pd.DataFrame(frame)


def labels_frame(
    session: Session, slug: str, mode: str | None = None, *, unwatched: bool = False
) -> pd.DataFrame:
    """A study's majority votes in one mode (by default live where there are live answers); `attrs["mode"]` names it."""
    responses = responses_frame(session, slug, ANALYZED_COLUMNS)
    rows = select_rows(with_unwatched(responses) if unwatched else responses, mode)
    labels = majority_vote(rows)
    labels.attrs["mode"] = str(rows["mode"].iloc[0]) if len(rows) else "live"
    return labels
