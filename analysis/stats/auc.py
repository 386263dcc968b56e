"""The separation of two groups by one number: the area under the ROC curve, with its interval."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from scipy.special import ndtri

from analysis.options import LEVEL
from analysis.results import Result
from analysis.stats.intervals import Floats
from analysis.stats.student import FEWEST, student_limits, too_few

DELONG = "DeLong's variance, Student's t on the logit scale"
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
    limits inside [0, 1], with the t distribution and Satterthwaite's degrees of freedom, as Brunner and Munzel's test
    has them [BM00]_. That variance is 0 where the groups do not overlap, and says nothing then: Newcombe's method 5
    [New06]_ takes its place. In simulations with 3 to 50 units a side, a true AUC of 0.5 to 0.94, equal and unequal
    spreads, and with 4 units against 40, a 95% interval held the truth in 94% to 100% of cases.
    """
    if min(len(x), len(y)) < FEWEST:
        return AucInterval(None, None, level, None, too_few(min(len(x), len(y)), "values"))
    of_x, of_y = _placements(x, y)
    area = float(of_x.mean())
    if np.ptp(np.concatenate([x, y])) == 0:
        return AucInterval(None, None, level, None, "all values are the same")
    parts = float(of_x.var(ddof=1)) / len(x), float(of_y.var(ddof=1)) / len(y)
    # Where the groups do not overlap DeLong's variance is 0: its interval would have no width.
    if sum(parts) == 0:
        return AucInterval(*newcombe(area, len(x), len(y), level=level), level, NEWCOMBE, None)
    return delong(area, parts, (len(x), len(y)), level)


def delong(
    area: float, parts: tuple[float, float], sizes: tuple[int, int], level: float = LEVEL
) -> AucInterval:
    """The interval of an area whose variance is the sum of `parts`, one from each group of its size."""
    variance = sum(parts)
    # Satterthwaite's degrees of freedom, as of Brunner and Munzel [BM00]: the groups may differ in spread.
    df = variance**2 / sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
    low, high = student_limits(
        np.array([area]), np.array([variance**0.5]), np.array([df]), "share", level=level
    )
    return AucInterval(float(low[0]), float(high[0]), level, DELONG, None)


def newcombe(area: float, n_x: int, n_y: int, *, level: float = LEVEL) -> tuple[float, float]:
    """Newcombe's method 5 [New06]_: the areas that lie just as far from `area` as their own variance allows."""
    z = _z(level)
    # Method 5 puts the mean of the group sizes in the place of both in Hanley and McNeil's variance [New06].
    spread = (n_x + n_y) / 2 - 1

    def reach(other: float) -> float:
        factor = 1 + spread * (1 - other) / (2 - other) + spread * other / (1 + other)
        return z * float((other * (1 - other) * factor / (n_x * n_y)) ** 0.5)

    low = 0.0 if area == 0 else _root(lambda other: area - other - reach(other), _EDGE, area)
    high = 1.0 if area == 1 else _root(lambda other: other - area - reach(other), area, 1 - _EDGE)
    return low, high


def _placements(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """For each x the share of y below it, for each y the share of x above it; ties count a half."""
    # Mean ranks: a tie counts as half a win.
    ranks = scipy.stats.rankdata(np.concatenate([x, y]))
    of_x: Floats = (ranks[: len(x)] - scipy.stats.rankdata(x)) / len(y)
    of_y: Floats = 1 - (ranks[len(x) :] - scipy.stats.rankdata(y)) / len(x)
    return of_x, of_y


def _root(difference: Callable[[float], float], low: float, high: float) -> float:
    # The estimate itself is a root where it is 0 or 1: step off it.
    return float(scipy.optimize.brentq(difference, min(low + 1e-9, high), max(high - 1e-9, low)))


def _z(level: float) -> float:
    return float(ndtri((1 + level) / 2))
