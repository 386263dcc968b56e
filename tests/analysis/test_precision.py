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
    is_narrow,
    looks_at,
    people_needed,
    planned_variance,
    planned_width,
    student_quantile,
    width_of,
)
from bench.stopping import SHOWN_OF, participants, shown, stopped


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
