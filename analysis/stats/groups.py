"""Several independent groups of participants compared, all together and two by two."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pandas as pd
import scipy
from scipy.special import chdtr, chndtr

from analysis.options import LEVEL, RESAMPLES, Alternative
from analysis.results import FLAT, Result
from analysis.stats.comparisons import MannWhitney, mann_whitney
from analysis.stats.intervals import Floats
from analysis.stats.multiplicity import holm

METHOD = "chi-squared approximation, tie-corrected"
NONCENTRAL = "inverted noncentral chi-squared distribution"


@dataclass(frozen=True, slots=True)
class GroupPair(Result):
    """Two of several groups; `p_holm` corrects `test.p` over the `n_family` pairs of groups that have a p value."""

    groups: tuple[str, str]
    """The two groups."""
    test: MannWhitney = field(metadata=FLAT)
    p_holm: float | None
    n_family: int


@dataclass(frozen=True, slots=True)
class EffectInterval(Result):
    """`low` and `high` of epsilon squared, in [0, 1], or None and a `reason`."""

    low: float | None
    high: float | None
    level: float
    method: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class GroupComparison(Result):
    """A Kruskal-Wallis test, and the Mann-Whitney tests of all pairs of its groups.

    `n` has the participants with a value of each group; `left_out` names the groups that have none. `epsilon_squared` =
    H / (n - 1) in [0, 1]: the share of the ranks' variance that lies between the groups."""

    groups: tuple[str, ...]
    """The groups, in the order given."""
    left_out: tuple[str, ...]
    n: Mapping[str, int]
    h: float | None
    """The statistic H."""
    df: int | None
    """Degrees of freedom."""
    p: float | None
    method: str | None
    ties: bool
    """Whether two values are equal."""
    epsilon_squared: float | None
    epsilon_squared_interval: EffectInterval
    pairs: tuple[GroupPair, ...]
    reason: str | None


def kruskal_wallis(
    groups: Mapping[str, pd.Series | Floats],
    alternative: Alternative = "two-sided",
    *,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> GroupComparison:
    """Compare several independent groups of one value per participant [KW52]_.

    Trials of one person are not independent and must be averaged first; no participant may be in two groups. NaN means
    the participant has no value and is left out.

    Parameters
    ----------
    groups
        The values of each group, by its name.
    alternative
        Of the tests of two groups: ``greater`` means that the group named first is higher. H has no direction.
    seed, resamples
        Of the intervals and permutation tests of the pairs.

    Returns
    -------
    GroupComparison
        H is tie-corrected, its p the chi-squared approximation, which is cautious where groups have fewer than five
        participants. The interval of epsilon squared inverts the noncentral chi-squared distribution [SF97]_: a
        bootstrap never holds 0 where the groups are alike. `pairs` are in the order of the groups.

    Examples
    --------
    >>> test = kruskal_wallis({"a": np.array([1.0, 2.0]), "b": np.array([3.0, 4.0]), "c": np.array([5.0, 6.0])})
    >>> round(test.h, 4), test.df, round(test.p, 4), test.pairs[0].n_family
    (4.5714, 2, 0.1017, 3)
    """
    present = {name: _present(values) for name, values in groups.items()}
    tested = {name: values for name, values in present.items() if len(values)}
    reason = _reason(tested)
    h = df = p = None
    total = sum(len(values) for values in tested.values())
    if reason is None:
        test = scipy.stats.kruskal(*tested.values())
        # Rounding can leave H a little below 0 where the mean ranks are equal.
        h, df, p = max(float(test.statistic), 0.0), len(tested) - 1, float(test.pvalue)
    return GroupComparison(
        groups=tuple(tested),
        left_out=tuple(name for name in present if name not in tested),
        n={name: len(values) for name, values in present.items()},
        h=h,
        df=df,
        p=p,
        method=None if reason else METHOD,
        ties=len(np.unique(np.concatenate([np.zeros(0), *tested.values()]))) < total,
        epsilon_squared=None if h is None else h / (total - 1),
        epsilon_squared_interval=_interval(h, df, total - 1.0),
        pairs=_pairs(tested, alternative, seed, resamples),
        reason=reason,
    )


def _present(values: pd.Series | Floats) -> Floats:
    every: Floats = np.asarray(values, dtype=float)
    # Sorted, because floating sums depend on the order and results must not.
    return np.sort(every[~np.isnan(every)])


def _reason(tested: Mapping[str, Floats]) -> str | None:
    if len(tested) < 2:
        return "fewer than two groups have a participant with a value"
    if min(values[0] for values in tested.values()) == max(values[-1] for values in tested.values()):
        return "all participants of all groups have the same value: there is nothing to rank"
    return None


def _pairs(
    tested: Mapping[str, Floats], alternative: Alternative, seed: int, resamples: int
) -> tuple[GroupPair, ...]:
    named = list(combinations(tested, 2))
    tests = [
        mann_whitney(tested[one], tested[two], alternative, seed=seed, resamples=resamples)
        for one, two in named
    ]
    corrected = holm([test.p for test in tests])
    family = sum(p is not None for p in corrected)
    return tuple(GroupPair(*one, family) for one in zip(named, tests, corrected, strict=True))


def _interval(h: float | None, df: int | None, most: float) -> EffectInterval:
    if h is None or df is None:
        return EffectInterval(None, None, LEVEL, NONCENTRAL, "there is no H")
    low, high = (_noncentrality(h, df, most, tail) / most for tail in ((1 + LEVEL) / 2, (1 - LEVEL) / 2))
    if high == 0:
        reason = "the groups are more similar than expected by chance: no effect size fits"
        return EffectInterval(None, None, LEVEL, NONCENTRAL, reason)
    return EffectInterval(low, high, LEVEL, NONCENTRAL, None)


def _noncentrality(h: float, df: int, most: float, tail: float) -> float:
    """The noncentrality under which a chi-squared is at most `h` with probability `tail`, from 0 to `most`."""
    if chdtr(df, h) <= tail:
        return 0.0
    if chndtr(h, df, most) >= tail:
        return most
    return float(scipy.optimize.brentq(lambda value: chndtr(h, df, value) - tail, 1e-12, most))
