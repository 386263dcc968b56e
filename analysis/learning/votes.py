"""A judge that learns from people's votes: Bradley-Terry on differences of clips' numbers, with ridge, no intercept.

P(a over b) = 1 / (1 + exp(-w . (f(a) - f(b)))), so that swapping the members mirrors the verdict. Votes are
counted, not majorities; a vote for no difference is half a vote for each.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from analysis.results import Result
from analysis.stats.intervals import Floats

Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]

CARD_FORMAT = "likely-human judge of votes 1"
FEWEST_PAIRS = 40
ENOUGH_PAIRS = 80
FEWEST_PEOPLE = 4
_DUST = 1e-9
_STEPS = 50


@dataclass(frozen=True, slots=True)
class Votes:
    """Votes on pairs of clips.

    `table` has a row of numbers for each clip, `first` and `second` the clips of each pair, `group` what clips share (a
    scene); one row per vote: `pair`, `person`, and `value`, 1 for the first, 0 for the second, 0.5 for no difference.
    """

    table: Floats
    group: Ints
    first: Ints
    second: Ints
    has_truth: Bools
    pair: Ints
    person: Ints
    value: Floats

    @property
    def n_pairs(self) -> int:
        return len(self.first)

    def counts(self, of: Bools) -> tuple[Floats, Floats]:
        """Votes for the first member, and all votes, of each pair, among the votes `of`."""
        won: Floats = np.bincount(self.pair[of], self.value[of], self.n_pairs).astype(np.float64)
        return won, np.bincount(self.pair[of], minlength=self.n_pairs).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Preference:
    """Weights of differences, each divided by `scale`, the SD of the training clips."""

    weights: Floats
    scale: Floats
    ridge: float

    def chance(self, difference: Floats) -> Floats:
        """The probability that the first is chosen, from f(first) - f(second), shape (pairs, numbers)."""
        share: Floats = expit((difference / self.scale) @ self.weights)
        return share


@dataclass(frozen=True, slots=True)
class Reached(Result):
    """Means over repeats: accuracy in naming the held-out half's majority (5 and 95% limits), and loss on its votes."""

    n_pairs: int
    label_accuracy: float | None
    low: float | None
    high: float | None
    log_loss: float | None
    brier: float | None


@dataclass(frozen=True, slots=True)
class CurvePoint(Result):
    """The result with a number of training pairs, or of votes for each of them."""

    n: int
    reached: Reached


@dataclass(frozen=True, slots=True)
class Weight(Result):
    """A weight for one SD of a number; `low` and `high` are the 95% ends of a bootstrap over groups of pairs.

    They say on which side of 0 the weight lies. The ridge draws weights towards 0, so they do not hold its size: in 80
    to 89% of simulated cases (bench/calibration.md).
    """

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Ceilings(Result):
    """`one_person` against the majority of the others; `half` of the people against the other half's majority;
    `reliability` of everybody's shares, by Spearman and Brown's formula from the two halves."""

    one_person: float | None
    half: float | None
    reliability: float | None


@dataclass(frozen=True, slots=True)
class Untrained(Result):
    """The accuracy of an untrained judge in naming a half's majority, on the same pairs and halves as `Reached`; None
    without a pair.
    """

    name: str
    n_pairs: int
    label_accuracy: float | None


@dataclass(frozen=True, slots=True)
class Voted(Result):
    """The numbers of a judge of votes, all on pairs whose clips and voters its copies never saw."""

    n_pairs: int
    n_people: int
    n_votes: int
    reached: Reached
    human_agent: Reached
    agent_agent: Reached
    agent_agent_alone: Reached
    by_pairs: tuple[CurvePoint, ...]
    by_votes: tuple[CurvePoint, ...]
    ceilings: Ceilings
    untrained: tuple[Untrained, ...]
    weights: tuple[Weight, ...]
    ridge: float
    n_tried: int
    warning: str


@dataclass(frozen=True, slots=True)
class Learnt:
    """The judge, its numbers, and cross-fitted probabilities of the first member, shape (repeats, pairs).

    NaN where too few pairs were left that share no group with the pair.
    """

    judge: Preference
    numbers: Voted
    chances: Floats


def fit_preference(difference: Floats, won: Floats, n: Floats, scale: Floats, ridge: float) -> Preference:
    """Newton's method on the binomial log-likelihood less half the ridge times the squared weights; it is concave."""
    # No intercept: swapping the members then mirrors the verdict.
    design = difference / scale
    weights = np.zeros(design.shape[1])

    def loss(tried: Floats) -> float:
        # logaddexp, because log(1 + exp(x)) overflows for large x.
        line = design @ tried
        return float(np.sum(n * np.logaddexp(0, line) - won * line) + ridge / 2 * tried @ tried)

    for _ in range(_STEPS):
        share = expit(design @ weights)
        slope = design.T @ (n * share - won) + ridge * weights
        curvature = (design.T * (n * share * (1 - share))) @ design + ridge * np.eye(len(weights))
        step = np.linalg.solve(curvature, slope)
        # Newton's full step can overshoot where features nearly separate the votes: halved until it does not.
        while loss(weights - step) > loss(weights) + _DUST and np.abs(step).max() > _DUST:
            step /= 2
        weights = weights - step
        if np.abs(step).max() <= _DUST:
            break
    return Preference(weights, scale, ridge)
