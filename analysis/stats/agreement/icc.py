"""Intraclass correlation: how much of the spread of ratings is between items."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.stats.agreement.resampling import Coefficient, Sample
from analysis.stats.agreement.units import Codes, Mask, dense
from analysis.stats.agreement.words import Words, estimated, undefined
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Floats, no_interval
from analysis.stats.student import FEW

# pingouin refuses fewer cells and is slow with more: the mean squares then give the same numbers.
_FEWEST_CELLS_FOR_PINGOUIN, _MOST_CELLS_FOR_PINGOUIN = 5, 20_000
_MOST_CELLS_RESAMPLED = 2_000_000


@dataclass(frozen=True, slots=True)
class Icc:
    """ICC(A,1) and ICC(A,k), over a complete table of `n_items` rows and `n_raters` columns."""

    single: Estimate
    average: Estimate
    n_items: int
    n_raters: int


def intraclass(item: Codes, rater: Codes, value: Floats, words: Words, *, seed: int, resamples: int) -> Icc:
    """Absolute agreement of one rating, and of the mean of all raters: two-way random effects [MW96]_.

    It needs a table in which every rater rated every item. That is the table of the raters who rated every item that
    has two ratings; where there are not two such raters, that of the items that every rater rated. Several ratings
    of one item by one rater are averaged. The bootstrap resamples items."""
    table = complete_table(item, rater, value)
    n, k = table.shape
    if min(n, k) < 2:
        reason = f"fewer than two {words.raters} rated the same two {words.units}: it needs a complete table"
        none = undefined(reason, words, seed, resamples)
        return Icc(none, none, 0, 0)
    if np.ptp(table) == 0:
        none = undefined(words.constant, words, seed, resamples, n)
        return Icc(none, none, n, k)
    single, average = _estimates(table, words, seed, resamples)
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


def _estimates(table: Floats, words: Words, seed: int, resamples: int) -> tuple[Estimate, Estimate]:
    parts, coefficients = mean_square_parts(table)
    sample = Sample(parts, np.ones(len(table), dtype=np.int64))
    reason = f"the {words.units} differ less than the noise of the {words.values}"
    large = table.size > _MOST_CELLS_RESAMPLED
    asked = 0 if large else resamples
    found = estimated(sample, coefficients, len(table), words, seed=seed, resamples=asked, reason=reason)
    if large and resamples and len(table) >= FEW:
        none = no_interval(
            "the table is too large to resample", seed, resamples, found["single"].interval.method
        )
        found = {name: replace(one, interval=none) for name, one in found.items()}
    if _FEWEST_CELLS_FOR_PINGOUIN <= table.size <= _MOST_CELLS_FOR_PINGOUIN:
        by_pingouin = pingouin_icc(table)
        found = {
            name: replace(one, value=None if one.value is None else by_pingouin[name])
            for name, one in found.items()
        }
    return found["single"], found["average"]


def mean_square_parts(table: Floats) -> tuple[Floats, dict[str, Coefficient]]:
    """What each item adds to the sums from which the mean squares of a two-way layout follow, and both ICC of them."""
    k = table.shape[1]
    table = table - table.mean()
    row = table.sum(axis=1)
    parts = np.column_stack([np.ones(len(table)), row, row**2, (table**2).sum(axis=1), table])

    def squares(sums: Floats) -> tuple[Floats, Floats, Floats]:
        n = sums[:, 0]
        correction = sums[:, 1] ** 2 / (n * k)
        between = sums[:, 2] / k - correction
        raters = (sums[:, 4:] ** 2).sum(axis=1) / n - correction
        error = sums[:, 3] - correction - between - raters
        return between / (n - 1), raters / (k - 1), error / ((n - 1) * (k - 1))

    def single(sums: Floats) -> Floats:
        between, raters, error = squares(sums)
        whole = between + (k - 1) * error + k * (raters - error) / sums[:, 0]
        return _divided(between - error, whole, between + raters + error)

    def average(sums: Floats) -> Floats:
        between, raters, error = squares(sums)
        return _divided(between - error, between + (raters - error) / sums[:, 0], between + raters + error)

    return parts, {"single": single, "average": average}


def _divided(part: Floats, whole: Floats, scale: Floats) -> Floats:
    """NaN where the variance between items, and with it `whole`, comes out as 0 or less."""
    return np.where(whole > 1e-9 * scale, part / whole, np.nan)


def pingouin_icc(table: Floats) -> dict[str, float]:
    """The same two numbers by pingouin."""
    # Imported here: it takes two seconds.
    import pingouin

    item, rater = (index.ravel() for index in np.indices(table.shape))
    long = pd.DataFrame({"item": item, "rater": rater, "value": table.ravel()})
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # Its F tests divide by the error, which is 0 where all raters agree.
        warnings.simplefilter("ignore")
        found = pingouin.intraclass_corr(long, targets="item", raters="rater", ratings="value")
    values = found.set_index("Type")["ICC"]
    return {"single": float(values["ICC(A,1)"]), "average": float(values["ICC(A,k)"])}
