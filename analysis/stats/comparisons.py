"""Two independent groups of participants compared."""

from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np
import pandas as pd
import scipy

from analysis.options import LEVEL, RESAMPLES, Alternative
from analysis.results import Result
from analysis.stats.auc import DELONG, AucInterval
from analysis.stats.intervals import Floats, Interval, bootstrap_effect, no_interval, resampling_is_bounded
from analysis.stats.permutation import PermutationTest, permutation_test
from analysis.stats.ranks import Ranks, ranked
from analysis.stats.shift import HodgesLehmann, hodges_lehmann
from analysis.stats.student import FEW, FEWEST, too_few

Method = Literal["auto", "exact", "asymptotic"]
AnyInterval = TypeVar("AnyInterval", Interval, AucInterval)

_WORDS = {"exact": "exact", "asymptotic": "normal approximation, tie- and continuity-corrected"}
# Exact without ties up to 8 in a group; above 20,000 participants the same formula on counts of values.
_EXACT_UP_TO = 8
_SCIPY_UP_TO = 20_000


@dataclass(frozen=True, slots=True)
class MannWhitney(Result):
    """A Mann-Whitney test: U of each group (they sum to n1 n2), p with its alternative, and effect sizes.

    `effect` = u1 / (n1 n2) = P(x > y) + P(x = y) / 2, the common-language effect [MW92]_, 0.5 meaning no difference and
    more that the first group is higher; `rank_biserial` = 2 effect - 1. Their intervals are bootstraps over
    participants from 50 a group on; the analytic ones next to them [DCC88]_ [BM00]_ [New06]_, which take their place
    where a group has fewer or where there are too many distinct values to resample, need no resamples and stand also
    where the groups do not overlap. `shift` says how far apart the groups are in the values' own unit; `permutation`
    tests the difference in means, always two-sided."""

    n1: int
    """Participants of the first group."""
    n2: int
    """Participants of the second group."""
    u1: float | None
    """U of the first group, 0 to n1 n2."""
    u2: float | None
    """U of the second group; both sum to n1 n2."""
    p: float | None
    """Of the alternative asked for, 0 to 1."""
    alternative: Alternative
    p_two_sided: float | None
    method: str | None
    ties: bool
    """Whether two values are equal."""
    effect: float | None
    effect_interval: Interval
    rank_biserial: float | None
    rank_biserial_interval: Interval
    reason: str | None
    effect_interval_analytic: AucInterval
    rank_biserial_interval_analytic: AucInterval
    shift: HodgesLehmann
    permutation: PermutationTest


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
        Of the bootstrap intervals and the permutation test; 0 resamples gives neither.

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
    ranks = ranked(first, second)
    ties = ranks.ties
    if method == "exact" and ties:
        raise ValueError("the values are tied, and an exact p is not defined then; allowed: auto, asymptotic")
    reason = _reason(ranks)
    chosen = _chosen(method, min(n1, n2), ties)
    u1 = ranks.u1 if n1 and n2 else None
    effect = None if u1 is None else u1 / (n1 * n2)
    analytic = _analytic(ranks)
    interval = _interval(first, second, len(ranks.of_x), analytic, seed, resamples)

    def p_value(direction: Alternative) -> float | None:
        return None if reason else _p(first, second, ranks, direction, chosen)

    two_sided = p_value("two-sided")
    return MannWhitney(
        n1=n1,
        n2=n2,
        u1=u1,
        u2=None if u1 is None else n1 * n2 - u1,
        p=two_sided if alternative == "two-sided" else p_value(alternative),
        alternative=alternative,
        p_two_sided=two_sided,
        method=None if reason else _WORDS[chosen],
        ties=ties,
        effect=effect,
        effect_interval=interval,
        rank_biserial=None if effect is None else 2 * effect - 1,
        rank_biserial_interval=_doubled(interval),
        reason=reason,
        effect_interval_analytic=analytic,
        rank_biserial_interval_analytic=_doubled(analytic),
        shift=hodges_lehmann(first, second),
        permutation=permutation_test(first, second, seed=seed, resamples=resamples),
    )


def _present(values: pd.Series | Floats) -> Floats:
    every: Floats = np.asarray(values, dtype=float)
    present: Floats = every[~np.isnan(every)]
    return present


def _reason(ranks: Ranks) -> str | None:
    if not ranks.n1 or not ranks.n2:
        return "a group has no participant with a value"
    if len(ranks.of_x) == 1:
        return "all participants of both groups have the same value: there is nothing to rank"
    return None


def _chosen(method: Method, smaller: int, ties: bool) -> Literal["exact", "asymptotic"]:
    if method == "auto":
        return "exact" if smaller <= _EXACT_UP_TO and not ties else "asymptotic"
    return method


def _p(first: Floats, second: Floats, ranks: Ranks, alternative: Alternative, method: str) -> float:
    # SciPy sorts the values one by one: seconds for a million of them, where the same formula on counts takes none.
    if method == "asymptotic" and len(first) + len(second) > _SCIPY_UP_TO:
        return ranks.normal_p(alternative)
    return float(scipy.stats.mannwhitneyu(first, second, alternative=alternative, method=method).pvalue)


def _analytic(ranks: Ranks) -> AucInterval:
    smaller = min(ranks.n1, ranks.n2)
    if smaller < FEWEST:
        return AucInterval(None, None, LEVEL, None, too_few(smaller, "participants in a group"))
    return ranks.delong()


def _interval(
    first: Floats, second: Floats, distinct: int, analytic: AucInterval, seed: int, resamples: int
) -> Interval:
    """The bootstrap of few participants is too narrow, and that of many distinct values too long: analytic then."""
    # The smaller group decides: it is resampling few values that makes the bootstrap too narrow.
    many = min(len(first), len(second)) >= FEW
    if many and (resamples == 0 or resampling_is_bounded(2 * distinct, resamples)):
        return bootstrap_effect(first, second, seed=seed, resamples=resamples)
    if analytic.low is None or analytic.high is None:
        return no_interval(analytic.reason or "", seed, 0, DELONG)
    return Interval(analytic.low, analytic.high, LEVEL, analytic.method or DELONG, 0, seed, None)


def _doubled(interval: AnyInterval) -> AnyInterval:
    """The interval of 2 effect - 1."""
    if interval.low is None or interval.high is None:
        return interval
    return replace(interval, low=2 * interval.low - 1, high=2 * interval.high - 1)
