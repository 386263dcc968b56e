"""Permutation tests of whether two groups, or two values of each participant, differ."""

from dataclasses import dataclass
from itertools import combinations
from math import exp, lgamma
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from analysis.results import Result
from analysis.stats.intervals import NOT_ASKED, Floats, portions

EXACT = "exact: all ways to deal the values out"
RANDOM = "random ways to deal the values out, (b + 1) / (m + 1)"
NORMAL = "normal approximation of the permutation distribution"
EXACT_WITHIN = "exact: all ways to swap the two values of a participant"
RANDOM_WITHIN = "random ways to swap the two values of a participant, (b + 1) / (m + 1)"

# As many ways to deal the values out are tried one by one; of more, seeded random ones [PS10].
_ENUMERATED_UP_TO = 20_000
_DRAWS = 5_000_000
_NORMAL_FROM = 100
# Sums of the same values in another order differ in the last digits and must still tie.
_DUST = 1e-9

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PermutationTest(Result):
    """A two-sided permutation test of the difference in means.

    `permutations` is how many ways to deal the values out `p` rests on: 0 where the normal approximation stands in.
    """

    difference: float | None
    """Mean of the first group less that of the second, in the values' unit."""
    p: float | None
    alternative: Literal["two-sided"]
    method: str | None
    permutations: int
    seed: int
    reason: str | None


def permutation_test(x: Floats, y: Floats, *, seed: int, resamples: int) -> PermutationTest:
    """Test whether it could be chance who is in which group, by the difference in means.

    One value per participant, none missing; participants are independent. The p value is the share of the ways to
    deal all values out to two groups of these sizes in which the means differ at least as much, in either
    direction. It is exact where there are at most 20,000 ways, else it is from `resamples` random ones, the data
    counting as one more [PS10]_. Large groups are dealt as counts of their distinct values; where there are too many
    of these (times resamples more than 5 million), the distribution is taken as normal, with its exact variance.

    Parameters
    ----------
    x, y
        The values of the two groups.
    seed, resamples
        Of the random ways; with 0 resamples there is no p value.

    Returns
    -------
    PermutationTest
        `difference` is mean of `x` less mean of `y`. Swapping the groups changes only its sign.
    """
    if not len(x) or not len(y):
        return _without(None, "a group has no participant with a value", seed)
    distinct, counts = np.unique(np.concatenate([x, y]), return_counts=True)
    if len(distinct) == 1:
        return _without(
            0.0, "all participants of both groups have the same value: there is nothing to permute", seed
        )
    # Sorted, because floating sums depend on the order and results must not.
    difference = float(np.sort(x).mean() - np.sort(y).mean())
    if resamples == 0:
        return _without(difference, NOT_ASKED, seed)
    # The smaller group is dealt, whichever is named first.
    dealt = x if len(x) <= len(y) else y
    deal = _Deal(distinct, counts, len(dealt), _sum(distinct, dealt))
    if _ways(len(x) + len(y), len(dealt)) <= _ENUMERATED_UP_TO:
        p, ways = deal.every()
        return PermutationTest(difference, p, "two-sided", EXACT, ways, seed, None)
    if len(distinct) * resamples <= _DRAWS:
        p = deal.random(seed, resamples)
        return PermutationTest(difference, p, "two-sided", RANDOM, resamples, seed, None)
    if len(dealt) < _NORMAL_FROM:
        return _without(difference, _TOO_MANY, seed)
    return PermutationTest(difference, deal.normal(difference), "two-sided", NORMAL, 0, seed, None)


def sign_flip_test(differences: Floats, *, seed: int, resamples: int) -> PermutationTest:
    """Test whether it could be chance which of a participant's two values is which, by the mean difference.

    One difference per participant, none missing. The p value is the share of the ways to swap the two values within
    participants in which the mean difference is at least as far from 0, in either direction: exact where there are at
    most 20,000 ways (up to 14 participants with a difference), else from `resamples` random ones, the data counting as
    one more [PS10]_. Many participants are swapped as counts of their distinct differences, and where there are too
    many of these (times resamples more than 5 million) the distribution is taken as normal, with its exact variance.

    Returns
    -------
    PermutationTest
        `difference` is the mean of the differences.
    """
    if not len(differences):
        return _without(None, "no participant has a value in both", seed)
    # Sorted, because floating sums depend on the order and results must not.
    mean = float(np.sort(differences).mean())
    # A difference of 0 stays the same when swapped: it would only repeat every way.
    apart = differences[differences != 0]
    if not len(apart):
        return _without(0.0, "no participant's two values differ: there is nothing to swap", seed)
    if resamples == 0:
        return _without(mean, NOT_ASKED, seed)
    sizes, counts = np.unique(np.abs(apart), return_counts=True)
    observed = abs(float(np.sort(apart).sum()))
    dust = _DUST * float(sizes[-1]) * len(apart)
    # At most 60: for a million people 2**n would be a number of 300,000 digits.
    if 2 ** min(len(apart), 60) <= _ENUMERATED_UP_TO:
        sums = np.zeros(1)
        for size in np.repeat(sizes, counts):
            sums = np.concatenate([sums + size, sums - size])
        share = float((np.abs(sums) >= observed - dust).mean())
        return PermutationTest(mean, share, "two-sided", EXACT_WITHIN, len(sums), seed, None)
    if len(sizes) * resamples <= _DRAWS:
        rng = np.random.default_rng(seed)
        beyond = 0
        for portion in portions(resamples, len(sizes)):
            # One binomial for each size instead of one sign for each person: the same distribution, and faster.
            kept = rng.binomial(counts, 0.5, size=(portion, len(sizes)))
            beyond += int((np.abs((2 * kept - counts) @ sizes) >= observed - dust).sum())
        # The way observed is one of those possible: so p is never 0 [PS10].
        p = (beyond + 1) / (resamples + 1)
        return PermutationTest(mean, p, "two-sided", RANDOM_WITHIN, resamples, seed, None)
    if len(apart) < _NORMAL_FROM:
        return _without(mean, _TOO_MANY, seed)
    # Signs are +1 or -1 with equal chances: the variance of their sum is the sum of the squares.
    sd = float(counts @ sizes**2) ** 0.5
    return PermutationTest(mean, float(2 * ndtr(-observed / sd)), "two-sided", NORMAL, 0, seed, None)


_TOO_MANY = (
    f"too many distinct values to deal out, and fewer than {_NORMAL_FROM} participants in a group, too few for the "
    "normal approximation: ask for fewer resamples"
)


@dataclass(frozen=True, slots=True)
class _Deal:
    """`size` of all values, given by distinct value and count, dealt to one group; `observed` is its sum."""

    distinct: Floats
    counts: Counts
    size: int
    observed: float

    def every(self) -> tuple[float, int]:
        values = np.repeat(self.distinct, self.counts)
        sums = np.array(list(combinations(values.tolist(), self.size))).sum(axis=1)
        return float(self._beyond(sums).mean()), len(sums)

    def random(self, seed: int, resamples: int) -> float:
        rng = np.random.default_rng(seed)
        values = np.repeat(self.distinct, self.counts) if self.counts.sum() * resamples <= _DRAWS else None
        beyond = 0
        for portion in portions(resamples, len(self.distinct) if values is None else len(values)):
            if values is None:
                drawn = (
                    rng.multivariate_hypergeometric(self.counts, self.size, portion, "marginals")
                    @ self.distinct
                )
            else:
                drawn = rng.permuted(np.tile(values, (portion, 1)), axis=1)[:, : self.size].sum(axis=1)
            beyond += int(self._beyond(drawn).sum())
        return (beyond + 1) / (resamples + 1)

    def normal(self, difference: float) -> float:
        n = int(self.counts.sum())
        spread = float(self.counts @ (self.distinct - self.counts @ self.distinct / n) ** 2)
        sd = (spread / (n - 1) * n / (self.size * (n - self.size))) ** 0.5
        return float(2 * ndtr(-abs(difference) / sd))

    @property
    def _expected(self) -> float:
        return float(self.counts @ self.distinct) * self.size / int(self.counts.sum())

    def _beyond(self, sums: Floats) -> npt.NDArray[np.bool_]:
        # A little less than observed: equal sums of floats in another order may differ by dust.
        dust = _DUST * float(np.abs(self.distinct).max()) * self.size
        beyond: npt.NDArray[np.bool_] = (
            np.abs(sums - self._expected) >= abs(self.observed - self._expected) - dust
        )
        return beyond


def _sum(distinct: Floats, values: Floats) -> float:
    counts = np.bincount(np.searchsorted(distinct, values), minlength=len(distinct))
    return float(counts @ distinct)


def _ways(n: int, size: int) -> float:
    return exp(min(lgamma(n + 1) - lgamma(size + 1) - lgamma(n - size + 1), 700.0)) - 0.5


def _without(difference: float | None, reason: str, seed: int) -> PermutationTest:
    return PermutationTest(difference, None, "two-sided", None, 0, seed, reason)
