"""Values without steps, as many as participants: counted by operations, against scipy and krippendorff."""

from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.ratings import interval
from analysis.ratings.interval import mean_interval as mean_score_interval
from analysis.stats.agreement import agreement_of_ratings
from analysis.stats.comparisons import mann_whitney
from analysis.stats.paired import paired_test
from analysis.stats.student import mean_interval

VALUES = np.random.default_rng(4).normal(50, 20, 60_000)
MOST = 20_000_000


class Counting:
    """NumPy's generator, and how many numbers were drawn from it."""

    drawn = 0

    def __init__(self, real: np.random.Generator) -> None:
        self._real = real

    def multinomial(self, n: int, shares: Any, size: int) -> Any:
        Counting.drawn += len(shares) * size
        return self._real.multinomial(n, shares, size=size)

    def binomial(self, counts: Any, share: float, size: tuple[int, int]) -> Any:
        Counting.drawn += size[0] * size[1]
        return self._real.binomial(counts, share, size=size)


@pytest.fixture(autouse=True)
def counting(monkeypatch: pytest.MonkeyPatch) -> None:
    real = np.random.default_rng
    Counting.drawn = 0
    monkeypatch.setattr(np.random, "default_rng", lambda seed: Counting(real(seed)))


def test_the_interval_of_a_mean_of_very_many_values_is_students_and_draws_nothing() -> None:
    """Source: scipy.stats.t.interval."""
    found = mean_interval(VALUES, scale="any", seed=1, resamples=10_000)
    low, high = stats.t.interval(0.95, len(VALUES) - 1, loc=VALUES.mean(), scale=stats.sem(VALUES))
    assert (found.low, found.high) == pytest.approx((low, high))
    assert (found.method, found.resamples) == ("Student's t over participants", 0)
    assert Counting.drawn == 0


def test_as_many_participants_on_a_scale_of_steps_are_resampled() -> None:
    found = mean_interval(VALUES.round(), scale="any", seed=1, resamples=1_000)
    assert found.method == "percentile bootstrap over participants"
    assert 0 < Counting.drawn <= 200 * 1_000


@pytest.mark.exhaustive
@pytest.mark.slow
def test_at_the_limit_the_two_intervals_tell_the_same() -> None:
    few = VALUES[:20_000]
    drawn = mean_interval(few, scale="any", seed=1, resamples=1_000)
    assert Counting.drawn == MOST
    student = mean_interval(few, scale="any", seed=1, resamples=1_001)
    assert drawn.method != student.method
    assert drawn.low is not None
    assert drawn.high is not None
    assert student.low == pytest.approx(drawn.low, abs=0.02)
    assert student.high == pytest.approx(drawn.high, abs=0.02)


def test_two_groups_of_very_many_values_are_compared_without_drawing_them() -> None:
    found = mann_whitney(VALUES[:30_000], VALUES[30_000:] + 1)
    assert Counting.drawn == 0
    assert found.effect_interval.low == found.effect_interval_analytic.low
    assert found.effect_interval.method == found.effect_interval_analytic.method
    assert found.rank_biserial_interval.high == found.rank_biserial_interval_analytic.high


def test_very_many_people_are_compared_with_themselves_without_drawing_them() -> None:
    people = [f"p{n}" for n in range(30_000)]
    found = paired_test(pd.Series(VALUES[:30_000], people), pd.Series(VALUES[30_000:], people))
    assert Counting.drawn == 0
    assert found.difference.interval.method == "Student's t over participants"


def test_without_resamples_there_is_no_interval_however_many_values() -> None:
    assert mean_interval(VALUES, scale="any", seed=1, resamples=0).reason == "no resamples asked for"


@pytest.mark.slow
def test_the_interval_of_a_mean_score_of_very_many_raters_draws_a_bounded_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(interval, "_WORK", interval._WORK // 40)
    item, rater = np.arange(4_000) % 500, np.arange(4_000)
    found = mean_score_interval(item, rater, VALUES[:4_000], seed=1, resamples=10_000)
    assert found.resamples == 10_000_000 // 8_500
    assert Counting.drawn == found.resamples * 4_500


@pytest.mark.slow
def test_alpha_of_the_order_of_very_many_values_is_krippendorffs_own() -> None:
    """Source: the krippendorff package, whose ordinal distance is of the values two by two."""
    values = VALUES[:300].reshape(3, 100) + np.linspace(0, 60, 100)
    values[2, :25] = np.nan
    values[1:, 7] = np.nan
    expected = krippendorff.alpha(reliability_data=values, level_of_measurement="ordinal")
    table = pd.DataFrame(values.T).melt(ignore_index=False, var_name="rater").rename_axis("item")
    found = agreement_of_ratings(table.reset_index(), level="ordinal", resamples=0)
    assert found.alpha.value == pytest.approx(expected, rel=1e-12)


def test_alpha_of_twenty_thousand_different_values_fits_into_memory() -> None:
    values = VALUES[:20_000]
    ranks = stats.rankdata(values)
    table = pd.DataFrame({"item": np.arange(20_000) // 2, "rater": np.arange(20_000), "value": values})
    found = agreement_of_ratings(table, level="ordinal", resamples=0)
    of_ranks = agreement_of_ratings(table.assign(value=ranks), level="interval", resamples=0)
    assert found.alpha.value == pytest.approx(of_ranks.alpha.value)
    assert found.kappa.reason == "too many different values for names or steps"
