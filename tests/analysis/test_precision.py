"""Stopping by precision: quantiles and variances against SciPy, the rule, and its coverage in simulation."""

import math
import statistics

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit

from analysis.planning.asked import PARTICIPANT_SD as OF_PLANNING
from analysis.precision import (
    PARTICIPANT_SD,
    SCORES_SPREAD,
    is_narrow,
    looks_at,
    people_needed,
    planned_variance,
    planned_width,
    student_quantile,
    width_of,
)
from bench.stopping import SHOWN_OF, participants, shown, stopped
from bench.stopping_scores import fixed, mean_scores, true_mean


def test_the_quantile_is_scipys() -> None:
    for df in (*range(1, 60), 99, 100, 4_999):
        assert student_quantile(df) == pytest.approx(stats.t.ppf(0.975, df), rel=1e-10)


def test_the_width_is_that_of_students_interval() -> None:
    values = [0.5, 0.7, 0.6, 0.9, 0.8, 0.7]
    low, high = stats.t.interval(0.95, 5, loc=statistics.fmean(values), scale=stats.sem(values))
    width = width_of(values, answers=10)
    assert width.interval == pytest.approx(high - low)
    by_hand = 2 * stats.t.ppf(0.975, 5) * math.sqrt((statistics.variance(values) + 1 / 60) / 6)
    assert width.decisive == pytest.approx(by_hand)


def test_the_planned_variance_is_that_of_the_logistic_normal() -> None:
    share, answers = 0.8, 12

    def mean(of: float, power: int) -> float:
        normal = stats.norm(of, PARTICIPANT_SD)
        return float(integrate.quad(lambda odds: expit(odds) ** power * normal.pdf(odds), -10, 12)[0])

    grid = np.linspace(1.2, 1.8, 40)
    middle = float(np.interp(share, [mean(of, 1) for of in grid], grid))
    between = mean(middle, 2) - mean(middle, 1) ** 2
    within = (mean(middle, 1) - mean(middle, 2)) / answers
    assert planned_variance(share, answers) == pytest.approx(between + within, rel=0.01)
    assert PARTICIPANT_SD == OF_PLANNING


def test_it_stops_at_the_first_narrow_width_from_the_least_number_on() -> None:
    of_people = planned_variance(0.8, 10)
    needed = people_needed(of_people, 10, 0.1, 20)
    assert needed is not None
    widths = {n: planned_width(of_people, 10, n) for n in (needed - 1, needed)}
    assert widths[needed] <= 0.1 < widths[needed - 1]
    assert people_needed(of_people, 10, 0.1, needed + 30) == needed + 30
    assert people_needed(0.25, 1, 0.001, 20) is None


def test_people_who_are_all_alike_do_not_stop_it_at_once() -> None:
    assert not is_narrow(width_of([1.0] * 9, 6), 0.2, at_least=10)
    assert not is_narrow(width_of([1.0] * 10, 6), 0.05, at_least=10)
    assert is_narrow(width_of([1.0] * 60, 6), 0.05, at_least=10)
    assert not is_narrow(width_of([1.0], 6), 0.6, at_least=1)
    assert [n for n in (199, 200, 201, 210) if looks_at(n)] == [199, 200, 210]


@pytest.mark.slow
@pytest.mark.parametrize(("share", "answers", "width"), [(0.5, 10, 0.15), (0.8, 10, 0.1), (0.9, 6, 0.1)])
def test_the_interval_at_the_stop_keeps_its_coverage(share: float, answers: int, width: float) -> None:
    """bench/stopping.md has all shares and widths."""
    values = participants(share, (answers, answers), 1_500, np.random.default_rng(3))
    found = stopped(values, answers, width, 20, share)
    assert found.held > 0.93 - 2 * math.sqrt(0.05 * 0.95 / 1_500)
    assert found.decided >= found.held
    assert abs(found.error) < 0.01
    assert found.people < 120
    held, wide = shown(values, found.at, share)
    assert held > 0.93 - 2 * math.sqrt(0.05 * 0.95 / SHOWN_OF)
    assert wide < width, "the interval of Results is no wider than was wanted"


@pytest.mark.parametrize("centre", [3.0, 4.2, 5.0])
def test_the_interval_of_mean_scores_at_the_stop_keeps_its_coverage(centre: float) -> None:
    """bench/stopping_scores.md has all means and widths."""
    values, truth = mean_scores(centre, (6, 6), 1_500, np.random.default_rng(3)), true_mean(centre)
    assert values[:, 0].mean() == pytest.approx(truth, abs=0.02)
    assert values.max() <= 1
    for least in (20, 21):
        found = stopped(values, 6, 0.15, least, truth)
        assert found.held > 0.93 - 2 * math.sqrt(0.05 * 0.95 / 1_500)
        assert found.decided >= found.held
        assert abs(found.error) < 0.005
        assert found.people < 60
    assert fixed(values, truth, 30) > 0.92


def test_scores_spread_less_than_answers_that_are_right_or_wrong() -> None:
    """At the middle of a scale of five points, an SD of one point: a quarter of the length."""
    plain, scores = planned_variance(0.5, 10), planned_variance(0.5, 10, spread=SCORES_SPREAD)
    between = planned_variance(0.5, 1e12)
    assert (plain - between) * SCORES_SPREAD == pytest.approx(scores - between)
    assert planned_variance(0.5, 1, 0.0, spread=SCORES_SPREAD) == pytest.approx((1 / 4) ** 2)
