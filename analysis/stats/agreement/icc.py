"""Intraclass correlation: how much of the spread of ratings is between items."""

from dataclasses import dataclass

import numpy as np
from scipy.special import fdtri

from analysis.options import LEVEL
from analysis.stats.agreement.resampling import Coefficient
from analysis.stats.agreement.units import Codes, Mask, dense
from analysis.stats.agreement.words import Words
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Floats, Interval, no_interval
from analysis.stats.student import FEWEST, too_few

_NOISE = 1e-9

F_INTERVAL = "F over items and raters, both drawn at random (McGraw and Wong)"


@dataclass(frozen=True, slots=True)
class Icc:
    """ICC(A,1) and ICC(A,k), over a complete table of `n_items` rows and `n_raters` columns."""

    single: Estimate
    average: Estimate
    n_items: int
    n_raters: int


def intraclass(item: Codes, rater: Codes, value: Floats, words: Words, *, seed: int) -> Icc:
    """Absolute agreement of one rating, and of the mean of all raters: two-way random effects [MW96]_.

    It needs a table in which every rater rated every item. That is the table of the raters who rated every item that
    has two ratings; where there are not two such raters, that of the items that every rater rated. Several ratings
    of one item by one rater are averaged. The intervals are for other items and other raters (`f_limits`), from 3 items
    on.
    """
    table = complete_table(item, rater, value)
    n, k = table.shape
    if min(n, k) < 2:
        reason = f"fewer than two {words.raters} rated the same two {words.units}: it needs a complete table"
        none = _undefined(reason, seed)
        return Icc(none, none, 0, 0)
    if np.ptp(table) == 0:
        none = _undefined(words.constant, seed, n)
        return Icc(none, none, n, k)
    single, average = _estimates(table, words, seed)
    return Icc(single, average, n, k)


def complete_table(item: Codes, rater: Codes, value: Floats) -> Floats:
    """The mean rating of each item (a row) by each rater (a column), where both were kept; it may be empty."""
    per_item, per_rater = np.bincount(item), np.bincount(rater)
    several = per_item >= 2
    # Who has fewer rows than there are items cannot have rated them all: most large tables end here.
    raters, items = per_rater >= several.sum(), per_item >= max(2, (per_rater > 0).sum())
    if raters.sum() >= 2:
        table = _means(item, rater, value, several[item] & raters[rater])
        table = table[:, ~np.isnan(table).any(axis=0)]
        if table.shape[1] >= 2:
            return table
    table = _means(item, rater, value, items[item])
    return table[~np.isnan(table).any(axis=1)]


def _means(item: Codes, rater: Codes, value: Floats, kept: Mask) -> Floats:
    if not kept.any():
        return np.zeros((0, 0))
    item, rater, value = item[kept], rater[kept], value[kept]
    (row, items), (column, raters) = dense(item, int(item.max()) + 1), dense(rater, int(rater.max()) + 1)
    cell = row * len(raters) + column
    n = np.bincount(cell, minlength=len(items) * len(raters)).astype(np.float64)
    n[n == 0] = np.nan
    means: Floats = np.bincount(cell, weights=value, minlength=len(n)) / n
    return means.reshape(len(items), len(raters))


def _estimates(table: Floats, words: Words, seed: int) -> tuple[Estimate, Estimate]:
    parts, coefficients = mean_square_parts(table)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = {name: float(one(parts.sum(axis=0, keepdims=True))[0]) for name, one in coefficients.items()}
    if np.isnan([*values.values()]).any():
        reason = f"the {words.units} differ less than the noise of the {words.values}"
        none = _undefined(reason, seed, len(table))
        return none, none
    ends = f_limits(table)
    single, average = (
        Estimate(values[name], len(table), _interval(ends[name], len(table), words, seed), None)
        for name in ("single", "average")
    )
    return single, average


def _interval(ends: tuple[float, float], n: int, words: Words, seed: int) -> Interval:
    if n < FEWEST:
        return no_interval(too_few(n, words.units), seed, 0, F_INTERVAL)
    if np.isnan(ends).any():
        return no_interval(
            f"the {words.values} of every rater differ alike: there is no noise", seed, 0, F_INTERVAL
        )
    return Interval(*ends, LEVEL, F_INTERVAL, 0, seed, None)


def f_limits(table: Floats) -> dict[str, tuple[float, float]]:
    """The 95% intervals of ICC(A,1) and ICC(A,k) for other items and other raters, items and raters being drawn at
    random and values normal: from F, with Satterthwaite's degrees of freedom (McGraw and Wong's table 7 [MW96]_).

    `table` has a row for each item and a column for each rater. NaN without noise."""
    n, k = table.shape
    parts, _ = mean_square_parts(table)
    between, raters, error = (float(one[0]) for one in _mean_squares(parts.sum(axis=0, keepdims=True), k))
    if error <= _NOISE * between:
        return dict.fromkeys(("single", "average"), (np.nan, np.nan))
    icc = (between - error) / (between + (k - 1) * error + k * (raters - error) / n)
    # An ICC of 1 would divide by 0 below.
    icc = min(icc, 1 - _NOISE)
    of_raters, of_error = k * icc / (n * (1 - icc)), 1 + k * icc * (n - 1) / (n * (1 - icc))
    df = (of_raters * raters + of_error * error) ** 2 / (
        (of_raters * raters) ** 2 / (k - 1) + (of_error * error) ** 2 / ((n - 1) * (k - 1))
    )
    tail = (1 + LEVEL) / 2
    above, below = float(fdtri(n - 1, df, tail)), float(fdtri(df, n - 1, tail))
    noise = k * raters + (k * n - k - n) * error
    low = n * (between - above * error) / (above * noise + n * between)
    high = n * (below * between - error) / (noise + n * below * between)
    of_mean = [k * end / (1 + (k - 1) * end) for end in (low, high)]
    return {"single": (low, high), "average": (of_mean[0], of_mean[1])}


def _undefined(reason: str, seed: int, n: int = 0) -> Estimate:
    return Estimate(None, n, no_interval(reason, seed, 0, F_INTERVAL), reason)


def mean_square_parts(table: Floats) -> tuple[Floats, dict[str, Coefficient]]:
    """Each item's terms of the sums that give the mean squares of a two-way layout, and both ICC of them."""
    k = table.shape[1]
    # About the mean: mean squares are differences of large sums, which would lose their digits.
    table = table - table.mean()
    row = table.sum(axis=1)
    parts = np.column_stack([np.ones(len(table)), row, row**2, (table**2).sum(axis=1), table])

    def single(sums: Floats) -> Floats:
        between, raters, error = _mean_squares(sums, k)
        whole = between + (k - 1) * error + k * (raters - error) / sums[:, 0]
        return _divided(between - error, whole, between + raters + error)

    def average(sums: Floats) -> Floats:
        between, raters, error = _mean_squares(sums, k)
        return _divided(between - error, between + (raters - error) / sums[:, 0], between + raters + error)

    return parts, {"single": single, "average": average}


def _mean_squares(sums: Floats, k: int) -> tuple[Floats, Floats, Floats]:
    """The mean squares between items, between the k raters, and of the rest."""
    n = sums[:, 0]
    correction = sums[:, 1] ** 2 / (n * k)
    between = sums[:, 2] / k - correction
    raters = (sums[:, 4:] ** 2).sum(axis=1) / n - correction
    error = sums[:, 3] - correction - between - raters
    return between / (n - 1), raters / (k - 1), error / ((n - 1) * (k - 1))


def _divided(part: Floats, whole: Floats, scale: Floats) -> Floats:
    """NaN where the variance between items, and with it `whole`, comes out as 0 or less."""
    return np.where(whole > 1e-9 * scale, part / whole, np.nan)
