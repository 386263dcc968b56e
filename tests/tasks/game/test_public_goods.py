"""The public-goods game: payoffs as published, rounds worked by hand, agents, records, page and signatures."""

import json
import math
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from pydantic import ValidationError

from app.library.records import Line, Table
from app.tasks.game.agents.registry import agent_named
from app.tasks.game.base import Budget, Event
from app.tasks.game.games import GAMES, KITS
from app.tasks.game.games.public_goods.rules import COSTS, PublicGoodsConfig, Round, incomes, profits
from app.tasks.game.games.reports import reports_of
from app.tasks.game.match import Match, play
from app.tasks.game.match_files import HUMAN, SeatPlayed
from app.tasks.game.moves import IllegalMove
from app.tasks.game.parts import Entered
from app.tasks.game.record_options import Text
from app.tasks.game.record_rounds import RecordedMatch
from app.tasks.game.replay import Replayed

NAME = "public-goods"
GAME, KIT = GAMES[NAME], KITS[NAME]


def act(match: Match, seat: int, **move: Any) -> None:
    match.append(Event("move", match.phase.phase_id, seat, move))


def played(rounds: Sequence[tuple[Sequence[int], Sequence[Sequence[int]]]], **config: Any) -> Match:
    """A match of these contributions and points by seat; the seats move from the last to the first."""
    n = len(rounds[0][0])
    match = Match(GAME, PublicGoodsConfig(players=n, rounds=len(rounds), **config), 1)
    for contributions, points in rounds:
        for seat in range(n, 0, -1):
            act(match, seat, kind="contribute", amount=contributions[seat - 1])
        for seat in range(n, 0, -1) if points else ():
            given = {
                f"points_{other}": each for other, each in enumerate(points[seat - 1], 1) if other != seat
            }
            act(match, seat, kind="deduct", **given)
    return match


# 2002: four, 20 each, 0.4. Together 40: 16 to each. Incomes 16, 16 + 10, 36, 26.
# Seat 1 gives seat 3 four points, seat 2 gives it one, seat 3 gives seat 1 two.
# Then 16 - 4 - 3 x 2 = 6, 26 - 1 = 25, 36 - 2 - 3 x 5 = 19, 26.
FIRST = ([20, 10, 0, 10], [[0, 0, 4, 0], [0, 0, 1, 0], [2, 0, 0, 0], [0, 0, 0, 0]])
# All put in everything: 20 x 4 x 0.4 = 32 each.
SECOND = ([20, 20, 20, 20], [[0] * 4] * 4)


def test_a_match_by_the_rule_of_2002_worked_by_hand() -> None:
    match = played([FIRST, SECOND])
    assert match.outcome is not None
    assert list(match.outcome.payoffs) == [38, 57, 51, 58]
    measures = GAME.metrics(match.config, match.events)
    assert measures[1] == {
        "contributes": Fraction(40, 40),
        "free_rides": 0,
        "income": Fraction(16 + 32, 2),
        "profit": Fraction(6 + 32, 2),
        "points_given": 2,
        "points_received": 1,
        "antisocial": 0,
    }
    assert measures[3] == {
        "contributes": Fraction(20, 40),
        "free_rides": Fraction(1, 2),
        "income": Fraction(36 + 32, 2),
        "profit": Fraction(19 + 32, 2),
        "points_given": 1,
        "points_received": Fraction(5, 2),
        "antisocial": 1,
    }
    assert measures[4]["antisocial"] is None


def test_payoffs_by_the_rule_of_2000_worked_by_hand() -> None:
    """A point takes a tenth of the income, ten or more all of it; the costs are the published table."""
    assert COSTS == (0, 1, 2, 4, 6, 9, 12, 16, 20, 25, 30)
    config = PublicGoodsConfig(punishment="tenths")
    # Seat 3 got 5 points: half of 36. Seat 1 got 2 (a fifth of 16) and gave 4, which cost 6. Seat 2 gave 1.
    found = profits(config, Round(tuple(FIRST[0]), tuple(tuple(each) for each in FIRST[1])))
    assert found == [Fraction(16 * 8, 10) - 6, 26 - 1, 18 - 2, 26]
    # Twelve points take no more than all; who gave ten to one pays 30, and may end below nothing.
    hard = Round((20, 20, 0, 20), ((0, 0, 10, 0), (0, 0, 2, 0), (0, 0, 0, 0), (0, 0, 0, 0)))
    assert incomes(config, hard.contributions) == [24, 24, 44, 24]
    assert profits(config, hard) == [-6, 22, 0, 24]


def test_without_points_a_round_is_over_when_all_have_contributed() -> None:
    match = played([([5, 0], [])], punishment="none", endowment=10, mpcr="3/4")
    assert match.outcome is not None
    assert match.outcome.payoffs == (Fraction(5) + Fraction(15, 4), 10 + Fraction(15, 4))
    assert GAME.metrics(match.config, match.events)[2]["free_rides"] == 1


def test_presets_are_the_conditions_of_the_papers() -> None:
    named = PublicGoodsConfig.named()
    told = {
        name: [(c.players, c.rounds, c.endowment, c.mpcr, c.punishment) for c in configs]
        for name, configs in named.items()
    }
    assert told == {
        "fehr-gaechter-2000": [(4, 10, 20, Fraction(2, 5), kind) for kind in ("tenths", "none")],
        "fehr-gaechter-2002": [(4, 6, 20, Fraction(2, 5), kind) for kind in ("fixed", "none")],
    }
    for players in (1, 9):
        with pytest.raises(ValidationError):
            PublicGoodsConfig(players=players)


def test_no_points_to_oneself_none_beyond_ten_and_none_twice() -> None:
    match = Match(GAME, PublicGoodsConfig(players=2), 1)
    for seat in (1, 2):
        act(match, seat, kind="contribute", amount=3)
    for points in ({"points_2": 11}, {"points_1": 1}, {"points_2": 1, "points_1": 0}, {}):
        with pytest.raises(IllegalMove):
            act(match, 1, kind="deduct", **points)
    act(match, 1, kind="deduct", points_2=10)
    with pytest.raises(IllegalMove):
        act(match, 1, kind="deduct", points_2=0)


def test_nobody_sees_contributions_before_all_are_made_nor_ever_who_gave_points() -> None:
    match = Match(GAME, PublicGoodsConfig(players=3, rounds=2), 1)
    act(match, 2, kind="contribute", amount=17)
    for seat in (1, 3):
        assert "17" not in json.dumps(GAME.view(match.state, seat).facts)
    other = played([([5, 5, 0], [[0, 0, 3], [0, 0, 0], [0, 0, 0]])])
    same = played([([5, 5, 0], [[0, 0, 0], [0, 0, 3], [0, 0, 0]])])
    assert GAME.view(other.state, 3) == GAME.view(same.state, 3)
    assert GAME.view(other.state, 3).history[0]["received"] == 3


@pytest.mark.parametrize(
    ("agent", "contributes"),
    [
        # Beside it are two who contribute all and one who contributes nothing: (20 + 20 + 0) / 3 = 13.3.
        ("free-rider", [0, 0, 0]),
        ("full-contributor", [20, 20, 20]),
        ("conditional-cooperator", [10, 13, 13]),
        ("conditional-cooperator:start=1/4:match=0.5", [5, 7, 7]),
        ("punisher", [20, 13, 13]),
    ],
)
def test_agents_contribute_as_they_say(agent: str, contributes: list[int]) -> None:
    names = (agent, "full-contributor", "full-contributor", "free-rider")
    players = [agent_named(NAME, name).player() for name in names]
    match = play(GAME, PublicGoodsConfig(rounds=3), players, 1)
    assert [one.contributions[0] for one in match.state.past] == contributes
    given = [one.points[0] for one in match.state.past]
    # Half a point for each tenth short: 20 of 20 is ten tenths, 13 is 6.5 (3.25, so 3).
    assert given == ([(0, 0, 0, 5), (0, 0, 0, 3), (0, 0, 0, 3)] if agent == "punisher" else [(0,) * 4] * 3)


def test_simulated_people_play_all_sizes_and_differ() -> None:
    made = set()
    for players in range(2, 9):
        seats = [agent_named(NAME, "simulated").player() for _ in range(players)]
        match = play(GAME, PublicGoodsConfig(players=players, rounds=4), seats, players)
        made |= {one for past in match.state.past for one in past.contributions}
        assert match.outcome is not None
    assert len(made) > 8


def test_a_record_and_its_decisions_show_what_was_done() -> None:
    match = played([FIRST, SECOND])
    looked = RecordedMatch(GAME.view(match.state, "record"), 4, 3, Text.NUMBERS)
    found = KIT.record(looked)
    [table] = found.rounds[1]
    assert isinstance(table, Table)
    assert table.rows == (
        ("This player", "0", "2 to Other 2", "5", "19"),
        ("Other 1", "10", "none", "0", "26"),
        ("Other 2", "20", "4 to this player", "2", "6"),
        ("Other 3", "10", "1 to this player", "0", "25"),
    )
    said = [
        (
            one.name,
            one.round,
            " ".join(line.text for line in (*one.before, *one.move) if isinstance(line, Line)),
        )
        for one in KIT.decisions(match, looked, 3, found)
    ]
    assert said == [
        ("contribution", 1, "It is the first round. This player puts in 0."),
        (
            "points",
            1,
            "This player has put in 0, the others 20, 10 and 10. This player gives 2 points to one who put in 20.",
        ),
        (
            "contribution",
            2,
            "In the round before, this player put in 0, the others 20, 10 and 10, and this player got 5 deduction "
            "points. This player puts in 20.",
        ),
        ("points", 2, "This player has put in 20, the others 20, 20 and 20. This player gives no points."),
    ]


def test_signatures_count_decisions_worked_by_hand() -> None:
    match = played([FIRST, SECOND])
    acts = list(reports_of(NAME).acts(SeatPlayed(Replayed(match, {}), 3, "", HUMAN, HUMAN, "p")))
    named: dict[str, list[tuple[tuple[float, ...], float]]] = {}
    for one in acts:
        named.setdefault(one.signature.removeprefix("public-goods-"), []).append((one.given, one.did))
    first, second = named["contribution-given-others"]
    assert math.isnan(first[0][0])
    assert first[1] == 0
    assert second[0][0] == pytest.approx(40 / 3 / 20)
    assert second[1] == 1
    assert named["change-given-points"] == [((5.0,), 1.0)]
    assert named["points-given-difference"] == [
        *(((1.0,), 0.2), ((0.5,), 0.0), ((0.5,), 0.0)),
        *[((0.0,), 0.0)] * 3,
    ]
    assert {one.name for one in reports_of(NAME).signatures([])} == {one.signature for one in acts}


def test_the_page_says_what_a_round_paid_and_what_points_cost() -> None:
    match = Match(GAME, PublicGoodsConfig(rounds=2), 1)
    for seat, amount in enumerate(FIRST[0], 1):
        act(match, seat, kind="contribute", amount=amount)
    view = GAME.view(match.state, 1)
    face = KIT.page.face(view, GAME.legal(match.state, 1), Entered())
    assert [(fact.label, fact.value) for fact in face.facts] == [
        ("You put in", "20 points"),
        ("All together", "40 points"),
        ("This round pays you", "16 points"),
    ]
    assert face.form is not None
    assert [field.label for field in face.form.fields] == [
        f"Player {seat}, who put in {amount}" for seat, amount in ((2, 10), (3, 0), (4, 10))
    ]
    rules = " ".join(KIT.page.rules(view).lines)
    assert "Each costs you 1 point, and takes 3 points from the other player." in rules
    assert "if all together put in 80, each gets 32" in rules
    before = GAME.view(GAME.initial(PublicGoodsConfig(punishment="tenths")), "record")
    assert "1 cost 1, 2 cost 2, 3 cost 4, 4 cost 6, 5 cost 9" in " ".join(KIT.page.rules(before).lines)
    for seat in range(4, 0, -1):
        given = {f"points_{other}": FIRST[1][seat - 1][other - 1] for other in range(1, 5) if other != seat}
        act(match, seat, kind="deduct", **given)
    face = KIT.page.face(GAME.view(match.state, 1), None, Entered())
    said = "Round 1: all together put in 40; you were given 2 deduction points. The round paid you 6 points."
    assert face.news == (said,)


def test_those_who_run_a_study_read_moves_in_words() -> None:
    names = {1: "Player 1", 2: "Player 2", 3: "Player 3"}
    config = PublicGoodsConfig(players=3)
    words = KIT.move_words
    assert words(config, names, {"kind": "contribute", "amount": 7}) == "puts in 7"
    move = {"kind": "deduct", "points_1": 0, "points_3": 1}
    assert words(config, names, move) == "gives 1 point to Player 3"
    match = played([([5, 5, 0], [[0, 0, 3], [0, 0, 1], [0, 0, 0]])])
    seen = KIT.observe(GAME.view(match.state, "observer"), names, GAME.payoffs(match.state))
    assert [cell.text for cell in seen.history.rows[0].cells] == ["1", "5", "5", "0, 4 points"]


def test_a_random_player_is_taken_at_every_step() -> None:
    match, rng = Match(GAME, PublicGoodsConfig(players=3, rounds=2), 1), random.Random(1)
    simulated = [agent_named(NAME, "random").player() for _ in range(3)]
    while match.outcome is None:
        seat = match.phase.seats[-1]
        view, legal = GAME.view(match.state, seat), GAME.legal(match.state, seat)
        act(match, seat, **simulated[seat - 1].act(view, legal, rng, Budget()).move)
    assert len(match.state.past) == 2
