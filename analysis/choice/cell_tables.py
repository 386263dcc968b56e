"""Many cells described at once: each participant's mean within a cell, then the participants."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.data.codes import Codes, Counts, Groups
from analysis.stats.cells import People, describe_people, ratio, within
from analysis.stats.intervals import OVER_PARTICIPANTS, Floats, wilson
from analysis.stats.student import ALL_THE_SAME, FEW, FEWEST, STUDENT, student_limits, too_few

BOOTSTRAP = f"{OVER_PARTICIPANTS}; Student's t where there are fewer than {FEW}"
WILSON = "Wilson's score interval over participants, who answer once each"

# Above either the bootstrap takes minutes and tells the same as Student's t (docs/analysis.md).
_MOST_CELLS = 200
_MOST_PEOPLE = 20_000
_NONE = "no trial counts here"
_ONE = "one participant: no SD with ddof 1"
_SAME = ALL_THE_SAME
_WORDS = {0: _NONE, 1: _ONE, 2: too_few(2), 3: _SAME}


@dataclass(frozen=True, slots=True, eq=False)
class CellTable:
    """One row per cell: `n_trials`, `n` people, `mean`, `sd_ddof0`, `sd_ddof1`, `ci_low`, `ci_high` and `reason`."""

    numbers: pd.DataFrame
    interval_method: str
    resamples: int


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """For each row, its cell's number, -1 for none, and the whole number added there.

    A row in two cells is in two parts.
    """

    cell: Codes
    value: npt.NDArray[np.integer] | npt.NDArray[np.bool_]


def cell_table(
    parts: Sequence[Part],
    people: People,
    *,
    n_cells: int,
    once: bool,
    share: bool,
    seed: int,
    resamples: int,
) -> CellTable:
    """Describe the values of each cell: averaged per person, then described over the people.

    `once`: nobody has two rows in a cell. `share`: the values are 0 or 1. The intervals are a bootstrap over
    participants (Student's t in cells of fewer than 50), but Wilson's for shares where everybody has one row in a cell,
    and Student's t (on the logit scale for shares) for other means of one row each, for more than 200 cells and for
    more than 20,000 people, where the bootstrap takes long and tells the same."""
    n_trials = _added(parts, n_cells, lambda part: Groups(part.cell, n_cells).counts())
    if once:
        return _of_single_trials(parts, n_trials, share)
    of_cell, means = _averages(parts, n_cells, people)
    if n_cells > _MOST_CELLS or people.n > _MOST_PEOPLE:
        method = f"{STUDENT}, on the logit scale" if share else STUDENT
        return CellTable(_numbers(n_trials, *_spread(of_cell, means, n_cells), share=share), method, 0)
    cells = _bootstrapped(n_trials, of_cell, means, share=share, seed=seed, resamples=resamples)
    return CellTable(cells, BOOTSTRAP, resamples)


def _added(parts: Sequence[Part], n: int, counted: Callable[[Part], Counts]) -> Counts:
    total = np.zeros(n, dtype=np.int64)
    for part in parts:
        total += counted(part)
    return total


def _averages(parts: Sequence[Part], n_cells: int, people: People) -> tuple[Counts, Floats]:
    """The mean of each person in each cell with a trial, sorted by cell and person, and whose cell it is."""
    crossed = [within(part.cell, n_cells, people.groups.codes, people.n) for part in parts]
    used = None
    # A table of every cell and person would be mostly empty, and too large for the memory.
    if n_cells * people.n > 4 * sum(len(each.codes) for each in crossed) + 1_000_000:
        used, crossed = _without_empty(crossed)
    size = max((each.size for each in crossed), default=0)
    whole, total = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    for each, part in zip(crossed, parts, strict=True):
        whole += each.counts()
        total += each.sums(part.value.astype(np.int8))
    filled = np.flatnonzero(whole)
    of_cell = (filled if used is None else used[filled]) // people.n
    return of_cell, ratio(total[filled], whole[filled])


def _without_empty(crossed: Sequence[Groups]) -> tuple[Counts, list[Groups]]:
    """Cells numbered without empty combinations, for too many to hold; returns the numbers used."""
    every = np.concatenate([each.codes for each in crossed]).astype(np.int64)
    used, codes = np.unique(every, return_inverse=True)
    if len(used) and used[0] < 0:
        used, codes = used[1:], codes - 1
    ends = np.cumsum([len(each.codes) for each in crossed])[:-1]
    return used, [Groups(each, len(used)) for each in np.split(codes, ends)]


def _of_single_trials(parts: Sequence[Part], n_trials: Counts, share: bool) -> CellTable:
    n_cells = len(n_trials)
    values = [part.value.astype(np.int8) for part in parts]
    total, squares = np.zeros(n_cells, dtype=np.int64), np.zeros(n_cells, dtype=np.int64)
    for part, value in zip(parts, values, strict=True):
        total += Groups(part.cell, n_cells).sums(value)
        squares += Groups(part.cell, n_cells).sums(value**2)
    # Whole numbers: exact, whatever the order of the rows.
    squared = ratio(n_trials * squares - total * total, n_trials * n_trials)
    numbers = _numbers(n_trials, n_trials, ratio(total, n_trials), squared, share=share)
    if not share:
        return CellTable(numbers, STUDENT, 0)
    numbers["ci_low"], numbers["ci_high"] = wilson(total, n_trials)
    numbers["reason"] = _texts(np.minimum(n_trials, 3), {0: _NONE, 1: _ONE})
    return CellTable(numbers, WILSON, 0)


def _spread(of_cell: Counts, means: Floats, n_cells: int) -> tuple[Counts, Floats, Floats]:
    n = np.bincount(of_cell, minlength=n_cells)
    mean = ratio(np.bincount(of_cell, weights=means, minlength=n_cells), n)
    # About the mean: a difference of sums of squares would lose its digits.
    squares = np.bincount(of_cell, weights=(means - mean[of_cell]) ** 2, minlength=n_cells)
    return n, mean, ratio(squares, n)


def _numbers(n_trials: Counts, n: Counts, mean: Floats, squared: Floats, *, share: bool) -> pd.DataFrame:
    """The numbers of each cell with Student's t intervals; `squared` is the mean squared deviation."""
    sd1 = np.sqrt(squared * n / np.maximum(n - 1, 1))
    error = np.where(n < FEWEST, np.nan, sd1 / np.sqrt(np.maximum(n, 1)))
    low, high = student_limits(mean, error, (n - 1).astype(np.float64), "share" if share else "any")
    return pd.DataFrame(
        {
            "n_trials": n_trials,
            "n": n,
            "mean": mean,
            "sd_ddof0": np.sqrt(squared),
            "sd_ddof1": np.where(n > 1, sd1, np.nan),
            "ci_low": low,
            "ci_high": high,
            "reason": _texts(np.where(n < FEWEST, n, np.where(squared == 0, FEWEST, FEWEST + 1)), _WORDS),
        }
    )


def _texts(codes: Counts, words: Mapping[int, str]) -> np.ndarray:
    texts = np.full(len(codes), None, dtype=object)
    for code, text in words.items():
        texts[codes == code] = text
    return texts


def _bootstrapped(
    n_trials: Counts, of_cell: Counts, means: Floats, *, share: bool, seed: int, resamples: int
) -> pd.DataFrame:
    ends = np.searchsorted(of_cell, np.arange(len(n_trials) + 1))
    cells = [
        describe_people(means[start:end], scale="share" if share else "any", seed=seed, resamples=resamples)
        for start, end in pairwise(ends)
    ]

    def floats(values: Iterable[float | None]) -> Floats:
        return np.array(list(values), dtype=float)

    return pd.DataFrame(
        {
            "n_trials": n_trials,
            "n": np.array([one.n for one in cells], dtype=np.int64),
            "mean": floats(one.mean for one in cells),
            "sd_ddof0": floats(one.sd_ddof0 for one in cells),
            "sd_ddof1": floats(one.sd_ddof1 for one in cells),
            "ci_low": floats(one.interval.low for one in cells),
            "ci_high": floats(one.interval.high for one in cells),
            "reason": np.array([one.reason or one.interval.reason for one in cells], dtype=object),
        }
    )
