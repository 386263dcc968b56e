"""Two groups on every measure: by hand, against scipy's permutation test, and with matches as the units."""

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from analysis.errors import AnalysisError
from analysis.games.compare import compare, described


def seats(values: dict[str, list[float | None]], role: str = "player", config: str = "c") -> pd.DataFrame:
    rows = [
        {"unit": unit, "match": unit, "role": role, "config": config, "player": "x", "gain": value}
        for unit, given in values.items()
        for value in given
    ]
    return pd.DataFrame(rows).astype({"gain": float})


def test_a_match_is_one_value_whatever_seats_it_has() -> None:
    first = seats({"1": [1, 3], "2": [4], "3": [None, 5], "4": [None]})
    second = seats({"5": [0], "6": [1, 1, 1]})
    (found,) = compare(first, second, ["gain"], resamples=500).measures
    assert (found.first.n, found.first.n_seats) == (3, 4)
    assert found.first.mean == pytest.approx((2 + 4 + 5) / 3)
    assert (found.second.n, found.second.n_seats, found.second.mean) == (2, 4, 0.5)
    assert found.difference == pytest.approx(11 / 3 - 0.5)
    assert not found.paired
    # Source: scipy's exact permutation test of the difference of means.
    expected = stats.permutation_test(
        ([2.0, 4.0, 5.0], [0.0, 1.0]), lambda x, y: np.mean(x) - np.mean(y), n_resamples=np.inf
    )
    assert found.test.p == pytest.approx(expected.pvalue)
    assert found.p_holm == found.test.p
    more_seats = seats({"1": [2] * 50, "2": [4] * 50, "3": [5] * 50})
    (again,) = compare(more_seats, second, ["gain"], resamples=500).measures
    assert (again.test.p, again.interval) == (found.test.p, found.interval)


def test_groups_in_the_same_matches_are_compared_within_them() -> None:
    rng = np.random.default_rng(1)
    level = rng.normal(size=9) * 10
    first = seats({str(i): [value + 1 + rng.normal() / 5] for i, value in enumerate(level)})
    second = seats({str(i): [value] for i, value in enumerate(level)})
    (found,) = compare(first, second, ["gain"], resamples=500).measures
    apart = first["gain"].to_numpy() - second["gain"].to_numpy()
    assert found.paired
    assert found.n_paired == 9
    assert found.difference == pytest.approx(apart.mean())
    expected = stats.permutation_test(
        (apart,), np.mean, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert found.test.p == pytest.approx(expected)
    assert found.interval.low is not None
    assert found.interval.low > 0


def test_roles_stand_apart_and_other_configurations_are_said() -> None:
    first = pd.concat([seats({"1": [1.0], "2": [2.0]}, "seller"), seats({"1": [5.0]}, "buyer")])
    second = seats({"3": [1.0], "4": [9.0]}, "seller", "d")
    found = compare(first, second, ["gain"], resamples=200)
    assert [one.role for one in found.measures] == ["seller"]
    assert any("other mixtures of configurations (1 and 1, 0 in common)" in note for note in found.notes)
    assert any("Only one of the groups played as buyer" in note for note in found.notes)
    assert compare(first, first, ["gain"], resamples=0).notes == []
    with pytest.raises(AnalysisError, match="no role in common"):
        compare(first[first["role"] == "buyer"], second, ["gain"])
    with pytest.raises(AnalysisError, match="one of them has no seat"):
        compare(first, second[:0], ["gain"])


def test_a_player_is_described_by_role_over_matches() -> None:
    table = pd.concat([seats({"1": [1, 3], "2": [4]}, "seller"), seats({"1": [None]}, "buyer")])
    seller, buyer = described(table, ["gain"], resamples=200)
    assert (seller.role, seller.n, seller.n_seats, seller.mean) == ("seller", 2, 3, 3.0)
    assert seller.interval.low is None
    assert seller.interval.reason == "too few matches for an interval: 2"
    assert (buyer.n, buyer.mean, buyer.interval.low) == (0, None, None)


def test_intervals_of_few_matches_are_students_and_welchs() -> None:
    """Source: scipy's t.interval and ttest_ind without equal variances; of two matches there is none."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(3, 1, 6), rng.normal(2, 3, 9)
    first, second = (
        seats({f"{name}{i}": [value] for i, value in enumerate(values)})
        for name, values in (("a", x), ("b", y))
    )
    (mean,) = described(first, ["gain"])
    expected = stats.t.interval(0.95, 5, x.mean(), stats.sem(x))
    assert (mean.interval.low, mean.interval.high) == pytest.approx(expected)
    assert mean.interval.method == "Student's t over matches"
    (apart,) = compare(first, second, ["gain"], over="people").measures
    welch = stats.ttest_ind(x, y, equal_var=False).confidence_interval(0.95)
    assert (apart.interval.low, apart.interval.high) == pytest.approx((welch.low, welch.high))
    assert apart.interval.method == "Welch's t over people"
    (few,) = compare(first, second[:2], ["gain"]).measures
    assert (few.interval.low, few.interval.reason) == (
        None,
        "too few matches in a group for an interval: 2",
    )
    same = seats({"c": [1.0], "d": [1.0], "e": [1.0]})
    (flat,) = compare(same, seats({"f": [2.0], "g": [2.0], "h": [2.0]}), ["gain"]).measures
    assert (flat.interval.low, flat.difference) == (None, -1.0)
    assert "no spread" in str(flat.interval.reason)
    # Of 50 and more the bootstrap takes over.
    many = [seats({f"{name}{i}": [value] for i, value in enumerate(rng.normal(size=60))}) for name in "ab"]
    (boot,) = compare(many[0], many[1], ["gain"], resamples=2000).measures
    assert boot.interval.method == "percentile bootstrap over matches"


def test_intervals_of_shares_stay_within_what_a_share_and_a_difference_of_shares_can_be() -> None:
    """Source: Student's t by hand on the logit scale, and for differences on Fisher's z scale, by the delta method."""
    x, y = np.array([1.0, 1.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0, 0.0])
    first, second = (
        seats({f"{name}{i}": [value] for i, value in enumerate(values)})
        for name, values in (("a", x), ("b", y))
    )
    (mean,) = described(first, ["gain"], shares={"gain"})
    reach = stats.t.ppf(0.975, 3) * stats.sem(x) / (0.75 * 0.25)
    expected = special.expit([special.logit(0.75) - reach, special.logit(0.75) + reach])
    assert (mean.interval.low, mean.interval.high) == pytest.approx(tuple(expected))
    (beyond,) = described(first, ["gain"])
    assert beyond.interval.high is not None
    assert beyond.interval.high > 1
    within = seats({f"a{i}": [value] for i, value in enumerate(y)})
    for other in (second, within):
        (apart,) = compare(first, other, ["gain"], shares={"gain"}).measures
        assert apart.paired == (other is within)
        error = stats.sem(x - y) if apart.paired else np.hypot(stats.sem(x), stats.sem(y))
        reach = stats.t.ppf(0.975, 3 if apart.paired else 6) * error / (1 - 0.5**2)
        expected = np.tanh([np.arctanh(0.5) - reach, np.arctanh(0.5) + reach])
        assert (apart.interval.low, apart.interval.high) == pytest.approx(tuple(expected))
