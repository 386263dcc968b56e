"""Two groups on every measure: by hand, against scipy's permutation test, and with matches as the units."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

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
    assert seller.interval.low is not None
    assert 2 <= seller.interval.low <= 3
    assert (buyer.n, buyer.mean, buyer.interval.low) == (0, None, None)
