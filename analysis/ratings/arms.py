"""The arms of one block of ratings compared: each criterion, over the raters of each arm."""

from collections.abc import Sequence

import pandas as pd

from analysis.options import RESAMPLES
from analysis.stats.arms import ArmsCompared, arms_in, as_one_family, compare_arms, why_none


def compare_ratings_by_arm(
    scores: pd.DataFrame, criteria: Sequence[str], *, seed: int = 1, resamples: int = RESAMPLES
) -> ArmsCompared:
    """Compare every two arms by the mean that each rater gave, two-sided.

    Parameters
    ----------
    scores
        One row per score that counts, of `arm`, `rater`, `criterion` and `score` (a number, or missing).
    criteria
        In the order wanted.

    Returns
    -------
    ArmsCompared
        Mann-Whitney's test [MW47]_ over raters; Holm's correction [Hol79]_ is over all criteria and pairs of arms.
    """
    arms = arms_in(scores["arm"])
    if reason := why_none(len(arms)):
        return ArmsCompared(arms, (), reason)
    counted = scores.dropna(subset=["arm", "score"])
    found = [
        compare_arms(name, {arm: _means(counted, name, arm) for arm in arms}, seed=seed, resamples=resamples)
        for name in criteria
    ]
    measures = as_one_family([one for one in found if one.pairs])
    return ArmsCompared(arms, measures, None if measures else "no criterion has scores in two arms")


def _means(scores: pd.DataFrame, criterion: str, arm: str) -> pd.Series:
    chosen = scores[(scores["criterion"] == criterion) & (scores["arm"] == arm)]
    found: pd.Series = chosen.groupby("rater")["score"].mean()
    return found
