"""The permutation test, against SciPy, Fisher's distribution, a case worked by hand, and simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.stats import permutation
from analysis.stats.permutation import EXACT, NORMAL, RANDOM, permutation_test


def test_it_is_right_on_a_case_worked_by_hand() -> None:
    """Of the ten ways to deal 1 to 5 to two and three, only {1, 2} and {4, 5} part the means by 2.5 or more."""
    test = permutation_test(np.array([3.0, 4.0, 5.0]), np.array([1.0, 2.0]), seed=1, resamples=100)
    assert (test.difference, test.p, test.method, test.permutations) == (2.5, 0.2, EXACT, 10)


@pytest.mark.parametrize(("n1", "n2"), [(5, 6), (7, 4), (6, 6)])
def test_small_groups_agree_with_scipy_to_the_last_way(n1: int, n2: int) -> None:
    """Source: scipy.stats.permutation_test over all ways, of the difference without its sign."""
    rng = np.random.default_rng(n1)
    x, y = rng.normal(0.8, 1, size=n1), rng.normal(size=n2)
    ours = permutation_test(x, y, seed=1, resamples=100)
    every = stats.permutation_test(
        (x, y), lambda a, b: abs(a.mean() - b.mean()), n_resamples=np.inf, alternative="greater"
    )
    assert ours.p == pytest.approx(every.pvalue)
    assert ours.permutations == len(every.null_distribution)


@pytest.mark.parametrize("counted", [False, True])
def test_of_right_and_wrong_alone_it_is_the_hypergeometric_distribution(
    counted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Source: scipy.stats.hypergeom, summed over all tables at least as far from equal shares."""
    if counted:
        monkeypatch.setattr(permutation, "_DRAWS", 100_000)
    x, y = np.repeat([0.0, 1.0], [20, 40]), np.repeat([0.0, 1.0], [23, 27])
    distribution = stats.hypergeom(110, 67, 50)
    right = np.arange(51)
    p = float(distribution.pmf(right[np.abs(right - 50 * 67 / 110) >= abs(27 - 50 * 67 / 110) - 1e-9]).sum())
    test = permutation_test(x, y, seed=3, resamples=20_000)
    assert test.method == RANDOM
    assert test.p == pytest.approx(p, abs=4 * (p * (1 - p) / 20_000) ** 0.5)


def test_too_many_distinct_values_are_taken_as_normal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Source: scipy.stats.permutation_test with random ways."""
    rng = np.random.default_rng(2)
    x, y = rng.exponential(1.15, size=150), rng.exponential(1, size=120)
    monkeypatch.setattr(permutation, "_DRAWS", 1_000)
    test = permutation_test(x, y, seed=1, resamples=1_000)
    assert (test.method, test.permutations) == (NORMAL, 0)
    drawn = stats.permutation_test(
        (x, y),
        lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
        n_resamples=20_000,
        vectorized=True,
        rng=1,
    )
    assert test.p == pytest.approx(drawn.pvalue, abs=0.015)
    few = permutation_test(x, y[:50], seed=1, resamples=1_000)
    assert few.p is None
    assert "ask for fewer resamples" in str(few.reason)


def test_p_is_never_0() -> None:
    x, y = np.repeat(1.0, 40), np.repeat(0.0, 40)
    assert permutation_test(x, y, seed=1, resamples=999).p == 1 / 1_000


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=30),
    st.lists(st.integers(0, 6), min_size=1, max_size=30),
)
def test_order_and_which_group_is_first_change_nothing(xs: list[int], ys: list[int]) -> None:
    x, y = np.array(xs) / 6, np.array(ys) / 6
    test, turned = (permutation_test(a, b, seed=1, resamples=200) for a, b in ((x, y), (y[::-1], x[::-1])))
    assert test.p == turned.p
    assert (test.p is None) == (test.reason is not None)
    assert test.difference is not None
    assert turned.difference == -test.difference
    assert test.difference == pytest.approx(x.mean() - y.mean())


def test_where_the_groups_are_alike_p_is_below_5_percent_in_5_percent_of_cases() -> None:
    """Source: simulation."""
    rng = np.random.default_rng(4)
    p = [
        permutation_test(rng.exponential(size=12), rng.exponential(size=20), seed=seed, resamples=199).p or 0
        for seed in range(600)
    ]
    assert 0.03 < np.mean(np.array(p) <= 0.05) < 0.07


@pytest.mark.parametrize(
    ("x", "y", "resamples", "reason"),
    [
        ([], [1.0], 100, "a group has no participant with a value"),
        (
            [1.0],
            [1.0],
            100,
            "all participants of both groups have the same value: there is nothing to permute",
        ),
        ([1.0, 0.5], [0.0, 0.1], 0, "no resamples asked for"),
    ],
)
def test_what_cannot_be_tested_says_why(x: list[float], y: list[float], resamples: int, reason: str) -> None:
    test = permutation_test(np.array(x), np.array(y), seed=1, resamples=resamples)
    assert (test.p, test.method, test.permutations, test.reason) == (None, None, 0, reason)
