"""Mean, SD and interval of one value per participant."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.options import RESAMPLES
from analysis.results import Result
from analysis.stats.intervals import Floats, Interval
from analysis.stats.student import Scale, mean_interval


@dataclass(frozen=True, slots=True)
class Description(Result):
    """A sample of one value per participant; `n_missing` participants have none and are left out."""

    mean: float | None
    sd_ddof0: float | None
    sd_ddof1: float | None
    n: int
    """Participants with a value."""
    n_missing: int
    """Participants without a value."""
    interval: Interval
    reason: str | None


def describe(
    values: pd.Series | Floats, *, scale: Scale = "any", seed: int = 1, resamples: int = RESAMPLES
) -> Description:
    """Describe one value per participant; NaN means the participant has none.

    Trials of one person are not independent and must be averaged first (`accuracy_per_participant` and its
    kin).

    Parameters
    ----------
    scale
        What a value can be: ``share`` (0 to 1), ``correlation`` (-1 to 1) or ``any``: an interval of few participants
        stays inside it.
    seed, resamples
        Of the bootstrap; 0 resamples gives no interval that needs one.

    Returns
    -------
    Description
        `sd_ddof0` divides by n, `sd_ddof1` by n - 1. The 95% interval is Student's t of fewer than 50 participants
        (shares on the logit scale), there is none of fewer than 3, and of more a percentile bootstrap that resamples
        participants [ET93]_: the bootstrap of few values is too narrow. Numbers that cannot be computed are None, and
        `reason` says why.

    Examples
    --------
    >>> d = describe(np.array([1.0, 2.0, 3.0, np.nan]))
    >>> d.mean, d.sd_ddof1, d.n, d.n_missing
    (2.0, 1.0, 3, 1)
    """
    every = np.asarray(values, dtype=float)
    # Sorted, because floating sums depend on the order and results must not.
    sample = np.sort(every[~np.isnan(every)])
    n = len(sample)
    missing = len(every) - n
    interval = mean_interval(sample, scale=scale, seed=seed, resamples=resamples, n_missing=missing)
    if n == 0:
        return Description(None, None, None, 0, missing, interval, "no participant has a value")
    # By comparison: the SD of equal floats may come out as a rounding error and not as 0.
    spread = sample[0] != sample[-1]
    # Both SDs: the published study divides by n [NTT21], most statistics programs divide by n - 1.
    sd0 = float(np.std(sample)) if spread else 0.0
    sd1 = None if n == 1 else float(np.std(sample, ddof=1)) if spread else 0.0
    # fsum rounds once, however many values there are.
    mean = math.fsum(sample) / n
    reason = "one participant: no SD with ddof 1" if n == 1 else None
    return Description(mean, sd0, sd1, n, missing, interval, reason)
