"""Several tests at once."""

from collections.abc import Sequence

import numpy as np

from analysis.stats.pingouin_tests import pingouin_tests


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Correct a family of p values by Holm's step-down method [Hol79]_, through pingouin.

    A test without a p value (None) stays without and does not count towards the size of the family.

    Examples
    --------
    >>> holm([0.01, None, 0.04])
    [0.02, None, 0.04]
    """
    if all(p is None for p in p_values):
        return [None] * len(p_values)
    # pingouin leaves NaN out of the family: a test without a p must not make the others stricter.
    family = np.array([np.nan if p is None else p for p in p_values], dtype=float)
    corrected = pingouin_tests().multicomp(family, method="holm")[1]
    return [None if np.isnan(p) else float(p) for p in corrected]


def out_of_reach(least_p: float, n_family: int, alpha: float = 0.05) -> bool:
    """True if Holm's correction [Hol79]_ of `n_family` tests can never be below `alpha`, whatever the data.

    `least_p` is the least p that any of the tests can give; no corrected p is less than `n_family` times that.

    Examples
    --------
    >>> out_of_reach(2 / 2**8, 36), out_of_reach(2 / 2**8, 6)
    (True, False)
    """
    # Holm's first step multiplies the least p by the size of the family: where that fails, no later step can succeed.
    return min(1.0, n_family * least_p) >= alpha
