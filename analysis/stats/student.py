"""Intervals from few participants or pairs: Student's t, on a scale that respects the number's range.

A percentile bootstrap of few values is too narrow: of three it covers the truth in 70 to 80% of cases, of thirty near
an end of the scale in 89% (bench/calibration.md). Below `FEW` independent units these intervals replace it, and below
`FEWEST` there is none.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy.special import expit, logit, stdtrit

from analysis.data.codes import Counts
from analysis.options import LEVEL
from analysis.stats.intervals import Floats, Interval, bootstrap_mean, no_interval, resampling_is_bounded

Scale = Literal["any", "share", "correlation", "reliability"]
"""What a number can be: anything, 0 to 1, -1 to 1, or at most 1."""

# A percentile bootstrap of ten values holds the truth in 91% of cases, of three in 70 to 80% (docs/analysis.md).
FEW = 50
FEWEST = 3

STUDENT = "Student's t over participants"
LINEARISED = "Student's t of the linearised ratio"
ALL_THE_SAME = "all participants have the same value: there is no spread"

_ON: dict[Scale, str] = {
    "any": "",
    "share": ", on the logit scale",
    "correlation": ", on Fisher's z scale",
    "reliability": ", on the scale of log(1 - value)",
}
_ENDS: dict[Scale, tuple[float, float]] = {
    "any": (-np.inf, np.inf),
    "share": (0.0, 1.0),
    "correlation": (-1.0, 1.0),
    "reliability": (-np.inf, 1.0),
}


def too_few(n: int, units: str = "participants", of: int | None = None) -> str:
    """The reason for having no interval; `of` is the total if only `n` of them have a value."""
    counted = f"{n}" if of is None or of == n else f"{n} of {of} have a value"
    return f"too few {units} for an interval: {counted}"


def student_limits(
    value: Floats, error: Floats, df: Floats, scale: Scale = "any", *, level: float = LEVEL
) -> tuple[Floats, Floats]:
    """The ends of t intervals, elementwise: value and standard error carried to the scale by the delta method.

    NaN where the error is 0 or not known, and where the value is at an end of its scale."""
    low_end, high_end = _ENDS[scale]
    with np.errstate(divide="ignore", invalid="ignore"):
        known = (error > 0) & (df > 0) & (value > low_end) & (value < high_end)
        reach = np.where(known, stdtrit(np.maximum(df, 1e-9), (1 + level) / 2) * error, np.nan)
        if scale == "any":
            return value - reach, value + reach
        if scale == "reliability":
            factor = np.exp(reach / (1 - value))
            return 1 - (1 - value) * factor, 1 - (1 - value) / factor
        width = high_end - low_end
        share = (value - low_end) / width
        middle, half = logit(share), reach / width / (share * (1 - share))
        return low_end + width * expit(middle - half), low_end + width * expit(middle + half)


def student(
    value: float, error: float, df: float, *, scale: Scale, method: str, seed: int, reason: str = ALL_THE_SAME
) -> Interval:
    """The 95% t interval of a number with its standard error, or `reason` where the error says nothing."""
    named = method + _ON[scale]
    low, high = (
        float(end[0]) for end in student_limits(np.array([value]), np.array([error]), np.array([df]), scale)
    )
    if np.isnan(low) or np.isnan(high):
        return no_interval(reason, seed, 0, named)
    return Interval(low, high, LEVEL, named, 0, seed, None)


def mean_interval(values: Floats, *, scale: Scale, seed: int, resamples: int, n_missing: int = 0) -> Interval:
    """The interval of the mean of one value per participant: Student's t below 50, else `bootstrap_mean`.

    Student's t, too, if there are more distinct values than can be resampled (`resampling_is_bounded`). On the logit
    scale for shares and on Fisher's z scale for numbers from -1 to 1. Without spread there is none.
    """
    n = len(values)
    if n < FEWEST:
        return no_interval(too_few(n, of=n + n_missing), seed, 0, STUDENT + _ON[scale])
    if n >= FEW and (resamples == 0 or resampling_is_bounded(len(np.unique(values)), resamples)):
        return bootstrap_mean(values, seed=seed, resamples=resamples)
    # By comparison: the SD of equal floats may come out as a rounding error and not as 0.
    error = float(values.std(ddof=1)) / n**0.5 if values.min() < values.max() else 0.0
    return student(float(values.mean()), error, n - 1, scale=scale, method=STUDENT, seed=seed)


def ratio_interval(
    part: Counts | Floats, whole: Counts, *, seed: int, scale: Scale = "share", units: str = "participants"
) -> Interval:
    """The interval of sum(part) / sum(whole), people as clusters: one count or sum of each per person.

    The ratio is linearised about its value and its variance taken between people [Coc77]_; Student's t with one degree
    of freedom fewer than people. `units` are what stands in the place of people."""
    method = f"{LINEARISED} over {units}"
    n, total = len(whole), int(whole.sum())
    if n < FEWEST:
        return no_interval(too_few(n, units), seed, 0, method + _ON[scale])
    ratio = float(part.sum()) / total
    away: Floats = part - ratio * whole
    error = float(np.sqrt(n / (n - 1) * (away @ away))) / total
    # A sum of rounding errors is no spread.
    known = error if error > 1e-12 * max(1.0, float(np.abs(part).max())) else 0.0
    reason = ALL_THE_SAME.replace("participants", units)
    return student(ratio, known, n - 1, scale=scale, method=method, seed=seed, reason=reason)


def added_variance(values: Floats, clusters: Sequence[Counts]) -> tuple[float, float]:
    """The variance of a mean whose values depend on each other within each of several groupings, and its degrees of
    freedom.

    `clusters` number the groups of each value from 0. The variances between groups are added, and not that of single
    values taken off [CGM11]_; degrees of freedom are Satterthwaite's, 0 without a spread."""
    away = (values - values.mean()) / len(values)
    parts = []
    for codes in clusters:
        sums = np.bincount(codes, weights=away)
        n = len(sums)
        # n / (n - 1): about an estimated mean the squares of few groups sum to too little.
        parts.append((n / (n - 1) * float(sums @ sums), n - 1))
    variance = sum(part for part, _ in parts)
    return variance, variance**2 / sum(part**2 / df for part, df in parts) if variance else 0.0


def jackknife_error(value: float, without: Floats, counts: Counts | None = None) -> float:
    """The jackknife's standard error, from the value `without` each of n independent units in turn [ET93]_.

    `counts` says of how many units each of them is. NaN where the number is not defined without one of them."""
    times = np.ones(len(without)) if counts is None else counts
    n = float(times.sum())
    return float(np.sqrt((n - 1) / n * (times @ (without - value) ** 2)))
