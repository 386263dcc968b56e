"""Intervals from few participants: against statsmodels' robust regressions, SciPy's t, and simulated truth."""

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.stats.description import describe
from analysis.stats.intervals import Interval
from analysis.stats.student import (
    ALL_THE_SAME,
    FEW,
    Scale,
    jackknife_error,
    mean_interval,
    ratio_interval,
    student_limits,
)

SHARES = np.array([2, 3, 5, 5, 6, 6]) / 6


def ends(interval: Interval) -> tuple[float | None, float | None]:
    return interval.low, interval.high


def of_intercept(fit: Any) -> list[float]:
    """The 95% interval of a logistic regression's only coefficient, as a share."""
    return [1 / (1 + np.exp(-end)) for end in fit.conf_int()[0]]


def test_the_interval_of_shares_is_that_of_a_fractional_logistic_regression() -> None:
    """Source: statsmodels' GLM, binomial, each share a cluster, with the t distribution, of an intercept alone."""
    model = sm.GLM(SHARES, np.ones(6), family=sm.families.Binomial())
    expected = of_intercept(model.fit(cov_type="cluster", cov_kwds={"groups": np.arange(6)}, use_t=True))
    found = mean_interval(SHARES, scale="share", seed=1, resamples=0)
    assert ends(found) == pytest.approx(expected)
    assert found.method == "Student's t over participants, on the logit scale"


def test_the_interval_of_a_pooled_share_is_that_of_a_logistic_regression_with_clusters() -> None:
    """Source: statsmodels' GLM, binomial, of single answers, with participants as clusters."""
    part, whole = np.array([1, 4, 9, 0, 3]), np.array([4, 5, 10, 2, 7])
    answers = np.concatenate([np.r_[np.ones(k), np.zeros(n - k)] for k, n in zip(part, whole, strict=True)])
    person = np.repeat(np.arange(5), whole)
    model = sm.GLM(answers, np.ones(len(answers)), family=sm.families.Binomial())
    expected = of_intercept(model.fit(cov_type="cluster", cov_kwds={"groups": person}, use_t=True))
    assert ends(ratio_interval(part, whole, seed=1)) == pytest.approx(expected)


def test_numbers_of_no_scale_have_students_own_interval() -> None:
    """Source: scipy.stats.t.interval."""
    values = np.array([-3.0, 1.0, 8.0, 2.5])
    expected = stats.t.interval(0.95, 3, loc=values.mean(), scale=stats.sem(values))
    assert ends(mean_interval(values, scale="any", seed=1, resamples=0)) == pytest.approx(expected)


def test_a_correlation_has_fishers_transformation() -> None:
    """By hand: atanh(r) plus and minus t se / (1 - r^2), and back."""
    low, high = student_limits(np.array([0.6]), np.array([0.1]), np.array([9.0]), "correlation")
    reach = stats.t.ppf(0.975, 9) * 0.1 / (1 - 0.36)
    assert (low[0], high[0]) == pytest.approx(np.tanh([np.arctanh(0.6) - reach, np.arctanh(0.6) + reach]))


def test_a_reliability_has_the_logarithm_of_one_less_it() -> None:
    """By hand: log(1 - value) plus and minus t se / (1 - value), and back [Bonett 2002]."""
    low, high = student_limits(np.array([-2.0]), np.array([0.5]), np.array([9.0]), "reliability")
    reach = stats.t.ppf(0.975, 9) * 0.5 / 3
    assert (low[0], high[0]) == pytest.approx((1 - np.exp(np.log(3) + reach), 1 - np.exp(np.log(3) - reach)))


@pytest.mark.parametrize(("n", "words"), [(0, "0"), (1, "1"), (2, "2")])
def test_of_fewer_than_three_participants_there_is_none(n: int, words: str) -> None:
    described = describe(np.linspace(0.2, 0.8, n))
    assert ends(described.interval) == (None, None)
    assert described.interval.reason == f"too few participants for an interval: {words}"


def test_the_reason_says_how_many_of_the_participants_have_a_value() -> None:
    described = describe(np.array([0.2, np.nan, np.nan]))
    assert described.interval.reason == "too few participants for an interval: 1 of 3 have a value"


def test_from_fifty_participants_on_the_interval_is_a_bootstrap() -> None:
    values = np.arange(FEW) / FEW
    assert mean_interval(values[1:], scale="share", seed=1, resamples=0).resamples == 0
    assert mean_interval(values, scale="share", seed=1, resamples=200).resamples == 200
    assert mean_interval(values, scale="share", seed=1, resamples=0).reason == "no resamples asked for"


def test_values_that_are_all_the_same_have_a_reason() -> None:
    for values in (np.full(5, 0.1), np.ones(3), np.zeros(4)):
        assert mean_interval(values, scale="share", seed=1, resamples=0).reason == ALL_THE_SAME
    assert ratio_interval(np.array([1, 2, 3]), np.array([2, 4, 6]), seed=1).reason == ALL_THE_SAME


@settings(max_examples=50)
@given(
    st.lists(st.integers(0, 10), min_size=3, max_size=20).filter(lambda values: len(set(values)) > 1),
    st.sampled_from(["share", "correlation", "reliability"]),
)
def test_an_interval_stays_inside_its_scale_and_holds_the_mean(tenths: list[int], scale: Scale) -> None:
    values = np.array(tenths) / 10
    found = mean_interval(values, scale=scale, seed=1, resamples=0)
    assert found.low is not None
    assert found.high is not None
    assert (-1 if scale == "correlation" else 0 if scale == "share" else -np.inf) <= found.low
    assert found.low <= values.mean() <= found.high <= 1


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    """Source: scipy.stats.sem."""
    values = np.array([1.0, 4.0, 4.0, 9.0])
    without = (values.sum() - values) / 3
    assert jackknife_error(values.mean(), without) == pytest.approx(stats.sem(values))
    assert jackknife_error(values.mean(), without[[0, 1, 3]], np.array([1, 2, 1])) == pytest.approx(
        stats.sem(values)
    )


@pytest.mark.parametrize("n", [3, 5, 10])
def test_intervals_of_few_shares_hold_the_truth_where_the_bootstrap_does_not(n: int) -> None:
    """Truth: a mean accuracy of 0.75, 20 trials each, abilities from Beta(7.5, 2.5); 600 studies."""
    rng = np.random.default_rng(n)
    held = []
    for _ in range(600):
        values = rng.binomial(20, rng.beta(7.5, 2.5, n)) / 20
        found = mean_interval(values, scale="share", seed=1, resamples=0)
        if found.low is not None and found.high is not None:
            held.append(found.low <= 0.75 <= found.high)
    assert len(held) > 550
    assert np.mean(held) > 0.93
