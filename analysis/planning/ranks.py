"""Rank tests of many small data sets at once.

A participant's share of t trials is one of t + 1 values, so a data set is a row of counts, and ranks follow from sums
over the row. The p values are two-sided, by the normal approximation, tie- and continuity-corrected: those of SciPy.
"""

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from analysis.stats.intervals import Floats

Ints = npt.NDArray[np.int64]


def tally(values: Ints, n_values: int) -> Ints:
    """Count how often 0, 1, ..., `n_values` - 1 occur in each row of `values`."""
    n_rows = len(values)
    offsets = n_values * np.arange(n_rows)[:, None]
    counts = np.bincount((values + offsets).ravel(), minlength=n_rows * n_values)
    return counts.reshape(n_rows, n_values)


def mann_whitney_p(first: Ints, second: Ints) -> Floats:
    """p of the Mann-Whitney test [MW47]_ for each row of counts: one row is a study, a column a value.

    1 where all values of both groups are the same.
    """
    n1, n2 = (counts.sum(axis=1).astype(float) for counts in (first, second))
    both = (first + second).astype(float)
    n = n1 + n2
    u = (first * (np.cumsum(second, axis=1) - second / 2)).sum(axis=1)
    ties = (both**3 - both).sum(axis=1) / (n * (n - 1))
    variance = n1 * n2 / 12 * (n + 1 - ties)
    # 0.5 is the continuity correction: U moves in steps, the normal does not.
    return _two_sided(np.abs(u - n1 * n2 / 2) - 0.5, variance)


def signed_rank_p(differences: Ints) -> Floats:
    """p of Wilcoxon's signed-rank test [Wil45]_ for each row of counts of the differences -t, ..., t.

    Differences of 0 are left out; 1 where there is no other.
    """
    t = differences.shape[1] // 2
    below, above = (side.astype(float) for side in (differences[:, t - 1 :: -1], differences[:, t + 1 :]))
    both = below + above
    ranks = np.cumsum(both, axis=1) - (both - 1) / 2
    n = both.sum(axis=1)
    excess = ((above - below) * ranks).sum(axis=1) / 2
    variance = (n * (n + 1) * (2 * n + 1) - (both**3 - both).sum(axis=1) / 2) / 24
    # As in R's wilcox.test, which corrects by half the sign: at 0 there is nothing to correct.
    return _two_sided(np.abs(excess) - 0.5 * (excess != 0), variance)


def _two_sided(distance: Floats, variance: Floats) -> Floats:
    spread = np.sqrt(np.where(variance > 0, variance, 1.0))
    p: Floats = np.where(variance > 0, np.minimum(1.0, 2 * ndtr(-distance / spread)), 1.0)
    return p
