"""Group codes: category columns as whole numbers, with which ten million rows take seconds.

A category column is codes into its texts, -1 where a cell is missing. Rows are grouped, counted and summed by codes,
a block at a time, so that nothing as wide as a float per row is made on the way.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

Codes = npt.NDArray[np.signedinteger]
Counts = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

T = TypeVar("T", bound=np.generic)

_BLOCK = 1 << 20
_HANDFUL = 16


@dataclass(frozen=True, slots=True)
class Groups:
    """Group codes: one in range(`size`) per row, -1 for a row of no group; groups may be empty."""

    codes: Codes
    size: int

    @property
    def is_single(self) -> bool:
        """True if all rows are in one group."""
        return len(self.codes) > 0 and 0 <= self.codes.min() == self.codes.max()

    def counts(self, which: Mask | None = None) -> Counts:
        """The number of rows of each group, among those selected by `which`."""
        total = np.zeros(self.size, dtype=np.int64)
        for block in _blocks(len(self.codes), self.size):
            codes = self.codes[block]
            if which is not None:
                # Two steps, three times as fast as `codes[which]`.
                codes = codes.take(np.flatnonzero(which[block]))
            # Only where a code is missing, as adding one costs a pass.
            if codes.size and codes.min() < 0:
                total += np.bincount(codes + 1, minlength=self.size + 1)[1:]
            else:
                total += np.bincount(codes, minlength=self.size)
        return total

    def sums(self, values: npt.NDArray[np.generic]) -> Counts:
        """The sum of one whole number or truth per row over the rows of each group; exact up to 2**53."""
        if values.dtype.itemsize == 1 and (not len(values) or (values.min() >= 0 and values.max() <= 1)):
            return self.counts(values.view(np.bool_))
        total = np.zeros(self.size, dtype=np.int64)
        for block in _blocks(len(self.codes), self.size):
            codes, weights = self.codes[block], values[block].astype(np.float64)
            if codes.min() < 0:
                inside = np.flatnonzero(codes >= 0)
                codes, weights = codes.take(inside), weights.take(inside)
            # bincount adds in floats, which are exact for whole numbers below 2**53.
            total += np.bincount(codes, weights, minlength=self.size).astype(np.int64)
        return total

    def some_row(self) -> Counts:
        """The number of a row of each group, -1 for a group without one."""
        row = np.full(self.size, -1, dtype=small_type(len(self.codes)))
        for block in _blocks(len(self.codes), self.size):
            codes, rows = self.codes[block], np.arange(block.start, block.stop, dtype=row.dtype)
            if codes.min() < 0:
                inside = np.flatnonzero(codes >= 0)
                codes, rows = codes.take(inside), rows.take(inside)
            row[codes] = rows
        return row.astype(np.int64)

    def with_missing(self) -> "Groups":
        """The same groups, and a last one of the rows that are in none."""
        codes = self.codes
        if len(codes) and codes.min() < 0:
            codes = recoded(codes, np.arange(self.size + 1, dtype=small_type(self.size + 1)))
        return Groups(codes, self.size + 1)

    def dense(self) -> "Groups":
        """The same groups with codes that all occur, in the same order."""
        used = self.counts() > 0
        if used.all():
            return self
        places = np.cumsum(used) - 1
        size = int(used.sum())
        return Groups(recoded(self.codes, np.append(places, -1).astype(small_type(size))), size)


def groups_of(columns: Sequence[pd.Series], *, missing: bool = False) -> Groups:
    """Rows grouped by several columns, groups in the order of the first, then of the second.

    A row with a missing cell is of no group; with `missing` a missing cell is a value like others, the last."""
    groups = None
    for column in columns:
        one = codes_of(column)
        if missing:
            one = one.with_missing()
        groups = one if groups is None else crossed(groups, one)
    if groups is None:
        raise ValueError("rows are grouped by at least one column")
    return groups


def codes_of(column: pd.Series) -> Groups:
    """The groups of one column, in the order of its categories or, of any other column, of its values."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return Groups(column.array.codes, len(column.cat.categories))
    codes, distinct = pd.factorize(column, sort=True)
    return Groups(codes, len(distinct))


def crossed(first: Groups, second: Groups) -> Groups:
    """Every group of the one divided by the groups of the other."""
    for one, other in ((first, second), (second, first)):
        if one.is_single:
            return other
    if first.size * second.size > max(len(first.codes), _BLOCK):
        first, second = first.dense(), second.dense()
    size = first.size * second.size
    if size == 0:
        return Groups(np.full(len(first.codes), -1, dtype=np.int8), 0)
    codes = np.empty(len(first.codes), dtype=small_type(size))
    factor = codes.dtype.type(second.size)
    for block in _blocks(len(codes)):
        # In the wider type first: groups of 128 and more overflowed int8.
        upper, lower = first.codes[block].astype(codes.dtype), second.codes[block]
        codes[block] = np.where((upper < 0) | (lower < 0), -1, upper * factor + lower)
    return Groups(codes, size)


def recoded(codes: Codes, mapping: npt.NDArray[T]) -> npt.NDArray[T]:
    """`mapping[codes]`, whose last place answers for a missing cell, in the type of `mapping`."""
    new = np.empty(len(codes), dtype=mapping.dtype)
    for block in _blocks(len(codes)):
        # wrap: code -1, a missing cell, takes the last place of the mapping.
        mapping.take(codes[block], out=new[block], mode="wrap")
    return new


def with_categories(codes: Codes, categories: pd.Index) -> pd.Series:
    """A category column of codes and the texts that they stand for."""
    # A copy, which shares the texts but not what pandas has built to see that none is there twice: that is three
    # times as large, and would stay as long as the column.
    dtype = deepcopy(pd.CategoricalDtype(categories))
    return pd.Series(pd.Categorical.from_codes(codes, dtype=dtype), copy=False)


def with_texts(codes: Codes, texts: tuple[str, ...]) -> pd.Series:
    """`with_categories`, of distinct texts; a handful, as most columns of a short table have, is kept for the next."""
    if len(texts) > _HANDFUL:
        return with_categories(codes, pd.Index(texts, dtype="str"))
    return pd.Series(pd.Categorical.from_codes(codes, dtype=_handful(texts)), copy=False)


@lru_cache(maxsize=256)
def _handful(texts: tuple[str, ...]) -> pd.CategoricalDtype:
    return pd.CategoricalDtype(pd.Index(texts, dtype="str"))


def n_shared(first: pd.Series, second: pd.Series) -> int:
    """The number of texts shared by two category columns; each occurs once in its column."""
    # large_string, because the offsets of string end at 2 GB of text.
    one, two = (pa.array(column.astype("str").array, pa.large_string()) for column in (first, second))
    return pc.sum(pc.is_in(one, value_set=two)).as_py() or 0


def small_type(size: int) -> np.dtype[np.signedinteger]:
    """The smallest type for codes in range(`size`), as pandas chooses it."""
    return np.dtype(
        next(each for each in (np.int8, np.int16, np.int32, np.int64) if size <= np.iinfo(each).max)
    )


def rows_where(rows: pd.DataFrame, which: Mask) -> pd.DataFrame:
    """The rows selected by `which`, without copying contiguous ones."""
    n = int(np.count_nonzero(which))
    start = int(which.argmax()) if n else 0
    if which[start : start + n].all():
        return rows.iloc[start : start + n]
    return rows[which]


def _blocks(n_rows: int, size: int = 0) -> Iterator[slice]:
    """Blocks of rows as long as the counts are wide, so that counting a block costs no more than its rows."""
    step = max(_BLOCK, size)
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def same_codes(*columns: pd.Categorical) -> tuple[list[str], list[Codes]]:
    """The texts of several columns in one sorted list, and each column's codes into it (-1 is missing)."""
    texts = sorted({str(text) for column in columns for text in column.categories})
    position = pd.Index(texts, dtype="str")
    type_ = small_type(len(texts) + 1)
    # The last place answers for code -1, a missing cell.
    places = [np.append(position.get_indexer(column.categories), -1).astype(type_) for column in columns]
    return texts, [recoded(column.codes, place) for column, place in zip(columns, places, strict=True)]
