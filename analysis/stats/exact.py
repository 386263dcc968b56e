"""Exact numbers of counts: the interval of a share, and the sign test.

In closed form: SciPy's `binomtest` looks for the ends step by step, which was three fifths of the time of all checks
for leaks.
"""

from scipy.special import bdtr, betaincinv

from analysis.options import LEVEL


def clopper_pearson(successes: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """The ends, from 0 to 1, of the exact interval [CP34]_ of a share: `successes` (0 to `n`) of `n` independent trials
    (1 or more). The caller checks the counts.
    """
    tail = (1 - level) / 2
    low = float(betaincinv(successes, n - successes + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, n - successes, 1 - tail)) if successes < n else 1.0
    return low, high


def sign_p(higher: int, n: int) -> float:
    """The exact two-sided p value of the sign test: `higher` (0 to `n`) of `n` signs against even chances."""
    return min(1.0, 2 * float(bdtr(min(higher, n - higher), n, 0.5)))
