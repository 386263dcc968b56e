"""The Hodges-Lehmann shift, against R, tables of U, all differences written out, and simulations."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.stats import shift
from analysis.stats.intervals import Floats
from analysis.stats.pseudomedian import pseudomedian
from analysis.stats.shift import EXACT, NORMAL, hodges_lehmann, u_distribution
from tests.analysis.rank_data import AT_TERM, EARLIER

SIXTHS = st.lists(st.integers(0, 6), min_size=1, max_size=12)


def test_the_shift_and_its_interval_are_those_r_gives() -> None:
    """Source: R's ?wilcox.test data; wilcox.test(x, y, conf.int = TRUE) prints -0.15, 0.76 and 0.305."""
    found = hodges_lehmann(AT_TERM, EARLIER)
    assert (found.low, found.high, found.value) == pytest.approx((-0.15, 0.76, 0.305))
    assert (found.method, found.level, found.reason) == (EXACT, 0.95, None)


@pytest.mark.parametrize(("n1", "n2", "critical"), [(10, 10, 23), (5, 10, 8), (8, 8, 13), (20, 20, 127)])
def test_the_distribution_of_u_gives_the_tabled_critical_values(n1: int, n2: int, critical: int) -> None:
    """Source: tables of the largest U that is significant at 0.05, two-sided, as in any textbook after [MW47]."""
    below = np.cumsum(u_distribution(n1, n2))
    assert below[critical] <= 0.025 < below[critical + 1]


def test_the_distribution_of_u_is_that_of_all_ways_to_rank() -> None:
    ranks = np.arange(7)
    counted = np.zeros(13)
    for first in combinations(ranks, 3):
        counted[sum(first) - 3] += 1
    assert u_distribution(3, 4) == pytest.approx(counted / counted.sum())


@settings(deadline=None, max_examples=60)
@given(SIXTHS, SIXTHS)
def test_the_shift_is_the_median_of_all_differences(xs: list[int], ys: list[int]) -> None:
    found = hodges_lehmann(np.array(xs) / 6, np.array(ys) / 6)
    assert found.value == pytest.approx(float(np.median(np.subtract.outer(xs, ys))) / 6)
    assert found.value is not None
    turned = hodges_lehmann(np.array(ys)[::-1] / 6, np.array(xs)[::-1] / 6)
    assert turned.value == -found.value
    if found.low is not None and found.high is not None:
        assert found.low <= found.value <= found.high
        assert (turned.low, turned.high) == (-found.high, -found.low)


def test_the_interval_holds_the_shifts_that_the_exact_test_does_not_reject() -> None:
    """Source: SciPy's exact p for the first group moved to between each two neighbouring differences."""
    rng = np.random.default_rng(11)
    x, y = rng.normal(0.4, 1, size=8), rng.normal(size=7)
    found = hodges_lehmann(x, y)
    assert found.low is not None
    assert found.high is not None
    differences = np.sort(np.subtract.outer(x, y).ravel())
    for moved in (differences[1:] + differences[:-1]) / 2:
        kept = stats.mannwhitneyu(x - moved, y, method="exact").pvalue > 0.05
        assert kept == (found.low < moved < found.high)


def test_with_many_ties_it_holds_the_shifts_that_the_normal_test_does_not_reject() -> None:
    """Source: SciPy's tie- and continuity-corrected p, for shifts that tie nobody across the groups."""
    rng = np.random.default_rng(12)
    x, y = rng.binomial(6, 0.8, size=40) / 6, rng.binomial(6, 0.6, size=35) / 6
    found = hodges_lehmann(x, y)
    assert found.low is not None
    assert found.high is not None
    assert found.method == NORMAL
    for moved in np.arange(-13, 14) / 12 + 0.01:
        kept = stats.mannwhitneyu(x - moved, y, method="asymptotic").pvalue > 0.05
        assert kept == (found.low < moved < found.high)


def test_large_groups_are_searched_and_not_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(13)
    x, y = rng.normal(size=80), rng.normal(0.3, 1, size=71)
    written = hodges_lehmann(x, y)
    monkeypatch.setattr(shift, "_CELLS", 0)
    searched = hodges_lehmann(x, y)
    for name in ("value", "low", "high"):
        assert getattr(searched, name) == pytest.approx(getattr(written, name), abs=1e-11)


def test_half_a_million_participants_a_side_are_no_matter() -> None:
    """Each value repeated: the median of the twelve differences stays 0.5; the interval shrinks to it."""
    x, y = np.array([0.2, 0.5, 0.9, 1.0]), np.array([0.0, 0.3, 0.4])
    few, many = hodges_lehmann(x, y), hodges_lehmann(np.repeat(x, 125_000), np.repeat(y, 166_666))
    assert few.value == many.value == 0.5
    assert few.reason is not None
    assert (many.low, many.high) == (0.5, 0.5)


def _share_held(draw: str, n1: int, n2: int) -> float:
    rng = np.random.default_rng(14)

    def sample(n: int) -> Floats:
        return rng.exponential(size=n) if draw == "smooth" else rng.binomial(6, 0.7, size=n) / 6

    held = 0
    for _ in range(400):
        found = hodges_lehmann(sample(n1) + 0.5, sample(n2))
        assert found.low is not None
        assert found.high is not None
        held += found.low - 1e-9 <= 0.5 <= found.high + 1e-9
    return held / 400


@pytest.mark.parametrize(("draw", "n1", "n2"), [("smooth", 12, 15), ("smooth", 60, 20), ("tied", 20, 30)])
def test_a_known_shift_is_held_in_95_percent_of_simulated_cases(draw: str, n1: int, n2: int) -> None:
    """Source: simulation; with ties the interval is to hold it at least as often."""
    held = _share_held(draw, n1, n2)
    assert held > 0.925
    assert draw == "tied" or held < 0.98


@pytest.mark.parametrize(
    ("x", "y", "value", "reason"),
    [
        ([], [1.0], None, "a group has no participant with a value"),
        ([1.0], [0.5], 0.5, "the participants of each group all have the same value: there is no spread"),
        (
            [1.0, 1.0],
            [1.0, 1.0],
            0.0,
            "the participants of each group all have the same value: there is no spread",
        ),
        (
            [1.0, 2.0, 4.0],
            [0.5, 0.6, 0.7],
            1.4,
            "too few participants: even the smallest and the largest difference do not make a 95 % interval",
        ),
    ],
)
def test_what_has_no_interval_says_why(
    x: list[float], y: list[float], value: float | None, reason: str
) -> None:
    found = hodges_lehmann(np.array(x), np.array(y))
    assert found.value == (None if value is None else pytest.approx(value))
    assert (found.low, found.high, found.method, found.reason) == (None, None, None, reason)


@pytest.mark.parametrize(
    ("xs", "ys"),
    [((0.5, 0.5, 0.5), (0.5, 0.5, 1.0)), ((0.5, 0.5, 1.0, 1.0), (0.5,)), ((1, 1), (0, 0, 1, 0, 0))],
)
def test_ties_make_no_interval_that_no_deal_of_so_few_could_reach(
    xs: tuple[float, ...], ys: tuple[float, ...]
) -> None:
    found = hodges_lehmann(np.array(xs, float), np.array(ys, float))
    assert found.low is None
    assert "too few participants" in str(found.reason)


@pytest.mark.parametrize(
    "differences", [(0, 0, 0, 0, 0.5), (0.5, 0.5, 0.5, 0.5, 0.25), (0.1, 0, 0), (0.5, 0)]
)
def test_ties_make_no_interval_of_fewer_than_six_differences(differences: tuple[float, ...]) -> None:
    """2 / 2**5 is above .05; in simulations such an interval held the truth in 6 of 12 cases."""
    found = pseudomedian(np.array(differences, float))
    assert found.low is None
    assert "too few participants" in str(found.reason)
    assert pseudomedian(np.array([*differences, 0.75, 0.75, 0.75, 1.0, 1.0], float)).low is not None
