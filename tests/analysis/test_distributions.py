"""Tests and distributions that are written out, because importing SciPy's takes a second, against SciPy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.options import ALTERNATIVES
from analysis.stats.binomial import binomial_test
from analysis.stats.rank_sums import mean_ranks, normal_p
from analysis.stats.studentized_range import quantile


@given(st.integers(1, 3000), st.floats(0, 1), st.sampled_from([0.5, 1 / 3, 0.2, 0.9]))
def test_the_binomial_test_and_its_interval_are_scipys(n: int, share: float, chance: float) -> None:
    """Source: scipy.stats.binomtest, with Clopper and Pearson's interval."""
    k = round(share * n)
    ours, theirs = binomial_test(k, n, chance), stats.binomtest(k, n, chance)
    interval = theirs.proportion_ci(0.95, method="exact")
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-300)
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high), abs=1e-9)


@given(st.lists(st.integers(-6, 9), min_size=14, max_size=60))
def test_ranks_and_the_p_of_their_signed_sum_are_scipys(sixths: list[int]) -> None:
    """Source: scipy.stats.rankdata and scipy.stats.wilcoxon."""
    values = np.array([sixth for sixth in sixths if sixth]) / 6
    ranks = mean_ranks(np.abs(values))
    assert ranks.tolist() == stats.rankdata(np.abs(values)).tolist()
    if len(values) < 2:
        return
    for alternative in ALTERNATIVES:
        expected = stats.wilcoxon(
            values, alternative=alternative, method="asymptotic", correction=True
        ).pvalue
        assert normal_p(ranks, float(ranks[values > 0].sum()), alternative) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("means", "df"), [(3, 1), (3, 2), (4, 3), (5, 29), (20, 5), (10, 1000), (3, 200_000)]
)
def test_the_studentized_range_is_scipys(means: int, df: int) -> None:
    """Source: scipy.stats.studentized_range.ppf."""
    expected = stats.studentized_range.ppf(0.95, means, df)
    assert quantile(0.95, means, df) == pytest.approx(expected, rel=1e-6)
