"""Calibration of ratings compared as pairs, and of the agreement of two raters: the unit is the item."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.options import Level
from analysis.ratings.paired import paired_scores
from analysis.stats.agreement.pairwise import rater_pairs
from analysis.stats.agreement.ratings import agreement_of_ratings
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Floats
from bench.calibration_case import COVERAGE, RESAMPLES, Case, Goal, Hit, holds, interval

_MANY = 200_000
_MOST = 500
_STEPS = np.arange(1.0, 6.0)
_SD_ITEMS, _SD_REST, _APART, _SD_OWN = 0.7, 0.8, 0.4, 0.3
_RIGHT = 0.7
_CLASSES = 3
Codes = npt.NDArray[np.int64]


def _on_scale(values: Floats) -> Floats:
    return np.clip(np.round(values), 1, 5)


def _means(rng: np.random.Generator, items: int, leanings: Floats) -> tuple[Floats, Floats]:
    """Mean scores of each item by two criteria; `leanings` are by how much each rater scores the first higher."""
    own, rest = 3 + _SD_ITEMS * rng.standard_normal((items, 1)), (2, items, len(leanings))
    noise = _SD_REST * rng.standard_normal(rest) + _SD_OWN * rng.standard_normal((2, items, 1))
    first, second = (
        _on_scale(own + side * (_APART + leanings) / 2 + noise[at]).mean(axis=1)
        for at, side in enumerate((1, -1))
    )
    return first, second


@cache
def _truth_of_means(raters: int) -> tuple[float, float]:
    first, second = _means(np.random.default_rng(raters), _MANY, np.zeros(raters))
    apart = first - second
    return float(apart.mean()), float(np.median((apart[::2] + apart[1::2]) / 2))


def _paired(items: int, raters: int, sd_raters: float = 0.0) -> Case:
    """Raters who lean to no criterion, or each to one."""

    def simulate(rng: np.random.Generator, seed: int) -> Sequence[Hit]:
        leanings = sd_raters * rng.standard_normal(raters)
        first, second = (pd.Series(values) for values in _means(rng, items, leanings))
        found = paired_scores(None, ("x", "y"), (first, second), "item", seed=seed, resamples=RESAMPLES).test
        mean, pseudomedian = _truth_of_means(raters)
        return holds(found.difference.interval, mean), holds(found.shift, pseudomedian)

    known = "it is of these raters: each leans to a criterion of their own" if sd_raters else ""
    return Case(
        f"paired-ratings-{items}x{raters}{'-leaning' if sd_raters else ''}",
        f"{items} items scored by {raters} raters on 5 points by two criteria {_APART:g} apart (SDs {_SD_ITEMS:g} "
        f"between items, {_SD_OWN:g} between an item's criteria, {_SD_REST:g} rest"
        + (f", {sd_raters:g} between raters' leanings)" if sd_raters else ")"),
        tuple(
            Goal(what, COVERAGE, known, shows=bool(sd_raters))
            for what in ("mean difference of two mean ratings", "Hodges-Lehmann shift of two mean ratings")
        ),
        simulate,
        _MOST,
    )


def _of_classes(rng: np.random.Generator, items: int) -> Codes:
    """Two raters name the true one of three classes, or any."""
    true = rng.choice(_CLASSES, items, p=[0.5, 0.3, 0.2])
    drawn = rng.integers(_CLASSES, size=(2, items))
    return np.where(rng.random((2, items)) < _RIGHT, true, drawn)


def _of_steps(rng: np.random.Generator, items: int) -> Codes:
    """Two raters score from 1 to 5, the second a little higher, as codes from 0."""
    own = 3 + rng.standard_normal(items)
    scores = own + 0.7 * rng.standard_normal((2, items)) + np.array([[0.0], [0.4]])
    return _on_scale(scores).astype(np.int64) - 1


def _draw(level: Level, rng: np.random.Generator, items: int) -> Codes:
    return (_of_classes if level == "nominal" else _of_steps)(rng, items)


def _estimates(level: Level, codes: Codes, seed: int, resamples: int) -> Mapping[str, Estimate]:
    items = codes.shape[1]
    rater, item = np.divmod(np.arange(2 * items), items)
    found = rater_pairs(
        item, rater, codes.ravel(), _STEPS, ["x", "y"], level, seed=seed, resamples=resamples
    ).pairs[0]
    table = pd.DataFrame({"item": item, "rater": rater, "value": codes.ravel() + 1})
    alpha = agreement_of_ratings(table, level=level, seed=seed, resamples=resamples).alpha
    if level == "nominal":
        return {"share of equal ratings": found.agreement, "Cohen's kappa": found.kappa, "alpha": alpha}
    return {
        "kappa, linear weights": found.kappa_linear,
        "kappa, quadratic weights": found.kappa_quadratic,
        "alpha": alpha,
    }


@cache
def _truth_of_two(level: Level) -> Mapping[str, float]:
    found = _estimates(level, _draw(level, np.random.default_rng(0), _MANY), 1, 0)
    return {name: float(one.value or 0.0) for name, one in found.items()}


def _two_raters(level: Level, items: int, known: str = "") -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> Sequence[Hit]:
        found = _estimates(level, _draw(level, rng, items), seed, RESAMPLES)
        return [holds(one.interval, _truth_of_two(level)[name]) for name, one in found.items()]

    how = (
        f"name the true one of {_CLASSES} classes in {_RIGHT:.0%} of cases, else any"
        if level == "nominal"
        else "score on 5 points, one .4 higher"
    )
    return Case(
        f"two-raters-{level}-{items}",
        f"{items} items, two raters who {how}",
        tuple(interval(f"two raters: {name} ({level})", known) for name in _truth_of_two(level)),
        simulate,
        _MOST,
    )


_LEVELS: tuple[Level, ...] = ("nominal", "ordinal")

CASES: tuple[Case, ...] = (
    *(_paired(items, 3) for items in (7, 10, 20, 30, 60)),
    _paired(10, 5),
    _paired(30, 3, 0.3),
    *(_two_raters(level, items) for level in _LEVELS for items in (10, 20, 30, 60, 200)),
)
