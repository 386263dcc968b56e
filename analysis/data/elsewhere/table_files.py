"""External tables: the named columns of a CSV, TSV, JSON lines or Parquet file, under any names."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from analysis.data.columns import Column
from analysis.data.elsewhere.cell_parts import Part
from analysis.data.elsewhere.json_files import is_json, json_table
from analysis.data.elsewhere.mapped_cells import texts_of
from analysis.data.reading import read_csv
from analysis.data.text_files import open_csv
from analysis.errors import AnalysisError, ReadError, SchemaError, shown, why_unread
from analysis.files.text_tables import TextTable

_USUAL = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_SUFFIXES = ".csv, .tsv, .txt, .json, .jsonl or .parquet, or any with a `delimiter` in the mapping"


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file and its header; `text` is None where it is no delimited text. Or a table in memory, `frame`.

    `joined` has the columns that stand for several of the file's, with `joined_by` between their texts, `parts` those
    that are a part of one."""

    path: Path
    header: tuple[str, ...]
    text: TextTable | None = None
    frame: pd.DataFrame | None = None
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    joined_by: str = ""
    parts: Mapping[str, Part] = field(default_factory=dict)

    @property
    def first_row(self) -> int:
        """The number that an error gives the first row of data."""
        return 1 if self.text is None else 2

    def read(
        self, names: Collection[str], prose: Collection[str] = (), nested: Collection[str] = ()
    ) -> pd.DataFrame:
        """The named columns, each once, cells as they stand; `prose` has long texts that seldom repeat, `nested` may
        have lists and objects, which in a text table are texts.

        Raises ReadError or SchemaError where a row cannot be read.
        """
        parts_of = {name: self.parts[name] for name in names if name in self.parts}
        if parts_of:
            whole = [self.parts[name].column if name in parts_of else name for name in names]
            table = replace(self, parts={}).read(list(dict.fromkeys(whole)), prose, nested)
            for name, part in parts_of.items():
                table[name] = part.of(table[part.column], str(self.path), self.first_row)
            return table[list(names)]
        joined = {name: self.joined[name] for name in names if name in self.joined}
        if joined:
            single = [name for name in names if name not in joined]
            parts = [part for one in joined.values() for part in one]
            table = replace(self, joined={}).read(list(dict.fromkeys([*single, *parts])), prose, nested)
            for name, columns in joined.items():
                table[name] = self.together(table, columns)
            return table[list(names)]
        for name in names:
            if self.header.count(name) > 1:
                raise SchemaError(
                    str(self.path), 1, name, f"the column stands {self.header.count(name)} times", "once"
                )
        if self.frame is not None:
            places = [self.header.index(name) for name in names]
            found = self.frame.iloc[:, places].reset_index(drop=True)
            for name, place in zip(names, places, strict=True):
                if name not in nested:
                    _refuse_nested(str(self.path), name, self.frame.iloc[:, place])
            return _with_rows(found.set_axis(list(names), axis=1), self.path)
        prose = {*prose, *nested}
        if self.text is not None:
            wanted = [Column(name, "text", "", "", prose=name in prose) for name in names]
            return read_csv(self.path, wanted, is_ours=False, table=self.text)
        rows = _read_jsonl if self.path.suffix.lower() == ".jsonl" else _read_parquet
        return rows(self.path, list(names), nested)

    def together(self, table: pd.DataFrame, columns: Sequence[str]) -> pd.Series:
        """The texts of some columns as one; empty where all of them are. Refuses two rows that only look the same."""
        cells = [texts_of(table[name], {}) for name in columns]
        codes = np.stack([one.codes for one in cells], axis=1)
        used, which = np.unique(codes, axis=0, return_inverse=True)
        found = [
            ["" if code < 0 else str(one.categories[code]) for one, code in zip(cells, row, strict=True)]
            for row in used.tolist()
        ]
        texts = [self.joined_by.join(parts) if any(parts) else "" for parts in found]
        first: dict[str, list[str]] = {}
        for text, parts in zip(texts, found, strict=True):
            if first.setdefault(text, parts) != parts:
                raise AnalysisError(
                    f"{self.path}: columns {', '.join(columns)}: {first[text]} and {parts} are both {shown(text)} when "
                    f"joined by {shown(self.joined_by)}; give another `joined_by`"
                )
        return pd.Series(np.array(texts, dtype=object)[which.ravel()])


def _refuse_nested(origin: str, name: str, cells: pd.Series) -> None:
    if cells.dtype == object:
        for number, cell in enumerate(cells, start=1):
            if isinstance(cell, dict | list):
                raise SchemaError(origin, number, name, f"{shown(cell)} is not one value", "a text or number")


def open_table(
    path: Path | str | pd.DataFrame,
    delimiter: str | None = None,
    known: Collection[str] = (),
    *,
    letters: bool = False,
    rows: str | None = None,
) -> TableFile:
    """Look at the header of a file. What is not JSON lines or Parquet is delimited text, as `open_csv` reads it;
    `known` are names of columns that it should have; `rows` says where the rows of a JSON file are.

    A table in memory is called `table` in errors, which count its rows from 1.

    Raises
    ------
    ReadError
        If the file is missing, empty, of an unknown suffix or not what its suffix says.
    """
    if isinstance(path, pd.DataFrame):
        return TableFile(Path("table"), tuple(map(str, path.columns)), frame=path)
    path = Path(path)
    suffix = path.suffix.lower()
    if is_json(path):
        frame = json_table(path, rows)
        return TableFile(path, tuple(frame.columns), frame=frame)
    try:
        if delimiter or suffix in _USUAL:
            text = open_csv(path, known, delimiter, _USUAL.get(suffix, ","), letters=letters)
            return TableFile(path, text.header, text)
        if suffix == ".jsonl":
            return TableFile(path, tuple(dict.fromkeys(key for row in _objects(path) for key in row)))
        if suffix == ".parquet":
            return TableFile(path, tuple(pyarrow.parquet.read_schema(path).names))
    except pa.ArrowException as error:
        raise ReadError(str(path), f"not a Parquet file ({' '.join(str(error).split())})") from error
    except OSError as error:
        raise ReadError(str(path), f"cannot be read ({why_unread(error)})") from error
    raise ReadError(str(path), f"the suffix {suffix or '(none)'!r} is not known; allowed: {_SUFFIXES}")


def _objects(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    with path.open("rb") as file:
        # Bytes, because texts also break at U+2028, which a JSON text may hold.
        lines = file.read().rstrip().splitlines()
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise ReadError(str(path), f"row {number}: not one JSON object in UTF-8 ({error})") from error
        if not isinstance(row, dict):
            raise ReadError(str(path), f"row {number}: {shown(row)}; allowed: one JSON object to a line")
        rows.append(row)
    return rows


def _read_jsonl(path: Path, names: Sequence[str], nested: Collection[str]) -> pd.DataFrame:
    """A key that a line does not have is an empty cell."""
    rows = _objects(path)
    for number, row in enumerate(rows, start=1):
        for name in names:
            if name not in nested and isinstance(row.get(name), dict | list):
                raise SchemaError(
                    str(path), number, name, f"{shown(row[name])} is not one value", "a text or number"
                )
    table = {name: pd.Series([row.get(name) for row in rows], dtype=object) for name in names}
    return _with_rows(pd.DataFrame(table), path)


def _read_parquet(path: Path, names: Sequence[str], nested: Collection[str]) -> pd.DataFrame:
    schema = pyarrow.parquet.read_schema(path)
    for name in names:
        if name not in nested and pa.types.is_nested(schema.field(name).type):
            raise SchemaError(
                str(path), 1, name, "the cells are lists or records", "a text or number in each"
            )
    table = pyarrow.parquet.read_table(path, columns=list(names))
    # Without pandas' own metadata, which may turn a column into an index.
    lists = {name: table.column(name).to_pylist() for name in nested if name in table.column_names}
    flat = table.drop_columns(list(lists)).to_pandas(ignore_metadata=True)
    for name, cells in lists.items():
        flat[name] = pd.Series(cells, dtype=object)
    return _with_rows(flat, path)


def _with_rows(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    if table.empty:
        raise ReadError(str(path), "the file has no rows; allowed: at least one row")
    return table
