"""Cells against their column definitions: text or typed cells in, one dtype per column type out."""

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.data.codes import Codes, Groups, Mask, recoded, small_type, with_categories, with_texts
from analysis.data.columns import GAPS, Column, names
from analysis.errors import SchemaError, shown
from analysis.files.numbers import with_points

# 5.0 is whole, as pandas writes it in columns with gaps; ASCII, for \d alone takes the digits of every script.
_INTEGER = re.compile(r"[+-]?\d{1,15}(\.0+)?", re.ASCII)
# A whole or decimal number and nothing beside it.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?", re.ASCII)
# Floats hold whole numbers exactly up to 2**53, which has 16 digits.
_LARGEST = 10**15
_LEAVE_EMPTY = 'in R, `write.csv(rows, file, na = "")` leaves empty cells empty'
# Up to so many texts a loop is faster: a simulated participant takes about 24 ms less (CHANGELOG.md).
_FEW = 1000
_NULLABLE = {np.dtype(np.int8): pd.Int8Dtype(), np.dtype(np.int64): pd.Int64Dtype()}


def check_columns(df: pd.DataFrame, columns: Sequence[Column], origin: str, first_row: int) -> pd.DataFrame:
    """Return a typed copy of `df` with exactly `columns`; extra columns are left out.

    Texts and choices become categories (sorted, so that row order is of no consequence; texts that are
    `distinct` or `prose` stay texts), integers ``Int64`` (``Int8`` where the column allows no larger ones),
    numbers categories, too, sorted by size; booleans ``boolean``, times UTC; an empty cell is missing.

    Raises
    ------
    SchemaError
        At the first column that is missing, double or holds a cell that is not allowed, at its first such
        row.
    """
    require_columns([str(name) for name in df.columns], columns, origin)
    return check_cells(lambda name: df[name], len(df), columns, origin, first_row)


def check_cells(
    cells: Callable[[str], pd.Series], n_rows: int, columns: Sequence[Column], origin: str, first_row: int
) -> pd.DataFrame:
    """Like `check_columns`, for existing columns passed one by one, on demand."""
    index = pd.RangeIndex(n_rows)
    typed = {column.name: _typed(cells(column.name), column, origin, first_row) for column in columns}
    for each in typed.values():
        each.index = index  # one for all: pandas would align each column with it
    return pd.DataFrame(typed, index=index, copy=False)


def require_columns(given: Sequence[str], columns: Iterable[Column], origin: str) -> None:
    """Refuse a header in which a needed column is missing, or any of them stands twice."""
    columns = tuple(columns)
    needed = names(columns)
    for column in columns:
        name = column.name
        if name not in given and not column.optional:
            raise SchemaError(
                origin, 1, name, f"the column is missing{_hint(given, needed)}", ", ".join(needed)
            )
        if given.count(name) > 1:
            raise SchemaError(origin, 1, name, f"the column stands {given.count(name)} times", "once")


def without_absent(columns: Iterable[Column], given: Sequence[str]) -> tuple[Column, ...]:
    """`columns` without the optional ones that a table does not have."""
    return tuple(column for column in columns if not column.optional or column.name in given)


def empty_cells(column: Column, n_rows: int) -> pd.Series:
    """The cells of an optional column that a table does not have, typed."""
    if column.type == "number":
        return _coded_numbers(np.full(n_rows, -1, dtype=np.int8), np.array([], dtype=float))
    return _typed(pd.Series([None] * n_rows, dtype=object), column, "", 1)


def _hint(given: Sequence[str], needed: Sequence[str]) -> str:
    if len(given) == 1:
        return " (are the fields separated by commas, semicolons or tabs?)"
    foreign = "vidA_type" in given and "vidA_type" not in needed
    return " (this is the HNTT layout: import it, or add --hntt)" if foreign else ""


def categorical(series: pd.Series) -> pd.Categorical:
    """Like `coded`, without the column around it."""
    cells = coded(series).array
    assert isinstance(cells, pd.Categorical)
    return cells


def coded(series: pd.Series) -> pd.Series:
    """The cells as texts, stored as codes into the sorted distinct ones; empty cells are missing.

    A column already in that form is not copied: checking a checked table again has to be cheap.
    """
    if len(series) <= _FEW and (series.dtype == object or series.dtype == "str"):
        return _coded_few(series)
    if series.dtype == object:
        series = series.map(_text, na_action="ignore")
    groups, distinct = _factorised(series)
    used = groups.counts() > 0
    if distinct.dtype != "str":
        mapping, categories = _merged(distinct, used)
        return with_categories(recoded(groups.codes, mapping), categories)
    if isinstance(series.dtype, pd.CategoricalDtype) and used.all() and _are_sorted(distinct):
        return series.reset_index(drop=True)
    return coded_texts(groups, distinct, used)


def _coded_few(series: pd.Series) -> pd.Series:
    """`coded`, of a column so short that each of Arrow's calls takes longer than all of this."""
    gone = pd.isna(series.array)
    texts = ["" if empty else _text(cell) for cell, empty in zip(series.to_list(), gone, strict=True)]
    categories = sorted(set(texts) - {""})
    position = {text: code for code, text in enumerate(categories)}
    codes = np.array([position.get(text, -1) for text in texts], dtype=small_type(len(categories)))
    return with_texts(codes, tuple(categories))


def coded_texts(groups: Groups, distinct: pd.Index, used: Mask) -> pd.Series:
    """`coded` for codes into distinct texts, of which those in `used` occur."""
    order = distinct.argsort()
    order = order[used[order] & np.asarray(distinct != "", dtype=bool)[order]]
    mapping = np.full(groups.size + 1, -1, dtype=small_type(len(order)))
    mapping[order] = np.arange(len(order))
    return with_categories(recoded(groups.codes, mapping), distinct.take(order))


def _are_sorted(texts: pd.Index) -> bool:
    """True if the texts are strictly ascending and the first is not empty."""
    cells = texts.array
    return not len(cells) or (cells[0] != "" and bool((cells[:-1] < cells[1:]).all()))


def _factorised(series: pd.Series) -> tuple[Groups, pd.Index]:
    """The cells as codes into their distinct values, texts as far as they are texts."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes, distinct = series.array.codes, series.cat.categories
    else:
        codes, distinct = pd.factorize(series)
    distinct = pd.Index(distinct)
    return Groups(codes, len(distinct)), distinct.astype(
        "str"
    ) if distinct.inferred_type == "string" else distinct


def _merged(distinct: pd.Index, used: Mask) -> tuple[Codes, pd.Index]:
    """New codes of values that are not texts: two of them may have the same text."""
    texts = [_text(value) if use else "" for value, use in zip(distinct, used, strict=True)]
    categories = sorted(set(texts) - {""})
    position = {text: code for code, text in enumerate(categories)}
    mapping = np.array([position.get(text, -1) for text in texts] + [-1], dtype=small_type(len(categories)))
    return mapping, pd.Index(categories, dtype="str")


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    # An id 5 in a column with gaps comes as 5.0: it has to be the same text as in a column without.
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _typed(series: pd.Series, column: Column, origin: str, first_row: int) -> pd.Series:
    def refuse(bad: Mask, allowed: str) -> None:
        if bad.any():
            first = int(bad.argmax())
            cell = series.iloc[first]
            problem = "the cell is empty" if _is_empty(cell) else f"{shown(_text(cell))} is not allowed"
            hint = f" ({_LEAVE_EMPTY})" if not column.required and _text(cell) in GAPS else ""
            raise SchemaError(origin, first_row + first, column.name, problem, f"{allowed}{hint}")

    try:
        values, missing, bad = _reader(column)(series, column)
    # JSON may hold half a surrogate pair (\ud800), which UTF-8 cannot.
    except UnicodeEncodeError as error:
        first = next(place for place, cell in enumerate(series) if not _is_utf8(cell))
        problem = f"{shown(series.iloc[first])} is not UTF-8"
        raise SchemaError(origin, first_row + first, column.name, problem, "UTF-8 text") from error
    refuse(bad, column.allowed_text)
    if column.required:
        refuse(missing, column.allowed_text)
    return values


def _is_utf8(cell: object) -> bool:
    """False for half of a letter that UTF-16 writes in two, which JSON can hold."""
    try:
        return not isinstance(cell, str) or bool(cell.encode("utf-8")) or not cell
    except UnicodeEncodeError:
        return False


def _is_empty(cell: object) -> bool:
    # Only NaN differs from itself.
    return cell is None or cell is pd.NA or cell is pd.NaT or cell == "" or cell != cell


Read = tuple["pd.Series", Mask, Mask]


def _read_text(series: pd.Series, column: Column) -> Read:
    cells = coded(series)
    # As one step: a study has as many sessions as texts to look at.
    never = cells.array.categories.isin(column.never)
    return cells, _is_missing(cells), _taken(cells, never) if never.any() else _nowhere(series)


def _read_distinct(series: pd.Series, column: Column) -> Read:
    return _read_prose(series if series.dtype == "str" else coded(series), column)


def _read_prose(series: pd.Series, _column: Column) -> Read:
    texts = series.astype("str").reset_index(drop=True)
    empty = texts == ""
    if empty.any():
        texts = texts.mask(empty)
    return texts, texts.isna().to_numpy(), _nowhere(series)


def _read_choice(series: pd.Series, column: Column) -> Read:
    # Checked before: given back without a copy, because a table may have tens of millions of rows.
    if isinstance(series.dtype, pd.CategoricalDtype) and tuple(series.cat.categories) == column.allowed:
        return series.reset_index(drop=True), _is_missing(series), _nowhere(series)
    cells = coded(series)
    place = {text: code for code, text in enumerate(column.allowed)}
    places = [place.get(text, -1) for text in cells.array.categories]
    mapping = np.array([*places, -1], dtype=small_type(len(place)))
    chosen = with_texts(recoded(cells.array.codes, mapping), column.allowed)
    return chosen, _is_missing(cells), _taken(cells, [code < 0 for code in places])


def _read_integer(series: pd.Series, column: Column) -> Read:
    low = -_LARGEST if column.minimum is None else column.minimum
    high = _LARGEST if column.maximum is None else column.maximum
    dtype: np.dtype[np.signedinteger] = (
        np.dtype(np.int8) if low >= -128 and high <= 127 else np.dtype(np.int64)
    )
    if series.dtype.kind == "i":
        return _read_whole(series, low, high, dtype)
    if pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_bool_dtype(series.dtype):
        missing = series.isna().to_numpy()
        numbers = series.to_numpy(dtype=float, na_value=np.nan)
        numbers = np.where(missing, low, numbers)
        bad = ~np.isfinite(numbers) | (numbers != np.floor(numbers)) | (numbers < low) | (numbers > high)
        integers = np.where(bad, low, numbers).astype(np.int64)
    else:
        cells = coded(series)
        missing = _is_missing(cells)
        parsed = [int(float(text)) if _INTEGER.fullmatch(text) else None for text in cells.cat.categories]
        fits = [number is not None and low <= number <= high for number in parsed]
        bad = _taken(cells, [not fit for fit in fits])
        kept = [n if n is not None and ok else 0 for n, ok in zip(parsed, fits, strict=True)]
        integers = recoded(cells.array.codes, np.array([*kept, 0], dtype=np.int64))
    return _whole(integers.astype(dtype), missing), missing, bad


def _read_whole(series: pd.Series, low: int, high: int, dtype: np.dtype[np.signedinteger]) -> Read:
    missing = series.isna().to_numpy()
    integers = series.to_numpy(dtype=series.dtype.type, na_value=0)
    bad = ~missing & ((integers < low) | (integers > high))
    if series.dtype == _NULLABLE[dtype]:
        return series.reset_index(drop=True), missing, bad
    return _whole(integers.astype(dtype), missing), missing, bad


def _whole(integers: npt.NDArray[np.signedinteger], missing: Mask) -> pd.Series:
    return pd.Series(pd.arrays.IntegerArray(integers, missing), copy=False)


def _read_number(series: pd.Series, _column: Column) -> Read:
    """Codes into the distinct numbers: of ten million answers on a scale of 0 to 100 there are few."""
    if isinstance(series.dtype, pd.CategoricalDtype) and series.cat.categories.dtype.kind == "f":
        return series.reset_index(drop=True), _is_missing(series), _nowhere(series)
    if pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_bool_dtype(series.dtype):
        missing = series.isna().to_numpy()
        numbers = series.to_numpy(dtype=float, na_value=np.nan)
        bad = ~np.isfinite(numbers) & ~missing
        codes, distinct = pd.factorize(np.where(bad, np.nan, numbers), sort=True)
        return _coded_numbers(codes, distinct), missing, bad
    cells = coded(series)
    texts = with_points([str(text) for text in cells.cat.categories])
    given = [float(text) if _NUMBER.fullmatch(text) else np.nan for text in texts]
    finite = np.isfinite(np.array(given, dtype=float))
    distinct = np.unique(np.array(given, dtype=float)[finite])
    places = np.where(finite, np.searchsorted(distinct, np.where(finite, given, 0.0)), -1)
    codes = np.append(places, -1)[cells.array.codes]
    return _coded_numbers(codes, distinct), _is_missing(cells), _taken(cells, (~finite).tolist())


def _coded_numbers(codes: Codes, distinct: npt.NDArray[np.float64]) -> pd.Series:
    return with_categories(codes.astype(small_type(len(distinct) + 1)), pd.Index(distinct, dtype=float))


def _read_boolean(series: pd.Series, _column: Column) -> Read:
    if series.dtype.kind == "b":
        return series.reset_index(drop=True).astype("boolean"), series.isna().to_numpy(), _nowhere(series)
    cells = coded(series)
    missing = _is_missing(cells)
    said = {"true": True, "1": True, "false": False, "0": False}
    truths = [said.get(text.lower()) for text in cells.cat.categories]
    values = _taken(cells, [bool(truth) for truth in truths])
    bad = _taken(cells, [truth is None for truth in truths])
    return pd.Series(pd.arrays.BooleanArray(values, missing), copy=False), missing, bad


def _read_time(series: pd.Series, _column: Column) -> Read:
    if isinstance(series.dtype, pd.CategoricalDtype) or series.dtype == object:
        series = series.astype(object).map(_text, na_action="ignore").astype("str")
    if not pd.api.types.is_datetime64_any_dtype(series.dtype):
        series = series.astype("str")
        empty = series == ""
        series = series.mask(empty) if empty.any() else series
    missing = series.isna().to_numpy()
    # With a format: pandas would guess one from the first cell, and 01/02 may be January or February.
    times = pd.to_datetime(series.reset_index(drop=True), format="ISO8601", utc=True, errors="coerce")
    # Microseconds: nanoseconds end in the year 2262.
    return times.astype("datetime64[us, UTC]"), missing, times.isna().to_numpy() & ~missing


def _is_missing(cells: pd.Series) -> Mask:
    missing: Mask = cells.array.codes < 0
    return missing


def _nowhere(series: pd.Series) -> Mask:
    return np.zeros(len(series), dtype=bool)


def _taken(cells: pd.Series, per_category: Sequence[bool] | Mask) -> Mask:
    """One truth per category spread over the cells; a missing cell is False."""
    spread: Mask = np.array([*per_category, False], dtype=bool)[cells.array.codes]
    return spread


_READERS: dict[str, Callable[[pd.Series, Column], Read]] = {
    "text": _read_text,
    "integer": _read_integer,
    "number": _read_number,
    "boolean": _read_boolean,
    "time": _read_time,
}


def _reader(column: Column) -> Callable[[pd.Series, Column], Read]:
    if column.allowed:
        return _read_choice
    if column.distinct:
        return _read_distinct
    return _read_prose if column.prose else _READERS[column.type]
