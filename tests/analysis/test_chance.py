"""Accuracy against chance, against R, hand enumeration and pingouin's own ingredients."""

import numpy as np
import pytest
from scipy import stats

from analysis import against_chance


def test_the_exact_p_is_the_one_r_gives() -> None:
    """Source: R's ?wilcox.test, depression data of Hollander & Wolfe (1973):

    x <- c(1.83,0.50,1.62,2.48,1.68,1.88,1.55,3.06,1.30); y <- c(0.878,0.647,0.598,2.05,1.06,1.29,1.06,3.14,1.29)
    wilcox.test(x, y, paired = TRUE)  # V = 40, p-value = 0.03906; W is the smaller of 40 and 45 - 40
    """
    x = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
    y = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
    test = against_chance(x - y, chance=0.0)
    assert (test.w, test.method, test.alternative) == (5.0, "exact", "two-sided")
    assert test.p == pytest.approx(0.03906, abs=5e-6)
    assert test.rank_biserial == pytest.approx((40 - 5) / 45)


def test_equal_distances_from_chance_tie_on_both_sides() -> None:
    """Enumerated by hand: distances 1/6, -1/6, 2/6 have ranks 1.5, 1.5, 3, so W- = 1.5; of the eight sign patterns
    three have W+ >= 4.5, so p = 2 * 3/8. As floats 4/6 - 0.5 and 0.5 - 2/6 differ and would not tie."""
    test = against_chance(np.array([4, 2, 5]) / 6)
    assert (test.w, test.p) == (1.5, 0.75)
    assert test.method == "exact, all signs enumerated"


def test_enumerated_signs_give_the_p_of_scipys_own_enumeration() -> None:
    """Source: scipy's wilcoxon by all permutations, which leaves out who is at chance."""
    rng = np.random.default_rng(3)
    for n in range(2, 10):
        values = np.array([0, 0, *rng.integers(0, 7, n)]) / 6
        test = against_chance(values)
        distance = np.round(values - 0.5, 12)
        expected = stats.wilcoxon(distance, method=stats.PermutationMethod(n_resamples=2**13)).pvalue
        assert test.p == pytest.approx(expected)
        assert test.method == "exact, all signs enumerated"


def test_many_tied_participants_get_the_corrected_normal_approximation() -> None:
    """Source: the textbook formula, written out: (W - n(n+1)/4 + 1/2) / sqrt((n(n+1)(2n+1) - sum(t^3-t)/2) / 24)."""
    values = np.array([3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 2, 2, 1, 4, 5, 6, 4, 2]) / 6
    distance = np.round(values - 0.5, 12)
    distance = distance[distance != 0]
    ranks = stats.rankdata(np.abs(distance))
    n = len(ranks)
    w = min(ranks[distance > 0].sum(), ranks[distance < 0].sum())
    ties = sum(t**3 - t for t in np.unique(ranks, return_counts=True)[1])
    z = (w - n * (n + 1) / 4 + 0.5) / np.sqrt((n * (n + 1) * (2 * n + 1) - ties / 2) / 24)
    test = against_chance(values)
    assert (test.n, test.n_at_chance, test.w) == (18, 1, w)
    assert test.p == pytest.approx(2 * stats.norm.cdf(z))
    assert test.method == "normal approximation, tie- and continuity-corrected"


def test_above_and_below_chance_mirror_each_other() -> None:
    above, below = against_chance(np.array([0.6, 0.7, 0.9])), against_chance(np.array([0.4, 0.3, 0.1]))
    assert above.p == below.p
    assert (above.rank_biserial, below.rank_biserial) == (1.0, -1.0)


def test_the_order_of_the_participants_changes_nothing() -> None:
    values = np.random.default_rng(1).binomial(6, 0.7, size=40) / 6
    assert against_chance(values[::-1]) == against_chance(values)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([], "no participant has a value"),
        ([np.nan], "no participant has a value"),
        ([0.5, 0.5, np.nan], "every participant is exactly at chance"),
    ],
)
def test_what_cannot_be_tested_says_why(values: list[float], reason: str) -> None:
    test = against_chance(np.array(values))
    assert (test.p, test.w, test.reason) == (None, None, reason)


def test_one_participant_is_no_evidence() -> None:
    assert against_chance(np.array([1.0])).p == 1.0
