"""Two values of each participant compared: the right test if the same people are in two studies or conditions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from analysis.options import RESAMPLES, Alternative
from analysis.results import Result
from analysis.stats.description import Description, describe
from analysis.stats.intervals import Floats
from analysis.stats.permutation import PermutationTest, sign_flip_test
from analysis.stats.pseudomedian import pseudomedian
from analysis.stats.shift import HodgesLehmann

_EXACT_BELOW = 50
# Exact without ties up to 50, and with ties by trying all 2^13 signs; else the normal approximation.
_ENUMERATED_UP_TO = 13
_DECIMALS = 12


@dataclass(frozen=True, slots=True)
class PairedTest(Result):
    """Wilcoxon's signed-rank test of each participant's two values, and how far apart they are.

    `n` participants have a value in both studies (or conditions); `n_higher` of them are higher in the first,
    `n_lower` in the second and `n_equal` the same in both, who carry no sign and are left out of the test. `n_missing`
    share an id and lack a value, `n_only_first` and `n_only_second` took part in one alone: they are not in the
    comparison. `v` is the sum of the ranks of those higher in the first. `rank_biserial` is the matched-pairs
    correlation [Ker14]_, from -1 to 1, positive where the first is higher. `shift` is in the values' unit, `difference`
    the mean of first less second; `permutation` swaps values within participants and is two-sided."""

    n: int
    n_higher: int
    n_lower: int
    n_equal: int
    n_missing: int
    n_only_first: int
    n_only_second: int
    v: float | None
    p: float | None
    alternative: Alternative
    p_two_sided: float | None
    method: str | None
    rank_biserial: float | None
    shift: HodgesLehmann
    permutation: PermutationTest
    difference: Description
    reason: str | None


def least_p(n: int) -> float:
    """Least two-sided p that the signed-rank test of `n` differences that are not 0 can give: 2 of its 2^n signs.

    Examples
    --------
    >>> least_p(8)
    0.0078125
    """
    return min(1.0, 2.0 / 2.0**n)


def paired_test(
    first: pd.Series,
    second: pd.Series,
    alternative: Alternative = "two-sided",
    *,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> PairedTest:
    """Compare two values of the same participants by Wilcoxon's signed-rank test [Wil45]_.

    Participants are independent; the two values of one participant are not, and are compared with each other.

    Parameters
    ----------
    first, second
        One value for each participant, who is the index and stands there once; NaN means no value.
    alternative
        ``two-sided``, ``greater`` (the first is higher) or ``less``; the two-sided p is always given too.
    seed, resamples
        Of the permutation test and the interval of the mean difference.

    Returns
    -------
    PairedTest
        p is exact without ties and without equal values below 50 participants, by enumeration of all signs with ties
        up to 13, and otherwise the normal approximation, tie- and continuity-corrected. The shift is the
        Hodges-Lehmann estimate with its distribution-free interval.

    Examples
    --------
    >>> people = ["p1", "p2", "p3", "p4", "p5"]
    >>> first, second = pd.Series([5.0, 4.0, 3.5, 6.0, 2.0], people), pd.Series([4.0, 2.0, 4.0, 2.5, 2.0], people)
    >>> test = paired_test(first, second)
    >>> test.n, test.v, test.p, test.shift.value
    (5, 9.0, 0.25, 1.0)
    """
    # As texts: one file may have 1 and the other "1" for the same person.
    first, second = first.set_axis(first.index.astype(str)), second.set_axis(second.index.astype(str))
    both = first.index.intersection(second.index)
    differences = first.loc[both].to_numpy(dtype=float) - second.loc[both].to_numpy(dtype=float)
    alone = len(first) - len(both), len(second) - len(both)
    return _tested(differences, alone, alternative, seed, resamples)


def paired_columns_test(
    first: Floats,
    second: Floats,
    alternative: Alternative = "two-sided",
    *,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> PairedTest:
    """Like `paired_test`, for two columns in the order of the same participants; one with NaN in a column is only in
    the other.

    Examples
    --------
    >>> test = paired_columns_test(np.array([5.0, 4.0, np.nan, 3.0]), np.array([4.0, 2.0, 1.0, np.nan]))
    >>> test.n, test.n_only_first, test.n_only_second
    (2, 1, 1)
    """
    here, there = ~np.isnan(first), ~np.isnan(second)
    both = here & there
    alone = int((here & ~there).sum()), int((there & ~here).sum())
    return _tested(first[both] - second[both], alone, alternative, seed, resamples)


def _tested(
    differences: Floats, alone: tuple[int, int], alternative: Alternative, seed: int, resamples: int
) -> PairedTest:
    """The test of each participant's difference, NaN where a value is missing; `alone` are in one of the two only."""
    present: Floats = differences[~np.isnan(differences)]
    # Rounded: 5/6 - 4/6 and 4/6 - 3/6 are equal, their floats are not, and ranks would tell them apart.
    found: Floats = np.asarray(np.round(np.sort(present), _DECIMALS) + 0.0, dtype=float)
    apart = found[found != 0]
    reason = _reason(len(found), len(apart))
    ranks = scipy.stats.rankdata(np.abs(apart))
    zeros = len(apart) < len(found)
    p, two_sided, words = (None, None, None) if reason else _p(apart, ranks, zeros, alternative)
    v = float(ranks[apart > 0].sum())
    return PairedTest(
        n=len(found),
        n_higher=int((found > 0).sum()),
        n_lower=int((found < 0).sum()),
        n_equal=int((found == 0).sum()),
        n_missing=len(differences) - len(found),
        n_only_first=alone[0],
        n_only_second=alone[1],
        v=None if reason else v,
        p=p,
        alternative=alternative,
        p_two_sided=two_sided,
        method=words,
        rank_biserial=None if reason else 2 * v / float(ranks.sum()) - 1,
        shift=pseudomedian(found),
        permutation=sign_flip_test(found, seed=seed, resamples=resamples),
        difference=describe(found, seed=seed, resamples=resamples),
        reason=reason,
    )


def _reason(n: int, n_apart: int) -> str | None:
    if not n:
        return "no participant has a value in both"
    if n == 1:
        return "one participant alone has a value in both: a test needs more"
    return None if n_apart else "every participant has the same value in both: there is nothing to rank"


def _p(apart: Floats, ranks: Floats, zeros: bool, alternative: Alternative) -> tuple[float, float, str]:
    """p with its alternative, the two-sided one, and the method, of differences that are not 0."""
    tied = zeros or len(np.unique(ranks)) < len(ranks)
    if len(apart) <= _ENUMERATED_UP_TO or (not tied and len(apart) < _EXACT_BELOW):
        more = _share_at_least(ranks, float(ranks[apart > 0].sum()))
        less = _share_at_least(ranks, float(ranks[apart < 0].sum()))
        two_sided = min(1.0, 2 * min(more, less))
        p = {"greater": more, "less": less, "two-sided": two_sided}[alternative]
        return p, two_sided, "exact, all signs enumerated" if tied else "exact"
    p, two_sided = (
        float(scipy.stats.wilcoxon(apart, alternative=direction, method="asymptotic", correction=True).pvalue)
        for direction in (alternative, "two-sided")
    )
    return p, min(1.0, two_sided), "normal approximation, tie- and continuity-corrected"


def _share_at_least(ranks: Floats, v: float) -> float:
    """The share of all ways to give the ranks signs in which those with a plus sum up to `v` or more."""
    # Tied ranks end in a half.
    steps = np.round(2 * ranks).astype(np.int64)
    share = np.zeros(int(steps.sum()) + 1)
    share[0] = 1.0
    for step in steps:
        moved = share[: len(share) - step] / 2
        share /= 2
        share[step:] += moved
    return float(share[round(2 * v) :].sum())


@dataclass(frozen=True, slots=True)
class Friedman(Result):
    """Friedman's test of several values of each of `n` participants, who have one in each of the `studies`.

    `q` is tie-corrected, its `p` the chi-squared approximation with `df`; Kendall's `w` = q / (n df) is in [0, 1]."""

    studies: tuple[str, ...]
    n: int
    q: float | None
    df: int | None
    p: float | None
    w: float | None
    reason: str | None


def friedman(studies: Sequence[str], values: Sequence[pd.Series]) -> Friedman:
    """Compare more than two values of the same participants by Friedman's test [Fri37]_.

    `values` has one series for each study, its index the participants; those without a value in all are left out.
    """
    series = [one.set_axis(one.index.astype(str)).rename(place) for place, one in enumerate(values)]
    # Rounded: values that are equal as fractions have to share a rank.
    table = np.round(pd.concat(series, axis=1, join="inner").dropna().to_numpy(dtype=float), _DECIMALS)
    reason = None
    if len(table) < 2:
        reason = "fewer than two participants have a value in all"
    elif (table.min(axis=1) == table.max(axis=1)).all():
        reason = "every participant has the same value in all: there is nothing to rank"
    if reason:
        return Friedman(tuple(studies), len(table), None, None, None, None, reason)
    test = scipy.stats.friedmanchisquare(*table.T)
    q, df = float(test.statistic), table.shape[1] - 1
    return Friedman(tuple(studies), len(table), q, df, float(test.pvalue), q / (len(table) * df), None)
