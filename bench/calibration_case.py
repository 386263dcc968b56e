"""Cases of the calibration bench: a simulated design, and the tests and intervals calibrated on it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import expit, ndtri

from analysis.options import LEVEL
from analysis.stats.intervals import Floats

ERROR, COVERAGE = 1 - LEVEL, LEVEL
SEEDS = 10_000
RESAMPLES = 1_000

Hit = bool | None
"""Whether the test rejected, or the interval held the truth; None where the data gave no p value or no interval."""

Simulate = Callable[[np.random.Generator, int], Sequence[Hit]]


@dataclass(frozen=True, slots=True)
class Goal:
    """One test or interval. `nominal` is ERROR for a test under the null hypothesis, COVERAGE for an interval.

    `known` explains beforehand why its rate may be off. A row with `shows` is expected to be off: it shows what would
    be claimed without the method next to it.
    """

    what: str
    nominal: float
    known: str = ""
    shows: bool = False

    @property
    def is_test(self) -> bool:
        """True if the rate is of rejections."""
        return self.nominal < COVERAGE


@dataclass(frozen=True, slots=True)
class Case:
    """A design, drawn once for each seed; `simulate` answers for each goal, in their order.

    `most` is the maximal number of seeds: fewer than 10,000 if one takes long. `withheld`: at this sample size no
    interval is given, and the case verifies that.
    """

    key: str
    design: str
    goals: tuple[Goal, ...]
    simulate: Simulate
    most: int = SEEDS
    withheld: bool = False


class Ends(Protocol):
    """An object with two interval limits, or None for either."""

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...


def null_test(what: str, known: str = "") -> Goal:
    """A test of a null hypothesis that is true."""
    return Goal(what, ERROR, known)


def interval(what: str, known: str = "") -> Goal:
    """A 95% interval of a number whose truth is known."""
    return Goal(what, COVERAGE, known)


def rejected(p: float | None) -> Hit:
    """True if a p value is at most 0.05."""
    return None if p is None else p <= ERROR + 1e-12


def holds(ends: Ends, truth: float) -> Hit:
    """True if an interval contains the truth, limits included."""
    return None if ends.low is None or ends.high is None else within(ends.low, truth, ends.high)


def within(low: float, truth: float, high: float) -> bool:
    """True if the truth lies between the limits, up to rounding."""
    return bool(low - 1e-9 <= truth <= high + 1e-9)


def z95() -> float:
    """The normal quantile of a 95% interval."""
    return float(ndtri((1 + LEVEL) / 2))


def shares(rng: np.random.Generator, n: int, trials: int, a: float, b: float) -> Floats:
    """The share of right answers in `trials` of each of n participants, their abilities drawn from Beta(a, b)."""
    counts: Floats = rng.binomial(trials, rng.beta(a, b, n)) / trials
    return counts


def mean_probability(log_odds: float, sd: float) -> float:
    """The mean of a logistic of normal log odds, by Gauss and Hermite's quadrature."""
    points, weights = np.polynomial.hermite_e.hermegauss(80)
    return float(weights @ expit(log_odds + sd * points) / np.sqrt(2 * np.pi))


def categorical(codes: npt.NDArray[np.signedinteger], names: Sequence[str]) -> "pd.Categorical[str]":
    """A column as the checked table has it, from the places of its cells among the names."""
    return pd.Categorical.from_codes(codes.astype(np.int64).ravel(), categories=pd.Index(list(names)))
