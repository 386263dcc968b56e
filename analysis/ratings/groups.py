"""Ratings by group of items, by score and by rater, in addition to the mean of a criterion."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from analysis.data.codes import Counts, Mask
from analysis.ratings.interval import mean_interval
from analysis.results import Result
from analysis.stats.comparisons import MannWhitney, mann_whitney
from analysis.stats.intervals import Floats, Interval
from analysis.stats.multiplicity import holm

MOST_SCORES = 100
# Two groups at a time: ten groups are 45 comparisons.
MOST_GROUPS = 10


@dataclass(frozen=True, slots=True)
class ScoreCount(Result):
    """The number of counted scores with this value, and their `share`."""

    score: float
    """The score."""
    n: int
    share: float


@dataclass(frozen=True, slots=True)
class Quartiles(Result):
    """Quartiles of the scores; between two scores by linear interpolation, as R's type 7 [HF96]_."""

    lower: float
    """A quarter of the scores lie below it."""
    median: float
    """Half of the scores lie below it."""
    upper: float
    """Three quarters of the scores lie below it."""


@dataclass(frozen=True, slots=True)
class GroupScores(Result):
    """The scores of one group of items by one criterion; `interval` is for other items and raters."""

    group: str
    """The group of items."""
    n: int
    """Scores that count."""
    n_items: int
    """Items with a score."""
    n_raters: int
    """Raters with a score."""
    mean: float
    sd_ddof1: float | None
    quartiles: Quartiles
    interval: Interval


@dataclass(frozen=True, slots=True)
class GroupComparison(Result):
    """Two groups of items compared by the mean score of each item: items are independent, scores of one item are not.

    `difference` is the mean of the first group's items less that of the second's. `p_holm` is corrected over all
    comparisons of groups in the analysis."""

    groups: tuple[str, str]
    """The groups, in the order given."""
    difference: float
    test: MannWhitney
    p_holm: float | None = None


def score_counts(scores: Floats) -> tuple[ScoreCount, ...]:
    """The frequency of each score, in order; empty for more than 100 different ones, which are no scale of steps."""
    distinct, counts = np.unique(scores, return_counts=True)
    if len(distinct) > MOST_SCORES:
        return ()
    return tuple(
        ScoreCount(float(score), int(n), float(n / len(scores)))
        for score, n in zip(distinct, counts, strict=True)
    )


def quartiles_of(scores: Floats) -> Quartiles | None:
    """None of no scores."""
    return Quartiles(*map(float, np.percentile(scores, (25, 50, 75)))) if len(scores) else None


def group_scores(
    names: Sequence[str],
    group: Counts,
    item: Counts,
    rater: Counts,
    scores: Floats,
    *,
    seed: int,
    resamples: int,
    scale: tuple[float, float] | None = None,
) -> tuple[GroupScores, ...]:
    """Each group that has a score, in the order of `names`; `group`, `item` and `rater` are the codes of each score."""
    return tuple(_each_group(names, group, item, rater, scores, seed, resamples, scale))


def _each_group(
    names: Sequence[str],
    group: Counts,
    item: Counts,
    rater: Counts,
    scores: Floats,
    seed: int,
    resamples: int,
    scale: tuple[float, float] | None,
) -> Iterator[GroupScores]:
    for number, name in enumerate(names):
        here: Mask = group == number
        values = scores[here]
        quartiles = quartiles_of(values)
        if quartiles is None:
            continue
        items, of_item = np.unique(item[here], return_inverse=True)
        raters, of_rater = np.unique(rater[here], return_inverse=True)
        yield GroupScores(
            group=name,
            n=len(values),
            n_items=len(items),
            n_raters=len(raters),
            mean=float(values.mean()),
            sd_ddof1=float(values.std(ddof=1)) if len(values) > 1 else None,
            quartiles=quartiles,
            interval=mean_interval(of_item, of_rater, values, seed=seed, resamples=resamples, scale=scale),
        )


def group_comparisons(
    names: Sequence[str], group: Counts, item: Counts, scores: Floats, *, seed: int, resamples: int
) -> tuple[GroupComparison, ...]:
    """Every two groups that have a score, up to ten groups; of more, none."""
    # Of item means: ratings of one item depend on each other, and the test takes its values as independent.
    means = _item_means(group, item, scores)
    found = [number for number in range(len(names)) if number in means]
    if len(found) > MOST_GROUPS:
        return ()
    return tuple(
        GroupComparison(
            groups=(names[first], names[second]),
            difference=float(means[first].mean() - means[second].mean()),
            test=mann_whitney(means[first], means[second], seed=seed, resamples=resamples),
        )
        for first, second in combinations(found, 2)
    )


def _item_means(group: Counts, item: Counts, scores: Floats) -> dict[int, Floats]:
    """By group, the mean score of each of its items."""
    table = pd.DataFrame({"group": group, "item": item, "score": scores})
    means = table.groupby(["group", "item"])["score"].mean().reset_index()
    groups = means["group"].to_numpy()
    return {int(number): means["score"].to_numpy()[groups == number] for number in np.unique(groups)}


def corrected(families: Sequence[Sequence[GroupComparison]]) -> list[tuple[GroupComparison, ...]]:
    """The comparisons of all criteria as one family, corrected by Holm's method."""
    ps = iter(holm([one.test.p for family in families for one in family]))
    return [tuple(replace(one, p_holm=next(ps)) for one in family) for family in families]


def severities(criterion: Counts, item: Counts, rater: Counts, scores: Floats) -> pd.Series:
    """By criterion and rater: the mean of their scores, each less the mean score of its item by all its raters.

    A rater below zero gives the same items lower scores than others do: a severe one. Items scored by one rater only
    carry no information and are left out, giving NaN if no item is left. It is the rater's term in an additive model of
    items and raters, without iteration: half of a difference between two raters who share all items.
    """
    table = pd.DataFrame({"criterion": criterion, "item": item, "rater": rater, "score": scores})
    of_item = table.groupby(["criterion", "item"])["score"]
    # A single rating is its item's mean: its rater would look neither strict nor lenient.
    apart = (table["score"] - of_item.transform("mean")).where(of_item.transform("size") > 1)
    return apart.groupby([table["criterion"], table["rater"]]).mean()
