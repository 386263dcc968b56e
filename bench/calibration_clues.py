"""Cases of the calibration bench: the AUC of all clues together, by a classifier that has not seen the clip."""

from functools import cache

import numpy as np
import pandas as pd
from scipy.special import ndtr

from analysis.clues.classifier import Classifier, classify
from analysis.clues.within_pairs import PairShare, corrected_within, share_within
from bench.calibration_case import COVERAGE, Case, Goal, Hit, Simulate, holds, interval, null_test

WORLD = 200
MOST = 200
_CLUES = 6


def _classified(rng: np.random.Generator, seed: int, n: int, shift: float) -> Classifier:
    """`n` clips a side with six clues, the first of which is higher by `shift` SD on one side."""
    positive = np.repeat([True, False], n)
    values = rng.normal(size=(2 * n, _CLUES))
    values[positive, 0] += shift
    clues = pd.DataFrame(values, columns=[f"clue_{at}" for at in range(_CLUES)])
    return classify(clues, positive, seed=seed, threshold=0.75)


@cache
def _truth(n: int, shift: float) -> float:
    """The mean AUC of classifiers trained on so many clips; 0.5 where there is nothing to learn."""
    if not shift:
        return 0.5
    rng = np.random.default_rng(0)
    return float(np.mean([_classified(rng, seed, n, shift).auc for seed in range(WORLD)]))


def _simulate(n: int, shift: float) -> Simulate:
    def simulate(rng: np.random.Generator, seed: int) -> list[Hit]:
        return [holds(_classified(rng, seed, n, shift).interval, _truth(n, shift))]

    return simulate


_IN_PAIRS = 17


def _within(rng: np.random.Generator, n: int, shift: float) -> list[PairShare]:
    """The 17 clues that differ within pairs by normal values of SD 1, the first by `shift` more on one side."""
    differences = rng.standard_normal((_IN_PAIRS, n))
    differences[0] += shift
    found = corrected_within([[share_within("human", None, one)] for one in differences], 0.75)
    return [one for of in found for one in of]


def _pairs_case(n: int) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> list[Hit]:
        told, nothing = _within(rng, n, 1.0), _within(rng, n, 0.0)
        return [
            any(one.warns for one in nothing),
            holds(told[0], float(ndtr(1.0))),
        ]

    return Case(
        f"clue-pairs-{n}",
        f"{n} pairs, {_IN_PAIRS} clues that differ within pairs by chance alone; then one by 1 SD more",
        (
            null_test("any clue warns within pairs", "from a share of 0.75 on alone: cautious"),
            interval("share of pairs with the higher value, exact", "exact: never below, by steps above"),
        ),
        simulate,
        2_000,
    )


_OF_ALL = tuple(
    Case(
        f"clues-{n}-{shift:g}",
        f"{n} clips a side, {_CLUES} clues, one of them higher by {shift:g} SD",
        (Goal("interval of the AUC of all clues together", COVERAGE),),
        _simulate(n, shift),
        MOST,
    )
    for n in (4, 6, 10, 20, 30)
    for shift in (0.0, 0.75, 1.5)
)


CASES: tuple[Case, ...] = (
    *(_pairs_case(n) for n in (8, 15, 30, 60)),
    *_OF_ALL,
)
