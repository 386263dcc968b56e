"""Two groups compared, against R, pingouin, SciPy, statsmodels and pairs counted by hand."""

import numpy as np
import pingouin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from analysis import holm, mann_whitney
from analysis.intervals import Floats
from analysis.options import ALTERNATIVES, Alternative

SIXTHS = st.lists(st.integers(0, 6), min_size=2, max_size=15)


def groups(sixths_x: list[int], sixths_y: list[int]) -> tuple[Floats, Floats]:
    return np.array(sixths_x) / 6, np.array(sixths_y) / 6


def test_u_and_exact_p_are_those_r_gives() -> None:
    """Source: R's ?wilcox.test, chorioamnion permeability of Hollander & Wolfe (1973), p. 69f:

    x <- c(0.80,0.83,1.89,1.04,1.45,1.38,1.91,1.64,0.73,1.46); y <- c(1.15,0.88,0.90,0.74,1.21)
    wilcox.test(x, y, alternative = "g")  # W = 35, p-value = 0.1272
    """
    x = np.array([0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46])
    y = np.array([1.15, 0.88, 0.90, 0.74, 1.21])
    test = mann_whitney(x, y, "greater")
    assert (test.u1, test.u2, test.method, test.ties) == (35.0, 15.0, "exact", False)
    assert test.p == pytest.approx(0.1272, abs=5e-5)
    assert test.p_two_sided == pytest.approx(0.2544, abs=1e-4)


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


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([0.5], [0.1, 0.2], "a group has fewer than two participants: there is nothing to resample"),
        ([0.5, 0.6], [0.1, 0.2], "the groups do not overlap: resampling cannot show a spread"),
        ([0.5, 0.5], [0.5, 0.5], "all participants have the same value: resampling cannot show a spread"),
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
    """Source: statsmodels.stats.multitest.multipletests(method="holm")."""
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist())


def test_tests_without_a_p_value_stay_out_of_the_family() -> None:
    assert holm([None, 0.02, None, 0.03]) == [None, 0.04, None, 0.04]
    assert holm([None, None]) == [None, None]
    assert holm([]) == []
