"""All answers as one sample, and how much that overstates."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import scipy

from analysis.choice.chance import CHANCE
from analysis.data.outcomes import Outcomes, correct_answers
from analysis.options import LEVEL, Blank
from analysis.results import Result
from analysis.stats.exact import clopper_pearson
from analysis.stats.intervals import Floats

METHOD = "exact binomial, Clopper-Pearson interval"


@dataclass(frozen=True, slots=True)
class PooledTest(Result):
    """An exact binomial test of all answers together against chance, and the effect of pooling them.

    `overstates` says that some participant gave several answers: then p and interval claim more than the answers bear,
    and `warning` says it in words. `design_effect` is how many times the variance of `share` between participants
    exceeds that of independent answers; `n_effective` = n / design_effect is how many of those would say as much."""

    n: int
    """Answers."""
    n_participants: int
    n_pairs: int
    n_correct: int
    share: float | None
    """Share of right answers, 0 to 1."""
    low: float | None
    high: float | None
    level: float
    chance: float
    p: float | None
    alternative: Literal["two-sided"]
    method: str | None
    overstates: bool
    warning: str | None
    design_effect: float | None
    n_effective: float | None
    design_effect_reason: str | None
    """Why there is no design effect, if so."""
    reason: str | None


def pooled_test(rows: pd.DataFrame, blank: Blank = "missing", chance: float = CHANCE) -> PooledTest:
    """Test the share of correct answers against `chance`, every answer counting as independent [CP34]_.

    One row is one answer. That is right only where every participant gave one answer; where some gave more, the test
    over participants (`against_chance`) or the mixed model is to be used, and this one shows what pooling would claim.

    Parameters
    ----------
    rows
        Checked responses, already selected.
    blank
        ``missing`` or ``wrong``, see `accuracy_per_participant`.

    Returns
    -------
    PooledTest
        Over answers to trials with a truth. `share` in [0, 1]; p two-sided, exact.
    """
    return pooled(correct_answers(rows, blank), chance)


def pooled(outcomes: Outcomes, chance: float = CHANCE) -> PooledTest:
    """The same for any outcomes of 0 and 1."""
    n, n_correct = outcomes.n, int(outcomes.value.sum())
    effect, why = _design_effect(outcomes)
    several = n > outcomes.n_participants
    low, high = clopper_pearson(n_correct, n) if n else (None, None)
    return PooledTest(
        n=n,
        n_participants=outcomes.n_participants,
        n_pairs=outcomes.n_pairs,
        n_correct=n_correct,
        share=n_correct / n if n else None,
        low=low,
        high=high,
        level=LEVEL,
        chance=chance,
        p=float(scipy.stats.binomtest(n_correct, n, chance).pvalue) if n else None,
        alternative="two-sided",
        method=METHOD if n else None,
        overstates=several,
        warning=_warning(outcomes, effect),
        design_effect=effect,
        n_effective=n / effect if effect else None,
        design_effect_reason=why,
        reason=None if n else "no answer to a trial with a truth counts",
    )


def _design_effect(outcomes: Outcomes) -> tuple[float | None, str | None]:
    """Variance of the share over participants, each one's answers kept together [CGM11]_, over the binomial one."""
    n, people = outcomes.n, outcomes.n_participants
    if people < 2:
        return None, "fewer than two participants: their spread cannot be seen"
    correct = np.bincount(outcomes.participant, outcomes.value)
    answers = np.bincount(outcomes.participant)
    share = correct.sum() / n
    if share in (0, 1):
        return None, "all answers are the same: there is no variance to compare"
    away: Floats = correct - share * answers
    if np.abs(away).max() < 1e-9 * n:
        return None, "every participant has the same share: the spread between them is 0"
    clustered = people / (people - 1) * float(away @ away) / n**2
    # With one answer a participant the two are equal: hence n - 1.
    return float(clustered / (share * (1 - share) / (n - 1))), None


def _warning(outcomes: Outcomes, effect: float | None) -> str | None:
    n, people = outcomes.n, outcomes.n_participants
    if n > people:
        return (
            f"The {n:,} answers come from {people:,} participants, and answers of one person are not independent: "
            f"{_claim(n, effect)}. Use the test over participants or the mixed model."
        )
    if 0 < outcomes.n_pairs < n:
        return (
            f"Every participant answered once, but the {n:,} answers are to {outcomes.n_pairs:,} pairs: "
            "the test is right for these pairs and says nothing of others."
        )
    return None


def _claim(n: int, effect: float | None) -> str:
    if effect is None:
        return "pooling them overstates the evidence"
    if effect <= 1:
        return f"pooling them is not sound, though here the design effect is only {effect:.2f}"
    return (
        f"pooling them overstates the evidence (design effect {effect:.1f}: "
        f"they are worth about {n / effect:,.0f} independent answers)"
    )
