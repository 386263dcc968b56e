"""Calibration of analyses of single answers: pooled, resampled both ways, modelled, by cell, by certainty."""

from functools import cache

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import expit

from analysis.choice.bias import bias
from analysis.choice.cell_tables import Part, cell_table
from analysis.choice.pooled import PooledTest, pooled
from analysis.data.codes import Counts
from analysis.data.outcomes import Outcomes
from analysis.stats.cells import describe_people, people_of, pooled_share
from analysis.stats.mixed import fit_mixed
from analysis.stats.student import mean_interval
from analysis.stats.two_way import two_way_mean
from analysis.stats.type2 import auroc2, pooled_interval
from bench.calibration_case import (
    COVERAGE,
    ERROR,
    RESAMPLES,
    Case,
    Goal,
    Hit,
    categorical,
    holds,
    interval,
    mean_probability,
    null_test,
    rejected,
    within,
)

_LOG_ODDS, _SD_PEOPLE, _SD_PAIRS = 0.85, 0.5, 0.6
_SHOWN = "answers of one participant are not independent"

_pooled_by_count: dict[tuple[int, int, int], PooledTest] = {}


def _pooled(right: npt.NDArray[np.int64], people: npt.NDArray[np.int64]) -> PooledTest:
    # The p value and the interval depend on the counts alone: each is asked for once.
    key = len(right), int(right.sum()), int(people.max())
    if key not in _pooled_by_count:
        every = np.ones(len(right), dtype=bool)
        _pooled_by_count[key] = pooled(Outcomes(people, np.zeros_like(people), right, every))
    return _pooled_by_count[key]


def _pooled_case(people: int, trials: int, ability: float | None) -> Case:
    """Answers of people who are all alike, or whose abilities are from Beta(ability, ability)."""
    person = np.repeat(np.arange(people), trials)

    def simulate(rng: np.random.Generator, _seed: int) -> tuple[Hit, ...]:
        chance = np.full(people, 0.5) if ability is None else rng.beta(ability, ability, people)
        found = _pooled((rng.random(len(person)) < chance[person]).astype(np.int64), person)
        return rejected(found.p), holds(found, 0.5)

    shows = ability is not None
    known = _SHOWN if shows else "exact: never above, by steps below"
    differ = "" if ability is None else f", abilities from Beta({ability:g}, {ability:g})"
    return Case(
        f"pooled-{people}x{trials}",
        f"{people} participants, {trials} trial{'s' if trials > 1 else ''} each, accuracy 0.5{differ}",
        (
            Goal("exact binomial test, pooled", ERROR, known, shows),
            Goal("Clopper-Pearson interval, pooled", COVERAGE, known, shows),
        ),
        simulate,
    )


def _answers(
    rng: np.random.Generator, people: int, pairs: int, log_odds: float = _LOG_ODDS
) -> npt.NDArray[np.int64]:
    """1 or 0 for each participant (a row) and pair, both with normal effects, new in every seed."""
    odds = log_odds + _SD_PEOPLE * rng.standard_normal((people, 1)) + _SD_PAIRS * rng.standard_normal(pairs)
    right: npt.NDArray[np.int64] = (rng.random((people, pairs)) < expit(odds)).astype(np.int64)
    return right


def _crossed(people: int, pairs: int) -> str:
    return f"{people} participants x {pairs} pairs, crossed normal effects (SD {_SD_PEOPLE:g}, {_SD_PAIRS:g})"


@cache
def _true_probability() -> float:
    return mean_probability(_LOG_ODDS, float(np.hypot(_SD_PEOPLE, _SD_PAIRS)))


def _two_way_case(people: int, pairs: int) -> Case:
    person, pair = np.repeat(np.arange(people), pairs), np.tile(np.arange(pairs), people)

    def simulate(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
        right, truth = _answers(rng, people, pairs), _true_probability()
        both = two_way_mean(person, pair, right.ravel(), seed=seed, resamples=RESAMPLES)
        return (
            holds(both, truth),
            holds(mean_interval(right.mean(axis=1), scale="share", seed=seed, resamples=RESAMPLES), truth),
        )

    return Case(
        f"two-way-{people}x{pairs}",
        f"{_crossed(people, pairs)}; truth: the mean over all participants and all pairs",
        (
            interval("two-way bootstrap interval of the mean"),
            Goal(
                "interval over participants alone",
                COVERAGE,
                "it speaks of these pairs only, not of others",
                shows=True,
            ),
        ),
        simulate,
        1_000,
    )


def _mixed(rng: np.random.Generator, people: int) -> tuple[Hit, ...]:
    right = _answers(rng, people, 10)
    person, pair = np.indices(right.shape).reshape(2, -1)
    found = fit_mixed(person, pair, right.ravel())
    if found.intercept is None or found.mean_probability is None:
        return (None,) * 4
    assert found.sd_participants is not None
    assert found.sd_pairs is not None
    return (
        holds(found.intercept, _LOG_ODDS),
        holds(found.mean_probability, _true_probability()),
        holds(found.sd_participants, _SD_PEOPLE),
        holds(found.sd_pairs, _SD_PAIRS),
    )


def _mixed_case(people: int) -> Case:
    return Case(
        "mixed" if people == 60 else f"mixed-{people}",
        f"{_crossed(people, 10)}, log odds {_LOG_ODDS:g}",
        (
            interval("mixed model: intercept"),
            interval("mixed model: mean probability"),
            interval("mixed model: SD of participants"),
            interval("mixed model: SD of pairs"),
        ),
        lambda rng, _seed: _mixed(rng, people),
        500,
    )


def _mixed_difference(rng: np.random.Generator, people: int) -> tuple[Hit, ...]:
    right = _answers(rng, 2 * people, 10)
    person, pair = np.indices(right.shape).reshape(2, -1)
    found = fit_mixed(person, pair, right.ravel(), (person >= people).astype(np.int64))
    if found.difference is None:
        return (None, None)
    return rejected(found.difference.p), holds(found.difference, 0.0)


def _mixed_difference_case(people: int) -> Case:
    return Case(
        "mixed-difference" if people == 30 else f"mixed-difference-{people}",
        f"2 studies of {_crossed(people, 10)}, the same pairs; no difference",
        (null_test("mixed model: p of the difference"), interval("mixed model: difference")),
        lambda rng, _seed: _mixed_difference(rng, people),
        500,
    )


_N, _N_TRIALS = 30, 12


@cache
def _trials() -> pd.DataFrame:
    """The frame of 30 participants with 12 trials each; clips shown and choices are drawn by the seed."""
    person = np.repeat(np.arange(_N), _N_TRIALS)
    names = categorical(person, [f"p{number:02}" for number in range(_N)])
    study = categorical(np.zeros_like(person), ["s"])
    position = np.tile(np.arange(1, _N_TRIALS + 1), _N)
    return pd.DataFrame({"study": study, "participant": names, "session": names, "position": position})


def _bias(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
    truth, left = rng.integers(2, size=(2, _N * _N_TRIALS), dtype=np.int8)
    ability = np.repeat(rng.beta(7.5, 2.5, _N), _N_TRIALS)
    choice = np.where(rng.random(len(truth)) < ability, truth, 1 - truth).astype(np.int8)
    members = {"truth": truth, "left": left, "choice": choice}
    drawn = {name: categorical(codes, "ab") for name, codes in members.items()}
    found = bias(_trials().assign(**drawn), seed=seed, resamples=0)
    first = found.order.positions.iloc[0]
    return (
        rejected(found.side.left_against_half.p),
        rejected(found.side.effect_against_zero.p),
        rejected(found.learning.slope_against_zero.p),
        within(first["accuracy_low"], 0.75, first["accuracy_high"]),
    )


def _cells(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
    """12 pairs, three conditions of four; uncertainty is from 1 to 5."""
    people = people_of(_trials())
    pair = _trials()["position"].to_numpy() - 1
    right = rng.random(_N * _N_TRIALS) < np.repeat(rng.beta(7.5, 2.5, _N), _N_TRIALS)
    uncertainty = 1 + rng.binomial(4, np.repeat(rng.beta(4, 6, _N), _N_TRIALS))

    def first(
        cell: npt.NDArray[np.int64], value: npt.NDArray[np.integer] | npt.NDArray[np.bool_], share: bool
    ) -> tuple[float, float]:
        n, once = int(cell.max()) + 1, cell is pair
        made = cell_table(
            [Part(cell, value)], people, n_cells=n, once=once, share=share, seed=seed, resamples=RESAMPLES
        )
        low, high = made.numbers[["ci_low", "ci_high"]].iloc[0]
        return float(low), float(high)

    ends = (first(pair // 4, right, True), first(pair, right, True), first(pair, uncertainty, False))
    truths = (0.75, 0.75, 1 + 4 * 0.4)
    return tuple(
        None if np.isnan(low) else within(low, truth, high)
        for (low, high), truth in zip(ends, truths, strict=True)
    )


_CUTS = np.array([-0.3, 0.5, 1.3])
_N_ANSWERS = 20


def _certainties(rng: np.random.Generator, people: int) -> tuple[Counts, Counts]:
    """Right and wrong answers of each person at each of four levels, from most to least certain."""
    right = rng.random((people, _N_ANSWERS)) < rng.beta(7.5, 2.5, (people, 1))
    sure = rng.standard_normal((people, _N_ANSWERS)) + 0.5 * rng.standard_normal((people, 1)) + 0.8 * right
    level = 3 - np.searchsorted(_CUTS, sure)
    cell = (np.arange(people)[:, None] * 4 + level) * 2 + right
    counts = np.bincount(cell.ravel(), minlength=8 * people).reshape(people, 4, 2)
    return counts[:, :, 1], counts[:, :, 0]


@cache
def _true_certainty() -> tuple[float, float, float]:
    right, wrong = _certainties(np.random.default_rng(0), 300_000)
    all_right, all_wrong = right.sum(axis=0, keepdims=True), wrong.sum(axis=0, keepdims=True)
    most = float(all_right[0, 0] / (all_right[0, 0] + all_wrong[0, 0]))
    return float(auroc2(all_right, all_wrong)[0]), float(np.nanmean(auroc2(right, wrong))), most


def _certainty_case(people: int) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
        right, wrong = _certainties(rng, people)
        pooled_area, mean_area, most = _true_certainty()
        level = pooled_share(right[:, 0], right[:, 0] + wrong[:, 0], seed=seed, reason="no answer")
        own = describe_people(auroc2(right, wrong), scale="share", seed=seed, resamples=RESAMPLES)
        return (
            holds(pooled_interval(right, wrong, seed=seed), pooled_area),
            holds(own.interval, mean_area),
            holds(level.interval, most),
        )

    return Case(
        f"certainty-{people}",
        f"{people} participants, {_N_ANSWERS} trials each, 4 levels of certainty; truth from 300,000 participants",
        (
            interval("type-2 AUROC, pooled: Obuchowski"),
            interval("type-2 AUROC, mean over participants"),
            interval("share right at the most certain level, pooled"),
        ),
        simulate,
        2_000,
    )


CASES = (
    _pooled_case(180, 1, None),
    _pooled_case(30, 6, 4),
    _two_way_case(3, 10),
    _two_way_case(5, 10),
    _two_way_case(8, 10),
    _two_way_case(10, 5),
    _two_way_case(10, 10),
    _two_way_case(30, 10),
    _two_way_case(30, 40),
    *(_mixed_case(people) for people in (3, 5, 8, 60)),
    *(_mixed_difference_case(people) for people in (3, 5, 8, 30)),
    Case(
        "bias",
        f"{_N} participants, {_N_TRIALS} trials each, mean accuracy 0.75; no side bias, no learning",
        (
            null_test("side bias: left choices against 1/2"),
            null_test("side bias: effect against 0"),
            null_test("learning: slope against 0"),
            interval("accuracy at one position, Wilson"),
        ),
        _bias,
        1_000,
    ),
    Case(
        "breakdowns",
        f"{_N} participants, {_N_TRIALS} pairs in 3 conditions, accuracy 0.75, mean uncertainty 2.6 of 1 to 5",
        (
            interval("breakdown: accuracy of a condition"),
            interval("breakdown: accuracy of a pair, Wilson"),
            interval("breakdown: uncertainty of a pair, Student's t"),
        ),
        _cells,
        2_000,
    ),
    *(_certainty_case(people) for people in (3, 5, 8, 10, 30)),
)
