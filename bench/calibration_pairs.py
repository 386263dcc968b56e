"""Calibration of agreement, whose units are pairs, and of the strengths of sources."""

from functools import cache

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.stats.agreement.coefficients import FEWEST_FOR_CHANCE, nominal, ordinal, symmetric
from analysis.stats.agreement.icc import f_limits, mean_square_parts
from analysis.stats.agreement.resampling import Sample, kinds
from analysis.stats.agreement.split_half import split_half
from analysis.stats.agreement.units import Codes
from analysis.stats.agreement.words import PAIRS, estimated
from analysis.stats.bradley_terry import BradleyTerry, bradley_terry
from analysis.stats.intervals import Floats
from bench.calibration_case import COVERAGE, RESAMPLES, Case, Goal, Hit, categorical, holds, interval, within

_RATERS = 20
_PAIRS, _TRUTH_PAIRS = 30, 300_000
_SOURCE = ("agreement", "alpha", "kappa", "ac1")


def _votes(rng: np.random.Generator, pairs: int) -> Codes:
    """The votes for either source among 20 on each pair; the log odds of the pairs are normal about 0.5."""
    first = rng.binomial(_RATERS, expit(0.5 + rng.standard_normal(pairs)))
    return np.column_stack([first, _RATERS - first]).astype(np.int64)


def _sample(votes: Codes, as_sources: bool) -> tuple[Sample, dict[str, object]]:
    distinct, counts = kinds(votes if as_sources else np.sort(votes, axis=1))
    parts, coefficients = nominal(distinct, 2) if as_sources else symmetric(distinct)
    return Sample(parts, counts), dict(coefficients)


@cache
def _true_agreement() -> dict[str, float]:
    votes = _votes(np.random.default_rng(0), _TRUTH_PAIRS)
    found = {}
    for as_sources in (True, False):
        sample, coefficients = _sample(votes, as_sources)
        for name, coefficient in coefficients.items():
            found[f"{name}-{as_sources}"] = sample.value(coefficient)  # type: ignore[arg-type]
    return found


def _agreement_case(pairs: int) -> Case:
    known = "an interval needs 10 pairs, alpha and kappa of sources 20" if pairs < 20 else ""

    def simulate(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
        votes, truth = _votes(rng, pairs), _true_agreement()
        hits: list[Hit] = []
        for as_sources, names in ((True, _SOURCE), (False, ("alpha",))):
            sample, coefficients = _sample(votes, as_sources)
            found = estimated(
                sample,
                coefficients,  # type: ignore[arg-type]
                pairs,
                PAIRS,
                seed=seed,
                resamples=RESAMPLES,
                fewest=FEWEST_FOR_CHANCE if as_sources else {},
            )
            hits += [holds(found[name].interval, truth[f"{name}-{as_sources}"]) for name in names]
        return tuple(hits)

    return Case(
        f"agreement-{pairs}",
        f"{pairs} pairs, {_RATERS} votes each, log odds normal(0.5, 1); truth from {_TRUTH_PAIRS:,} pairs",
        (
            interval("share of agreeing votes", known),
            interval("Krippendorff's alpha, sources", known),
            interval("Fleiss' kappa, sources", known),
            interval("Gwet's AC1, sources", known),
            interval("alpha = kappa = AC1 of the choice", known),
        ),
        simulate,
        20 if pairs < 10 else 2_000,
        pairs < 10,
    )


def _split(rng: np.random.Generator, pairs: int, seed: int, resamples: int) -> tuple[float | None, Hit]:
    chance = expit(rng.standard_normal(pairs))
    choice = (rng.random((pairs, _RATERS)) < chance[:, None]).astype(np.int64).ravel()
    pair, person = np.indices((pairs, _RATERS)).reshape(2, -1)
    found = split_half(pair, person, choice, pairs, seed=seed, resamples=resamples).reliability
    return found.value, holds(found.interval, _true_reliability()) if resamples else None


@cache
def _true_reliability() -> float:
    value, _ = _split(np.random.default_rng(0), 100_000, 1, 0)
    assert value is not None
    return value


def _split_case(pairs: int) -> Case:
    return Case(
        f"split-half-{pairs}",
        f"{pairs} pairs, {_RATERS} participants, log odds normal(0, 1); truth from 100,000 pairs",
        (interval("split-half reliability"),),
        lambda rng, seed: (_split(rng, pairs, seed, RESAMPLES)[1],),
        400,
    )


def _points(rng: np.random.Generator, pairs: int) -> Codes:
    """The number of raters, out of 10, who gave each of five points."""
    latent = rng.standard_normal((pairs, 1)) + rng.standard_normal((pairs, 10))
    point = np.searchsorted([-1.2, -0.4, 0.4, 1.2], latent)
    cell = np.arange(pairs)[:, None] * 5 + point
    return np.bincount(cell.ravel(), minlength=5 * pairs).reshape(pairs, 5)


@cache
def _true_ordinal() -> float:
    parts, coefficients = ordinal(_points(np.random.default_rng(0), 200_000))
    return Sample(parts, np.ones(len(parts), dtype=np.int64)).value(coefficients["alpha"])


def _ordinal_case(items: int) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
        distinct, counts = kinds(_points(rng, items))
        parts, coefficients = ordinal(distinct)
        found = Sample(parts, counts).intervals(coefficients, "items", items, seed=seed, resamples=RESAMPLES)
        return (holds(found["alpha"], _true_ordinal()),)

    return Case(
        f"ordinal-{items}",
        f"{items} items, 10 ratings each on 5 points; truth from 200,000 items",
        (interval("Krippendorff's alpha, ordinal"),),
        simulate,
        2_000,
    )


def _icc_case(items: int, n_raters: int, *, points: bool = False) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
        raters = 0.5 * rng.standard_normal(n_raters)
        value = rng.standard_normal((items, 1)) + raters + rng.standard_normal((items, n_raters))
        if points:
            value = np.clip(np.round(3 + 0.8 * value), 1, 5)
        single, average = _true_icc(points, n_raters)
        # The mean squares alone: pingouin gives the same estimates, and takes long.
        parts, coefficients = mean_square_parts(value)
        sample = Sample(parts, np.ones(items, dtype=np.int64))
        of_these = sample.intervals(coefficients, "items", items, seed=seed, resamples=RESAMPLES)
        found = f_limits(value)
        return (
            _within(found["single"], single),
            holds(of_these["single"], single),
            _within(found["average"], average),
        )

    return Case(
        f"icc-{items}x{n_raters}{'-points' if points else ''}",
        f"{items} items, {n_raters} raters, SDs 1 (items), 0.5 (raters), 1 (rest)"
        f"{', on 5 points' if points else ''}; truth: of all raters",
        (
            interval("ICC(A,1): McGraw and Wong's F"),
            Goal("ICC(A,1): items alone drawn, by jackknife or bootstrap", COVERAGE, "not given", shows=True),
            interval("ICC(A,k): McGraw and Wong's F"),
        ),
        simulate,
        2_000,
    )


def _within(ends: tuple[float, float], truth: float) -> Hit:
    low, high = ends
    return within(low, truth, high)


@cache
def _true_icc(points: bool, n_raters: int) -> tuple[float, float]:
    """ICC(A,1) and ICC(A,k) of all raters; on points from 4,000 items and raters."""
    single = 1 / (1 + 0.25 + 1)
    if points:
        rng = np.random.default_rng(0)
        value = rng.standard_normal((4_000, 1)) + 0.5 * rng.standard_normal(4_000)
        value += rng.standard_normal(value.shape)
        parts, coefficients = mean_square_parts(np.clip(np.round(3 + 0.8 * value), 1, 5))
        single = float(coefficients["single"](parts.sum(axis=0, keepdims=True))[0])
    return single, n_raters * single / (1 + (n_raters - 1) * single)


_SOURCES = "wxyz"
_STRENGTHS = np.array([0.9, 0.3, -0.3, -0.9])
_LEFT = 0.3
_ONE, _OTHER = np.triu_indices(4, k=1)


def _choices(rng: np.random.Generator, people: int) -> pd.DataFrame:
    """Choices of each participant, who compares each two of four sources once; participants differ in their
    preferences.
    """
    own = _STRENGTHS + 0.4 * rng.standard_normal((people, 4))
    left = rng.integers(2, size=(people, 6))  # 0: the first stood left
    odds = own[:, _ONE] - own[:, _OTHER] + _LEFT * (1 - 2 * left)
    choice = (rng.random((people, 6)) >= expit(odds)).astype(np.int8)
    person = np.repeat(np.arange(people), 6)

    return pd.DataFrame(
        {
            "study": categorical(np.zeros_like(person), ["s"]),
            "participant": categorical(person, [str(number) for number in range(people)]),
            "source_a": categorical(np.tile(_ONE, people), _SOURCES),
            "source_b": categorical(np.tile(_OTHER, people), _SOURCES),
            "left": categorical(left, "ab"),
            "choice": categorical(choice, "ab"),
        }
    )


def _numbers(found: BradleyTerry) -> Floats:
    values = (
        found.strengths[0].strength.value,
        found.probabilities[0].probability.value,
        found.left_advantage.value,
    )
    return np.array(values, dtype=float)


@cache
def _true_strengths() -> Floats:
    return _numbers(bradley_terry(_choices(np.random.default_rng(0), 100_000), resamples=0))


def _bradley_terry_case(people: int) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
        found = bradley_terry(_choices(rng, people), seed=seed, resamples=RESAMPLES)
        if found.reason:
            return (None,) * 3
        estimates = (found.strengths[0].strength, found.probabilities[0].probability, found.left_advantage)
        return tuple(
            holds(one.interval, float(truth)) for one, truth in zip(estimates, _true_strengths(), strict=True)
        )

    return Case(
        f"bradley-terry-{people}",
        f"{people} participants compare 4 sources two by two, own preferences (SD 0.4); truth from 100,000 people",
        (
            interval("Bradley-Terry strength"),
            interval("Bradley-Terry probability of winning"),
            interval("advantage of the left"),
        ),
        simulate,
        600,
    )


CASES = (
    *(_agreement_case(pairs) for pairs in (3, 5, 8, 10, 20, _PAIRS, 60)),
    *(_split_case(pairs) for pairs in (10, _PAIRS)),
    *(_ordinal_case(items) for items in (10, _PAIRS)),
    *(_icc_case(items, 10) for items in (10, _PAIRS, 60)),
    *(_icc_case(items, raters) for items, raters in ((10, 3), (40, 6), (100, 3))),
    *(_icc_case(items, raters, points=True) for items, raters in ((40, 6), (10, 3))),
    *(_bradley_terry_case(people) for people in (3, 5, 8, 10, 40, 60)),
)
