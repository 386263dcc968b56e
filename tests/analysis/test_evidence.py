"""The one rule on what an interval lets one say."""

import pytest

from analysis.stats.evidence import Evidence, evidence, separated, with_test
from analysis.stats.intervals import Interval
from analysis.stats.multiplicity import holm, out_of_reach
from analysis.stats.paired import least_p


def interval(low: float | None, high: float | None) -> Interval:
    return Interval(low, high, 0.95, "as given", 0, 1, None if low is not None else "too few")


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.51, 0.55, "more"),
        (0.5, 0.9, "open"),
        (0.1, 0.49, "less"),
        (0.4, 0.6, "alike"),
        (0.39, 0.6, "open"),
        (0.18, 0.53, "open"),
        (0.5, 0.5, "alike"),
        (None, None, "open"),
    ],
)
def test_only_an_interval_that_leaves_no_difference_or_lies_near_it_says_anything(
    low: float | None, high: float | None, verdict: Evidence
) -> None:
    assert evidence(interval(low, high), 0.5) == verdict


def test_a_difference_beside_which_a_test_stands_needs_both() -> None:
    assert [with_test("more", p) for p in (0.049, 0.05, 0.125, None)] == ["more", "open", "open", "open"]
    assert with_test("less", 0.2) == "open"
    assert with_test("alike", 0.9) == "alike"
    assert with_test("open", 0.001) == "open"


def test_a_smaller_difference_of_interest_asks_for_a_narrower_interval() -> None:
    slope = interval(-0.02, 0.01)
    assert evidence(slope, 0.0, 0.1 / 4) == "alike"
    assert evidence(slope, 0.0, 0.1 / 9) == "open"


def test_one_number_is_above_another_where_their_intervals_do_not_meet() -> None:
    assert separated(interval(0.6, 0.8), interval(0.2, 0.5))
    assert not separated(interval(0.4, 0.8), interval(0.2, 0.5))
    assert not separated(interval(0.6, 0.8), interval(None, None))


def test_holm_is_out_of_reach_just_where_the_least_possible_p_stays_above_the_level() -> None:
    """Eight matched sets and 36 comparisons: the least p is 2/256, and 0.28 after the correction."""
    for n, family in ((8, 36), (8, 6), (8, 7), (5, 1), (6, 1), (12, 36)):
        best = holm([least_p(n), *[1.0] * (family - 1)])[0]
        assert best is not None
        assert out_of_reach(least_p(n), family) == (best >= 0.05)
