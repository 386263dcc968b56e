"""SQL to DataFrames: the only way that data reach the analysis."""

from collections.abc import Sequence

import pandas as pd
import pyarrow as pa
from sqlmodel import Session

from analysis import check_responses, majority_vote, select_rows
from analysis.data.columns import ANALYZED_COLUMNS, RESPONSE_COLUMNS, Column, ColumnType, names
from analysis.data.selection import with_unwatched
from app.core.database import TRIES
from app.core.errors import NotFound
from app.reports.joining import Cells, Changed, Table, Types, joined
from app.studies.queries import study_named
from app.tasks.pair.in_parts import responses_in_parts

_TYPES: dict[ColumnType, pa.DataType] = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "time": pa.timestamp("us", tz="UTC"),
    "json": pa.string(),
}

# NumPy's integers and booleans have no missing value; pandas would make floats and objects of them.
_NULLABLE = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}


def responses_frame(
    session: Session, slug: str, columns: Sequence[Column] = RESPONSE_COLUMNS
) -> pd.DataFrame:
    """A study's responses, checked: all columns, or only `ANALYZED_COLUMNS`, which are read in a third of the time.

    Raises NotFound for an unknown study.
    """
    study_named(session, slug)
    types: Types = {column.name: _TYPES[column.type] for column in columns}
    table = _read(session, slug, names(columns), types)
    frame = {column.name: _cells(table.pop(column.name), column) for column in columns}
    return check_responses(pd.DataFrame(frame), slug, columns=columns)


def _read(session: Session, slug: str, wanted: Sequence[str], types: Types) -> Table:
    for _ in range(TRIES):
        try:
            return joined(session.connection(), responses_in_parts(slug, wanted), types)
        except Changed:
            continue
    raise NotFound(f"the study {slug} was deleted or changed while it was read")


def _cells(cells: Cells, column: Column) -> pd.Series:
    """Cells for pandas; repeated texts are stored once."""
    # A category for texts that repeat; free text and ids have as many values as rows, where it would cost more.
    repeated = column.type == "text" and not (column.prose or column.distinct)
    if repeated and not pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_encode()
    return pd.Series(cells.to_pandas(types_mapper=_NULLABLE.get))


def labels_frame(
    session: Session, slug: str, mode: str | None = None, *, unwatched: bool = False
) -> pd.DataFrame:
    """A study's majority votes in one mode (by default live where there are live answers); `attrs["mode"]` names it."""
    responses = responses_frame(session, slug, ANALYZED_COLUMNS)
    rows = select_rows(with_unwatched(responses) if unwatched else responses, mode)
    labels = majority_vote(rows)
    labels.attrs["mode"] = str(rows["mode"].iloc[0]) if len(rows) else "live"
    return labels
