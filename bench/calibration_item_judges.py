"""Calibration of judges of ratings, and of how much oftener participants agree with others than a judge does."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import expit
from scipy.stats import kendalltau, pearsonr, spearmanr

from analysis.data.rating_table import check_ratings
from analysis.judging.alternative import alternative_test
from analysis.judging.items.numbers import ICC, KENDALL, MEASURES, PEARSON, SPEARMAN
from analysis.judging.items.validation import ItemJudge, validate_items
from analysis.stats.intervals import Floats
from bench.calibration_case import RESAMPLES, Case, Hit, holds, interval
from bench.calibration_judges import voted_pairs

_RATERS, _MOST, _MANY = 5, 300, 200_000
_SAID = {
    SPEARMAN: "Spearman's correlation",
    PEARSON: "Pearson's correlation",
    KENDALL: "Kendall's tau",
    ICC: "ICC(A,1)",
}
_PEOPLE = 11


def _scores(rng: np.random.Generator, items: int) -> tuple[Floats, Floats]:
    """Scores of each item (a row) by five raters, and a judge's value of each, all on 5 points."""
    own = 3 + 0.9 * rng.standard_normal((items, 1))
    given, judged = (
        np.clip(np.round(own + sd * rng.standard_normal((items, n))), 1, 5)
        for n, sd in ((_RATERS, 0.8), (1, 0.9))
    )
    return given, judged[:, 0]


def _outcomes(given: Floats, judged: Floats) -> Floats:
    """For each rating 1 if it is nearer to the others' of its item than the judge's value, -1 if farther, else 0, by
    the sum of squares.
    """
    apart = (given[:, :, None] - given[:, None, :]) ** 2
    of_judge = (judged[:, None] - given) ** 2
    by_judge = of_judge.sum(axis=1, keepdims=True) - of_judge
    found: Floats = np.sign(by_judge - apart.sum(axis=2))
    return found


def _icc(x: Floats, y: Floats) -> float:
    """ICC(A,1) of two columns from its mean squares, written out."""
    table = np.column_stack([x, y])
    n = len(table)
    rows, columns = table.mean(axis=1), table.mean(axis=0)
    rest = table - rows[:, None] - columns + table.mean()
    of_rows, of_columns = 2 * rows.var(ddof=1), n * columns.var(ddof=1)
    of_rest = float((rest**2).sum()) / (n - 1)
    return float((of_rows - of_rest) / (of_rows + of_rest + 2 * (of_columns - of_rest) / n))


def _related(x: Floats, y: Floats) -> Mapping[str, float]:
    return {
        SPEARMAN: float(spearmanr(x, y).statistic),
        PEARSON: float(pearsonr(x, y).statistic),
        KENDALL: float(kendalltau(x, y).statistic),
        ICC: _icc(x, y),
    }


@cache
def _truth() -> tuple[Mapping[str, float], Mapping[str, float], float, float]:
    """The true values of the judge, of one rater, of the judge minus one rater, and how much more often raters agree
    than the judge.
    """
    given, judged = _scores(np.random.default_rng(0), _MANY)
    others = given[:, 1:].mean(axis=1)
    person = _related(given[:, 0], others)
    over = float(spearmanr(judged, others).statistic) - person[SPEARMAN]
    return _related(judged, given.mean(axis=1)), person, over, float(_outcomes(given, judged).mean())


def _judged(given: Floats, judged: Floats, seed: int) -> ItemJudge:
    items = len(judged)
    item, rater = (codes.ravel() for codes in np.indices(given.shape))
    ratings = pd.DataFrame({"item": item.astype(str), "rater": rater.astype(str), "score": given.ravel()})
    verdicts = pd.DataFrame({"judge": "x", "item": np.arange(items).astype(str), "value": judged})
    found = validate_items(check_ratings(ratings, scale=(1, 5)), verdicts, seed=seed, resamples=RESAMPLES)
    return found.criteria[0].judges[0]


def _correlations(items: int) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> Sequence[Hit]:
        found = _judged(*_scores(rng, items), seed)
        judge, person, over, oftener = _truth()
        above = found.measures[SPEARMAN].over_person
        assert above
        return (
            *(holds(found.measures[name].value.interval, judge[name]) for name in MEASURES),
            *(holds(found.measures[name].ceiling.interval, person[name]) for name in MEASURES),
            holds(above.interval, over),
            holds(found.alternative_annotator.difference.interval, oftener),
        )

    return Case(
        f"item-judge-{items}",
        f"{items} items scored by {_RATERS} raters and a judge on 5 points; truth from {_MANY:,} items",
        (
            *(interval(f"judge of ratings: {_SAID[name]} with the mean") for name in MEASURES),
            *(interval(f"one rater: {_SAID[name]} with the others' mean") for name in MEASURES),
            interval("judge of ratings minus one rater, Spearman's correlation"),
            interval("how much oftener raters agree than the judge (alternative annotator)"),
        ),
        simulate,
        _MOST,
    )


def _votes(rng: np.random.Generator, pairs: int) -> tuple[npt.NDArray[np.int64], Floats]:
    """Wrong votes of 11 people on pairs that differ, and a judge's verdicts, which are right a little less often."""
    odds = 1.1 + rng.standard_normal(pairs)
    wrong = (rng.random((_PEOPLE, pairs)) >= expit(odds)).astype(np.int64)
    return wrong, (rng.random(pairs) < expit(odds - 0.4)).astype(float)


@cache
def _oftener() -> float:
    """The excess of people's agreement with the others over the judge's, from counts of votes."""
    wrong, support = _votes(np.random.default_rng(0), _MANY)
    others = wrong.sum(axis=0) - wrong
    others_with = np.where(wrong == 1, others, _PEOPLE - 1 - others)
    judge_with = np.where(support == 1, _PEOPLE - 1 - others, others)
    return float(np.sign(others_with - judge_with).mean())


def _alternative(pairs: int) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> Sequence[Hit]:
        wrong, support = _votes(rng, pairs)
        found = alternative_test(voted_pairs(wrong), support, seed=seed, resamples=RESAMPLES)
        return (holds(found.difference.interval, _oftener()),)

    return Case(
        f"alternative-difference-{pairs}",
        f"{pairs} pairs, {_PEOPLE} participants, a judge .4 log odds worse; truth from {_MANY:,} pairs",
        (interval("how much oftener people agree with the others than the judge does"),),
        simulate,
        500,
    )


CASES: tuple[Case, ...] = (
    *map(_correlations, (5, 10, 20, 30, 60, 150)),
    *map(_alternative, (10, 15, 30, 60, 150)),
)
