"""An interval of a mean of scores that holds for other items and other raters."""

from dataclasses import replace

import numpy as np
from scipy import sparse

from analysis.data.codes import Counts
from analysis.stats.intervals import NOT_ASKED, Floats, Interval, no_interval, percentile_interval, portions
from analysis.stats.student import FEWEST, ratio_interval

OVER_BOTH = "percentile bootstrap over items and raters"

_WORK = 400_000_000
_FEWEST = 1_000


def mean_interval(item: Counts, rater: Counts, scores: Floats, *, seed: int, resamples: int) -> Interval:
    """The 95 % percentile interval of the mean score, items and raters both resampled [Owe07]_.

    `item` and `rater` number those of each score from 0. Scores of one item depend on each other, and so do those of
    one rater: each resample draws items and, independently, raters, and a score counts as often as its item was drawn
    times its rater. One or two raters say nothing of others: then the interval is over items, for these raters, by
    Student's t; and the other way round. Above 40,000 scores, items and raters together there are fewer resamples than
    asked for, though at least 1,000; the interval says how many."""
    shape = n_items, n_raters = int(item.max(initial=-1)) + 1, int(rater.max(initial=-1)) + 1
    if not len(scores):
        return no_interval("there is no score", seed, resamples, OVER_BOTH)
    if scores.min() == scores.max():
        return no_interval("all scores are the same: there is no spread", seed, resamples, OVER_BOTH)
    method = OVER_BOTH
    if min(shape) < FEWEST:
        by, units, of = (item, "items", "raters") if n_items >= n_raters else (rater, "raters", "items")
        found = ratio_interval(
            np.bincount(by, weights=scores), np.bincount(by), seed=seed, scale="any", units=units
        )
        return replace(found, method=f"{found.method} (of these {min(shape)} {of})")
    if resamples == 0:
        return no_interval(NOT_ASKED, seed, resamples, method)
    resamples = min(resamples, max(_FEWEST, _WORK // (len(scores) + n_items + n_raters)))
    total = sparse.csr_array((scores, (item, rater)), shape=shape)
    count = sparse.csr_array((np.ones(len(scores)), (item, rater)), shape=shape)
    rng = np.random.default_rng(seed)
    drawn = []
    for size in portions(resamples, n_items + 3 * n_raters):
        items, raters = (_drawn(rng, n, size) for n in shape)
        sums, counts = (((items @ table) * raters).sum(axis=1) for table in (total, count))
        # A resample may draw no score where not everybody rated everything.
        drawn.append(np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0))
    return percentile_interval(np.concatenate(drawn), seed, method)


def _drawn(rng: np.random.Generator, n: int, size: int) -> Floats:
    """How often each of n is drawn, a row per resample."""
    return rng.multinomial(n, np.full(n, 1 / n), size=size).astype(np.float64)
