"""Intervals: the percentile bootstrap over participants, and Wilson's for a share of votes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from analysis.options import LEVEL
from analysis.results import Result

OVER_PARTICIPANTS = "percentile bootstrap over participants"
NOT_ASKED = "no resamples asked for"
Floats = npt.NDArray[np.float64]
# A portion of four million floats takes 32 MB.
_CELLS = 4_000_000
_DRAWS = 20_000_000


@dataclass(frozen=True, slots=True)
class Interval(Result):
    """`low` and `high`, or None and a `reason`."""

    low: float | None
    high: float | None
    level: float
    method: str
    resamples: int
    seed: int
    reason: str | None


def resampling_is_bounded(distinct: int, resamples: int) -> bool:
    """True if so many distinct values are few enough to be drawn `resamples` times.

    Answers on a scale of steps have few distinct values, however many participants there are. Values without steps have
    as many as participants, and resampling a hundred thousand of them takes minutes and gives the same as the analytic
    interval: see `mean_interval` and `mann_whitney`.
    """
    return distinct * resamples <= _DRAWS


def bootstrap_mean(values: Floats, *, seed: int, resamples: int) -> Interval:
    """Percentile interval of a mean, from resampling its values with replacement [ET93]_.

    One value per participant; participants are what is resampled. The values are drawn as counts of their
    distinct values (a multinomial), which is the same distribution, does not depend on their order and stays
    small with a million participants."""
    if len(values) < 2:
        return no_interval("fewer than two participants: there is nothing to resample", seed, resamples)
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) == 1:
        return no_interval("all participants have the same value: there is no spread", seed, resamples)
    rng = np.random.default_rng(seed)
    return _percentile(
        lambda size: _draw(rng, counts, size) @ distinct / len(values), len(distinct), seed, resamples
    )


def bootstrap_effect(x: Floats, y: Floats, *, seed: int, resamples: int) -> Interval:
    """Percentile interval of the common-language effect P(x > y) + P(x = y) / 2.

    Both groups are resampled, each within itself; one value per participant.
    """
    if min(len(x), len(y)) < 2:
        return no_interval(
            "a group has fewer than two participants: there is nothing to resample", seed, resamples
        )
    if x.min() > y.max() or y.min() > x.max():
        return no_interval("the groups do not overlap: resampling cannot show a spread", seed, resamples)
    distinct = np.unique(np.concatenate([x, y]))
    if len(distinct) == 1:
        return no_interval("all participants have the same value: there is no spread", seed, resamples)
    counts = [np.bincount(np.searchsorted(distinct, values), minlength=len(distinct)) for values in (x, y)]
    rng = np.random.default_rng(seed)

    def effects(size: int) -> Floats:
        of_x, of_y = (_draw(rng, group, size) for group in counts)
        # A tie counts as half a win.
        below = np.cumsum(of_y, axis=1) - of_y / 2
        wins: Floats = (of_x * below).sum(axis=1)
        return wins / (len(x) * len(y))

    return _percentile(effects, 2 * len(distinct), seed, resamples)


def wilson(
    votes: npt.NDArray[np.int64], n: npt.NDArray[np.int64], level: float = LEVEL
) -> tuple[Floats, Floats]:
    """Wilson's score interval of votes / n [Wil27]_, elementwise; NaN where n is 0."""
    z2 = float(ndtri((1 + level) / 2)) ** 2
    size = np.where(n > 0, n, np.nan)
    share = votes / size
    centre = (share + z2 / (2 * size)) / (1 + z2 / size)
    half = np.sqrt(z2 * (share * (1 - share) / size + z2 / (4 * size**2))) / (1 + z2 / size)
    # Exactly 0 and 1 at the ends, where rounding would leave a remainder.
    low = np.where(votes == 0, np.where(n > 0, 0.0, np.nan), centre - half)
    high = np.where(votes == n, np.where(n > 0, 1.0, np.nan), centre + half)
    return low, high


def _draw(rng: np.random.Generator, counts: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    n = int(counts.sum())
    return rng.multinomial(n, counts / n, size=size)


def _percentile(draw: Callable[[int], Floats], width: int, seed: int, resamples: int) -> Interval:
    if resamples == 0:
        return no_interval(NOT_ASKED, seed, resamples)
    drawn = np.concatenate([draw(size) for size in portions(resamples, width)])
    return percentile_interval(drawn, seed)


def percentile_interval(drawn: Floats, seed: int, method: str = OVER_PARTICIPANTS) -> Interval:
    """The 95% percentile interval of bootstrap values, one per resample.

    A resample in which the number is not defined is NaN and is left out; where that is more than one in twenty there
    is no interval, and a reason instead."""
    resamples = len(drawn)
    defined = drawn[~np.isnan(drawn)]
    if resamples == 0:
        return no_interval(NOT_ASKED, seed, resamples, method)
    if len(defined) < 0.95 * resamples:
        undefined = resamples - len(defined)
        return no_interval(
            f"the number is not defined in {undefined:,} of {resamples:,} resamples", seed, resamples, method
        )
    low, high = np.quantile(defined, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high), LEVEL, method, resamples, seed, None)


def no_interval(reason: str, seed: int, resamples: int, method: str = OVER_PARTICIPANTS) -> Interval:
    """An interval that there is not, and why."""
    return Interval(None, None, LEVEL, method, resamples, seed, reason)


def portions(resamples: int, width: int) -> Iterator[int]:
    """Split the resamples so that one portion of `width` numbers for each stays in memory."""
    portion = max(1, _CELLS // width)
    for start in range(0, resamples, portion):
        yield min(portion, resamples - start)
