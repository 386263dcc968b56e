"""Participants' accuracy against chance."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from analysis.results import Result
from analysis.stats.intervals import Floats
from analysis.stats.rank_sums import mean_ranks, normal_p, share_at_least

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
    ties up to 13, and otherwise the normal approximation, tie- and continuity-corrected. The
    rank-biserial correlation is that of matched pairs [Ker14]_."""
    every = np.asarray(values, dtype=float)
    # Rounded: 4/6 and 2/6 are equally far from a half, their floats are not, and ranks would tell them apart.
    distance = np.round(np.sort(every[~np.isnan(every)]) - chance, 12)
    n, at_chance = len(distance), int((distance == 0).sum())
    if n == at_chance:
        reason = "every participant is exactly at chance" if n else "no participant has a value"
        return ChanceTest(chance, n, at_chance, None, None, "two-sided", None, None, reason)
    is_exact, words = _method(distance, at_chance)
    # Written out: pingouin's and SciPy's, which the tests hold it against, take seconds to import.
    apart = distance[distance != 0]
    ranks = mean_ranks(np.abs(apart))
    above, below = float(ranks[apart > 0].sum()), float(ranks[apart < 0].sum())
    exact = 2 * share_at_least(ranks, max(above, below)) if is_exact else None
    p = normal_p(ranks, above, "two-sided") if exact is None else min(1.0, exact)
    w, effect = min(above, below), (above - below) / (above + below)
    return ChanceTest(chance, n, at_chance, w, p, "two-sided", words, effect, None)


def _method(distance: Floats, at_chance: int) -> tuple[bool, str]:
    """Is p exact? And words for how it is found."""
    tied = at_chance > 0 or len(np.unique(np.abs(distance))) < len(distance)
    if not tied and len(distance) <= _EXACT_UP_TO:
        return True, "exact"
    if len(distance) <= _ENUMERATED_UP_TO:
        return True, "exact, all signs enumerated"
    return False, "normal approximation, tie- and continuity-corrected"
