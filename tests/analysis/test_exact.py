"""Exact numbers in closed form beside SciPy's, which looks for them step by step."""

import pytest
import scipy

from analysis.stats.exact import clopper_pearson, sign_p


@pytest.mark.parametrize("n", [1, 2, 7, 20, 1001])
def test_the_interval_and_the_sign_test_are_scipys(n: int) -> None:
    for successes in {0, 1, n // 3, n // 2, n - 1, n}:
        test = scipy.stats.binomtest(successes, n)
        for level in (0.9, 0.95):
            ends = test.proportion_ci(level, method="exact")
            assert clopper_pearson(successes, n, level) == pytest.approx((ends.low, ends.high), abs=1e-10)
        assert sign_p(successes, n) == pytest.approx(test.pvalue, rel=1e-12)
