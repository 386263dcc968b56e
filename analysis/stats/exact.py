"""Exact numbers of counts: the interval of a share, and the sign test.

In closed form: SciPy's `binomtest` looks for the ends step by step, which was three fifths of the time of all checks
for leaks.
"""

from scipy.special import bdtr, betaincinv

from analysis.options import LEVEL


def clopper_pearson(successes: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """The exact interval [CP34]_ of the share of `n` independent trials that were successes; `n` is above 0."""
    tail = (1 - level) / 2
    low = float(betaincinv(successes, n - successes + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, n - successes, 1 - tail)) if successes < n else 1.0
    return low, high


def sign_p(higher: int, n: int) -> float:
    """The exact two-sided p value of so many of `n` signs against even chances."""
    return min(1.0, 2 * float(bdtr(min(higher, n - higher), n, 0.5)))
