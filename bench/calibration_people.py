"""Calibration of statistics of one value per participant: tests of groups, of chance, and their intervals."""

from functools import cache

import numpy as np
from scipy import stats

from analysis.choice.chance import against_chance
from analysis.stats.comparisons import mann_whitney
from analysis.stats.groups import kruskal_wallis
from analysis.stats.intervals import Floats, bootstrap_mean, wilson
from analysis.stats.permutation import permutation_test
from analysis.stats.ranks import ranked
from analysis.stats.shift import hodges_lehmann
from analysis.stats.student import FEW, mean_interval
from bench.calibration_case import (
    COVERAGE,
    RESAMPLES,
    Case,
    Goal,
    Hit,
    holds,
    interval,
    null_test,
    rejected,
    shares,
    within,
)

_TRIALS = 6
_SMALL = (3, 5, 8, 10)
_ABILITY = (7.5, 2.5)  # mean 0.75, SD over participants 0.13
_BETTER = (8.5, 1.5)
_STEPS = "few distinct values: the attainable p values come in steps"


# An exact p depends on the data through U, W or the multiset of values alone: each is asked for once.
_exact_by_u: dict[float, float | None] = {}
_exact_by_w: dict[float, float | None] = {}
_enumerated: dict[tuple[float, ...], float | None] = {}


def _mann_whitney_exact(rng: np.random.Generator, _seed: int) -> tuple[Hit, ...]:
    x, y = rng.standard_normal((2, 8))
    u1 = ranked(x, y).u1
    if u1 not in _exact_by_u:
        _exact_by_u[u1] = mann_whitney(x, y, resamples=0).p
    return (rejected(_exact_by_u[u1]),)


def _alike(n: int) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
        x, y = (shares(rng, n, _TRIALS, *_ABILITY) for _ in range(2))
        ranks = ranked(x, y)
        if len(ranks.of_x) == 1:
            return (None,) * 4
        return (
            rejected(ranks.normal_p("two-sided")),
            rejected(permutation_test(x, y, seed=seed, resamples=RESAMPLES).p),
            holds(ranks.delong(), 0.5),
            holds(hodges_lehmann(x, y), 0.0),
        )

    return Case(
        f"groups-alike-{n}",
        f"2 groups of {n}, {_TRIALS} trials each, both with mean accuracy 0.75 (Beta-binomial); no difference",
        (
            null_test("Mann-Whitney p, normal with ties"),
            null_test("permutation test, random deals"),
            interval("DeLong interval of the effect 0.5"),
            interval(
                "Hodges-Lehmann interval of shift 0, normal with ties", "ends included: with ties it is wider"
            ),
        ),
        simulate,
    )


def _permutation_exact(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
    x, y = (shares(rng, 6, _TRIALS, *_ABILITY) for _ in range(2))
    return (rejected(permutation_test(x, y, seed=seed, resamples=RESAMPLES).p),)


@cache
def _true_effect() -> float:
    of_x, of_y = (
        stats.betabinom(_TRIALS, *ability).pmf(range(_TRIALS + 1)) for ability in (_BETTER, _ABILITY)
    )
    return float(of_x @ (np.cumsum(of_y) - of_y / 2))


def _groups_apart(n: int) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
        x, y = (shares(rng, n, _TRIALS, *ability) for ability in (_BETTER, _ABILITY))
        truth = _true_effect()
        # The permutation test has its own cases.
        found = mann_whitney(x, y, seed=seed, resamples=RESAMPLES if n >= FEW else 0)
        return holds(found.effect_interval, truth), holds(found.effect_interval_analytic, truth)

    return Case(
        f"groups-apart-{n}",
        f"2 groups of {n}, {_TRIALS} trials each, mean accuracies 0.85 and 0.75",
        (interval("interval of the effect"), interval("analytic interval of the effect")),
        simulate,
        500 if n >= FEW else 3_000,
    )


def _shift(n: int) -> Case:
    def simulate(rng: np.random.Generator, _seed: int) -> tuple[Hit, ...]:
        x, y = rng.standard_normal((2, n))
        return (holds(hodges_lehmann(x + 0.5, y), 0.5),)

    return Case(
        f"shift-{n}",
        f"2 groups of {n} normal values, 0.5 SD apart",
        (interval("Hodges-Lehmann interval, exact"),),
        simulate,
    )


def _chance_shares(rng: np.random.Generator, _seed: int) -> tuple[Hit, ...]:
    return (rejected(against_chance(shares(rng, 30, _TRIALS, 8, 8)).p),)


def _chance_untied(rng: np.random.Generator, _seed: int) -> tuple[Hit, ...]:
    values = rng.uniform(0, 1, 12)
    distance = values - 0.5
    w = float(stats.rankdata(np.abs(distance))[distance > 0].sum())
    if w not in _exact_by_w:
        _exact_by_w[w] = against_chance(values).p
    return (rejected(_exact_by_w[w]),)


def _chance_enumerated(rng: np.random.Generator, _seed: int) -> tuple[Hit, ...]:
    values = np.sort(rng.binomial(_TRIALS, 0.5, 8))
    # Two-sided: the mirrored sample has the same p.
    key = min(tuple(values.tolist()), tuple((_TRIALS - values[::-1]).tolist()))
    if key not in _enumerated:
        _enumerated[key] = against_chance(np.array(key) / _TRIALS).p
    return (rejected(_enumerated[key]),)


def _groups(
    rng: np.random.Generator, abilities: tuple[tuple[float, float], ...], n: int
) -> dict[str, Floats]:
    return {name: shares(rng, n, _TRIALS, *ability) for name, ability in zip("abc", abilities, strict=True)}


def _three_alike(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
    found = kruskal_wallis(_groups(rng, (_ABILITY,) * 3, 20), seed=seed, resamples=0)
    corrected = [pair.p_holm for pair in found.pairs if pair.p_holm is not None]
    return rejected(found.p), rejected(min(corrected, default=None))


_APART = ((6.5, 3.5), _ABILITY, _BETTER)


@cache
def _true_epsilon() -> float:
    found = _groups(np.random.default_rng(0), _APART, 300_000)
    return float(stats.kruskal(*found.values()).statistic) / (3 * 300_000 - 1)


def _three_apart(n: int) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
        found = kruskal_wallis(_groups(rng, _APART, n), seed=seed, resamples=0)
        return (holds(found.epsilon_squared_interval, _true_epsilon()),)

    return Case(
        "three-apart" if n == 20 else f"three-apart-{n}",
        f"3 groups of {n}, {_TRIALS} trials each, mean accuracies 0.65, 0.75, 0.85; truth from 900,000 participants",
        (interval("interval of epsilon squared"),),
        simulate,
        500,
    )


def _mean(n: int, trials: int = _TRIALS, ability: tuple[float, float] = _ABILITY) -> Case:
    truth = ability[0] / sum(ability)

    def simulate(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
        values = shares(rng, n, trials, *ability)
        plain = bootstrap_mean(values, seed=seed, resamples=RESAMPLES)
        return (
            holds(mean_interval(values, scale="share", seed=seed, resamples=RESAMPLES), truth),
            holds(plain, truth),
        )

    bootstrap = Goal("percentile bootstrap of the mean", COVERAGE, "not given below 50", shows=n < FEW)
    return Case(
        f"mean-{n}" if trials == _TRIALS else f"mean-{n}-{truth:g}",
        f"{n} participants, {trials} trials each, mean accuracy {truth:g} (Beta-binomial)",
        (interval("interval of the mean accuracy"), bootstrap),
        simulate,
        3_000,
    )


def _uncertainty(n: int) -> Case:
    """Points from 1 to 5 of six trials: a number of no scale."""

    def simulate(rng: np.random.Generator, seed: int) -> tuple[Hit, ...]:
        points = 1 + rng.binomial(4, rng.beta(4, 6, (n, 1)), (n, _TRIALS))
        found = mean_interval(points.mean(axis=1), scale="any", seed=seed, resamples=RESAMPLES)
        return (holds(found, 2.6),)

    return Case(
        f"uncertainty-{n}",
        f"{n} participants, {_TRIALS} trials each, mean uncertainty 2.6 of 1 to 5",
        (interval("interval of the mean uncertainty"),),
        simulate,
        3_000,
    )


def _wilson(share: float | None, known: str = "", votes: int = 30) -> Case:
    """A case at one true share, or at one drawn anew for each seed."""

    def simulate(rng: np.random.Generator, _seed: int) -> tuple[Hit, ...]:
        truth = rng.uniform(0.5, 1) if share is None else share
        low, high = wilson(np.array([rng.binomial(votes, truth)]), np.array([votes]))
        return (within(low[0], truth, high[0]),)

    true = "drawn from 0.5 to 1" if share is None else f"{share:g}"
    key = f"wilson-of-{votes}" if share is None else f"wilson-{share:g}"
    return Case(key, f"{votes} votes, true share {true}", (interval("Wilson interval", known),), simulate)


CASES = (
    Case(
        "mann-whitney-exact",
        "2 groups of 8 normal values, no difference",
        (null_test("Mann-Whitney p, exact", _STEPS),),
        _mann_whitney_exact,
    ),
    _alike(30),
    _alike(10),
    Case(
        "permutation-exact",
        f"2 groups of 6, {_TRIALS} trials each, both with mean accuracy 0.75; no difference",
        (null_test("permutation test, all deals", _STEPS),),
        _permutation_exact,
    ),
    *(_groups_apart(n) for n in (*_SMALL, 30, 60)),
    _shift(5),
    _shift(8),
    _shift(20),
    Case(
        "chance-30",
        f"30 participants, {_TRIALS} trials each, mean accuracy 0.5 (Beta-binomial)",
        (null_test("Wilcoxon against chance, normal with ties"),),
        _chance_shares,
        3_000,
    ),
    Case(
        "chance-12",
        "12 participants, untied values symmetric about 0.5",
        (null_test("Wilcoxon against chance, exact", _STEPS),),
        _chance_untied,
    ),
    Case(
        "chance-8",
        f"8 participants, {_TRIALS} trials each, accuracy 0.5",
        (null_test("Wilcoxon against chance, all signs enumerated", _STEPS),),
        _chance_enumerated,
        500,
    ),
    Case(
        "three-alike",
        f"3 groups of 20, {_TRIALS} trials each, all with mean accuracy 0.75; no difference",
        (null_test("Kruskal-Wallis p"), null_test("any of 3 pairs significant after Holm")),
        _three_alike,
        1_500,
    ),
    *(_three_apart(n) for n in (3, 5, 8, 20)),
    *(_mean(n) for n in (*_SMALL, 30, 60)),
    *(_mean(n, 40, (9.6, 0.4)) for n in (10, 30, 60)),
    *(_uncertainty(n) for n in (*_SMALL, 30)),
    *(_wilson(None, votes=n) for n in (*_SMALL, 30)),
    _wilson(0.7, "at single shares it swings about 0.95: 0.930 here, by the binomial distribution"),
    _wilson(0.9, "0.974 here, by the binomial distribution"),
)
