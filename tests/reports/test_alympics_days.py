"""Released days through the rules: a made game that follows them, and what is said of days that do not."""

import re
from pathlib import Path

import pytest

from analysis.games.wac import satisfaction_rate
from app.library.alympics import BadRelease
from app.reports.alympics_days import PRINTED, PRINTED_ALIVE, PRINTED_RSR, replay_release
from app.tasks.game.wac import WaterConfig

pytestmark = pytest.mark.any_database

HEAD = "persona,lo,hi,run,round,supply,player,bid,won,balance_after,hp_after,no_drink_after"
# Day 1: units for one; Alex and Bob bid alike, Alex needs less. Day 2: Eric's bid is above his balance, so David wins.
DAYS = """\
nopersona,10,20,1,1,11,Alex,50,True,20.0,10.0,1.0
nopersona,10,20,1,1,11,Bob,50,False,75.0,7.0,2.0
nopersona,10,20,1,1,11,Cindy,10,False,100.0,7.0,2.0
nopersona,10,20,1,1,11,David,0,False,120.0,7.0,2.0
nopersona,10,20,1,1,11,Eric,60,False,120.0,7.0,2.0
nopersona,10,20,1,2,12,Alex,0,False,90.0,9.0,2.0
nopersona,10,20,1,2,12,Bob,0,False,150.0,5.0,3.0
nopersona,10,20,1,2,12,Cindy,0,False,200.0,5.0,3.0
nopersona,10,20,1,2,12,David,30,True,210.0,9.0,1.0
nopersona,10,20,1,2,12,Eric,500,False,240.0,5.0,3.0
"""


def release(folder: Path, rows: str) -> Path:
    (folder / "wac_rounds.csv").write_text(f"{HEAD}\n{rows}", encoding="utf-8")
    return folder


def test_days_that_follow_the_rules_and_days_that_do_not(tmp_path: Path) -> None:
    found = replay_release(release(tmp_path, DAYS))
    assert found is not None
    assert (found.games, found.days, found.deviations) == (1, 2, [])
    wrong_winner = DAYS.replace("Alex,50,True,20.0,10.0,1.0", "Alex,50,False,70.0,7.0,2.0").replace(
        "Bob,50,False,75.0,7.0,2.0", "Bob,50,True,25.0,10.0,1.0"
    )
    found = replay_release(release(tmp_path, wrong_winner))
    assert found is not None
    said = [str(one) for one in found.deviations]
    assert said[0].startswith(
        "setting 1, game 1, day 1: water went to Bob, by the rules to Alex; Alex has $70, health 7"
    )
    # The next day starts from the record, so what is left wrong in it is what was recorded of Alex and Bob.
    assert [one.day for one in found.deviations] == [1, 2]
    assert "David" not in said[1]
    cases = {
        "12,David,30,True,210.0,9.0,1.0": ("12,David,30,True,240.0,9.0,1.0", "David has $240, health 9"),
        "2,12,": ("2,25,", "value is 25"),
        "nopersona,10,20,1,2,12,Bob,0,False,150.0,5.0,3.0\n": ("", "Bob, Cindy, David, Eric were alive"),
    }
    for old, (new, why) in cases.items():
        found = replay_release(release(tmp_path, DAYS.replace(old, new)))
        assert found is not None
        assert [one.day for one in found.deviations] == [2], why
        assert why in str(found.deviations[0])


def test_an_empty_record_of_an_evening_is_that_of_the_rules(tmp_path: Path) -> None:
    found = replay_release(release(tmp_path, DAYS.replace("75.0,7.0,2.0", ",,")))
    assert found is not None
    assert found.deviations == []


def test_table_2_is_said_as_recorded_and_as_printed(tmp_path: Path) -> None:
    found = replay_release(release(tmp_path, DAYS))
    assert found is not None
    assert found.lines() == [
        "1 games, 2 days replayed: 2 follow the rules, 0 do not",
        "setting 1: 1 games, survival Alex 1.00, Bob 1.00, Cindy 1.00, David 1.00, Eric 1.00 (printed 0.10, 0.10, "
        "0.50, 0.70, 0.40); N 5.0; RSR at the end 0.30 (printed 0.83)",
        "setting 1, game 1: alive Alex, Bob, Cindy, David, Eric; table 2 prints Cindy, Eric",
        "setting 1, game 1: RSR at the end 0.30; table 2 prints 0.68",
    ]
    # Eric alone has health left, as printed of game 9.
    dead = re.sub(
        r"(,2,12,(?:Alex|Bob|Cindy|David),.*),[\d.]+(,[\d.]+)$", r"\1,0.0\2", DAYS, flags=re.MULTILINE
    )
    found = replay_release(release(tmp_path, dead.replace("10,20,1,", "10,20,9,")))
    assert found is not None
    assert found.misprints == []


def test_table_2_contradicts_itself_where_it_is_known_to() -> None:
    """What was copied of the paper gives its printed averages, and its marks give its rates, but for seven games."""
    configs = WaterConfig.grid()
    wrong = []
    for setting, (rates, rsr) in PRINTED.items():
        needs = {each.name: each.need for each in configs[setting - 1].residents}
        supply = configs[setting - 1].supply_low, configs[setting - 1].supply_high
        alive = [[name for name in needs if name[0] in marks] for marks in PRINTED_ALIVE[setting].split()]
        printed = PRINTED_RSR[setting].split()
        assert len(alive) == len(printed) == 10
        ticked = tuple(sum(name in game for game in alive) / 10 for name in needs)
        assert ticked == (rates if setting != 1 else (0.1, 0.2, *rates[2:])), "Bob is ticked once too often"
        assert sum(map(float, printed)) / 10 == pytest.approx(rsr, abs=0.0051)
        for run, (game, rate) in enumerate(zip(alive, printed, strict=True), 1):
            if satisfaction_rate(supply, [needs[name] for name in game]) != pytest.approx(
                float(rate), abs=0.0051
            ):
                wrong.append((setting, run))
    assert wrong == [(1, 10), (2, 5), (2, 6), (2, 7), (3, 8), (3, 9), (3, 10)]


def test_what_is_no_release_is_refused(tmp_path: Path) -> None:
    assert replay_release(tmp_path) is None
    (tmp_path / "wac_rounds.csv").write_text("persona,lo\n", encoding="utf-8")
    assert replay_release(tmp_path) is None
    for rows, why in (
        (DAYS.replace("10,20", "11,20"), "a supply from 11 to 20 is none of the settings"),
        (DAYS.replace(",1,2,12", ",1,3,12"), "days are missing"),
        (DAYS.replace("Cindy", "Zoe"), "Zoe is no resident"),
        (DAYS.replace("Cindy,10", "Cindy,ten"), "row 4: could not convert"),
        (DAYS.replace("75.0,7.0", "75.0,good"), "row 3: could not convert"),
        (DAYS.replace("75.0,7.0", "75.0,inf"), "row 3: cannot convert"),
    ):
        with pytest.raises(BadRelease, match=why):
            replay_release(release(tmp_path, rows))
