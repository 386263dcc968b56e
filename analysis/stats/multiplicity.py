"""Several tests at once."""

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Correct a family of p values by Holm's step-down method [Hol79]_.

    A test without a p value (None) stays without and does not count towards the size of the family.

    Examples
    --------
    >>> holm([0.01, None, 0.04])
    [0.02, None, 0.04]
    """
    # A test without a p must not make the others stricter.
    family = np.array([p for p in p_values if p is not None], dtype=float)
    order = np.argsort(family)
    corrected = np.empty(len(family))
    # Written out: pingouin's, which the tests hold it against, takes 2 s and 190 MB to import.
    corrected[order] = np.minimum(np.maximum.accumulate(family[order] * np.arange(len(family), 0, -1)), 1.0)
    found = iter(corrected)
    return [None if p is None else float(next(found)) for p in p_values]


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
