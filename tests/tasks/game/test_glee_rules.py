"""Rounds of GLEE's games worked by hand from the rules of the paper."""

from fractions import Fraction
from typing import Any

import pytest

from app.tasks.game.base import Event, Outcome
from app.tasks.game.games.glee.bargaining import Bargaining, BargainingConfig
from app.tasks.game.games.glee.negotiation import Negotiation, NegotiationConfig
from app.tasks.game.games.glee.persuasion import Persuasion, PersuasionConfig
from app.tasks.game.moves import IllegalMove
from tests.tasks.game.random_play import draw, events, move


def test_a_bargain_in_round_two_is_discounted_once() -> None:
    game = Bargaining()
    s = game.initial(BargainingConfig())
    s = move(game, s, 1, alice_gain=7000, message="I was first.")
    assert game.to_move(s).seats == (2,)
    assert game.view(s, 2).facts["standing"] == {
        "round": 1,
        "proposer": 1,
        "alice_gain": 7000,
        "message": "I was first.",
        "answer": None,
    }
    s = move(game, s, 2, answer="reject")
    s = move(game, s, 2, alice_gain=4500)
    s = move(game, s, 1, answer="accept")
    assert game.done(s) == Outcome("accepted", (Fraction(4050), Fraction(4400)))
    assert game.measures(s) == {"efficiency": Fraction("0.845"), "fairness": Fraction("0.99")}
    assert [entry["answer"] for entry in game.view(s, 1).history] == ["reject", "accept"]


def test_no_bargain_after_the_last_round_pays_nobody() -> None:
    game = Bargaining()
    config = BargainingConfig(rounds=2)
    s: Any = game.initial(config)
    for proposer in (1, 2):
        s = move(game, s, proposer, alice_gain=5000)
        s = move(game, s, 3 - proposer, answer="reject")
    assert game.done(s) == Outcome("no-deal", (Fraction(0), Fraction(0)))
    assert game.measures(s) == {"efficiency": 0, "fairness": 1}


def test_a_sale() -> None:
    game = Negotiation()
    config = NegotiationConfig()
    assert config.values == (8000, 12000)
    s = move(game, game.initial(config), 1, price=10_500)
    s = move(game, s, 2, answer="accept")
    assert game.done(s) == Outcome("accepted", (Fraction(2500), Fraction(1500)))
    assert game.measures(s) == {"efficiency": 1, "fairness": Fraction("0.99")}


def test_the_outside_option_ends_a_negotiation_and_pays_nobody() -> None:
    game = Negotiation()
    s = move(game, game.initial(NegotiationConfig()), 1, price=50_000)
    s = move(game, s, 2, answer="outside")
    assert game.done(s) == Outcome("outside", (Fraction(0), Fraction(0)))
    assert game.measures(s) == {"efficiency": 0, "fairness": 1}


def test_in_the_only_round_of_a_negotiation_no_is_the_end() -> None:
    game = Negotiation()
    s = move(game, game.initial(NegotiationConfig(rounds=1)), 1, price=12_000)
    s = move(game, s, 2, answer="reject")
    assert game.done(s) == Outcome("no-deal", (Fraction(0), Fraction(0)))


def test_one_may_sell_at_a_loss() -> None:
    game = Negotiation()
    s = move(game, game.initial(NegotiationConfig()), 1, price=7000)
    outcome = game.done(move(game, s, 2, answer="accept"))
    assert outcome == Outcome("accepted", (Fraction(-1000), Fraction(5000)))


def test_a_bad_product_recommended_and_bought() -> None:
    game = Persuasion()
    config = PersuasionConfig(money=100, value="1.2", messages="binary")  # type: ignore[arg-type]
    s = draw(game, game.initial(config), False)
    assert game.view(s, 1).facts["current"]["good"] is False
    s = move(game, s, 1, buy=True)
    assert game.view(s, 2).facts["current"] == {"good": None, "recommended": True, "message": ""}
    s = move(game, s, 2, buy=True)
    assert [int(payoff) for payoff in game.payoffs(s)] == [100, -100]
    assert game.view(s, 2).history[0]["good"] is False
    s = draw(game, s, True)
    s = move(game, s, 1, buy=True)
    s = move(game, s, 2, buy=True)
    assert [int(payoff) for payoff in game.payoffs(s)] == [200, -80]
    s = draw(game, s, True)
    s = move(game, s, 1, buy=False)
    s = move(game, s, 2, buy=False)
    assert [int(payoff) for payoff in game.payoffs(s)] == [200, -80]
    assert game.view(s, 2).facts["statistics"] == {"rounds": 3, "bought": 2, "bought_good": 1}


def test_nature_draws_good_products_as_often_as_it_says() -> None:
    game = Persuasion()
    chance = game.nature(game.initial(PersuasionConfig(chance_high="1/3")))  # type: ignore[arg-type]
    assert chance is not None
    assert (chance.outcomes, chance.weights) == ((True, False), (1, 2))


def test_nature_draws_once() -> None:
    game = Persuasion()
    s = draw(game, game.initial(PersuasionConfig()), True)
    with pytest.raises(IllegalMove, match="nature draws nothing"):
        game.apply(s, Event("nature", "1-message", None, {"kind": "good", "value": True}))


def test_the_buyer_writes_only_where_the_configuration_says_so() -> None:
    game = Persuasion()
    for allowed in (True, False):
        s = draw(game, game.initial(PersuasionConfig(buyer_messages=allowed)), True)
        s = move(game, s, 1, message="It is good.")
        if not allowed:
            with pytest.raises(IllegalMove, match="no message"):
                move(game, s, 2, buy=True, message="Thank you.")
        else:
            s = move(game, s, 2, buy=True, message="Thank you.")
            assert game.view(s, 1).history[0]["reply"] == "Thank you."


def test_a_myopic_buyer_has_no_history_and_the_seller_has() -> None:
    game = Persuasion()
    config = PersuasionConfig(buyer="myopic", rounds=3)
    s: Any = game.initial(config)
    for event in events(game, config, 1):
        s = game.apply(s, event)
    assert game.view(s, 2).history == ()
    assert len(game.view(s, 1).history) == 3
