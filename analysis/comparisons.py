"""Two independent groups of participants compared."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from scipy import stats

from analysis.intervals import Floats, Interval, bootstrap_effect
from analysis.options import RESAMPLES, Alternative
from analysis.results import Result

Method = Literal["auto", "exact", "asymptotic"]

_WORDS = {"exact": "exact", "asymptotic": "normal approximation, tie- and continuity-corrected"}
_EXACT_UP_TO = 8


@dataclass(frozen=True, slots=True)
class MannWhitney(Result):
    """A Mann-Whitney test: U of each group (they sum to n1 n2), p with its alternative, and effect sizes.

    `effect` = u1 / (n1 n2) = P(x > y) + P(x = y) / 2, the common-language effect [MW92]_, 0.5 meaning no difference
    and more that the first group is higher; `rank_biserial` = 2 effect - 1. Their intervals are bootstraps
    over participants."""

    n1: int
    n2: int
    u1: float | None
    u2: float | None
    p: float | None
    alternative: Alternative
    p_two_sided: float | None
    method: str | None
    ties: bool
    effect: float | None
    effect_interval: Interval
    rank_biserial: float | None
    rank_biserial_interval: Interval
    reason: str | None


def mann_whitney(
    x: pd.Series | Floats,
    y: pd.Series | Floats,
    alternative: Alternative = "two-sided",
    method: Method = "auto",
    *,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> MannWhitney:
    """Compare two independent groups of one value per participant [MW47]_.

    Trials of one person are not independent and must be averaged first. NaN means the participant has no
    value and is left out.

    Parameters
    ----------
    x, y
        The values of the first and the second group.
    alternative
        ``two-sided``, ``greater`` (the first group is higher) or ``less``; the two-sided p is always given
        too.
    method
        ``auto``: exact where one group has at most 8 values and none are tied, else the normal approximation.
    seed, resamples
        Of the bootstrap intervals.

    Raises
    ------
    ValueError
        If an exact p is asked for tied values, for which it is not defined.

    Examples
    --------
    >>> test = mann_whitney(np.array([3.0, 4.0, 5.0]), np.array([1.0, 2.0, 3.5]))
    >>> test.u1, test.u2, round(test.p, 3), test.method
    (8.0, 1.0, 0.2, 'exact')
    """
    first, second = _present(x), _present(y)
    n1, n2 = len(first), len(second)
    pooled = np.concatenate([first, second])
    ties = len(np.unique(pooled)) < len(pooled)
    if method == "exact" and ties:
        raise ValueError("the values are tied, and an exact p is not defined then; allowed: auto, asymptotic")
    reason = _reason(first, second)
    chosen = _chosen(method, min(n1, n2), ties)
    u1 = _u(first, second)
    effect = None if u1 is None else u1 / (n1 * n2)
    interval = bootstrap_effect(first, second, seed=seed, resamples=resamples)
    return MannWhitney(
        n1=n1,
        n2=n2,
        u1=u1,
        u2=None if u1 is None else n1 * n2 - u1,
        p=None if reason else _p(first, second, alternative, chosen),
        alternative=alternative,
        p_two_sided=None if reason else _p(first, second, "two-sided", chosen),
        method=None if reason else _WORDS[chosen],
        ties=ties,
        effect=effect,
        effect_interval=interval,
        rank_biserial=None if effect is None else 2 * effect - 1,
        rank_biserial_interval=_doubled(interval),
        reason=reason,
    )


def _present(values: pd.Series | Floats) -> Floats:
    every: Floats = np.asarray(values, dtype=float)
    present: Floats = every[~np.isnan(every)]
    return present


def _reason(first: Floats, second: Floats) -> str | None:
    if not first.size or not second.size:
        return "a group has no participant with a value"
    if np.ptp(np.concatenate([first, second])) == 0:
        return "all participants of both groups have the same value: there is nothing to rank"
    return None


def _chosen(method: Method, smaller: int, ties: bool) -> Literal["exact", "asymptotic"]:
    if method == "auto":
        return "exact" if smaller <= _EXACT_UP_TO and not ties else "asymptotic"
    return method


def _u(first: Floats, second: Floats) -> float | None:
    if not first.size or not second.size:
        return None
    ranks = stats.rankdata(np.concatenate([first, second]))
    return float(ranks[: len(first)].sum()) - len(first) * (len(first) + 1) / 2


def _p(first: Floats, second: Floats, alternative: Alternative, method: str) -> float:
    return float(stats.mannwhitneyu(first, second, alternative=alternative, method=method).pvalue)


def _doubled(interval: Interval) -> Interval:
    """The interval of 2 effect - 1."""
    if interval.low is None or interval.high is None:
        return interval
    return replace(interval, low=2 * interval.low - 1, high=2 * interval.high - 1)
