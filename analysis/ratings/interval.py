"""An interval of a mean of scores that holds for other items and other raters."""

from dataclasses import replace

import numpy as np
from scipy import sparse

from analysis.data.codes import Counts
from analysis.stats.intervals import NOT_ASKED, Floats, Interval, no_interval, percentile_interval, portions
from analysis.stats.student import FEW, FEWEST, added_variance, ratio_interval, student

OVER_BOTH = "percentile bootstrap over items and raters"
STUDENT = "Student's t over items and raters"

_WORK = 400_000_000
_FEWEST = 1_000


def mean_interval(
    item: Counts,
    rater: Counts,
    scores: Floats,
    *,
    seed: int,
    resamples: int,
    scale: tuple[float, float] | None = None,
    by_t: bool = False,
) -> Interval:
    """The 95% interval of the mean score, for other items and other raters.

    `item` and `rater` number those of each score from 0. Scores of one item depend on each other, and so do those of
    one rater. Of fewer than 50 items or raters: Student's t with the variances between items and between raters added
    [CGM11]_ and Satterthwaite's degrees of freedom. Else the percentile bootstrap, which draws items and, by itself,
    raters, a score counting as often as its item was drawn times its rater [Owe07]_; above 40,000 scores, items and
    raters together there are fewer resamples than asked for, though at least 1,000, and the interval says how many. One
    or two raters say nothing of others: then the interval is over items, for these raters; and the other way round.
    `scale` has the lowest and the highest score there can be: no end lies beyond it, as no mean can. `by_t` takes
    Student's t however many there are, for many intervals at once."""
    found = _unbounded(item, rater, scores, seed=seed, resamples=resamples, by_t=by_t)
    if scale is None or found.low is None or found.high is None:
        return found
    low, high = min(scale[0], float(scores.min())), max(scale[1], float(scores.max()))
    return replace(found, low=max(low, found.low), high=min(high, found.high))


def _unbounded(
    item: Counts, rater: Counts, scores: Floats, *, seed: int, resamples: int, by_t: bool
) -> Interval:
    shape = n_items, n_raters = int(item.max(initial=-1)) + 1, int(rater.max(initial=-1)) + 1
    if not len(scores):
        return no_interval("there is no score", seed, resamples, OVER_BOTH)
    if scores.min() == scores.max():
        return no_interval("all scores are the same: there is no spread", seed, resamples, OVER_BOTH)
    method = OVER_BOTH
    # One or two raters tell nothing about others: the interval is for these, over items.
    if min(shape) < FEWEST:
        by, units, of = (item, "items", "raters") if n_items >= n_raters else (rater, "raters", "items")
        found = ratio_interval(
            np.bincount(by, weights=scores), np.bincount(by), seed=seed, scale="any", units=units
        )
        return replace(found, method=f"{found.method} (of these {min(shape)} {of})")
    if by_t or min(shape) < FEW:
        return _student(item, rater, scores, seed)
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


def _student(item: Counts, rater: Counts, scores: Floats, seed: int) -> Interval:
    variance, df = added_variance(scores, (item, rater))
    # A sum of rounding errors is no spread.
    error = variance**0.5 if variance**0.5 > 1e-12 * max(1.0, float(np.abs(scores).max())) else 0.0
    reason = "items and raters all have the same mean score: there is no spread"
    return student(float(scores.mean()), error, df, scale="any", method=STUDENT, seed=seed, reason=reason)


def _drawn(rng: np.random.Generator, n: int, size: int) -> Floats:
    """The frequency of each of n, a row per resample."""
    return rng.multinomial(n, np.full(n, 1 / n), size=size).astype(np.float64)
