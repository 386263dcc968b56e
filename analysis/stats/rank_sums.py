"""Ranks of values and the distribution of a sum of signed ranks: the parts of Wilcoxon's test.

Written here because SciPy's are in `scipy.stats`, which takes a second to import.
"""

import numpy as np
from scipy.special import ndtr

from analysis.options import Alternative
from analysis.stats.intervals import Floats


def mean_ranks(values: Floats) -> Floats:
    """The rank of each value, from 1; equal values share the mean of theirs.

    Examples
    --------
    >>> mean_ranks(np.array([0.5, 0.2, 0.5])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    # Doubled, then halved: whole numbers are exact.
    found: Floats = ((2 * np.cumsum(counts) - counts + 1) / 2)[which]
    return found


def share_at_least(ranks: Floats, v: float) -> float:
    """The share of all ways to give the ranks signs in which those with a plus sum up to `v` or more.

    `ranks` are whole or half numbers, as `mean_ranks` gives them."""
    # Tied ranks end in a half.
    steps = np.round(2 * ranks).astype(np.int64)
    share = np.zeros(int(steps.sum()) + 1)
    share[0] = 1.0
    for step in steps:
        moved = share[: len(share) - step] / 2
        share /= 2
        share[step:] += moved
    return float(share[round(2 * v) :].sum())


def normal_p(ranks: Floats, v: float, alternative: Alternative) -> float:
    """p of Wilcoxon's signed-rank test [Wil45]_ by the normal approximation, tie- and continuity-corrected.

    Parameters
    ----------
    ranks
        Of the differences that are not 0, without their signs.
    v
        The sum of those of positive differences.
    """
    n = len(ranks)
    ties = np.unique(ranks, return_counts=True)[1].astype(float)
    sd = ((n * (n + 1) * (2 * n + 1) - float((ties**3 - ties).sum()) / 2) / 24) ** 0.5
    distance = v - n * (n + 1) / 4
    # 0.5 is the continuity correction: the sum moves in steps, the normal does not. Two-sided it moves towards the
    # mean, and a sum at its mean stays there.
    if alternative == "two-sided":
        return float(2 * ndtr(-abs(distance - 0.5 * np.sign(distance)) / sd))
    return float(ndtr(-((distance if alternative == "greater" else -distance) - 0.5) / sd))
