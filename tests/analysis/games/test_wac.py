"""Measures of the water auction, from the printed tables and the released records of Alympics."""

import pytest

from analysis.errors import AnalysisError
from analysis.games.wac import (
    WaterGame,
    daily_medians,
    lowest_winning_bids,
    satisfaction_rate,
    survival,
    water_setting,
)

NEEDS = {"Alex": 8, "Bob": 9, "Cindy": 10, "David": 11, "Eric": 12}


def test_satisfaction_rates_at_the_start_are_the_printed_ones() -> None:
    assert satisfaction_rate((10, 20), NEEDS.values()) == pytest.approx(0.3)
    assert satisfaction_rate((15, 25), NEEDS.values()) == pytest.approx(0.4)
    assert satisfaction_rate((20, 30), NEEDS.values()) == pytest.approx(0.5)


def test_satisfaction_rate_at_the_end() -> None:
    # Setting 1, game 10: Alex and David are left; printed .79.
    assert satisfaction_rate((10, 20), [8, 11]) == pytest.approx(0.79, abs=0.005)
    assert satisfaction_rate((10, 20), []) is None


def test_survival() -> None:
    found = survival(list(NEEDS), [["Alex", "David"], ["David"], [], ["Eric", "David"]])
    assert found.rates == {"Alex": 0.25, "Bob": 0, "Cindy": 0, "David": 0.75, "Eric": 0.25}
    assert (found.games, found.survivors) == (4, 1.25)
    with pytest.raises(AnalysisError, match="at least one"):
        survival(list(NEEDS), [])
    with pytest.raises(AnalysisError, match="Zoe survived"):
        survival(list(NEEDS), [["Zoe"]])


def test_lowest_winning_bids_of_the_first_days_of_the_first_released_game() -> None:
    rows = ((40, 40, 40, 40, 60), (50, 85, 90, 80, 110), (80, 140, 150, 150, 90), (60, 250, 110, 250, 130))
    bids = [dict(zip(NEEDS, row, strict=True)) for row in rows]
    assert lowest_winning_bids(bids, [["Alex"], ["Eric"], ["Cindy", "Alex"], []]) == [40, 110, 80, None]


def test_daily_medians_leave_out_days_without_a_winner_and_games_that_are_over() -> None:
    assert daily_medians([[40, 110, None], [50, None, None], [60, 90]]) == [50, 100, None]
    assert daily_medians([]) == []


def test_a_setting_is_described_as_by_hand() -> None:
    needs = {"Alex": 8, "Bob": 9}

    def game(
        bids: list[dict[str, float]], winners: list[list[str]], healths: list[dict[str, float]]
    ) -> WaterGame:
        return WaterGame((10, 20), needs, bids, winners, [dict.fromkeys(needs, 5.0)] * len(bids), healths)

    first = game(
        [{"Alex": 40, "Bob": 60}, {"Alex": 50, "Bob": 90}, {"Bob": 10}],
        [["Alex", "Bob"], ["Bob"], []],
        [{"Alex": 2, "Bob": 9}, {"Alex": 0, "Bob": 10}, {"Alex": 0, "Bob": 9}],
    )
    second = game([{"Alex": 20, "Bob": 10}], [["Alex"]], [{"Alex": 0, "Bob": 0}])
    found = water_setting([first, second])
    assert found.survival.rates == {"Alex": 0, "Bob": 0.5}
    assert found.survival.survivors == 0.5
    assert found.rsr_start == pytest.approx(15 / 17)
    assert found.rsr_end == pytest.approx(15 / 9)
    assert found.n_rsr_end == 1
    assert found.prices == [[40, 20], [90], []]
    assert found.medians == [30, 90, None]
    assert found.mean_median == 60
    assert found.first_death == {1: 1, 2: 1}
    assert found.bids["Alex"].means == [30, 50, None]
    assert found.bids["Alex"].n == [2, 1, 0]
    assert found.healths["Bob"].means == [4.5, 10, 9]
    with pytest.raises(AnalysisError, match="same residents"):
        water_setting([])
