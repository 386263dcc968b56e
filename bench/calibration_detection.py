"""Calibration of yes / no judgements: a group's sensitivity and criterion."""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

from analysis.detection.multilevel import group_sensitivity
from analysis.detection.people import sensitivity
from analysis.stats.description import describe
from analysis.stats.paired import paired_columns_test
from bench.calibration_case import COVERAGE, Case, Goal, Hit, holds, interval

_SD_D_PRIME, _SD_C = 0.5, 0.3


def _case(people: int, trials: int, d_prime: float, c: float) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> Sequence[Hit]:
        of_d = d_prime + _SD_D_PRIME * rng.standard_normal(people)
        of_c = c + _SD_C * rng.standard_normal(people)
        hits, wrong = (rng.binomial(trials, ndtr(side * of_d / 2 - of_c)) for side in (1, -1))
        n = np.full(people, trials)
        found = group_sensitivity(hits, n, wrong, n, seed=seed)
        each = sensitivity(hits, n, wrong, n)[0]
        return (
            holds(found.d_prime.interval, d_prime),
            holds(found.criterion.interval, c),
            holds(describe(each, seed=seed, resamples=0).interval, d_prime),
        )

    return Case(
        f"yes-no-{people}x{trials}-{d_prime:g}",
        f"{people} participants, {trials} trials a class; d' {d_prime:g} (SD {_SD_D_PRIME:g} between participants), "
        f"c {c:g} (SD {_SD_C:g})",
        (
            interval("d' of the group, multilevel probit"),
            interval("c of the group, multilevel probit"),
            Goal("mean of corrected d', Student's t", COVERAGE, "not given", shows=True),
        ),
        simulate,
        300,
    )


def _two(people: int, trials: int, first: float, second: float) -> Case:
    """The same people in two conditions of different difficulty: the difference of their d', that is not given."""

    def simulate(rng: np.random.Generator, seed: int) -> Sequence[Hit]:
        own_d, own_c = _SD_D_PRIME * rng.standard_normal(people), _SD_C * rng.standard_normal(people)
        n = np.full(people, trials)
        values = []
        for d_prime in (first, second):
            of_d = d_prime + own_d + _SD_D_PRIME / 2 * rng.standard_normal(people)
            hits, wrong = (rng.binomial(trials, ndtr(side * of_d / 2 - own_c)) for side in (1, -1))
            values.append(sensitivity(hits, n, wrong, n)[0])
        found = paired_columns_test(values[0], values[1], seed=seed, resamples=0)
        truth = first - second
        return holds(found.difference.interval, truth), holds(found.shift, truth)

    return Case(
        f"yes-no-two-{people}x{trials}",
        f"{people} participants in two conditions, {trials} trials a class in each; d' {first:g} and {second:g} (SDs "
        f"{_SD_D_PRIME:g} between participants, {_SD_D_PRIME / 2:g} between a participant's conditions)",
        (
            Goal("difference of corrected d', Student's t", COVERAGE, "not given", shows=True),
            Goal("shift of corrected d', Hodges-Lehmann", COVERAGE, "not given", shows=True),
        ),
        simulate,
        400,
    )


CASES = (
    *(_case(12, trials, 2.5, 0.0) for trials in (5, 10, 20, 40)),
    _case(5, 10, 2.5, 0.0),
    _case(30, 10, 2.5, 0.0),
    _case(12, 10, 1.0, 0.3),
    _case(30, 10, 0.0, 0.3),
    _two(12, 10, 2.5, 1.0),
    _two(30, 10, 2.5, 1.0),
    _two(30, 40, 2.5, 1.0),
)
