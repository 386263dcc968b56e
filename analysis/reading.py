"""Files into tables: CSV, JSON lines and Parquet, every fault told with its place."""

import codecs
import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from analysis.checking import require_columns
from analysis.columns import RESPONSE_COLUMNS, Column
from analysis.errors import ReadError, SchemaError, shown
from analysis.schema import check_responses

_BYTE_ORDER_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_NO_ROWS = "the file has no rows; allowed: at least one row"
_SUFFIXES = ".csv, .jsonl or .parquet"


def read_responses(path: Path | str) -> pd.DataFrame:
    """Read and check an exported `responses` file (CSV, JSON lines or Parquet, by its suffix).

    One row is one answer to one trial. Identifiers stay text: participant ``007`` is not 7.

    Returns
    -------
    DataFrame
        As `check_responses` returns it.

    Raises
    ------
    ReadError
        If the file is missing, empty, not UTF-8 or not what its suffix says.
    SchemaError
        At the first cell that is not allowed.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return check_responses(read_csv(path, RESPONSE_COLUMNS), str(path), first_row=2)
    if suffix == ".jsonl":
        return check_responses(_read_jsonl(path, RESPONSE_COLUMNS), str(path), first_row=1)
    if suffix == ".parquet":
        return check_responses(_read_parquet(path, RESPONSE_COLUMNS), str(path), first_row=1)
    raise ReadError(str(path), f"the suffix {suffix or '(none)'!r} is not known; allowed: {_SUFFIXES}")


def read_csv(path: Path, columns: Sequence[Column]) -> pd.DataFrame:
    """The named columns of a UTF-8 CSV as text; a row of the wrong length is refused, never filled up."""
    _require_text(path)
    header = _header(path)
    require_columns(header, columns, str(path))
    texts = pa.dictionary(pa.int32(), pa.string())
    types = {column.name: pa.string() if column.prose else texts for column in columns}
    try:
        table = pyarrow.csv.read_csv(
            path,
            # A block has to hold at least one whole row, and reasons may be long.
            read_options=pyarrow.csv.ReadOptions(block_size=1 << 24),
            parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=types, include_columns=list(types), strings_can_be_null=False
            ),
        )
    except pa.ArrowException as error:
        _refuse_csv(path, header, error)
    return _with_rows(table.to_pandas(), path)


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


def _header(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        try:
            return next(csv.reader(file), [])
        except csv.Error as error:
            raise ReadError(str(path), f"row 1 cannot be read ({error})") from error


def _refuse_csv(path: Path, header: list[str], error: Exception) -> NoReturn:
    """Find the fault that stopped the fast reader, slowly, to name its place."""
    number = 0
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        rows = csv.reader(file, strict=True)
        try:
            for number, cells in enumerate(rows, start=1):
                _refuse_row(str(path), number, header, cells)
        except csv.Error as fault:
            problem = f"row {number + 1}: {fault} (a quote that is never closed?)"
            raise ReadError(str(path), problem) from error
    if number == 1:
        raise ReadError(str(path), _NO_ROWS) from error
    raise ReadError(str(path), " ".join(str(error).split())) from error


def _refuse_row(origin: str, number: int, header: list[str], cells: list[str]) -> None:
    for column, cell in zip(header, cells, strict=False):
        if any("\udc80" <= letter <= "\udcff" for letter in cell):
            legible = cell.encode("utf-8", "surrogateescape").decode("latin-1")
            raise SchemaError(origin, number, column, f"{shown(legible)} is not UTF-8", "UTF-8 text")
    if cells and len(cells) != len(header):
        column = header[min(len(cells), len(header) - 1)]
        problem = f"the row has {len(cells)} fields"
        raise SchemaError(origin, number, column, problem, f"{len(header)} fields, as in the header")


def _with_rows(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Without empty lines at the end; refused where nothing is left."""
    kept = len(table)
    while kept and all(pd.isna(cell) or cell == "" for cell in table.iloc[kept - 1]):
        kept -= 1
    if not kept:
        raise ReadError(str(path), _NO_ROWS)
    return table.iloc[:kept]


def _read_jsonl(path: Path, columns: Sequence[Column]) -> pd.DataFrame:
    _require_text(path)
    cells: dict[str, list[Any]] = {column.name: [] for column in columns}
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
    try:
        with path.open("rb") as file:
            parquet = pyarrow.parquet.ParquetFile(file)
            require_columns(parquet.schema_arrow.names, columns, str(path))
            table = parquet.read(columns=[column.name for column in columns])
            # Without pandas' own metadata, which may turn a column into an index.
            frame: pd.DataFrame = table.to_pandas(ignore_metadata=True)
    except pa.ArrowException as error:
        raise ReadError(str(path), f"not a Parquet file ({' '.join(str(error).split())})") from error
    except OSError as error:
        raise ReadError(str(path), f"cannot be read ({error.strerror or error})") from error
    if frame.empty:
        raise ReadError(str(path), _NO_ROWS)
    return frame
