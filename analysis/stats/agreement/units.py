"""The pair and the participant of each row, as integer codes."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.stats.intervals import Floats

Codes = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# A pair whose clips or truth changed between versions is, for the votes, another pair: as in `majority_vote`.
_DEFINITION = ("condition", "kind", "stimulus_a", "stimulus_b", "source_a", "source_b", "truth")


@dataclass(frozen=True, slots=True)
class Units:
    """The unit of each row, a number from 0 to n - 1, and `row`: for each unit one of its rows."""

    code: Codes
    row: Codes

    @property
    def n(self) -> int:
        """The number of units."""
        return len(self.row)

    def cells(self, column: pd.Series) -> Codes:
        """The category code of each unit in a column that is constant within units; -1 is missing."""
        codes: Codes = column.cat.codes.to_numpy()[self.row].astype(np.int64)
        return codes

    def texts(self, column: pd.Series) -> pd.Series:
        """The text of each unit in such a column."""
        return column.iloc[self.row].astype("str").reset_index(drop=True)


def pairs_of(rows: pd.DataFrame) -> Units:
    """Number the pairs of checked responses in the order of study and pair."""
    units = _numbered(rows, "pair")
    for column in _DEFINITION:
        cells = rows[column].cat.codes.to_numpy()
        if not np.array_equal(cells, cells[units.row][units.code]):
            width = len(rows[column].cat.categories) + 1
            units = _units(units.code * width + cells + 1, units.n * width)
    return units


def people_of(rows: pd.DataFrame) -> Units:
    """Number the participants in the order of study and participant: a name in two studies is two people."""
    return _numbered(rows, "participant")


def dense(key: Codes, size: int) -> tuple[Codes, Codes]:
    """Number the keys in use from 0, in order: the number of each row, and the key behind each number."""
    # A count of every possible key would take more memory than sorting those in use.
    if size > 4 * len(key) + 1_000_000:
        used, code = np.unique(key, return_inverse=True)
        return code.astype(np.int64), used
    present = np.bincount(key, minlength=size) > 0
    if present.all():
        return key, np.arange(size)
    return (np.cumsum(present) - 1)[key], np.flatnonzero(present)


def ratio(part: npt.NDArray[np.generic], whole: npt.NDArray[np.generic]) -> Floats:
    """`part` / `whole`, NaN where `whole` is 0."""
    divided: Floats = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=divided, where=np.asarray(whole) != 0)
    return divided


def _numbered(rows: pd.DataFrame, column: str) -> Units:
    study, cells = rows["study"].cat, rows[column].cat
    width = len(cells.categories)
    key = study.codes.to_numpy().astype(np.int64) * width + cells.codes.to_numpy()
    return _units(key, len(study.categories) * width)


def _units(key: Codes, size: int) -> Units:
    code, used = dense(key, size)
    row = np.empty(len(used), dtype=np.int64)
    row[code] = np.arange(len(code))
    return Units(code, row)
