"""Files into tables: CSV, JSON lines and Parquet, every problem named with its place."""

import codecs
import json
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from analysis.data.checking import coded_texts, require_columns, without_absent
from analysis.data.codes import Groups
from analysis.data.columns import RATING_COLUMNS, RESPONSE_COLUMNS, Column, names
from analysis.data.naming import note_names
from analysis.data.schema import (
    check_rating_rows,
    check_response_cells,
    check_responses,
    columns_to_check,
)
from analysis.data.text_files import open_csv, refusal
from analysis.errors import ReadError, SchemaError, shown, why_unread
from analysis.files.faults import TableFault, note
from analysis.files.text_tables import TextTable

_BYTE_ORDER_MARKS = {
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_NO_ROWS = "the file has no rows; allowed: at least one row"
_TRIAL = tuple(column for column in RESPONSE_COLUMNS if column.name == "trial")
_SUFFIXES = ".csv, .jsonl or .parquet"
# Exports put a ' before cells that a spreadsheet would run: read back, it is taken off.
_DEFUSED = re.compile(r"'+[=+\-@\t\r\n＝＋－＠]")
_TEXTS = (pa.string(), pa.large_string())
_WITH_MISSING = {
    pa.int8(): pd.Int8Dtype(),
    pa.int16(): pd.Int16Dtype(),
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
}


def read_responses(path: Path | str, columns: Sequence[Column] = RESPONSE_COLUMNS) -> pd.DataFrame:
    """Read and check an exported `responses` file (CSV, JSON lines or Parquet, by its suffix).

    One row is one answer to one trial. Identifiers stay text: participant ``007`` is not 7.

    Parameters
    ----------
    path
        The file.
    columns
        `RESPONSE_COLUMNS`, or `ANALYZED_COLUMNS`: only what `analyze` uses, for a file of millions of rows.
        The others are then not read, as in `check_responses`.

    Returns
    -------
    DataFrame
        As `check_responses` returns it.

    Raises
    ------
    ReadError
        If the file is missing, empty, not text or not what its suffix says.
    SchemaError
        At the first cell that is not allowed.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".csv":
        frame = read_csv(path, columns, optional=_TRIAL)
        found = check_responses(frame, str(path), first_row=2, columns=columns)
    elif suffix == ".jsonl":
        frame = _read_jsonl(path, columns, optional=_TRIAL)
        found = check_responses(frame, str(path), first_row=1, columns=columns)
    elif suffix == ".parquet":
        found = _read_parquet(path, columns)
    else:
        raise ReadError(str(path), f"the suffix {suffix or '(none)'!r} is not known; allowed: {_SUFFIXES}")
    note_names(str(path), found)
    return found


def read_rating_rows(path: Path | str) -> pd.DataFrame:
    """Read and check an exported `ratings` file (CSV, JSON lines or Parquet, by its suffix).

    One row is one question answered about one item. Raises ReadError and SchemaError as `read_responses` does.
    """
    path = Path(path)
    suffix, origin = path.suffix.lower(), str(path)
    if suffix == ".csv":
        frame, first_row = read_csv(path, RATING_COLUMNS), 2
    elif suffix == ".jsonl":
        frame, first_row = _read_jsonl(path, RATING_COLUMNS, ()), 1
    elif suffix == ".parquet":
        frame, first_row = _read_whole_parquet(path), 1
    else:
        raise ReadError(origin, f"the suffix {suffix or '(none)'!r} is not known; allowed: {_SUFFIXES}")
    found = check_rating_rows(frame, origin, first_row)
    note_names(origin, found)
    return found


def is_rating_rows(path: Path | str) -> bool:
    """True if a file has the columns of an exported `ratings` file, according to its first line or its schema."""
    path = Path(path)
    try:
        given = _given(path)
    except (OSError, ValueError, RecursionError, ReadError, pa.ArrowException):
        return False
    return {"item", "question", "value"} <= set(given)


def _given(path: Path) -> Sequence[str]:
    match path.suffix.lower():
        case ".csv":
            return open_csv(path, names(RATING_COLUMNS)).header
        case ".jsonl":
            with path.open(encoding="utf-8-sig") as file:
                return list(json.loads(file.readline()))
        case ".parquet":
            return list(pyarrow.parquet.read_schema(path).names)
    return ()


def _read_whole_parquet(path: Path) -> pd.DataFrame:
    try:
        frame: pd.DataFrame = pyarrow.parquet.read_table(path).to_pandas(types_mapper=_WITH_MISSING.get)
    except pa.ArrowException as error:
        raise ReadError(str(path), f"not a Parquet file ({' '.join(str(error).split())})") from error
    except OSError as error:
        raise ReadError(str(path), f"cannot be read ({why_unread(error)})") from error
    if frame.empty:
        raise ReadError(str(path), _NO_ROWS)
    return frame


def read_csv(
    path: Path,
    columns: Sequence[Column],
    optional: Sequence[Column] = (),
    *,
    is_ours: bool = True,
    table: TextTable | None = None,
) -> pd.DataFrame:
    """The named columns of a delimited text as text; a row of the wrong length is refused, never filled up.

    In a table of the service (`is_ours`) the apostrophe is taken off that keeps a spreadsheet from running a cell.
    `table` is what `open_csv` gave for the file, where that is known already.
    """
    table = table or open_csv(path, names((*columns, *optional)))
    header = table.header
    require_columns(header, columns, str(path))
    wanted = [
        *without_absent(columns, header),
        *(each for each in optional if each.name in header and each not in columns),
    ]
    frame = _csv_frame(path, table, wanted)
    kept = _n_kept(frame)
    if kept < len(frame) and set(names(wanted)) != set(header):
        # What looks like an empty line may have something in another column.
        kept = _n_kept(_csv_frame(path, table, [Column(name, "text", "", "") for name in set(header)]))
    if not kept:
        raise ReadError(str(path), _NO_ROWS)
    if said := table.breaks_noted():
        note(f"{path}: {said}")
    frame = frame.iloc[:kept]
    return _restored(frame) if is_ours else frame


def _restored(frame: pd.DataFrame) -> pd.DataFrame:
    """Cells restored as by `app.core.spreadsheet.restored`: without the apostrophe before a formula's sign."""
    restored = {}
    for name, cells in frame.items():
        values = cells.cat.categories if isinstance(cells.dtype, pd.CategoricalDtype) else cells
        found = {value: value[1:] for value in values if isinstance(value, str) and _DEFUSED.match(value)}
        if found:
            texts = cells.astype(object)
            restored[str(name)] = texts.map(lambda cell, found=found: found.get(cell, cell))
    return frame.assign(**restored) if restored else frame


def _csv_frame(path: Path, table: TextTable, columns: Sequence[Column]) -> pd.DataFrame:
    texts = pa.dictionary(pa.int32(), pa.string())
    plain = {column.name for column in columns if column.prose or column.distinct}
    types = {column.name: pa.string() if column.name in plain else texts for column in columns}
    try:
        quotes = table.quoting.quotes
    except TableFault as fault:
        raise refusal(path, fault) from fault
    try:
        read = pyarrow.csv.read_csv(
            pa.BufferReader(pa.py_buffer(table.data)),
            # A block has to hold at least one whole row, and reasons may be long.
            read_options=pyarrow.csv.ReadOptions(block_size=1 << 24),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=table.delimiter,
                quote_char='"' if quotes else False,
                newlines_in_values=bool(table.quoting.broken),
                # Kept, because rows are counted as in the file.
                ignore_empty_lines=False,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=types, include_columns=list(types), strings_can_be_null=False
            ),
        )
    except pa.ArrowException as error:
        _refuse_csv(path, table, error)
    frame: pd.DataFrame = read.to_pandas()
    return frame


def _n_kept(frame: pd.DataFrame) -> int:
    """The rows without the empty lines at the end."""
    kept = len(frame)
    while kept and all(pd.isna(cell) or cell == "" for cell in frame.iloc[kept - 1]):
        kept -= 1
    return kept


def _require_text(path: Path) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError as error:
        raise ReadError(str(path), f"cannot be read ({error.strerror})") from error
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if head.startswith(mark):
            raise ReadError(str(path), f"the file is {encoding}; allowed: UTF-8 (save it again as UTF-8)")
    if b"\x00" in head:
        raise ReadError(str(path), "the file holds zero bytes, so it is not UTF-8 text; allowed: UTF-8")
    if not head.removeprefix(codecs.BOM_UTF8).strip():
        raise ReadError(str(path), "the file is empty; allowed: a header and at least one row")


def _refuse_csv(path: Path, table: TextTable, error: Exception) -> NoReturn:
    """Find the fault that stopped the fast reader, slowly, to name its place."""
    header, last = table.header, 0
    try:
        for row in table.rows():
            last = row.row
            if len(row.cells) != len(header) and row.cells != [""]:
                column = header[min(len(row.cells), len(header) - 1)]
                problem = f"the row has {len(row.cells)} fields"
                allowed = f"{len(header)} fields, as in the header"
                raise SchemaError(str(path), row.row, column, problem, allowed) from error
    except TableFault as fault:
        raise refusal(path, fault) from fault
    if last == 1:
        raise ReadError(str(path), _NO_ROWS) from error
    raise ReadError(str(path), " ".join(str(error).split())) from error


def _read_jsonl(path: Path, columns: Sequence[Column], optional: Sequence[Column]) -> pd.DataFrame:
    _require_text(path)
    cells: dict[str, list[Any]] = {column.name: [] for column in columns if not column.optional}
    optional = [*optional, *(column for column in columns if column.optional)]
    blank = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                blank = blank or number
                continue
            if blank:
                raise ReadError(
                    str(path), f"row {blank}: the line is empty; allowed: one JSON object to a line"
                )
            answer = _json_object(str(path), number, line)
            if number == 1:
                cells |= {each.name: [] for each in optional if each.name in answer}
            for name, values in cells.items():
                if name not in answer:
                    raise SchemaError(str(path), number, name, "the key is missing", ", ".join(cells))
                values.append(answer[name])
    return pd.DataFrame(cells, dtype=object)


def _json_object(origin: str, number: int, line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ReadError(origin, f"row {number}: not UTF-8; allowed: UTF-8 text") from error
    except (ValueError, RecursionError) as error:
        raise ReadError(
            origin, f"row {number}: {shown(line.decode().strip())} is not JSON ({error})"
        ) from error
    if not isinstance(value, dict):
        raise ReadError(origin, f"row {number}: {shown(value)}; allowed: one JSON object to a line")
    return value


def _read_parquet(path: Path, columns: Sequence[Column]) -> pd.DataFrame:
    origin = str(path)
    try:
        with path.open("rb") as file:
            schema = pyarrow.parquet.read_schema(file)
            require_columns(schema.names, columns, origin)
            parquet = pyarrow.parquet.ParquetFile(file)
        n_rows = parquet.metadata.num_rows
        if not n_rows:
            raise ReadError(origin, _NO_ROWS)
        wanted = columns_to_check(columns, schema.names)
        with _read_in_turn(path, parquet.metadata, wanted, _in_codes(schema, wanted)) as cells:
            return check_response_cells(cells, schema.names, n_rows, origin, 1, columns)
    except pa.ArrowException as error:
        raise ReadError(origin, f"not a Parquet file ({' '.join(str(error).split())})") from error
    except OSError as error:
        raise ReadError(origin, f"cannot be read ({why_unread(error)})") from error


@contextmanager
def _read_in_turn(
    path: Path, metadata: pyarrow.parquet.FileMetaData, wanted: Sequence[Column], in_codes: list[str]
) -> Iterator[Callable[[str], pd.Series]]:
    """Columns that are asked for in the order `wanted`, read two at a time.

    What Arrow holds of one is gone before the next but one is read: a table is much smaller as codes."""

    def read(column: Column) -> pd.Series:
        # Each has its own file: a reader is not made for two threads.
        with pyarrow.parquet.ParquetFile(path, metadata=metadata, read_dictionary=in_codes) as parquet:
            cells = _cells(parquet.read(columns=[column.name], use_threads=False).column(column.name))
        # Arrow keeps freed memory: columns read in turn would add up.
        pa.default_memory_pool().release_unused()
        return cells

    # Two: the next column is read while one is checked.
    readers = ThreadPoolExecutor(2)
    try:
        coming = zip(names(wanted), readers.map(read, wanted), strict=True)

        def next_one(name: str) -> pd.Series:
            found, cells = next(coming)
            assert found == name
            return cells

        yield next_one
    finally:
        readers.shutdown(cancel_futures=True)


def _in_codes(schema: pa.Schema, columns: Sequence[Column]) -> list[str]:
    """The columns that are read as codes into their texts."""
    texts = (column.name for column in columns if not column.prose and not column.distinct)
    return [name for name in texts if schema.field(name).type in _TEXTS]


def _cells(column: pa.ChunkedArray) -> pd.Series:
    """Whole numbers and truths without detour over floats and objects; a column of nothing as texts."""
    if pa.types.is_dictionary(column.type) and column.type.value_type in _TEXTS:
        return _codes(column)
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    mapper = _WITH_MISSING.get if column.type in _WITH_MISSING else None
    cells: pd.Series = column.to_pandas(types_mapper=mapper)
    return cells


def _codes(column: pa.ChunkedArray) -> pd.Series:
    """A column with the dictionaries of all parts of the file unified."""
    parts = column.unify_dictionaries().chunks
    distinct = pd.Index(parts[0].dictionary.to_pandas())
    codes = np.empty(len(column), dtype=np.int32)
    done = 0
    for part in parts:
        given = part.indices if part.indices.null_count == 0 else part.indices.fill_null(-1)
        codes[done : done + len(part)] = given.to_numpy()
        done += len(part)
    groups = Groups(codes, len(distinct))
    return coded_texts(groups, distinct, groups.counts() > 0)
