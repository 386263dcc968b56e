"""Distance of one sample of differences from zero: the Hodges-Lehmann estimate with distribution-free interval."""

import numpy as np
import numpy.typing as npt
import scipy
from scipy.special import ndtri

from analysis.options import LEVEL
from analysis.stats.intervals import Floats
from analysis.stats.shift import HodgesLehmann, no_shift, of_ordered

EXACT = "order statistics of the Walsh averages, exact signed-rank distribution"
NORMAL = "order statistics of the Walsh averages, normal approximation, tie- and continuity-corrected"

# R's wilcox.test is exact below 50 values, too: the numbers can be compared.
_EXACT_BELOW = 50
_CELLS = 250_000
# 5/6 - 4/6 and 4/6 - 3/6 differ as floats: unrounded, equal differences would not tie.
_DECIMALS = 12
_CLOSE = 1e-13

Counts = npt.NDArray[np.int64]


def pseudomedian(differences: Floats) -> HodgesLehmann:
    """Estimate the centre of one sample of differences, one per participant [HL63]_.

    It is the median of the Walsh averages: the means of all two differences, each with itself too. The 95% interval
    runs between two of these averages, which the distribution of the signed-rank statistic names [HWC14]_: it holds
    the shifts that the two-sided signed-rank test does not reject, ends included, so that with ties it holds the truth
    more often than it says. Exact below 50 differences without ties, else the normal approximation. Differences of 0
    count like others: only the test leaves them out.

    Parameters
    ----------
    differences
        One for each participant, none missing; they are taken to lie symmetrically about their centre.

    Returns
    -------
    HodgesLehmann
        In the unit of the differences. With few distinct values it moves in steps.
    """
    if not len(differences):
        return no_shift(None, "no participant has a value in both")
    return of_ordered(_Averages(differences), "all differences are the same: there is no spread")


class _Averages:
    """The means of all two differences, in order, by their distinct values."""

    def __init__(self, differences: Floats) -> None:
        self._size = len(differences)
        # + 0.0 turns -0.0 into 0.0, so that both are one value.
        self._values, self._counts = np.unique(np.round(differences, _DECIMALS) + 0.0, return_counts=True)
        self.n = self._size * (self._size + 1) // 2
        self.constant = len(self._values) == 1
        small = len(self._values) ** 2 <= _CELLS
        self._table = _written_out(self._values, self._counts) if small else None
        self._below = np.concatenate([[0], np.cumsum(self._counts)])

    def at(self, rank: int) -> float:
        """The average that is `rank`-th from below, from 1 to n."""
        if self._table is not None:
            distinct, up_to = self._table
            return float(distinct[np.searchsorted(up_to, rank)])
        low, high = float(self._values[0]), float(self._values[-1])
        margin = (high - low) / 10
        # Counts are whole: half a rank lies on a jump, and the margin gives brentq ends with different signs.
        place = scipy.optimize.brentq(
            lambda at: self._count(at) - rank + 0.5, low - margin, high + margin, xtol=_CLOSE
        )
        return round(float(place), _DECIMALS) + 0.0

    def rank(self) -> tuple[int, str]:
        """The rank, from either end, of the average that ends the interval; 0 if not even the first does."""
        n = self._size
        if len(self._values) == n < _EXACT_BELOW:
            up_to = np.cumsum(signed_rank_distribution(n))
            return int(np.searchsorted(up_to, (1 - LEVEL) / 2)), EXACT
        if (
            2 / 2**n > 1 - LEVEL
        ):  # Ties make no row of signs rarer: the approximation would only seem to reach it.
            return 0, NORMAL
        # As floats: the cube of a count above two million overflows int64.
        tied = self._counts.astype(np.float64)
        ties = float((tied**3 - tied).sum())
        variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
        # Rounded down: the interval may become wider by one rank, never narrower.
        return int(np.floor(self.n / 2 + 0.5 - float(ndtri((1 + LEVEL) / 2)) * variance**0.5)), NORMAL

    def _count(self, at: float) -> int:
        """The number of averages that are at most `at`."""
        partners = self._below[np.searchsorted(self._values, 2 * at - self._values, side="right")]
        alone = self._below[np.searchsorted(self._values, at, side="right")]
        return int(partners @ self._counts + alone) // 2


def _written_out(values: Floats, counts: Counts) -> tuple[Floats, Counts]:
    """The distinct averages and how many are up to each; rounded, because equal averages may differ as floats."""
    one, two = np.triu_indices(len(values))
    average = np.round((values[one] + values[two]) / 2, _DECIMALS) + 0.0
    pairs = np.where(one == two, counts[one] * (counts[one] + 1) // 2, counts[one] * counts[two])
    distinct, place = np.unique(average, return_inverse=True)
    # Sums of whole numbers below 2**53: exact as floats.
    return distinct, np.cumsum(np.bincount(place, weights=pairs)).astype(np.int64)


def signed_rank_distribution(n: int) -> Floats:
    """Probability of each sum of positive ranks from 0 to n (n + 1) / 2 where no difference is tied or 0 [Wil45]_."""
    share = np.zeros(n * (n + 1) // 2 + 1)
    share[0] = 1.0
    for rank in range(1, n + 1):
        share[rank:] = (share[rank:] + share[: len(share) - rank]) / 2
        share[:rank] /= 2
    return share
