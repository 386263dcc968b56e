"""p values from counts, against SciPy's on the same values."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from analysis.planning.ranks import mann_whitney_p, signed_rank_p, tally

T = 6
GROUP = st.lists(st.integers(0, T), min_size=2, max_size=40)


def p_of(first: list[int], second: list[int]) -> float:
    one, two = (tally(np.array([values]), T + 1) for values in (first, second))
    return float(mann_whitney_p(one, two)[0])


def p_of_differences(differences: list[int]) -> float:
    return float(signed_rank_p(tally(np.array([differences]) + T, 2 * T + 1))[0])


@given(GROUP, GROUP)
def test_mann_whitney_is_scipys(first: list[int], second: list[int]) -> None:
    assume(len({*first, *second}) > 1)
    assert p_of(first, second) == pytest.approx(
        stats.mannwhitneyu(first, second, method="asymptotic").pvalue, rel=1e-12
    )


@given(st.lists(st.integers(-T, T), min_size=2, max_size=40))
def test_signed_ranks_are_scipys(differences: list[int]) -> None:
    assume(any(differences))
    assert p_of_differences(differences) == pytest.approx(
        stats.wilcoxon(differences, correction=True, method="asymptotic").pvalue, rel=1e-12
    )


def test_where_all_are_alike_nothing_is_found() -> None:
    assert p_of([3, 3], [3, 3, 3]) == 1.0
    assert p_of_differences([0, 0, 0]) == 1.0


def test_each_row_is_a_study_of_its_own() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.binomial(T, 0.5, (50, 20)), rng.binomial(T, 0.7, (50, 25))
    together = mann_whitney_p(tally(first, T + 1), tally(second, T + 1))
    assert together.tolist() == pytest.approx(
        [stats.mannwhitneyu(x, y, method="asymptotic").pvalue for x, y in zip(first, second, strict=True)]
    )
