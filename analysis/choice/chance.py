"""Participants' accuracy against chance."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import scipy

from analysis.results import Result
from analysis.stats.intervals import Floats
from analysis.stats.pingouin_tests import pingouin_tests

CHANCE = 0.5

_EXACT_UP_TO = 50
_ENUMERATED_UP_TO = 13


@dataclass(frozen=True, slots=True)
class ChanceTest(Result):
    """Wilcoxon's signed-rank test; `rank_biserial` in [-1, 1], positive meaning above chance."""

    chance: float
    n: int
    """Participants with a value."""
    n_at_chance: int
    """Participants exactly at chance: they carry no sign."""
    w: float | None
    """The smaller of the two rank sums."""
    p: float | None
    alternative: Literal["two-sided"]
    method: str | None
    rank_biserial: float | None
    reason: str | None


def against_chance(values: pd.Series | Floats, chance: float = CHANCE) -> ChanceTest:
    """Test one value per participant against `chance` by Wilcoxon's signed-rank test [Wil45]_, two-sided.

    Participants are independent. Those exactly at chance carry no sign and are left out (and counted in
    `n_at_chance`). The p value is exact without ties up to 50 participants, by enumeration of all signs with
    ties up to 13, and otherwise the normal approximation, tie- and continuity-corrected. Statistic, p and
    the matched-pairs rank-biserial correlation [Ker14]_ come from pingouin."""
    every = np.asarray(values, dtype=float)
    # Rounded: 4/6 and 2/6 are equally far from a half, their floats are not, and ranks would tell them apart.
    distance = np.round(np.sort(every[~np.isnan(every)]) - chance, 12)
    n, at_chance = len(distance), int((distance == 0).sum())
    if n == at_chance:
        reason = "every participant is exactly at chance" if n else "no participant has a value"
        return ChanceTest(chance, n, at_chance, None, None, "two-sided", None, None, reason)
    method, words = _method(distance, at_chance)
    found = pingouin_tests().wilcoxon(distance, alternative="two-sided", method=method or "asymptotic")
    test = found.iloc[0]
    w, p, effect = (float(test[name]) for name in ("W_val", "p_val", "RBC"))
    p = p if method else _enumerated(distance)
    return ChanceTest(chance, n, at_chance, w, p, "two-sided", words, effect, None)


def _enumerated(distance: Floats) -> float:
    """The p of all 2^n signs. scipy's own `wilcoxon` ranks again for each, in Python: a third of a second for 12."""
    # Values at chance have no sign and take no rank.
    ranks = scipy.stats.rankdata(np.abs(distance)) - (distance == 0).sum()

    def positive(signed: Floats, axis: int) -> Floats:
        found: Floats = np.where(signed > 0, ranks, 0.0).sum(axis=axis)
        return found

    signs = 2 ** len(distance)
    found = scipy.stats.permutation_test(
        (distance,), positive, permutation_type="samples", vectorized=True, n_resamples=signs
    )
    return float(found.pvalue)


def _method(distance: Floats, at_chance: int) -> tuple[str | None, str]:
    """Pingouin's name of the method, none where signs are enumerated here, and words for it."""
    tied = at_chance > 0 or len(np.unique(np.abs(distance))) < len(distance)
    if not tied and len(distance) <= _EXACT_UP_TO:
        return "exact", "exact"
    if len(distance) <= _ENUMERATED_UP_TO:
        return None, "exact, all signs enumerated"
    return "asymptotic", "normal approximation, tie- and continuity-corrected"
