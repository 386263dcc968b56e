"""Two groups ranked together, stored as counts of their distinct values: needed for a million participants a group."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from analysis.options import LEVEL, Alternative
from analysis.stats.auc import NEWCOMBE, AucInterval, delong, newcombe
from analysis.stats.intervals import Floats

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ranks:
    """The frequency of each distinct value, in ascending order, in the first and in the second group."""

    of_x: Counts
    of_y: Counts

    @property
    def n1(self) -> int:
        """Participants of the first group."""
        return int(self.of_x.sum())

    @property
    def n2(self) -> int:
        """Participants of the second group."""
        return int(self.of_y.sum())

    @property
    def ties(self) -> bool:
        """True if any two values are equal."""
        return bool((self.of_x + self.of_y > 1).any())

    @property
    def u1(self) -> float:
        """The first group's U [MW47]_: pairs in which it is higher, equal ones counting half."""
        # Doubled, then halved: ties count a half, and sums of whole numbers are exact.
        return float(self.of_x @ (2 * np.cumsum(self.of_y) - self.of_y)) / 2

    def normal_p(self, alternative: Alternative) -> float:
        """SciPy's asymptotic p: the normal approximation, tie- and continuity-corrected."""
        n1, n2 = self.n1, self.n2
        # As floats: the cube of a count above two million overflows int64.
        n, tied = n1 + n2, (self.of_x + self.of_y).astype(float)
        # Ties narrow the distribution of U: without their term p would be too large.
        sd = (n1 * n2 / 12 * (n + 1 - float((tied**3 - tied).sum()) / (n * (n - 1)))) ** 0.5
        first = self.u1 - n1 * n2 / 2
        distance = {"greater": first, "less": -first, "two-sided": abs(first)}[alternative]
        # 0.5 is the continuity correction: U moves in steps, the normal does not.
        share = float(ndtr(-(distance - 0.5) / sd))
        # With U at its mean the corrected distance is below 0, and twice the tail is more than 1.
        return min(1.0, 2 * share) if alternative == "two-sided" else share

    def delong(self) -> AucInterval:
        """The result of `analysis.stats.auc.auc_interval`."""
        area = self.u1 / (self.n1 * self.n2)
        if len(self.of_x) == 1:
            return AucInterval(None, None, LEVEL, None, "all values are the same")
        # Without overlap DeLong's variance is 0, and the logit of the area is infinite.
        if area in (0, 1):
            return AucInterval(*newcombe(area, self.n1, self.n2), LEVEL, NEWCOMBE, None)
        of_x = _variance((np.cumsum(self.of_y) - self.of_y / 2) / self.n2, self.of_x) / self.n1
        of_y = _variance(1 - (np.cumsum(self.of_x) - self.of_x / 2) / self.n1, self.of_y) / self.n2
        return delong(area, (of_x, of_y), (self.n1, self.n2))


def ranked(x: Floats, y: Floats) -> Ranks:
    """Count the values of two groups, none missing."""
    (in_x, of_x), (in_y, of_y) = (np.unique(values, return_counts=True) for values in (x, y))
    distinct = np.unique(np.concatenate([in_x, in_y]))
    counts = [np.zeros(len(distinct), dtype=np.int64) for _ in range(2)]
    for spread, values, of in zip(counts, (in_x, in_y), (of_x, of_y), strict=True):
        spread[np.searchsorted(distinct, values)] = of
    return Ranks(*counts)


def _variance(values: Floats, counts: Counts) -> float:
    """The variance of `counts` of each of `values`, with ddof 1."""
    n = int(counts.sum())
    mean = counts @ values / n
    return float(counts @ (values - mean) ** 2) / (n - 1)
