"""Results of very many participants: their rows as files, and the JSON without them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import pandas as pd

from analysis.choice.breakdowns import Breakdown
from analysis.choice.studies import StudyResult
from analysis.errors import AnalysisError
from analysis.results import Result

TableFormat: TypeAlias = Literal["csv", "parquet"]
TABLE_FORMATS: tuple[TableFormat, ...] = ("csv", "parquet")

MOST_ROWS = 10_000
"""A table of more rows than this is not in the JSON."""

AS_FILES = "the same command with --out DIR writes these rows as files"

AnyResult = TypeVar("AnyResult", bound=Result)
Place: TypeAlias = tuple[str | int, ...]

# As in `app.core.spreadsheet`: cells that a spreadsheet would run, which are no numbers.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-](inf|nan)")

# Printed inside each other in the JSON: both are there, or none.
_TOGETHER = frozenset({"participants", "participant_preferences"})


@dataclass(frozen=True, slots=True, eq=False)
class RowTable:
    """One table of a result: its `name`, the `study` it is of, and its `place` in the JSON."""

    name: str
    study: str | None
    place: Place
    table: pd.DataFrame


def without_many_rows(result: Result, most: int = MOST_ROWS) -> dict[str, Any]:
    """The JSON of a result, in which a table of more than `most` rows is null.

    If there is such a table, a last key `rows` names it, with the number of its rows, and how to get them; else the
    JSON is that of `to_dict()`.
    """
    summary, tables = _split(result, most)
    if not tables:
        return summary
    left_out: dict[str, int] = {}
    for one in (table for table in tables if len(table.table)):
        left_out[one.name] = left_out.get(one.name, 0) + len(one.table)
    return {**summary, "rows": {"most": most, "left_out": left_out, "get": AS_FILES}}


def write_row_files(result: Result, folder: Path, table_format: TableFormat = "csv") -> dict[str, Any]:
    """Write every table of a result into a folder, and return the JSON without them.

    One file for each kind of table, the studies below each other, with a column `study`. A last key `rows` has `files`:
    the name of each table, its file and how many rows it has.

    Raises
    ------
    AnalysisError
        If the folder has files in it, or cannot be written.
    """
    _require_empty(folder)
    summary, tables = _split(result, -1)
    files: dict[str, dict[str, str | int]] = {}
    for name in dict.fromkeys(one.name for one in tables):
        table = _below_each_other([one for one in tables if one.name == name])
        file = f"{name}.{table_format}"
        if table_format == "parquet":
            table.to_parquet(folder / file, index=False)
        else:
            # The same bytes on every system.
            _defused(table).to_csv(folder / file, index=False, lineterminator="\n")
        files[name] = {"file": file, "n_rows": len(table)}
    return {**summary, "rows": {"files": files}}


def _require_empty(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise AnalysisError(f"{folder}: there are files in this folder; name a new one")
    except OSError as error:
        raise AnalysisError(f"{folder}: {error.strerror or error}") from error


def _split(result: Result, most: int) -> tuple[dict[str, Any], list[RowTable]]:
    tables: list[RowTable] = []
    summary = _emptied(result, most, (), "", None, tables).to_dict()
    for one in tables:
        *way, last = one.place
        at: Any = summary
        for step in way:
            at = at[step]
        if last in at:
            at[last] = None
    return summary, tables


def _emptied(
    result: AnyResult, most: int, place: Place, prefix: str, study: str | None, tables: list[RowTable]
) -> AnyResult:
    """The result without the rows of its large tables, which are added to `tables`."""
    if isinstance(result, StudyResult):
        prefix, study = "", result.study
    changed: dict[str, Any] = {}
    for name, value in _values(result):
        named = f"{prefix}{name}"
        if isinstance(value, pd.DataFrame):
            if _n_rows(result, name) > most:
                if isinstance(result, Breakdown):
                    tables.append(RowTable(prefix.removesuffix("_"), study, (*place, "rows"), value))
                else:
                    tables.append(RowTable(named, study, (*place, name), value))
                changed[name] = value.iloc[:0]
        elif isinstance(value, Result):
            changed[name] = _emptied(value, most, (*place, name), f"{named}_", study, tables)
        elif isinstance(value, tuple) and value and all(isinstance(one, Result) for one in value):
            changed[name] = tuple(
                _emptied(one, most, (*place, name, at), f"{_item_name(one, named)}_", study, tables)
                for at, one in enumerate(value)
            )
    return replace(result, **changed) if changed else result  # type: ignore[type-var]


def _values(result: Result) -> Iterator[tuple[str, Any]]:
    for field in fields(result):  # type: ignore[arg-type]
        yield field.name, getattr(result, field.name)


def _item_name(result: Result, named: str) -> str:
    return f"{result.measure}_by_{result.by}" if isinstance(result, Breakdown) else named


def _n_rows(result: Result, name: str) -> int:
    of = _TOGETHER if isinstance(result, StudyResult) and name in _TOGETHER else {name}
    return max(len(value) for field, value in _values(result) if field in of)


def _below_each_other(tables: Sequence[RowTable]) -> pd.DataFrame:
    parts = []
    for one in tables:
        part = one.table
        if one.study is not None and "study" not in part:
            part = part.copy(deep=False)
            part.insert(0, "study", one.study)
        parts.append(part)
    # Without empty parts, whose types pandas would mix into the columns.
    full = [part for part in parts if len(part)] or parts[:1]
    return pd.concat(full, ignore_index=True) if len(full) > 1 else full[0]


def _defused(table: pd.DataFrame) -> pd.DataFrame:
    """The table with an apostrophe before cells that a spreadsheet would run, which our readers remove."""
    changed = {}
    for name, cells in table.items():
        if isinstance(cells.dtype, pd.CategoricalDtype) or cells.dtype == object:
            changed[str(name)] = cells.astype(object).map(_cell, na_action="ignore")
    return table.assign(**changed) if changed else table


def _cell(cell: object) -> object:
    is_formula = isinstance(cell, str) and _FORMULA.match(cell) and not _NUMBER.fullmatch(cell)
    return f"'{cell}" if is_formula else cell
