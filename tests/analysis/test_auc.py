"""The area under the curve and its interval, against scikit-learn, statsmodels and arithmetic by hand."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]
from statsmodels.stats.nonparametric import rank_compare_2indep

from analysis.stats.auc import auc, auc_interval, newcombe


def test_the_auc_is_mann_whitneys_u_over_all_pairs_by_hand() -> None:
    """3 beats 1 and ties 3 (1.5); each 5 beats 1, 3 and 4 (3 and 3): U = 7.5 of 12."""
    x, y = np.array([3.0, 5.0, 5.0]), np.array([1.0, 3.0, 4.0, 6.0])
    assert auc(x, y) == 7.5 / 12
    assert auc(x, y) == stats.mannwhitneyu(x, y).statistic / 12


@pytest.mark.parametrize("seed", range(5))
def test_the_auc_is_scikit_learns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 9, 17).astype(float), rng.integers(0, 7, 23).astype(float)
    assert auc(x, y) == pytest.approx(roc_auc_score([1] * 17 + [0] * 23, [*x, *y]))


@pytest.mark.parametrize("seed", range(5))
def test_the_interval_has_the_variance_that_statsmodels_gives(seed: int) -> None:
    """Source: statsmodels' Brunner-Munzel variance of P(x > y) + P(x = y) / 2, which is DeLong's, with its degrees of
    freedom; then the logit."""
    rng = np.random.default_rng(seed)
    x, y = np.round(rng.normal(0.7, 2, 14), 1), np.round(rng.normal(0, 1, 25), 1)
    theirs = rank_compare_2indep(x, y)
    half = stats.t.ppf(0.975, theirs.df) * np.sqrt(theirs.var / 39) / (theirs.prob1 * (1 - theirs.prob1))
    interval = auc_interval(x, y)
    assert auc(x, y) == pytest.approx(theirs.prob1)
    assert interval.low == pytest.approx(expit(logit(theirs.prob1) - half))
    assert interval.high == pytest.approx(expit(logit(theirs.prob1) + half))


@pytest.mark.parametrize(("area", "m", "n"), [(1.0, 4, 4), (0.8, 10, 10), (0.3, 7, 30), (0.0, 20, 5)])
def test_newcombes_limits_solve_his_equation(area: float, m: int, n: int) -> None:
    """Source: method 5 as R's package auRoc writes it out: theta lies z standard errors off, by its own variance."""
    for limit in newcombe(area, m, n):
        star = (m + n) / 2 - 1
        variance = limit * (1 - limit) * (1 + star * (1 - limit) / (2 - limit) + star * limit / (1 + limit))
        assert abs(area - limit) == pytest.approx(1.959964 * np.sqrt(variance / (m * n)), abs=1e-6)


def test_groups_that_do_not_overlap_still_leave_room_for_doubt() -> None:
    four = auc_interval(np.arange(4.0), np.arange(4.0) + 10)
    forty = auc_interval(np.arange(40.0), np.arange(40.0) + 100)
    assert (four.low, forty.low) == (0.0, 0.0)
    assert auc_interval(np.arange(4.0) + 10, np.arange(4.0)).high == 1.0
    assert four.high is not None
    assert forty.high is not None
    assert 0.02 < forty.high < 0.1 < four.high < 0.5
    assert "Newcombe" in str(four.method)


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    """Truth by arithmetic: two normals one standard deviation apart have an AUC of Phi(1 / sqrt 2)."""
    rng = np.random.default_rng(1)
    truth = stats.norm.cdf(1 / np.sqrt(2))
    held = 0
    for _ in range(400):
        interval = auc_interval(rng.normal(1, 1, 12), rng.normal(0, 1, 20))
        assert interval.low is not None
        assert interval.high is not None
        held += interval.low <= truth <= interval.high
    assert 0.92 <= held / 400 <= 0.985
