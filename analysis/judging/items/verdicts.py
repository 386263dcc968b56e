"""Judges' values for items: one class or one number each; checked before anything is computed."""

from pathlib import Path

import pandas as pd

from analysis.data.checking import check_columns
from analysis.data.columns import Column, names
from analysis.errors import SchemaError, shown
from analysis.judging.files import _present, _read

SCALES = ("people", "own")

ITEM_VERDICT_COLUMNS: tuple[Column, ...] = (
    Column("judge", "text", "", "who judged", required=True),
    Column("run", "text", "", "which repeat of the judge; empty where there is one"),
    Column("criterion", "text", "", "the criterion judged; empty: compared with every criterion"),
    Column("item", "text", "", "the item judged", required=True),
    Column("value", "text", "", "the class, or the number; empty where the judge abstains"),
    Column(
        "scale",
        "text",
        "",
        "whether numbers are on people's scale; where it is left out, they are if all lie within it",
        allowed=SCALES,
    ),
)

_NEEDED = ("judge", "item", "value")
_KEY = ("judge", "run", "criterion", "item")


def read_item_verdicts(path: Path | str) -> pd.DataFrame:
    """Read and check a file of what judges say of items (CSV, JSON lines or Parquet, by its suffix).

    Raises
    ------
    ReadError
        If the file is missing, empty, not text or not what its suffix says.
    SchemaError
        As `check_item_verdicts`.
    """
    path = Path(path)
    present = _present(path, ITEM_VERDICT_COLUMNS)
    _require(present, str(path))
    frame, first_row = _read(path, [column for column in ITEM_VERDICT_COLUMNS if column.name in present])
    return check_item_verdicts(frame, str(path), first_row)


def check_item_verdicts(df: pd.DataFrame, origin: str = "verdicts", first_row: int = 2) -> pd.DataFrame:
    """Return a typed copy of a table of what judges say of items, or refuse it at its first fault.

    One row is what one run of one judge says of one item, by one criterion where people rated by several.

    Parameters
    ----------
    df
        `judge`, `item`, `value`, and optionally `run`, `criterion` and `scale`; further columns are ignored. A value
        that is not given is an abstention, and is kept.
    origin, first_row
        How an error names the table and its first row (2 for a CSV).

    Returns
    -------
    DataFrame
        The columns of `ITEM_VERDICT_COLUMNS` as categories of texts, and `row`, the number of each.

    Raises
    ------
    SchemaError
        For a missing column, a cell that is not allowed, or a second value of a run for the same item.
    """
    present = [str(name) for name in df.columns]
    _require(present, origin)
    given = [column for column in ITEM_VERDICT_COLUMNS if column.name in present]
    texts = df.assign(value=_as_texts(df["value"]))
    typed = check_columns(texts, given, origin, first_row).reindex(columns=list(names(ITEM_VERDICT_COLUMNS)))
    for column in ITEM_VERDICT_COLUMNS:
        if column.name not in present:
            typed[column.name] = pd.Categorical([None] * len(df), categories=pd.Index([], dtype="str"))
    typed["row"] = range(first_row, first_row + len(df))
    _refuse_repeats(typed, origin, first_row)
    return typed


def _as_texts(values: pd.Series) -> pd.Series:
    """A file may hold numbers or truths as such: 2.0 is the text `2`, as people's ratings have it."""
    # Before numbers, because pandas takes bool for numeric.
    if pd.api.types.is_bool_dtype(values.dtype):
        return values.map({True: "true", False: "false"})
    if not pd.api.types.is_numeric_dtype(values.dtype):
        return values
    # Fifteen digits: as many decimals as a double is sure to hold.
    return values.map(lambda value: None if pd.isna(value) else f"{float(value):.15g}").astype(object)


def _require(present: list[str], origin: str) -> None:
    for name in _NEEDED:
        if name not in present:
            hint = " (are the fields separated by commas, semicolons or tabs?)" if len(present) == 1 else ""
            allowed = "judge, item, value, and optionally run, criterion, scale"
            raise SchemaError(origin, 1, name, f"the column is missing{hint}", allowed)


def _refuse_repeats(typed: pd.DataFrame, origin: str, first_row: int) -> None:
    repeated = typed.duplicated(list(_KEY)).to_numpy()
    if repeated.any():
        second = int(repeated.argmax())
        row = typed.iloc[second]
        run = "" if pd.isna(row["run"]) else f", run {row['run']}"
        problem = f"{shown(row['item'])} was already judged (judge {row['judge']}{run})"
        raise SchemaError(
            origin, first_row + second, "item", problem, "one value for each judge, run and item"
        )
