"""Means, SDs and bootstrap intervals against SciPy, published tables and simulations with known truth."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from analysis import describe
from analysis.stats.intervals import Floats, bootstrap_effect, bootstrap_mean, wilson

pytestmark = pytest.mark.slow

SIXTHS: Floats = np.array([4, 5, 6, 4, 4, 4, 6, 5, 3, 6, 5, 6]) / 6


def test_mean_and_both_sds_are_the_textbook_ones() -> None:
    """Worked by hand: values 2 4 4 4 5 5 7 9, mean 5, squared deviations 32."""
    described = describe(np.array([2.0, 4, 4, 4, 5, 5, 7, 9]))
    assert (described.mean, described.n) == (5.0, 8)
    assert described.sd_ddof0 == pytest.approx(2.0)
    assert described.sd_ddof1 == pytest.approx(math.sqrt(32 / 7))


def test_the_bootstrap_interval_agrees_with_scipy() -> None:
    """Source: scipy.stats.bootstrap(method="percentile"), which resamples by index."""
    values = np.random.default_rng(7).normal(size=40)
    ours = bootstrap_mean(values, seed=1, resamples=20_000)
    theirs = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=20_000, rng=2)
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.02)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.02)


def test_of_right_and_wrong_alone_the_bootstrap_is_the_binomial_distribution() -> None:
    """Participants are drawn, so of 60 of whom 45 are right, each time 60 that are right with probability 3/4."""
    interval = bootstrap_mean(np.repeat([0.0, 1.0], [15, 45]), seed=1, resamples=20_000)
    assert (interval.low, interval.high) == tuple(stats.binom.ppf([0.025, 0.975], 60, 0.75) / 60)


def test_the_bootstrap_interval_of_the_effect_agrees_with_scipy() -> None:
    """Source: scipy.stats.bootstrap of U1 / (n1 n2), computed by scipy.stats.mannwhitneyu."""
    y = np.array([3, 4, 5, 3, 4, 2, 6, 5, 3, 4]) / 6

    def effect(x: Floats, other: Floats, axis: int = -1) -> Floats:
        effects: Floats = stats.mannwhitneyu(x, other, axis=axis, method="asymptotic").statistic
        effects /= x.shape[axis] * other.shape[axis]
        return effects

    ours = bootstrap_effect(SIXTHS, y, seed=1, resamples=20_000)
    theirs = stats.bootstrap(
        (SIXTHS, y), effect, method="percentile", n_resamples=600, vectorized=False, rng=2
    )
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.03)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.03)


def test_the_interval_of_a_mean_covers_the_truth_about_as_often_as_it_says() -> None:
    """Simulation with known truth: 30 participants x 6 trials at 0.8; a percentile interval runs a little short."""
    rng = np.random.default_rng(20)
    covered = 0
    for seed in range(400):
        interval = bootstrap_mean(rng.binomial(6, 0.8, size=30) / 6, seed=seed, resamples=1_000)
        assert interval.low is not None
        assert interval.high is not None
        covered += interval.low <= 0.8 <= interval.high
    assert 0.91 <= covered / 400 <= 0.97


@pytest.mark.exhaustive
def test_the_interval_of_the_effect_covers_the_truth_about_as_often_as_it_says() -> None:
    """Simulation with known truth: the effect of Binomial(6, 0.84) over Binomial(6, 0.7), summed exactly."""
    p_x, p_y = (stats.binom.pmf(range(7), 6, p) for p in (0.84, 0.7))
    truth = sum(
        p_x[i] * p_y[j] * (1.0 if i > j else 0.5 if i == j else 0.0) for i in range(7) for j in range(7)
    )
    rng = np.random.default_rng(21)
    covered = 0
    for seed in range(400):
        x, y = rng.binomial(6, 0.84, size=30) / 6, rng.binomial(6, 0.7, size=30) / 6
        interval = bootstrap_effect(x, y, seed=seed, resamples=1_000)
        assert interval.low is not None
        assert interval.high is not None
        covered += interval.low <= truth <= interval.high
    assert 0.91 <= covered / 400 <= 0.97


def test_resamples_drawn_in_portions_are_as_many_as_asked_for() -> None:
    """Many distinct values make a portion smaller than the resamples."""
    values = np.random.default_rng(3).normal(size=2_000)
    interval = bootstrap_mean(values, seed=1, resamples=3_000)
    assert interval.low is not None
    assert interval.high is not None
    half = 1.96 / math.sqrt(2_000)
    assert interval.high - interval.low == pytest.approx(2 * half, rel=0.1)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 6), min_size=2, max_size=20), st.randoms(use_true_random=False))
def test_the_order_of_the_participants_changes_nothing(sixths: list[int], random: object) -> None:
    values = np.array(sixths) / 6
    shuffled = np.array(random.sample(sixths, len(sixths))) / 6  # type: ignore[attr-defined]
    assert describe(shuffled, resamples=200) == describe(values, resamples=200)


def test_the_seed_decides_the_interval() -> None:
    many = np.tile(SIXTHS, 5)
    assert describe(many, seed=1) == describe(many, seed=1)
    assert describe(many, seed=1).interval != describe(many, seed=2).interval


def test_missing_values_are_counted_and_left_out() -> None:
    described = describe(np.array([0.5, np.nan, 1.0, np.nan]))
    assert (described.mean, described.n, described.n_missing) == (0.75, 2, 2)


@pytest.mark.parametrize(
    ("values", "mean", "sd_ddof1", "reason", "interval_reason"),
    [
        (
            [],
            None,
            None,
            "no participant has a value",
            "too few participants for an interval: 0",
        ),
        (
            [0.5],
            0.5,
            None,
            "one participant: no SD with ddof 1",
            "too few participants for an interval: 1",
        ),
        (
            [0.1] * 7,
            0.1,
            0.0,
            None,
            "all participants have the same value: there is no spread",
        ),
    ],
)
def test_degenerate_samples_give_a_number_or_a_reason(
    values: list[float], mean: float | None, sd_ddof1: float | None, reason: str | None, interval_reason: str
) -> None:
    described = describe(np.array(values))
    assert described.mean == (None if mean is None else pytest.approx(mean))
    assert described.sd_ddof1 == sd_ddof1
    assert described.reason == reason
    assert (described.interval.low, described.interval.reason) == (None, interval_reason)


def test_no_resamples_give_no_interval_and_say_so() -> None:
    assert describe(np.tile(SIXTHS, 5), resamples=0).interval.reason == "no resamples asked for"


@pytest.mark.parametrize(
    ("votes", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals_are_the_published_ones(votes: int, n: int, low: float, high: float) -> None:
    """Source: Newcombe 1998, Statistics in Medicine 17, table I, method 3."""
    ours = wilson(np.array([votes]), np.array([n]))
    assert (round(float(ours[0][0]), 4), round(float(ours[1][0]), 4)) == (low, high)


def test_wilson_intervals_agree_with_scipy_and_statsmodels() -> None:
    """Sources: scipy binomtest(...).proportion_ci(method="wilson"), statsmodels proportion_confint."""
    votes, n = np.array([0, 1, 5, 9, 10]), np.array([10, 10, 10, 10, 10])
    low, high = wilson(votes, n)
    theirs = proportion_confint(votes, n, method="wilson")
    np.testing.assert_allclose((low, high), theirs, atol=1e-12)
    for i, (k, of) in enumerate(zip(votes, n, strict=True)):
        interval = stats.binomtest(int(k), int(of)).proportion_ci(method="wilson")
        assert (low[i], high[i]) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_wilson_intervals_grow_with_the_votes_and_there_is_none_without_votes() -> None:
    low, high = wilson(np.arange(11), np.full(11, 10))
    assert all(a < b for a, b in pairwise(low))
    assert np.all(high > low)
    none = wilson(np.array([0]), np.array([0]))
    assert np.isnan(none[0][0])
    assert np.isnan(none[1][0])
