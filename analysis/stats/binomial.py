"""The exact binomial test and its interval; SciPy's are in `scipy.stats`, which takes a second to import."""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, bdtrc, betaincinv, betaln, xlog1py, xlogy

from analysis.options import LEVEL
from analysis.stats.intervals import Floats

# Outcomes whose chance is that of the one observed may differ from it in the last digits.
_AS_LIKELY = 1 + 1e-7


@dataclass(frozen=True, slots=True)
class BinomialTest:
    """`p` two-sided: of all outcomes that are as unlikely as the one observed, or more. `low` and `high` are Clopper
    and Pearson's interval [CP34]_ of the share."""

    p: float
    low: float
    high: float


def binomial_test(k: int, n: int, chance: float = 0.5, *, level: float = LEVEL) -> BinomialTest:
    """Test `k` successes of `n` against `chance`; there is at least one trial.

    Examples
    --------
    >>> test = binomial_test(9, 10)
    >>> round(test.p, 4), round(test.low, 3), round(test.high, 3)
    (0.0215, 0.555, 0.997)
    """
    tail = (1 - level) / 2
    low = float(betaincinv(k, n - k + 1, tail)) if k else 0.0
    high = float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
    return BinomialTest(_two_sided(k, n, chance), low, high)


def _two_sided(k: int, n: int, chance: float) -> float:
    most = _log_chances(np.array([float(k)]), n, chance)[0] + np.log(_AS_LIKELY)
    if k == n * chance:
        return 1.0
    if k < n * chance:
        other = np.arange(np.ceil(n * chance), n + 1, dtype=float)
        n_as_unlikely = int((_log_chances(other, n, chance) <= most).sum())
        above = float(bdtrc(n - n_as_unlikely, n, chance)) if n_as_unlikely else 0.0
        return min(1.0, float(bdtr(k, n, chance)) + above)
    other = np.arange(np.floor(n * chance) + 1, dtype=float)
    n_as_unlikely = int((_log_chances(other, n, chance) <= most).sum())
    below = float(bdtr(n_as_unlikely - 1, n, chance)) if n_as_unlikely else 0.0
    return min(1.0, below + float(bdtrc(k - 1, n, chance)))


def _log_chances(k: Floats, n: int, chance: float) -> Floats:
    found: Floats = xlogy(k, chance) + xlog1py(n - k, -chance) - betaln(k + 1, n - k + 1) - np.log(n + 1.0)
    return found
