"""Cases of the calibration bench: the AUC of all clues together, by a classifier that has not seen the clip."""

from functools import cache

import numpy as np
import pandas as pd

from analysis.clues.classifier import Classifier, classify
from bench.calibration_case import COVERAGE, Case, Goal, Hit, Simulate, holds

WORLD = 200
MOST = 200
_CLUES = 6


def _classified(rng: np.random.Generator, seed: int, n: int, shift: float) -> Classifier:
    """`n` clips a side with six clues, of which the first is higher by `shift` SD on one side."""
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


CASES: tuple[Case, ...] = tuple(
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
