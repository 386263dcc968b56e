"""Two groups compared, against R, pingouin, SciPy, statsmodels and pairs counted by hand."""

from unittest import mock

import numpy as np
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from analysis import holm, mann_whitney
from analysis.options import ALTERNATIVES, Alternative
from analysis.stats import comparisons
from analysis.stats.auc import NEWCOMBE, auc_interval
from analysis.stats.intervals import NOT_ASKED, Floats
from analysis.stats.permutation import permutation_test
from analysis.stats.ranks import ranked
from analysis.stats.shift import hodges_lehmann
from tests.analysis.rank_data import AT_TERM, EARLIER, OZONE

pytestmark = pytest.mark.slow

SIXTHS = st.lists(st.integers(0, 6), min_size=2, max_size=15)


def groups(sixths_x: list[int], sixths_y: list[int]) -> tuple[Floats, Floats]:
    return np.array(sixths_x) / 6, np.array(sixths_y) / 6


def test_u_and_exact_p_are_those_r_gives() -> None:
    """Source: R's ?wilcox.test, chorioamnion permeability of Hollander & Wolfe (1973), p. 69f:

    wilcox.test(x, y, alternative = "g")  # W = 35, p-value = 0.1272
    """
    test = mann_whitney(AT_TERM, EARLIER, "greater")
    assert (test.u1, test.u2, test.method, test.ties) == (35.0, 15.0, "exact", False)
    assert test.p == pytest.approx(0.1272, abs=5e-5)
    assert test.p_two_sided == pytest.approx(0.2544, abs=1e-4)


def test_u_and_normal_p_are_those_r_gives_with_ties() -> None:
    """Source: R's ?wilcox.test, wilcox.test(Ozone ~ Month, airquality, Month %in% c(5, 8)): W = 127.5, p-value =
    0.0001208."""
    test = mann_whitney(OZONE["5"], OZONE["8"], resamples=0)
    assert (test.u1, test.ties) == (127.5, True)
    assert test.p == pytest.approx(0.0001208, abs=5e-8)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_it_agrees_with_pingouin(alternative: Alternative) -> None:
    """Source: pingouin.mwu, which counts the pairs one by one (its CLES turns round for "less")."""
    rng = np.random.default_rng(5)
    x, y = rng.binomial(6, 0.84, size=30) / 6, rng.binomial(6, 0.77, size=25) / 6
    ours = mann_whitney(x, y, alternative)
    theirs = pingouin.mwu(x, y, alternative=alternative, method="asymptotic").iloc[0]
    assert ours.u1 == theirs["U_val"]
    assert ours.p == pytest.approx(theirs["p_val"])
    assert ours.rank_biserial == pytest.approx(theirs["RBC"])
    effect = 1 - theirs["CLES"] if alternative == "less" else theirs["CLES"]
    assert ours.effect == pytest.approx(effect)
    assert ours.p_two_sided == pytest.approx(stats.mannwhitneyu(x, y, method="asymptotic").pvalue)


@settings(deadline=None, max_examples=40)
@given(SIXTHS, SIXTHS)
def test_u_counts_the_pairs_and_the_groups_mirror_each_other(xs: list[int], ys: list[int]) -> None:
    wins = sum((x > y) + (x == y) / 2 for x in xs for y in ys)
    x, y = groups(xs, ys)
    test, turned = mann_whitney(x, y, resamples=0), mann_whitney(y, x, resamples=0)
    assert (test.u1, test.u2) == (wins, len(xs) * len(ys) - wins) == (turned.u2, turned.u1)
    assert test.effect == wins / (len(xs) * len(ys))
    if test.p is not None:
        assert test.p == pytest.approx(turned.p)


@settings(deadline=None, max_examples=20)
@given(SIXTHS, SIXTHS)
def test_order_changes_nothing_and_the_interval_holds_the_effect(xs: list[int], ys: list[int]) -> None:
    x, y = groups(xs, ys)
    test = mann_whitney(x, y, resamples=500)
    assert mann_whitney(x[::-1], y[::-1], resamples=500) == test
    interval, doubled = test.effect_interval, test.rank_biserial_interval
    if interval.low is not None and interval.high is not None:
        assert 0 <= interval.low <= interval.high <= 1
        assert (doubled.low, doubled.high) == (2 * interval.low - 1, 2 * interval.high - 1)


@settings(deadline=None, max_examples=60)
@given(SIXTHS, SIXTHS)
def test_on_counts_of_values_everything_is_as_on_the_values(xs: list[int], ys: list[int]) -> None:
    """Source: SciPy's asymptotic p and the area under the curve, both from the single values."""
    x, y = groups(xs, ys)
    ranks = ranked(x, y)
    if len(set(xs + ys)) > 1:
        for alternative in ALTERNATIVES:
            p = stats.mannwhitneyu(x, y, alternative=alternative, method="asymptotic").pvalue
            assert ranks.normal_p(alternative) == pytest.approx(p)
    if min(len(x), len(y)) < 3:
        return  # no interval of either
    ours, theirs = ranks.delong().to_dict(), auc_interval(x, y).to_dict()
    assert ours == {
        name: pytest.approx(cell) if isinstance(cell, float) else cell for name, cell in theirs.items()
    }


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_a_large_study_has_the_same_p_as_a_small_one(
    alternative: Alternative, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(6)
    x, y = rng.binomial(6, 0.84, size=30) / 6, rng.binomial(6, 0.77, size=25) / 6
    small = mann_whitney(x, y, alternative, resamples=0)
    monkeypatch.setattr(comparisons, "_SCIPY_UP_TO", 0)
    large = mann_whitney(x, y, alternative, resamples=0)
    assert large.p == pytest.approx(small.p)
    assert large.p_two_sided == pytest.approx(small.p_two_sided)


def test_a_one_sided_p_never_stands_alone() -> None:
    one_sided, two_sided = (
        mann_whitney(AT_TERM, EARLIER, side, resamples=0) for side in ("greater", "two-sided")
    )
    assert one_sided.p != one_sided.p_two_sided == two_sided.p == two_sided.p_two_sided


def test_shift_permutation_and_analytic_intervals_stand_last_and_are_the_functions_own() -> None:
    test = mann_whitney(AT_TERM, EARLIER, seed=3, resamples=50)
    assert list(test.to_dict())[-4:] == [
        "effect_interval_analytic",
        "rank_biserial_interval_analytic",
        "shift",
        "permutation",
    ]
    assert test.shift == hodges_lehmann(AT_TERM, EARLIER)
    assert test.permutation == permutation_test(AT_TERM, EARLIER, seed=3, resamples=50)
    effect, doubled = test.effect_interval_analytic, test.rank_biserial_interval_analytic
    assert effect.low is not None
    assert effect.high is not None
    assert (doubled.low, doubled.high) == (2 * effect.low - 1, 2 * effect.high - 1)


def test_groups_that_do_not_overlap_have_an_analytic_interval_still() -> None:
    test = mann_whitney(np.arange(5.0) + 10, np.arange(6.0))
    assert (test.effect, test.effect_interval_analytic.high) == (1.0, 1.0)
    assert test.effect_interval.low == test.effect_interval_analytic.low
    assert test.effect_interval_analytic.method == NEWCOMBE
    assert test.effect_interval_analytic.low is not None
    assert 0.5 < test.effect_interval_analytic.low < 1


def test_without_resamples_what_needs_none_is_there() -> None:
    test = mann_whitney(AT_TERM, EARLIER, resamples=0)
    assert test.permutation.reason == NOT_ASKED
    assert test.effect_interval.low == test.effect_interval_analytic.low
    many = mann_whitney(np.arange(60.0), np.arange(50.0), resamples=0)
    assert many.effect_interval.reason == NOT_ASKED
    assert None not in (
        test.p,
        test.effect_interval_analytic.low,
        test.shift.low,
        test.permutation.difference,
    )


def test_missing_values_are_left_out() -> None:
    x, y = np.array([0.5, np.nan, 1.0]), np.array([0.2, 0.3])
    assert (mann_whitney(x, y).n1, mann_whitney(x, y).u1) == (2, 4.0)


def test_tied_values_have_no_exact_p() -> None:
    with pytest.raises(ValueError, match="an exact p is not defined then"):
        mann_whitney(np.array([1.0, 2.0]), np.array([2.0, 3.0]), method="exact")


def test_ties_turn_the_automatic_choice_to_the_approximation() -> None:
    x, y = np.array([1.0, 2.0, 3.0]), np.array([3.0, 4.0, 5.0])
    assert mann_whitney(x, y).method == "normal approximation, tie- and continuity-corrected"
    assert mann_whitney(x, y + 0.5).method == "exact"
    nine = np.arange(9.0)
    assert mann_whitney(nine, nine + 0.5).method == "normal approximation, tie- and continuity-corrected"


@pytest.mark.parametrize(
    ("x", "y", "u1", "effect", "reason"),
    [
        ([], [1.0], None, None, "a group has no participant with a value"),
        ([np.nan], [1.0], None, None, "a group has no participant with a value"),
        (
            [0.5, 0.5],
            [0.5],
            1.0,
            0.5,
            "all participants of both groups have the same value: there is nothing to rank",
        ),
    ],
)
def test_what_cannot_be_compared_says_why(
    x: list[float], y: list[float], u1: float | None, effect: float | None, reason: str
) -> None:
    test = mann_whitney(np.array(x), np.array(y))
    assert (test.u1, test.effect, test.p, test.p_two_sided, test.reason) == (u1, effect, None, None, reason)
    assert test.effect_interval_analytic.reason is not None
    assert test.shift.reason is not None
    assert test.permutation.reason is not None


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([0.5], [0.1, 0.2], "too few participants in a group for an interval: 1"),
        ([0.5, 0.6], [0.1, 0.2], "too few participants in a group for an interval: 2"),
        ([0.5] * 3, [0.5] * 3, "all values are the same"),
        ([0.5] * 60, [0.5] * 60, "all participants have the same value: there is no spread"),
        ([0.5] * 60, [0.4] * 60, "the groups do not overlap: resampling cannot show a spread"),
    ],
)
def test_an_interval_that_would_have_no_width_is_left_out(
    x: list[float], y: list[float], reason: str
) -> None:
    test = mann_whitney(np.array(x), np.array(y))
    assert (test.effect_interval.low, test.effect_interval.reason) == (None, reason)
    assert test.rank_biserial_interval.reason == reason


def test_holm_is_right_on_a_case_worked_by_hand() -> None:
    """0.005 x 4, 0.01 x 3, 0.03 x 2, then 0.04 x 1 raised to the one before."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    """Source: statsmodels.stats.multitest.multipletests(method="holm"), which collects garbage at each call."""
    with mock.patch("gc.collect"):  # a second each in a process that has run a thousand tests
        expected = multipletests(p_values, method="holm")[1].tolist()
    assert holm(p_values) == pytest.approx(expected)


def test_tests_without_a_p_value_stay_out_of_the_family() -> None:
    assert holm([None, 0.02, None, 0.03]) == [None, 0.04, None, 0.04]
    assert holm([None, None]) == [None, None]
    assert holm([]) == []
