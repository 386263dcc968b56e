"""The arms of one block of ratings compared: each criterion, or each class, over the raters of each arm."""

from collections.abc import Iterator, Sequence

import pandas as pd

from analysis.natural import natural
from analysis.options import RESAMPLES
from analysis.stats.arms import ArmsCompared, MeasureByArm, arms_in, as_one_family, compare_arms, why_none

# As many as have a drawing; of more, each is named too seldom to be compared.
MOST_CLASSES = 11


def by_arm(scored: pd.DataFrame, scores: pd.Series) -> pd.DataFrame:
    """`arm`, `rater`, `criterion` and `score` of answers that count: numbers, or names of classes."""
    return pd.DataFrame(
        {
            "arm": scored["arm"].astype(object).where(scored["arm"].notna(), None),
            "rater": scored["participant"].astype("str"),
            "criterion": scored["question"].astype("str"),
            "score": scores,
        }
    )


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


def compare_classes_by_arm(
    scores: pd.DataFrame, criteria: Sequence[str], *, seed: int = 1, resamples: int = RESAMPLES
) -> ArmsCompared:
    """Compare every two arms by the share of a rater's answers that name a class, two-sided.

    Of two classes the shares are one number twice, so the first in natural order is compared. A criterion with one
    class, or with more than 11, is not.

    Parameters
    ----------
    scores
        As of `compare_ratings_by_arm`, with the name of a class as `score`.

    Returns
    -------
    ArmsCompared
        As of `compare_ratings_by_arm`; `of` is the class. Holm's correction [Hol79]_ is over all criteria, classes and
        pairs of arms.
    """
    arms = arms_in(scores["arm"])
    if reason := why_none(len(arms)):
        return ArmsCompared(arms, (), reason)
    counted = scores.dropna(subset=["arm", "score"])
    found = [
        one for name in criteria for one in _of_classes(counted, name, arms, seed=seed, resamples=resamples)
    ]
    measures = as_one_family([one for one in found if one.pairs])
    none = f"no criterion has answers in two arms and 2 to {MOST_CLASSES} classes"
    return ArmsCompared(arms, measures, None if measures else none)


def _of_classes(
    counted: pd.DataFrame, criterion: str, arms: Sequence[str], *, seed: int, resamples: int
) -> Iterator[MeasureByArm]:
    rows = counted[counted["criterion"] == criterion]
    classes = sorted(map(str, rows["score"].unique()), key=natural)
    if not 2 <= len(classes) <= MOST_CLASSES:
        return
    for name in classes[:1] if len(classes) == 2 else classes:
        is_named = (rows["score"] == name).astype(float)
        shares = {arm: is_named[rows["arm"] == arm].groupby(rows["rater"]).mean() for arm in arms}
        yield compare_arms(criterion, shares, of=name, scale="share", seed=seed, resamples=resamples)


def _means(scores: pd.DataFrame, criterion: str, arm: str) -> pd.Series:
    chosen = scores[(scores["criterion"] == criterion) & (scores["arm"] == arm)]
    found: pd.Series = chosen.groupby("rater")["score"].mean()
    return found
