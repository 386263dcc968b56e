"""How well one number tells two groups apart: the area under the ROC curve, with its interval."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtri

from analysis.intervals import Floats
from analysis.options import LEVEL
from analysis.results import Result

DELONG = "DeLong's variance, normal on the logit scale"
NEWCOMBE = "Newcombe's method 5, for groups that do not overlap"

_EDGE = 1e-12


@dataclass(frozen=True, slots=True)
class AucInterval(Result):
    """`low` and `high` of an AUC, in [0, 1], or None and a `reason`."""

    low: float | None
    high: float | None
    level: float
    method: str | None
    reason: str | None


def auc(x: Floats, y: Floats) -> float:
    """Return P(x > y) + P(x = y) / 2, in [0, 1]: the area under the ROC curve, and U / (n_x n_y) [MW47]_."""
    return float(_placements(x, y)[0].mean())


def auc_interval(x: Floats, y: Floats, *, level: float = LEVEL) -> AucInterval:
    """Return an interval of P(x > y) + P(x = y) / 2.

    One value per independent unit, none missing. DeLong's variance [DCC88]_ on the logit scale, which keeps the
    limits inside [0, 1]. That variance is 0 where the groups do not overlap, and says nothing then: Newcombe's
    method 5 [New06]_ takes its place. In simulations with 4 to 30 units a side, a true AUC of 0.5 to 0.92, equal
    and unequal spreads, a 95 % interval held the truth in 92 % to 99 % of cases (in 88 % where most values are
    tied); with 4 units against 40 in 83 % to 99 %.
    """
    if min(len(x), len(y)) < 2:
        return AucInterval(None, None, level, None, "a group has fewer than two values")
    of_x, of_y = _placements(x, y)
    area = float(of_x.mean())
    if np.ptp(np.concatenate([x, y])) == 0:
        return AucInterval(None, None, level, None, "all values are the same")
    variance = float(of_x.var(ddof=1)) / len(x) + float(of_y.var(ddof=1)) / len(y)
    if variance == 0:
        return AucInterval(*newcombe(area, len(x), len(y), level=level), level, NEWCOMBE, None)
    # Of the logit, by the delta method.
    half = _z(level) * variance**0.5 / (area * (1 - area))
    low, high = expit(logit(area) - half), expit(logit(area) + half)
    return AucInterval(float(low), float(high), level, DELONG, None)


def newcombe(area: float, n_x: int, n_y: int, *, level: float = LEVEL) -> tuple[float, float]:
    """Newcombe's method 5 [New06]_: the areas that lie just as far from `area` as their own variance allows."""
    z = _z(level)
    spread = (n_x + n_y) / 2 - 1

    def reach(other: float) -> float:
        factor = 1 + spread * (1 - other) / (2 - other) + spread * other / (1 + other)
        return z * float((other * (1 - other) * factor / (n_x * n_y)) ** 0.5)

    low = 0.0 if area == 0 else _root(lambda other: area - other - reach(other), _EDGE, area)
    high = 1.0 if area == 1 else _root(lambda other: other - area - reach(other), area, 1 - _EDGE)
    return low, high


def _placements(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """For each x the share of y below it, for each y the share of x above it; equal ones count a half."""
    ranks = stats.rankdata(np.concatenate([x, y]))
    of_x: Floats = (ranks[: len(x)] - stats.rankdata(x)) / len(y)
    of_y: Floats = 1 - (ranks[len(x) :] - stats.rankdata(y)) / len(x)
    return of_x, of_y


def _root(difference: Callable[[float], float], low: float, high: float) -> float:
    # The estimate itself is a root where it is 0 or 1: step off it.
    return float(brentq(difference, min(low + 1e-9, high), max(high - 1e-9, low)))


def _z(level: float) -> float:
    return float(ndtri((1 + level) / 2))
