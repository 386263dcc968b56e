"""The distance of two groups: the Hodges-Lehmann shift with its distribution-free interval."""

from dataclasses import dataclass
from math import comb
from typing import Protocol

import numpy as np
import numpy.typing as npt
import scipy
from scipy.special import ndtri

from analysis.options import LEVEL
from analysis.results import Result
from analysis.stats.intervals import Floats

EXACT = "order statistics of the differences, exact distribution of U"
NORMAL = "order statistics of the differences, normal approximation, tie- and continuity-corrected"

# R's wilcox.test is exact below 50 values, too: the numbers can be compared.
_EXACT_BELOW = 50
_CELLS = 250_000
_DECIMALS = 12
# More participants than 2 / 0.05 have so many deals that each is rare enough.
_FEW_DEALT = 60
_CLOSE = 1e-13

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class HodgesLehmann(Result):
    """The excess of the first group, in the values' unit; `low` and `high` are None with a `reason`."""

    value: float | None
    """The shift, in the values' unit; above 0 the first group is higher."""
    low: float | None
    high: float | None
    level: float
    method: str | None
    reason: str | None


def hodges_lehmann(x: Floats, y: Floats) -> HodgesLehmann:
    """Estimate the shift between two independent groups of one value per participant [HL63]_.

    It is the median of all differences between a value of `x` and a value of `y` (not the difference of the two
    medians). The 95 % interval runs between two of these differences, which the distribution of U names [Bau72]_:
    it holds the shifts that the two-sided Mann-Whitney test does not reject, ends included, so that with ties it
    holds the truth more often than it says. Exact below 50 participants a group without ties inside a group, else
    the normal approximation. The differences are counted by distinct value, never all written out.

    Parameters
    ----------
    x, y
        The values of the two groups, none missing. Equal spread and shape are assumed: where they differ, the
        number is still the median difference, and the interval is not exact.

    Returns
    -------
    HodgesLehmann
        Positive where the first group is higher. With few distinct values it moves in steps.
    """
    if not len(x) or not len(y):
        return no_shift(None, "a group has no participant with a value")
    return of_ordered(
        _Differences(x, y), "the participants of each group all have the same value: there is no spread"
    )


class Ordered(Protocol):
    """`n` numbers in order, perhaps too many to be written out; `constant` where all are the same."""

    n: int
    constant: bool

    def at(self, rank: int) -> float:
        """The number that is `rank`-th from below, from 1 to n."""

    def rank(self) -> tuple[int, str]:
        """The rank of the interval's lower end, below 1 where there is none, and the method."""


def of_ordered(numbers: Ordered, if_constant: str) -> HodgesLehmann:
    """The median of the differences, and the interval from the lower limit's rank to its mirror."""
    below, above = numbers.at((numbers.n + 1) // 2), numbers.at(numbers.n // 2 + 1)
    value = below if below == above else (below + above) / 2
    if numbers.constant:
        return no_shift(value, if_constant)
    rank, method = numbers.rank()
    if rank < 1:
        return no_shift(
            value,
            "too few participants: even the smallest and the largest difference do not make a 95 % interval",
        )
    low, high = numbers.at(rank), numbers.at(numbers.n + 1 - rank)
    return HodgesLehmann(value, low, high, LEVEL, method, None)


def no_shift(value: float | None, reason: str) -> HodgesLehmann:
    """An estimate without an interval, and why."""
    return HodgesLehmann(value, None, None, LEVEL, None, reason)


class _Differences:
    """All differences of a value of x and a value of y, in order, by their distinct values."""

    def __init__(self, x: Floats, y: Floats) -> None:
        (self._x, self._of_x), (self._y, self._of_y) = (np.unique(v, return_counts=True) for v in (x, y))
        self.n = len(x) * len(y)
        self.constant = len(self._x) == len(self._y) == 1
        self._sizes = len(x), len(y)
        small = len(self._x) * len(self._y) <= _CELLS
        self._table = _written_out(self._x, self._of_x, self._y, self._of_y) if small else None
        self._below = np.concatenate([[0], np.cumsum(self._of_y)])

    def at(self, rank: int) -> float:
        """The difference that is `rank`-th from below, from 1 to n."""
        if self._table is not None:
            distinct, up_to = self._table
            return float(distinct[np.searchsorted(up_to, rank)])
        low, high = self._x[0] - self._y[-1], self._x[-1] - self._y[0]
        margin = (high - low) / 10
        # Counts are whole: half a rank lies on a jump, and the margin gives brentq ends with different signs.
        place = scipy.optimize.brentq(
            lambda shift: self._count(shift) - rank + 0.5, low - margin, high + margin, xtol=_CLOSE
        )
        return round(float(place), _DECIMALS) + 0.0

    def rank(self) -> tuple[int, str]:
        """The rank, from either end, of the difference that ends the interval; 0 if not even the first does."""
        n1, n2 = self._sizes
        untied = len(self._x) == n1 and len(self._y) == n2
        if untied and max(n1, n2) < _EXACT_BELOW:
            return int(np.searchsorted(np.cumsum(u_distribution(n1, n2)), (1 - LEVEL) / 2)), EXACT
        n = n1 + n2
        # Ties make no deal rarer: the approximation would only seem to reach it. There are n deals at least, and those
        # of a million participants are a number of 300,000 digits, which took seconds.
        if n <= _FEW_DEALT and 2 / comb(n, n1) > 1 - LEVEL:
            return 0, NORMAL
        ties = sum(int((counts**3 - counts).sum()) for counts in (self._of_x, self._of_y))
        variance = n1 * n2 / 12 * (n + 1 - ties / (n * (n - 1)))
        # Rounded down: the interval may become wider by one rank, never narrower.
        return int(np.floor(self.n / 2 + 0.5 - float(ndtri((1 + LEVEL) / 2)) * variance**0.5)), NORMAL

    def _count(self, shift: float) -> int:
        """The number of differences that are at most `shift`."""
        lower = np.searchsorted(self._y, self._x - shift, side="left")
        return int(((self._below[-1] - self._below[lower]) * self._of_x).sum())


def _written_out(x: Floats, of_x: Counts, y: Floats, of_y: Counts) -> tuple[Floats, Counts]:
    """The distinct differences and how many are up to each.

    Rounded: 5/6 - 4/6 and 4/6 - 3/6 are equal, their floats are not."""
    every = np.round(np.subtract.outer(x, y).ravel(), _DECIMALS) + 0.0
    distinct, place = np.unique(every, return_inverse=True)
    pairs = np.multiply.outer(of_x, of_y).ravel()
    order = np.argsort(place, kind="stable")
    last = np.searchsorted(place[order], np.arange(len(distinct)), side="right") - 1
    return distinct, np.cumsum(pairs[order])[last]


def u_distribution(n1: int, n2: int) -> Floats:
    """Probability of each U from 0 to n1 n2 where no values are tied and the groups do not differ [MW47]_.

    The coefficients of the Gaussian binomial: the product of (1 - q^(n2 + i)) / (1 - q^i) for i up to n1.
    """
    ways = np.zeros(n1 * n2 + 1)
    ways[0] = 1.0
    for i in range(1, n1 + 1):
        top = n2 + i
        ways[top:] = ways[top:] - ways[: max(len(ways) - top, 0)]
        for start in range(min(i, len(ways))):
            ways[start::i] = np.cumsum(ways[start::i])
    probability: Floats = ways / ways.sum()
    return probability
