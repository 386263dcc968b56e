"""Measures of the water auction, from the printed tables and the released records of Alympics."""

import pytest

from analysis.errors import AnalysisError
from analysis.figures import Figure
from analysis.figures.water import setting_figures
from analysis.games.wac import (
    WaterGame,
    WaterSetting,
    daily_medians,
    lowest_winning_bids,
    satisfaction_rate,
    survival,
    water_setting,
)
from analysis.text.water import marks

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


@pytest.mark.slow
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
    # Game by game: Alex dies on day 2 of the first, both on day 1 of the second.
    one, two = found.runs
    assert (one.name, two.name) == ("1", "2")
    assert (one.alive, two.alive) == ({"Alex": False, "Bob": True}, {"Alex": False, "Bob": False})
    assert one.rsr_end == pytest.approx(15 / 9)
    assert two.rsr_end is None
    assert one.rsr == [15 / 17, 15 / 17, 15 / 9]
    assert two.rsr == [15 / 17, None, None]
    assert one.bids == {"Alex": [40, 50, None], "Bob": [60, 90, 10]}
    assert one.healths == {"Alex": [2, 0, None], "Bob": [9, 10, 9]}
    assert two.balances == {"Alex": [5, None, None], "Bob": [5, None, None]}
    assert found.rsr.means == one.rsr, "a mean of the games in which anybody is left"
    assert found.rsr.n == [2, 1, 1]
    assert list(marks(found.to_dict())) == [
        "alive (+)     1     2",
        "Alex          -     -   0.00",
        "Bob           +     -   0.50",
        "RSR end    1.67     -   1.67",
    ]
    _check_figures(found)


def _check_figures(found: WaterSetting) -> None:
    """Every game is a row of a figure's numbers, and the mean is called that of those alive."""
    drawn = {each.name: each for each in setting_figures(found, "s", "s") if isinstance(each, Figure)}
    assert list(drawn) == ["survival-s", "prices-s", "residents-s", "bids-s", "health-s", "balance-s"]
    assert drawn["survival-s"].numbers.rows == (
        ("Alex", "0", "0", "0.00"),
        ("Bob", "1", "0", "0.50"),
        ("RSR at the start", "0.88", "0.88", "0.88"),
        ("RSR at the end", "1.67", "none", "1.67"),
    )
    assert drawn["health-s"].numbers.rows == (
        ("Alex", "1", "2.0", "0.0", "none"),
        ("Alex", "2", "0.0", "none", "none"),
        ("Alex", "mean of those alive", "1.0", "0.0", "none"),
        ("Alex", "games", "2", "1", "0"),
        ("Bob", "1", "9.0", "10.0", "9.0"),
        ("Bob", "2", "0.0", "none", "none"),
        ("Bob", "mean of those alive", "4.5", "10.0", "9.0"),
        ("Bob", "games", "2", "1", "1"),
        ("RSR", "1", "0.88", "0.88", "1.67"),
        ("RSR", "2", "0.88", "none", "none"),
        ("RSR", "mean of those alive", "0.88", "0.88", "1.67"),
        ("RSR", "games", "2", "1", "1"),
    )
    for name in ("bids-s", "health-s", "balance-s", "residents-s"):
        assert "began the day alive" in drawn[name].reading
    # A line for each of both games and the mean, of two residents and the rate, and a cross for each of three deaths.
    lines = drawn["bids-s"].svg.count('stroke-width="0.6"'), drawn["bids-s"].svg.count('stroke-width="1.7"')
    assert lines == (6, 3)
