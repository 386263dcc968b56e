"""Simulated power against published tables, formulas and exact enumeration."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from _pytest.mark import ParameterSet
from scipy import stats
from scipy.special import ndtri
from statsmodels.stats.proportion import power_proportions_2indep, proportion_confint

from analysis.planning import plan
from analysis.planning.ranks import mann_whitney_p
from analysis.planning.simulation import DetectionCount

pytestmark = pytest.mark.slow

# Simulated to one standard error of half a percent or less.
ERROR = 0.005


def others(*rows: tuple[float, ...]) -> list[ParameterSet]:
    """Further rows of a table, for `make test-all`."""
    return [pytest.param(*row, marks=pytest.mark.exhaustive) for row in rows]


def power_of(test: str = "mann-whitney", **asked: Any) -> float:
    settings: dict[str, Any] = {"participant_sd": 0.0, "pair_sd": 0.0, "test": test} | asked
    (planned,) = plan(**settings).tests
    assert planned.power
    assert planned.power.value is not None
    return planned.power.value


@pytest.mark.parametrize(
    ("alpha", "h", "n"),
    [
        (0.05, 0.5, 63),
        *others((0.01, 0.2, 584), (0.01, 0.5, 93), (0.01, 0.8, 36)),
        *others((0.05, 0.2, 392), (0.05, 0.8, 25)),
        *others((0.10, 0.2, 309), (0.10, 0.5, 49), (0.10, 0.8, 19)),
    ],
)
def test_cohens_table_of_two_proportions(alpha: float, h: float, n: int) -> None:
    """Source: Cohen (1992), A power primer, table 2, row 5: n of each group for power .80.

    With one trial each a share is 0 or 1, and Mann-Whitney is the comparison of two proportions. His table rests on
    the arcsine approximation; two places of h on the scale average out how coarse small samples are.
    """
    half = np.pi / 2
    places = [(half, half + h), (half - h / 2, half + h / 2)]
    powers = [
        power_of(
            share_from=np.sin(low / 2) ** 2,
            share_to=np.sin(high / 2) ** 2,
            participants=n,
            trials=1,
            alpha=alpha,
            simulations=5_000,
        )
        for low, high in places
    ]
    assert np.mean(powers) == pytest.approx(0.80, abs=0.02 + 2 * ERROR)


def test_zhaos_worked_example_with_ties() -> None:
    """Source: Zhao, Rahardja and Qu (2008): three ordered categories, 3,943 and 4,447 people, power .80 (equation 12;
    also the example of `n.wilcox.ord` in R's package samplesize)."""
    rng = np.random.default_rng(1)
    first = rng.multinomial(3943, [0.66, 0.15, 0.19], 10_000)
    second = rng.multinomial(4447, [0.61, 0.23, 0.16], 10_000)
    assert np.mean(mann_whitney_p(first, second) < 0.05) == pytest.approx(0.80, abs=0.01 + 2 * ERROR)


def zhao(first: Any, second: Any, alpha: float, power: float) -> float:
    """Zhao's equation 12 for two equal groups: n of each, from the probabilities of the ordered values."""
    higher = second[1:] @ np.cumsum(first)[:-1] + first @ second / 2
    reach = ndtri(1 - alpha / 2) + ndtri(power)
    ties = 1 - (((first + second) / 2) ** 3).sum()
    return float(reach**2 * ties / (3 * (higher - 0.5) ** 2) / 2)


def test_the_formula_finds_its_own_published_example() -> None:
    equal = zhao(np.array([0.66, 0.15, 0.19]), np.array([0.61, 0.23, 0.16]), 0.05, 0.8)
    assert 2 * equal == pytest.approx(8390, rel=0.01)


@pytest.mark.parametrize(
    ("low", "high", "trials"), [(0.75, 0.85, 6), *others((0.5, 0.6, 10), (0.77, 0.84, 6))]
)
def test_power_with_several_trials_is_that_of_zhaos_formula(low: float, high: float, trials: int) -> None:
    """Source: Zhao's equation 12 on binomial shares."""
    first, second = (stats.binom.pmf(np.arange(trials + 1), trials, share) for share in (low, high))
    n = round(zhao(first, second, 0.05, 0.8))
    power = power_of(share_from=low, share_to=high, participants=n, trials=trials)
    assert power == pytest.approx(0.80, abs=0.015 + 2 * ERROR)


@pytest.mark.exhaustive
def test_the_participants_needed_are_those_of_zhaos_formula() -> None:
    first, second = (stats.binom.pmf(np.arange(7), 6, share) for share in (0.7, 0.8))
    (test,) = plan(
        share_from=0.7, share_to=0.8, trials=6, participant_sd=0, pair_sd=0, test="mann-whitney"
    ).tests
    assert test.participants == pytest.approx(zhao(first, second, 0.05, 0.8), rel=0.05)


@pytest.mark.parametrize(("low", "high", "n"), [(0.5, 0.7, 60), *others((0.6, 0.65, 200), (0.77, 0.9, 80))])
def test_one_trial_is_statsmodels_two_proportions(low: float, high: float, n: int) -> None:
    expected = power_proportions_2indep(high - low, low, n, alpha=0.05).power
    assert power_of(share_from=low, share_to=high, participants=n, trials=1) == pytest.approx(
        expected, abs=0.02 + 2 * ERROR
    )


def test_signed_ranks_find_what_enumeration_finds() -> None:
    """Source: all ways in which 20 people with one trial in each condition can fall out, each tested by SciPy."""
    n, low, high = 20, 0.5, 0.85
    chances = [low * (1 - high), low * high + (1 - low) * (1 - high), (1 - low) * high]
    power = 0.0
    for down, up in product(range(n + 1), repeat=2):
        if 0 < down + up <= n:
            differences = np.repeat([-1, 0, 1], [down, n - down - up, up])
            p = stats.wilcoxon(differences, correction=True, method="asymptotic").pvalue
            power += (p < 0.05) * stats.multinomial.pmf([down, n - down - up, up], n, chances)
    simulated = power_of(share_from=low, share_to=high, participants=n, trials=1, design="within")
    assert simulated == pytest.approx(power, abs=3 * ERROR)


@pytest.mark.parametrize("design", ["between", "within"])
def test_rank_tests_find_nothing_more_often_than_asked(design: str, exhaustive: bool) -> None:
    for share, trials in ((0.5, 6), (0.84, 6), (0.7, 20)) if exhaustive else ((0.84, 6),):
        found = power_of(
            share_from=share,
            share_to=share,
            participants=30,
            trials=trials,
            design=design,
            participant_sd=0.5,
            pair_sd=0.3,
            own_pairs=False,
        )
        assert found == pytest.approx(0.05, abs=0.012)


@pytest.mark.exhaustive
def test_the_mixed_model_finds_nothing_more_often_than_asked() -> None:
    for own_pairs in (False, True):
        found = power_of(
            "mixed",
            share_from=0.8,
            share_to=0.8,
            participants=30,
            trials=6,
            participant_sd=0.5,
            pair_sd=0.3,
            own_pairs=own_pairs,
            simulations=500,
        )
        assert 0.005 < found < 0.085


@pytest.mark.exhaustive
def test_without_effects_the_mixed_model_has_the_power_of_pooled_answers() -> None:
    """Source: statsmodels' two proportions over all answers; the model pays a little for looking for effects."""
    expected = power_proportions_2indep(0.12, 0.7, 180, alpha=0.05).power
    found = power_of("mixed", share_from=0.7, share_to=0.82, participants=30, trials=6, simulations=500)
    assert expected - 0.09 < found < expected + 0.04


@pytest.mark.exhaustive
def test_with_much_difference_between_pairs_only_the_mixed_model_keeps_its_level() -> None:
    """Six pairs of its own for each condition: people are many, pairs are not."""
    asked: dict[str, Any] = {
        "share_from": 0.7,
        "share_to": 0.7,
        "trials": 6,
        "participants": 60,
        "own_pairs": True,
    }
    assert power_of(**asked, pair_sd=0.8) > 0.4
    assert power_of("mixed", **asked, pair_sd=0.8, simulations=300) < 0.08


def test_the_monte_carlo_interval_is_wilsons() -> None:
    """Source: statsmodels."""
    assert DetectionCount(500, 205, 0).range() == pytest.approx(proportion_confint(205, 500, method="wilson"))
    assert DetectionCount(500, 0, 0).range() == pytest.approx(
        proportion_confint(0, 500, method="wilson"), abs=1e-12
    )
