"""Released days through the rules: a made game that follows them, and what is said of days that do not."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.games.wac import satisfaction_rate
from app.core.errors import StudyError
from app.library.alympics.games import BadRelease
from app.reports.alympics_days import PRINTED, PRINTED_ALIVE, PRINTED_RSR, replay_release
from app.tasks.game.games.wac.parameters import WaterConfig

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


@pytest.mark.parametrize(
    ("said", "kept"),
    [(("1", "0"), True), (("yes", "No"), True), (("TRUE", "false"), True), (("x", "0"), False)],
)
def test_who_won_is_read_however_it_is_written_or_refused(
    tmp_path: Path, said: tuple[str, str], kept: bool
) -> None:
    rows = DAYS.replace("True", said[0]).replace("False", said[1])
    if kept:
        found = replay_release(release(tmp_path, rows))
        assert found is not None
        assert found.deviations == []
    else:
        with pytest.raises(StudyError, match="row 2, column won, value 'x': is none of true, 1"):
            replay_release(release(tmp_path, rows))


def test_cents_are_kept_with_the_noise_of_binary_fractions(tmp_path: Path) -> None:
    cents = DAYS.replace("Alex,50,True,20.0", "Alex,50.37,True,19.630000000000003").replace("90.0", "89.63")
    found = replay_release(release(tmp_path, cents))
    assert found is not None
    assert found.deviations == []
    found = replay_release(release(tmp_path, cents.replace("89.63", "89.6")))
    assert found is not None
    assert [one.day for one in found.deviations] == [2]
    assert "Alex has $89.60, health 9, next loss 2, by the rules $89.63" in str(found.deviations[0])


NAMES = ("Alex", "Bob", "Cindy", "David", "Eric")
TOLD = (
    "Thank you all for participating in Round {}. In this round, {}.\nTotal water resource supply is {}. According to "
    "the principle of the highest bidder and the rule of prioritizing low-demand individuals when the game is tied, {} "
    "won this auction and obtain water resource. After allocation, all survival residents' information is as follows: "
    "{}"
)
STATUS = "NAME:{}\tBALANCE:{}\tHEALTH POINT:{}\tNO_DRINK:{}"


def chat_of(rows: str, status: str = STATUS) -> dict[str, list[dict[str, str]]]:
    """The same days as the release tells them to five players under letters."""
    told: list[dict[str, str]] = []
    cells = [row.split(",")[4:] for row in rows.splitlines()]
    for day in dict.fromkeys(row[0] for row in cells):
        of_day = [row[1:] for row in cells if row[0] == day]
        bids = ", ".join(f"{name} bid {bid}" for _, name, bid, *_ in of_day)
        won = ", ".join(row[1] for row in of_day if row[3] == "True") or "no one"
        stood = "\n".join(
            status.format(row[1], *(text.removesuffix(".0") for text in row[4:])) for row in of_day
        )
        told += [{"role": "system", "content": f"Hello, NAME! Today is the Day {day}"}]
        told += [{"role": "system", "content": TOLD.format(day, bids, of_day[0][0], won, stood)}]
    rules = {"role": "system", "content": "These are the rules."}
    return {
        letter: [rules, *({**each, "content": each["content"].replace("NAME!", f"{name}!")} for each in told)]
        for letter, name in zip("ABCDE", NAMES, strict=True)
    }


def chat(folder: Path, game: dict[str, list[dict[str, str]]]) -> Path:
    (folder / "records").mkdir(exist_ok=True)
    (folder / "records" / "WAC_nopersona_10_20_1.json").write_text(json.dumps(game))
    return folder


def test_days_are_read_from_the_messages_of_the_players(tmp_path: Path) -> None:
    cents = DAYS.replace("Alex,50,True,20.0", "Alex,50.37,True,19.630000000000003").replace("90.0", "89.63")
    for rows, status in ((DAYS, STATUS), (cents, STATUS.replace("{}\tHEALTH", "{}\\HEALTH"))):
        found = replay_release(chat(tmp_path, chat_of(rows, status)))
        assert found is not None
        assert (found.games, found.days, found.deviations) == (1, 2, [])
    nobody = chat_of(DAYS.replace("David,30,True,210.0,9.0,1.0", "David,30,False,240.0,5.0,3.0"))
    found = replay_release(chat(tmp_path, nobody))
    assert found is not None
    assert "water went to nobody, by the rules to David" in str(found.deviations[0])


def test_messages_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    spoils: dict[str, Callable[[str], str]] = {
        "day 1 is told to Alex and Bob differently": lambda text: text.replace("bid 60", "bid 61", 1),
        "day 1 is not told as released": lambda text: text.replace("is as follows", "is"),
        "day 1: Zoe won, who did not bid": lambda text: text.replace("tied, Alex won", "tied, Zoe won"),
    }
    for why, spoil in spoils.items():
        game = json.loads(spoil(json.dumps(chat_of(DAYS))))
        with pytest.raises(BadRelease, match=why):
            replay_release(chat(tmp_path, game))


def test_an_empty_record_of_an_evening_is_that_of_the_rules(tmp_path: Path) -> None:
    found = replay_release(release(tmp_path, DAYS.replace("75.0,7.0,2.0", ",,")))
    assert found is not None
    assert found.deviations == []


def test_table_2_is_said_as_recorded_and_as_printed(tmp_path: Path) -> None:
    found = replay_release(release(tmp_path, DAYS))
    assert found is not None
    assert found.lines() == [
        "1 game, 2 days replayed: 2 follow the rules, 0 do not",
        "setting 1: 1 game, survival Alex 1.00, Bob 1.00, Cindy 1.00, David 1.00, Eric 1.00 (printed 0.10, 0.10, "
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
    """The data copied from the paper give its printed averages, and its marks give its rates, but for seven games."""
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
    no_loss = "\n".join(row.rpartition(",")[0] for row in f"{HEAD}\n{DAYS}".splitlines())
    (tmp_path / "wac_rounds.csv").write_text(no_loss, encoding="utf-8")
    assert replay_release(tmp_path) is None
    for rows, why in (
        (DAYS.replace("10,20", "11,20"), "a supply from 11 to 20 is none of the settings"),
        (DAYS.replace(",1,2,12", ",1,3,12"), "days are missing"),
        (DAYS.replace("Cindy", "Zoe"), "Zoe is no resident"),
        (DAYS.replace("Cindy,10", "Cindy,ten"), "row 4, column bid, value 'ten': is no number"),
        (DAYS.replace("75.0,7.0", "75.0,good"), "row 3, column hp_after, value 'good': is no number"),
        (
            DAYS.replace("75.0,7.0", "75.0,inf"),
            "row 3, column hp_after, value 'inf': is no number that a game",
        ),
    ):
        with pytest.raises(StudyError, match=why):
            replay_release(release(tmp_path, rows))
