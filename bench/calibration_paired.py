"""Calibration of what compares the same people in two conditions, of gamma, and of ICC(1,1)."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from scipy.special import expit

from analysis.stats.agreement.oneway import icc_oneway
from analysis.stats.agreement.words import ITEMS
from analysis.stats.cells import describe_people
from analysis.stats.intervals import Floats
from analysis.stats.paired import paired_columns_test
from analysis.stats.type2 import gamma
from bench.calibration_case import RESAMPLES, Case, Hit, holds, interval

_MANY = 200_000
_SD_ABILITY, _SD_OF_BOTH, _BETTER = 0.6, 0.2, 0.5
_LEVELS, _ANSWERS = 5, 12
_ICC = 0.5


def _two(rng: np.random.Generator, people: int, trials: int) -> tuple[Floats, Floats]:
    """Accuracies of the same people in two conditions, the first easier by half a log odd."""
    own = 1.0 + _SD_ABILITY * rng.standard_normal(people)
    one, other = (
        rng.binomial(trials, expit(own + side * _BETTER / 2 + _SD_OF_BOTH * rng.standard_normal(people)))
        / trials
        for side in (1, -1)
    )
    return one, other


@cache
def _truth_of_two(trials: int) -> tuple[float, float]:
    """The mean difference, and the pseudomedian: half the median sum of two people's differences."""
    one, other = _two(np.random.default_rng(trials), _MANY, trials)
    apart = one - other
    return float(apart.mean()), float(np.median((apart[::2] + apart[1::2]) / 2))


def _paired(people: int, trials: int) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> Sequence[Hit]:
        found = paired_columns_test(*_two(rng, people, trials), seed=seed, resamples=RESAMPLES)
        mean, pseudomedian = _truth_of_two(trials)
        return holds(found.difference.interval, mean), holds(found.shift, pseudomedian)

    return Case(
        f"paired-{people}x{trials}",
        f"{people} people in two conditions, {trials} trials in each, 0.5 log odds apart (SDs {_SD_ABILITY:g} between "
        f"people, {_SD_OF_BOTH:g} between a person's conditions)",
        (
            interval("mean difference of accuracy, the same people"),
            interval("Hodges-Lehmann shift, the same people", "ends included: with ties it is wider"),
        ),
        simulate,
        2_000,
    )


def _certain(rng: np.random.Generator, people: int) -> Floats:
    """Each person's gamma, NaN where it is undefined: 12 answers, the right ones a little more certain."""
    right = rng.random((people, _ANSWERS)) < rng.beta(7.5, 2.5, (people, 1))
    level = np.clip(
        np.round(
            2 + 0.5 * right + rng.standard_normal((people, _ANSWERS)) + 0.5 * rng.standard_normal((people, 1))
        ),
        0,
        _LEVELS - 1,
    )
    counts = [
        np.stack([((level == at) & which).sum(axis=1) for at in range(_LEVELS)], axis=1)
        for which in (right, ~right)
    ]
    return gamma(*counts)


@cache
def _truth_of_gamma() -> float:
    return float(np.nanmean(_certain(np.random.default_rng(1), _MANY)))


def _gamma(people: int) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> Sequence[Hit]:
        found = describe_people(_certain(rng, people), scale="correlation", seed=seed, resamples=RESAMPLES)
        return (holds(found.interval, _truth_of_gamma()),)

    return Case(
        f"gamma-{people}",
        f"{people} people, {_ANSWERS} answers of {_LEVELS} levels, right ones half a level more certain",
        (interval("mean gamma of certainty within people"),),
        simulate,
        2_000,
    )


def _oneway(items: int, most: int) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> Sequence[Hit]:
        item = np.repeat(np.arange(items), rng.integers(2, most + 1, items))
        value = rng.standard_normal(items)[item] + rng.standard_normal(len(item))
        return (holds(icc_oneway(item, value, ITEMS, seed=seed, resamples=RESAMPLES).interval, _ICC),)

    return Case(
        f"icc-oneway-{items}x{most}",
        f"{items} items with 2 to {most} normal ratings of raters of their own, ICC {_ICC:g}",
        (interval("ICC(1,1)"),),
        simulate,
        2_000,
    )


CASES = (
    *(_paired(people, 6) for people in (7, 8, 15, 30)),
    _paired(15, 20),
    _paired(60, 20),
    *(_gamma(people) for people in (5, 8, 15, 30, 60)),
    *(_oneway(items, 3) for items in (10, 15, 30, 60)),
    _oneway(15, 6),
)
