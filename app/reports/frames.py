"""SQL to DataFrames: the only way that data reach the analysis."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy import Connection, Select
from sqlmodel import Session

from analysis import check_responses, majority_vote, select_rows
from analysis.data.columns import ANALYZED_COLUMNS, RESPONSE_COLUMNS, Column, ColumnType, names
from analysis.data.selection import with_unwatched
from app.core.errors import NotFound
from app.studies.queries import study_named
from app.tasks.pair.responses import responses_in_parts

_ROWS_AT_ONCE = 2_000  # few enough that their cells stay in the processor's cache
_TYPES: dict[ColumnType, pa.DataType] = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "time": pa.timestamp("us", tz="UTC"),
    "json": pa.string(),
}

Types = Mapping[str, pa.DataType]
_KEYS: Types = {"session_key": pa.int64(), "pair_key": pa.int64()}

# NumPy's integers and booleans have no missing value; pandas would make floats and objects of them.
_NULLABLE = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}


def responses_frame(
    session: Session, slug: str, columns: Sequence[Column] = RESPONSE_COLUMNS
) -> pd.DataFrame:
    """A study's responses, checked: all columns, or only `ANALYZED_COLUMNS`, which are read in a third of the time.

    Raises NotFound for an unknown study.
    """
    study_named(session, slug)
    parts = responses_in_parts(slug, names(columns))
    types: Types = {column.name: _TYPES[column.type] for column in columns} | dict(_KEYS)
    connection = session.connection()
    table = _table(connection, parts.answers, types)
    for key, part in (("session_key", parts.sessions), ("pair_key", parts.pairs)):
        once = _table(connection, part, types)
        places = pc.index_in(table.pop(key), once.pop(key))
        if places.null_count:  # PostgreSQL lets others delete between two statements
            raise NotFound(f"the study {slug} was deleted while it was read")
        # By places in a list of unique rows: what is alike in many answers crosses the driver once.
        table |= {name: cells.take(places) for name, cells in once.items()}
    frame = {column.name: _cells(table.pop(column.name), column) for column in columns}
    return check_responses(pd.DataFrame(frame), slug, columns=columns)


def _table(connection: Connection, statement: Select[Any], types: Types) -> dict[str, pa.ChunkedArray]:
    """The driver's own rows, a part of them at a time, in columns of Arrow.

    SQLAlchemy would make each row anew, and each is a tuple already; its types read whole columns just as well.
    """
    columns = statement.selected_columns
    parts: dict[str, list[pa.Array]] = {column.name: [] for column in columns}
    with connection.execute(statement) as result:
        cursor, dialect = result.cursor, connection.dialect
        read = [
            column.type.dialect_impl(dialect).result_processor(dialect, described[1])
            for column, described in zip(columns, cursor.description, strict=True)
        ]
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            for column, process, cells in zip(columns, read, zip(*rows, strict=True), strict=True):
                parts[column.name].append(
                    pa.array(map(process, cells) if process else cells, types[column.name])
                )
    return {name: pa.chunked_array(part, types[name]) for name, part in parts.items()}


def _cells(cells: pa.ChunkedArray, column: Column) -> pd.Series:
    """Cells for pandas; repeated texts are stored once."""
    # A category for texts that repeat; free text and ids have as many values as rows, where it would cost more.
    repeated = column.type == "text" and not (column.prose or column.distinct)
    cells = cells.dictionary_encode() if repeated else cells
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
