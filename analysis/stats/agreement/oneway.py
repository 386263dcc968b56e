"""Intraclass correlation of ratings where items have different numbers of them, by whomever."""

import numpy as np

from analysis.stats.agreement.resampling import Sample
from analysis.stats.agreement.units import Codes
from analysis.stats.agreement.words import Words, estimated, undefined
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Floats


def icc_oneway(item: Codes, value: Floats, words: Words, *, seed: int, resamples: int) -> Estimate:
    """ICC(1,1): the share of the variance of single ratings that is between items, raters being part of the noise
    [SF79]_.

    It needs no complete table: items may have different numbers of ratings, from different raters. The mean squares are
    those of a one-way layout, and the number of ratings per item is averaged as in [Don86]_. The intervals are over
    items. n counts the items with two ratings or more; those with one tell how far items differ.
    """
    n = np.bincount(item).astype(np.float64)
    rated, several = n > 0, int((n >= 2).sum())
    if not several:
        return undefined(words.nothing_twice, words, seed, resamples)
    if rated.sum() < 2:
        return undefined(f"fewer than two {words.units} have a rating", words, seed, resamples, several)
    if value.min() == value.max():
        return undefined(words.constant, words, seed, resamples, several)
    # In order, about the middle and in units of the range: rounding depends neither on the row order nor on a far zero.
    order = np.lexsort((value, item))
    item, value = item[order], (value[order] - np.median(value)) / np.ptp(value)
    one, two = (np.bincount(item, weights=value**power, minlength=len(n)) for power in (1, 2))
    parts = np.column_stack([rated, n, n**2, one, one**2 / np.maximum(n, 1), two])[rated]

    def coefficient(sums: Floats) -> Floats:
        items, total, squares, sum_, between, every = sums.T
        within = (every - between) / (total - items)
        among = (between - sum_**2 / total) / (items - 1)
        size = (total - squares / total) / (items - 1)
        whole = among + (size - 1) * within
        icc: Floats = np.where(whole > 1e-12, (among - within) / whole, np.nan)
        return icc

    # Of equal items one kind, in an order of their own.
    distinct, counts = np.unique(parts, axis=0, return_counts=True)
    reason = f"the {words.units} differ less than the noise of the {words.values}"
    found = estimated(
        Sample(distinct, counts),
        {"icc": coefficient},
        several,
        words,
        seed=seed,
        resamples=resamples,
        reason=reason,
    )
    return found["icc"]
