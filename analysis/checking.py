"""Cells against their column definitions: text or typed cells in, one dtype per column type out."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.columns import Column, names
from analysis.errors import SchemaError, shown

Codes = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

_INTEGER = re.compile(r"[+-]?\d{1,15}(\.0+)?")
_LARGEST = 10**15


def check_columns(df: pd.DataFrame, columns: Sequence[Column], origin: str, first_row: int) -> pd.DataFrame:
    """Return a typed copy of `df` with exactly `columns`; extra columns are left out.

    Texts and choices become categories (sorted, so that row order is of no consequence), integers ``Int64``,
    booleans ``boolean``, times UTC; an empty cell is missing.

    Raises
    ------
    SchemaError
        At the first column that is missing, double or holds a cell that is not allowed, at its first such
        row.
    """
    require_columns([str(name) for name in df.columns], columns, origin)
    typed = {column.name: _typed(df[column.name], column, origin, first_row) for column in columns}
    return pd.DataFrame(typed, columns=list(names(columns)), index=pd.RangeIndex(len(df)))


def require_columns(given: Sequence[str], columns: Iterable[Column], origin: str) -> None:
    """Refuse a header in which a needed column is missing or stands twice."""
    needed = names(columns)
    for name in needed:
        if name not in given:
            raise SchemaError(
                origin, 1, name, f"the column is missing{_hint(given, needed)}", ", ".join(needed)
            )
        if given.count(name) > 1:
            raise SchemaError(origin, 1, name, f"the column stands {given.count(name)} times", "once")


def _hint(given: Sequence[str], needed: Sequence[str]) -> str:
    if len(given) == 1:
        return " (are the fields separated by commas?)"
    foreign = "vidA_type" in given and "vidA_type" not in needed
    return " (this is the HNTT layout: import it, or add --hntt)" if foreign else ""


def categorical(series: pd.Series) -> pd.Categorical:
    """The cells as texts, stored as codes into the sorted distinct ones; empty cells are missing."""
    if series.dtype == object:
        series = series.map(_text, na_action="ignore")
    codes, distinct = _factorised(series)
    used = np.bincount(codes + 1, minlength=len(distinct) + 1)[1:] > 0
    if _is_settled(series) and used.all():
        return pd.Categorical(series)
    texts = [_text(value) if use else "" for value, use in zip(distinct, used, strict=True)]
    categories = sorted(set(texts) - {""})
    position = {text: code for code, text in enumerate(categories)}
    # The last place answers for code -1, a missing cell.
    mapping = np.array([position.get(text, -1) for text in texts] + [-1], dtype=np.intp)
    return pd.Categorical.from_codes(mapping[codes], categories=pd.Index(categories, dtype="str"))


def _is_settled(series: pd.Series) -> bool:
    """Whether the cells are what `categorical` returns: checking a checked table again is to be cheap."""
    if not isinstance(series.dtype, pd.CategoricalDtype) or series.cat.categories.dtype != "str":
        return False
    categories = series.cat.categories
    return bool(categories.is_monotonic_increasing) and "" not in categories


def _factorised(series: pd.Series) -> tuple[Codes, Collection[object]]:
    if isinstance(series.dtype, pd.CategoricalDtype):
        return series.cat.codes.to_numpy().astype(np.intp), series.cat.categories
    codes, distinct = pd.factorize(series)
    return codes, distinct


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _typed(series: pd.Series, column: Column, origin: str, first_row: int) -> pd.Series:
    def refuse(bad: Mask, allowed: str) -> None:
        if bad.any():
            first = int(bad.argmax())
            cell = series.iloc[first]
            problem = "the cell is empty" if _is_empty(cell) else f"{shown(_text(cell))} is not allowed"
            raise SchemaError(origin, first_row + first, column.name, problem, allowed)

    values, missing, bad = _reader(column)(series, column)
    refuse(bad, column.allowed_text)
    if column.required:
        refuse(missing, column.allowed_text)
    return values


def _is_empty(cell: object) -> bool:
    return cell is None or cell is pd.NA or cell is pd.NaT or cell == "" or cell != cell


Read = tuple["pd.Series", Mask, Mask]


def _read_text(series: pd.Series, _column: Column) -> Read:
    cells = categorical(series)
    return pd.Series(cells), cells.codes < 0, np.zeros(len(series), dtype=bool)


def _read_prose(series: pd.Series, _column: Column) -> Read:
    texts = series.astype("str").reset_index(drop=True)
    texts = texts.mask(texts == "")
    return texts, texts.isna().to_numpy(), np.zeros(len(series), dtype=bool)


def _read_choice(series: pd.Series, column: Column) -> Read:
    cells = categorical(series)
    bad = _where(cells, lambda text: text not in column.allowed)
    typed = pd.Categorical(cells.set_categories(list(column.allowed)))
    return pd.Series(typed), cells.codes < 0, bad


def _read_integer(series: pd.Series, column: Column) -> Read:
    low = -_LARGEST if column.minimum is None else column.minimum
    high = _LARGEST if column.maximum is None else column.maximum
    if pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_bool_dtype(series.dtype):
        missing = series.isna().to_numpy()
        numbers = series.to_numpy(dtype=float, na_value=np.nan)
        numbers = np.where(missing, low, numbers)
        bad = ~np.isfinite(numbers) | (numbers != np.floor(numbers)) | (numbers < low) | (numbers > high)
        integers = np.where(bad, low, numbers).astype(np.int64)
    else:
        cells = categorical(series)
        missing = cells.codes < 0
        parsed = [int(float(text)) if _INTEGER.fullmatch(text) else None for text in cells.categories]
        fits = [number is not None and low <= number <= high for number in parsed]
        bad = _taken(cells, [not fit for fit in fits])
        integers = np.array(
            [n if n is not None and ok else 0 for n, ok in zip(parsed, fits, strict=True)] + [0]
        )
        integers = integers.astype(np.int64)[cells.codes]
    return pd.Series(pd.array(integers, dtype="Int64")).mask(missing), missing, bad


def _read_boolean(series: pd.Series, _column: Column) -> Read:
    cells = categorical(series)
    truths = [
        {"true": True, "1": True, "false": False, "0": False}.get(text.lower()) for text in cells.categories
    ]
    values = np.array([bool(truth) for truth in truths] + [False])[cells.codes]
    missing = cells.codes < 0
    bad = _taken(cells, [truth is None for truth in truths])
    return pd.Series(pd.array(values, dtype="boolean")).mask(missing), missing, bad


def _read_time(series: pd.Series, _column: Column) -> Read:
    if isinstance(series.dtype, pd.CategoricalDtype) or series.dtype == object:
        series = series.astype(object).map(_text, na_action="ignore").astype("str")
    if not pd.api.types.is_datetime64_any_dtype(series.dtype):
        series = series.astype("str")
        series = series.mask(series == "")
    missing = series.isna().to_numpy()
    times = pd.to_datetime(series.reset_index(drop=True), format="ISO8601", utc=True, errors="coerce")
    return times.astype("datetime64[us, UTC]"), missing, times.isna().to_numpy() & ~missing


def _where(cells: pd.Categorical, condition: Callable[[str], bool]) -> Mask:
    return _taken(cells, [condition(text) for text in cells.categories])


def _taken(cells: pd.Categorical, per_category: Sequence[bool]) -> Mask:
    """One truth per category spread over the cells; a missing cell is False."""
    spread: Mask = np.array([*per_category, False], dtype=bool)[cells.codes]
    return spread


_READERS: dict[str, Callable[[pd.Series, Column], Read]] = {
    "text": _read_text,
    "integer": _read_integer,
    "boolean": _read_boolean,
    "time": _read_time,
}


def _reader(column: Column) -> Callable[[pd.Series, Column], Read]:
    if column.allowed:
        return _read_choice
    return _read_prose if column.prose else _READERS[column.type]
