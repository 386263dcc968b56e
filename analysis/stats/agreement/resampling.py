"""The bootstrap of sums over independent units: every coefficient here is a function of such sums."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri

from analysis.options import LEVEL
from analysis.stats.agreement.units import Codes
from analysis.stats.intervals import NOT_ASKED, Floats, Interval, no_interval, percentile_interval, portions
from analysis.stats.student import FEW, Scale, jackknife_error, student, too_few

# A multinomial over more kinds than this takes many seconds, and a sum over so many units is normal by then.
MOST_KINDS = 1_000
NORMAL = ", sums drawn from their normal limit"
CORRECTED = "bias-corrected and accelerated bootstrap"
JACKKNIFE = "jackknife and Student's t"
# Of fewer units with two ratings, nothing tried holds the truth in 90% of cases (bench/calibration.md).
FEWEST_UNITS = 10
NO_SPREAD = "without one of them the value is the same: there is no spread"

_SCALES: Mapping[str, Scale] = {"agreement": "share", "average": "reliability"}

Coefficient = Callable[[Floats], Floats]
"""From sums, one row for each resample, to one number for each; NaN where it is not defined."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Independent units: `parts` is what a unit of each kind adds to every sum, `counts` the number of the kind."""

    parts: Floats
    counts: Codes

    @property
    def n(self) -> int:
        """The number of units."""
        return int(self.counts.sum())

    @property
    def total(self) -> Floats:
        """The sums."""
        total: Floats = self.counts @ self.parts
        return total

    def value(self, coefficient: Coefficient) -> float:
        """The coefficient of the sample itself; NaN where it is not defined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(coefficient(self.total[np.newaxis])[0])

    def intervals(
        self, coefficients: Mapping[str, Coefficient], units: str, n: int, *, seed: int, resamples: int
    ) -> dict[str, Interval]:
        """The 95% interval of each coefficient; `n` of its units carry information about agreement.

        Below 50 the jackknife over units [ET93]_ with Student's t, on Fisher's z scale; else from resampling the units:
        bias-corrected and accelerated [Efr87]_.
        """
        if n < FEW:
            return {name: self._jackknifed(name, one, units, n, seed) for name, one in coefficients.items()}
        method = f"{CORRECTED} over {units}{self.limit}"
        reason = self.nothing_to_resample(units, resamples)
        if reason:
            return dict.fromkeys(coefficients, no_interval(reason, seed, resamples, method))
        drawn: dict[str, list[Floats]] = {name: [] for name in coefficients}
        with np.errstate(divide="ignore", invalid="ignore"):
            for sums in self.resampled(seed, resamples):
                for name, coefficient in coefficients.items():
                    drawn[name].append(coefficient(sums))
        return {
            name: spread_interval(
                np.concatenate(values), seed, method, self.levels(coefficients[name], values)
            )
            for name, values in drawn.items()
        }

    def _jackknifed(self, name: str, coefficient: Coefficient, units: str, n: int, seed: int) -> Interval:
        method = f"{JACKKNIFE} over {units}"
        if n < FEWEST_UNITS:
            return no_interval(too_few(n, units), seed, 0, method)
        value = self.value(coefficient)
        with np.errstate(divide="ignore", invalid="ignore"):
            error = jackknife_error(value, coefficient(self.total - self.parts), self.counts)
        scale = _SCALES.get(name, "correlation")
        return student(value, error, n - 1, scale=scale, method=method, seed=seed, reason=NO_SPREAD)

    def levels(self, coefficient: Coefficient, drawn: Sequence[Floats]) -> tuple[float, float]:
        """The shares of the resamples between which the interval lies.

        It is the percentile interval if half of them are below the value, and the values that leave out one unit each
        are not skewed.
        """
        values = np.concatenate(drawn)
        value, values = self.value(coefficient), values[~np.isnan(values)]
        below = (np.sum(values < value) + np.sum(values == value) / 2) / max(1, len(values))
        # Off 0 and 1: where all resamples lie on one side the correction would be infinite.
        bias = ndtri(np.clip(below, 0.5 / len(drawn[0]), 1 - 0.5 / len(drawn[0])))
        with np.errstate(divide="ignore", invalid="ignore"):
            without_one = coefficient(self.total - self.parts)
        defined = ~np.isnan(without_one)
        counts, without_one = self.counts[defined], without_one[defined]
        apart = counts @ without_one / max(1, counts.sum()) - without_one
        variance = counts @ apart**2
        skewness = counts @ apart**3 / (6 * variance**1.5) if variance > 0 else 0.0
        ends = bias + ndtri(np.array([(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
        low, high = ndtr(bias + ends / (1 - skewness * ends))
        return float(low), float(high)

    @property
    def limit(self) -> str:
        """The note in an interval's method for very many kinds of units."""
        return NORMAL if len(self.counts) > MOST_KINDS else ""

    def nothing_to_resample(self, units: str, resamples: int) -> str | None:
        """The reason why there can be no interval, if so."""
        if self.n < 2:
            return too_few(self.n, units)
        if len(self.counts) == 1:
            return f"all {units} have the same answers: there is no spread"
        return NOT_ASKED if resamples == 0 else None

    def resampled(self, seed: int, resamples: int) -> Iterator[Floats]:
        """The sums of resampled units, one row for each resample, some rows at a time."""
        if len(self.counts) > MOST_KINDS:
            second = (self.parts.T * self.counts) @ self.parts
            yield from normal_sums(self.n, self.total, second, seed, resamples)
            return
        rng = np.random.default_rng(seed)
        for size in portions(resamples, sum(self.parts.shape)):
            yield rng.multinomial(self.n, self.counts / self.n, size=size) @ self.parts


def normal_sums(n: int, total: Floats, second: Floats, seed: int, resamples: int) -> Iterator[Floats]:
    """Sums of resampled units in the limit of many units: normal, with the same mean and covariance.

    `second` is the sum over the units of the outer product of a unit's parts with themselves.
    """
    values, vectors = np.linalg.eigh(second - np.outer(total, total) / n)
    # Rounding can leave an eigenvalue a little below 0.
    root = vectors * np.sqrt(np.clip(values, 0.0, None))
    rng = np.random.default_rng(seed)
    for size in portions(resamples, len(total)):
        yield total + rng.standard_normal((size, len(total))) @ root.T


def spread_interval(
    drawn: Floats, seed: int, method: str, levels: tuple[float, float] | None = None
) -> Interval:
    """Like `percentile_interval`, with a reason if every resample gives the same value, and at other `levels`."""
    defined = drawn[~np.isnan(drawn)]
    if len(defined) and np.ptp(defined) <= 1e-12 * max(1.0, float(np.abs(defined).max())):
        reason = "every resample gives the same value: resampling cannot show a spread"
        return no_interval(reason, seed, len(drawn), method)
    interval = percentile_interval(drawn, seed, method)
    if levels is None or interval.reason:
        return interval
    low, high = np.quantile(defined, levels)
    return replace(interval, low=float(low), high=float(high))


def kinds(table: Codes) -> tuple[Codes, Codes]:
    """The distinct rows of a table of counts, in an order of their own, and how often each stands there."""
    if table.size == 0:
        return table[:0], np.zeros(0, dtype=np.int64)
    base = int(table.max()) + 1
    # A key of so many digits would overflow int64.
    if base ** table.shape[1] >= 2**62:
        distinct, counts = np.unique(table, axis=0, return_counts=True)
        return distinct, counts
    key = table @ base ** np.arange(table.shape[1], dtype=np.int64)
    _, first, counts = np.unique(key, return_index=True, return_counts=True)
    return table[first], counts
