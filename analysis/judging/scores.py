"""Statistics over pairs, each as a function of how often every pair counts: the number itself and its
bootstrap.

A `Quantity` takes weights of shape (resamples, pairs) and gives one value per resample, NaN where it is not
defined. With weights of one it is the number that is reported.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from analysis.stats.intervals import Floats, portions
from analysis.stats.student import FEW

Statistic = Callable[[Floats], Floats]
Key = TypeVar("Key")

BINS = 5

_FEWEST_FOR_RANKS = 3
# Leaving out each of more pairs, to see that few of them count, makes large tables.
_MOST_LEFT_OUT = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """A statistic over `n` pairs; `reason` says in words why it is not defined, if so.

    `point` gives the number itself where that is a mean over more random splits than the bootstrap
    repeats; it lies within `bound` of 0."""

    statistic: Statistic
    n: int
    reason: str | None = None
    point: Statistic | None = None
    bound: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Evaluated:
    """A quantity over all pairs (`point`), and what tells how certain it is: over resamples of the pairs (`draws`), or,
    where few pairs count, over all pairs but one, each in turn (`without`)."""

    point: float
    draws: Floats
    without: Floats | None = None


def undefined(reason: str, n: int = 0) -> Quantity:
    """A number that there is not, and why."""
    return Quantity(lambda weights: np.full(len(weights), np.nan), n, reason)


def evaluate(
    quantities: Mapping[Key, Quantity], pairs: int, *, seed: int, resamples: int
) -> dict[Key, Evaluated]:
    """Every quantity over all pairs and over bootstrap resamples of the pairs, the same ones for all [ET93]_.

    Of a quantity over fewer than 50 pairs the bootstrap is too narrow: it is evaluated without each pair instead."""
    ones = np.ones((1, pairs))
    points = {key: float((one.point or one.statistic)(ones)[0]) for key, one in quantities.items()}
    draws: dict[Key, list[Floats]] = {key: [] for key in quantities}
    defined = [key for key, one in quantities.items() if one.reason is None]
    few = {key for key in defined if quantities[key].n < FEW and pairs <= _MOST_LEFT_OUT}
    wanted = [key for key in defined if key not in few]
    rng = np.random.default_rng(seed)
    for size in portions(resamples, pairs) if pairs > 1 and wanted else ():
        weights = _resampled(rng, pairs, size)
        for key in wanted:
            draws[key].append(quantities[key].statistic(weights))
    found = {key: np.concatenate(draws[key]) if draws[key] else np.empty(0) for key in quantities}
    for key in wanted:
        if quantities[key].point:
            # The resamples are of fewer splits than the number: about the number is where they belong.
            shifted, bound = found[key] + points[key] - quantities[key].statistic(ones), quantities[key].bound
            found[key] = np.clip(shifted, -bound, bound)
    without = {key: (quantities[key].point or quantities[key].statistic)(1 - np.eye(pairs)) for key in few}
    return {key: Evaluated(points[key], found[key], without.get(key)) for key in quantities}


def _resampled(rng: np.random.Generator, pairs: int, size: int) -> Floats:
    """The frequency of each pair in `pairs` draws with replacement: counting draws is faster than a multinomial."""
    drawn = rng.integers(pairs, size=(size, pairs)) + np.arange(size)[:, None] * pairs
    return np.bincount(drawn.ravel(), minlength=size * pairs).reshape(size, pairs).astype(float)


def mean_of(values: Floats, reason: str) -> Quantity:
    """The mean over pairs of `values`; NaN is a pair without one."""
    counted = ~np.isnan(values)
    return ratio_of(np.where(counted, values, 0.0), counted.astype(float), reason)


def ratio_of(part: Floats, whole: Floats, reason: str) -> Quantity:
    """The sum over pairs of `part` by that of `whole`."""
    n = int(np.count_nonzero(whole))
    if n == 0:
        return undefined(reason)
    return Quantity(lambda weights: divided(_sums(weights, part), _sums(weights, whole)), n)


def averaged(quantities: Sequence[Quantity], repeated: int) -> Quantity:
    """The mean of the same quantity over random splits, all for the number and the first `repeated` for its
    bootstrap; splits in which it is not defined are left out."""
    fine = [one for one in quantities if one.reason is None]
    if not fine:
        return quantities[0]

    def mean(some: Sequence[Quantity]) -> Statistic:
        return lambda weights: nan_mean(np.stack([one.statistic(weights) for one in some]))

    most = max(one.bound for one in fine)
    return Quantity(mean(fine[:repeated]), max(one.n for one in fine), None, mean(fine), most)


def spearman_of(x: Floats, y: Floats, pair: npt.NDArray[np.int64] | None = None) -> Quantity:
    """Spearman's rank correlation [Spe04]_ of two numbers of each pair, tied ones sharing their mean rank.

    `pair` says which pair each entry is of, where a pair has two."""
    both = ~np.isnan(x) & ~np.isnan(y)
    at = (np.arange(len(x)) if pair is None else pair)[both]
    x, y = x[both], y[both]
    n = int(np.count_nonzero(np.bincount(at)))
    if n < _FEWEST_FOR_RANKS:
        return undefined(f"a rank correlation needs {_FEWEST_FOR_RANKS} pairs with a vote and a verdict", n)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        what = "every score" if np.ptp(x) == 0 else "every share of votes"
        return undefined(f"{what} is the same: there is nothing to rank", n)
    return Quantity(_rank_correlation(x, y, at), n)


def _rank_correlation(x: Floats, y: Floats, at: npt.NDArray[np.int64]) -> Statistic:
    """Spearman's correlation of values that stand in the sample as often as the weights of their pairs say.

    Pairs with the same two values count as one with the sum of their weights: of shares of few votes there are few."""
    of_x, of_y = (np.unique(values, return_inverse=True)[1] for values in (x, y))
    cell = of_x * (int(of_y.max()) + 1) + of_y
    order = np.argsort(cell, kind="stable")
    starts = _starts(cell[order])
    taken, of_x, of_y = at[order], of_x[order][starts], of_y[order][starts]
    # The cells stand in the order of x already.
    starts_x, by_y = _starts(of_x), np.argsort(of_y, kind="stable")
    starts_y = _starts(of_y[by_y])

    def statistic(weights: Floats) -> Floats:
        cells = np.add.reduceat(weights[:, taken], starts, axis=1)
        middle = cells.sum(axis=1, keepdims=True) / 2
        sizes_x = np.add.reduceat(cells, starts_x, axis=1)
        sizes_y = np.add.reduceat(cells[:, by_y], starts_y, axis=1)
        # Mean ranks about their own mean, which is the middle of all whatever the ties.
        rank_x, rank_y = (np.cumsum(sizes, axis=1) - sizes / 2 - middle for sizes in (sizes_x, sizes_y))
        together = np.einsum("ij,ij,ij->i", cells, rank_x[:, of_x], rank_y[:, of_y])
        spread = [np.einsum("ij,ij,ij->i", s, r, r) for s, r in ((sizes_x, rank_x), (sizes_y, rank_y))]
        # Rounding can take a perfect correlation past 1.
        return np.clip(divided(together, np.sqrt(spread[0] * spread[1])), -1.0, 1.0)

    return statistic


def _starts(ordered: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """The start of each run of equal values."""
    return np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])


def kappa_of(cells: Floats, reason: str) -> Quantity:
    """Cohen's kappa [Coh60]_ from one table per pair: shares of (first, first), (first, second), (second,
    first) and (second, second), which sum to 1; NaN is a pair without one. Every pair counts the same.

    Each pair is taken both ways round, for which member is first (or called a) tells a judge nothing:
    agreement by chance is a half, and kappa 2 accuracy - 1."""
    used = ~np.isnan(cells[:, 0])
    n = int(used.sum())
    if n == 0:
        return undefined(reason)
    # Added to its mirror image: which member is called first means nothing.
    known = np.where(used[:, None], cells + cells[:, ::-1], 0.0)

    def statistic(weights: Floats) -> Floats:
        sums = np.stack([_sums(weights, column) for column in known.T], axis=1)
        shares = divided(sums, sums.sum(axis=1, keepdims=True))
        of_one, of_other = shares[:, 0] + shares[:, 1], shares[:, 0] + shares[:, 2]
        chance = of_one * of_other + (1 - of_one) * (1 - of_other)
        return divided(shares[:, 0] + shares[:, 3] - chance, 1 - chance)

    return Quantity(statistic, n)


def calibration_error_of(sums: Floats, sizes: Floats, reason: str) -> Quantity:
    """The expected calibration error: over bins, how far the mean confidence lies from the share that agreed.

    `sums` and `sizes` have one row per pair and one column per bin: confidence minus agreement, and
    weight."""
    total = sizes.sum(axis=1)
    n = int(np.count_nonzero(total))
    if n == 0:
        return undefined(reason)

    def statistic(weights: Floats) -> Floats:
        errors = np.stack([np.abs(_sums(weights, column)) for column in sums.T])
        return divided(errors.sum(axis=0), _sums(weights, total))

    return Quantity(statistic, n)


def bin_of(confidence: Floats) -> npt.NDArray[np.int64]:
    """The bin of a confidence in [0.5, 1]: five of width 0.1, each with its lower end, the last with both."""
    # Rounded, for 0.7 - 0.5 is a hair below 0.2.
    place = np.floor(np.round((confidence - 0.5) * 2 * BINS, 9))
    places: npt.NDArray[np.int64] = np.clip(np.nan_to_num(place), 0, BINS - 1).astype(np.int64)
    return places


def _sums(weights: Floats, values: Floats) -> Floats:
    """One sum per resample; not by BLAS, whose threads wait for each other where cores are few."""
    sums: Floats = np.einsum("ij,j->i", weights, np.ascontiguousarray(values))
    return sums


def nan_mean(values: Floats) -> Floats:
    """The mean of defined values over the first axis."""
    counted = ~np.isnan(values)
    return divided(np.where(counted, values, 0.0).sum(axis=0), counted.sum(axis=0))


def divided(part: Floats, whole: Floats) -> Floats:
    """`part` / `whole`, NaN where `whole` is 0."""
    part, whole = np.broadcast_arrays(part, whole)
    quotient: Floats = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole != 0)
    return quotient
