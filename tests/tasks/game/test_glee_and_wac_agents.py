"""Rule agents of GLEE and the water auction: against theory, by hand, and legal in every configuration."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from app.core.errors import StudyError
from app.tasks.game.agents.any_game import RandomAgent
from app.tasks.game.agents.registry import SIMULATED, agent_named, agents_for
from app.tasks.game.base import Agent, AnyGame, GameConfig
from app.tasks.game.games import GAMES
from app.tasks.game.games.glee import offer_agents as glee_offers
from app.tasks.game.games.glee import persuasion_agents as glee_persuasion
from app.tasks.game.games.glee.bargaining import Bargaining, BargainingConfig
from app.tasks.game.games.glee.negotiation import Negotiation, NegotiationConfig
from app.tasks.game.games.glee.offer_agents import (
    Conceder,
    EqualSplit,
    Equilibrium,
    Threshold,
    proposer_share,
)
from app.tasks.game.games.glee.persuasion import Persuasion, PersuasionConfig
from app.tasks.game.games.glee.persuasion_agents import (
    AlwaysRecommend,
    Babbling,
    BayesBuyer,
    Commitment,
    Copier,
    Truthful,
    commitment_chance,
    recommended,
)
from app.tasks.game.games.wac import agents as wac
from app.tasks.game.games.wac.agents import HealthUrgency, Outbid, SalaryShare, Saver
from app.tasks.game.games.wac.parameters import WaterConfig
from app.tasks.game.games.wac.rules import WaterAuction
from app.tasks.game.match import play
from app.tasks.game.run import agents_of

pytestmark = pytest.mark.slow

DISCOUNTS = [Fraction(text) for text in ("0.8", "0.9", "0.95", "1")]
SELLERS = (Truthful(), AlwaysRecommend(), Commitment(), Babbling(), glee_persuasion.SimulatedAgent())
BUYERS = (Copier(), BayesBuyer(), glee_persuasion.SimulatedAgent(), Babbling())


def played(game: AnyGame, config: GameConfig, agents: Sequence[Agent], seed: int = 1) -> Any:
    """The last state of a match between agents."""
    return play(game, config, [agent.player() for agent in agents], seed).state


def test_agents_play_legal_moves_in_every_configuration(exhaustive: bool) -> None:
    every = 1 if exhaustive else 7  # no level of a setting comes every seventh time alone
    person = glee_offers.SimulatedAgent(spread=1)
    offers = (EqualSplit(), Threshold(), Conceder(), Equilibrium(), person, RandomAgent())
    games: tuple[AnyGame, ...] = (Bargaining(), Negotiation())
    for game in games:
        for n, config in list(enumerate(game.Config.grid()))[::every]:
            first, second = offers[n % 6], offers[n // 6 % 6]
            assert game.done(played(game, config, (first, second)))
    for n, sold in list(enumerate(PersuasionConfig.grid()))[::every]:
        assert played(Persuasion(), sold, (SELLERS[n % 5], BUYERS[n // 5 % 4])).products
    agents = (SalaryShare(), HealthUrgency(), wac.SimulatedAgent(), Saver(), RandomAgent())
    for seed, water in enumerate(WaterConfig.grid()):
        assert played(WaterAuction(), water, agents[seed:] + agents[:seed], seed).past


def test_every_game_has_its_agents_by_name() -> None:
    for game in ("glee-bargaining", "glee-negotiation"):
        assert set(agents_for(game)) >= {"equal-split", "threshold", "conceder", "equilibrium"}
    assert {agent.name for agent in (*SELLERS, *BUYERS)} <= set(agents_for("glee-persuasion"))
    assert set(agents_for("wac")) >= {"salary-share", "health-urgency", "outbid", "saver", "random"}


def test_every_game_has_a_simulated_person_for_every_seat() -> None:
    for name, game in GAMES.items():
        person = agent_named(name, SIMULATED)
        assert person.occupant == "simulated"
        config = game.Config()
        n = len(game.seats(config))
        hashes = {
            play(game, config, [person.player() for _ in range(n)], seed).log[-1].state_hash
            for seed in (1, 1, 2)
        }
        assert len(hashes) == 2, f"{name}: its chance is the seed's alone"


def test_a_simulated_person_of_an_offer_game_concedes_and_errs_as_its_parameters_say() -> None:
    config, stubborn = BargainingConfig(rounds=11), Threshold(share=Fraction(1))
    first = []
    for seed in range(20):
        exact = played(Bargaining(), config, (glee_offers.SimulatedAgent(spread=0, noise=0), stubborn), seed)
        demands = [offer.amount for offer in exact.offers if offer.proposer == 1]
        assert demands == sorted(demands, reverse=True)
        assert 5000 <= demands[0] <= 9000
        assert 3000 <= demands[-1] <= 5000
        first.append(demands[0])
        # Who turns every answer round takes the nothing that it is offered.
        wrong = played(Bargaining(), config, (glee_offers.SimulatedAgent(spread=0, noise=1), stubborn), seed)
        assert [offer.amount for offer in wrong.offers] == [demands[0], 0]
        assert wrong.deal is not None
    assert len(set(first)) > 10, "each match draws a person of its own"


def test_a_simulated_person_who_errs_always_says_and_buys_the_opposite() -> None:
    config = PersuasionConfig(rounds=60, value=Fraction("1.25"))
    person = glee_persuasion.SimulatedAgent
    right, wrong = (
        played(Persuasion(), config, (Truthful(), person(noise=noise))).products for noise in (0, 1)
    )
    follows = played(Persuasion(), config, (Truthful(), BayesBuyer())).products
    assert [p.bought for p in right] == [p.bought for p in follows]
    assert [p.bought for p in wrong] == [not p.bought for p in follows]
    sold = played(Persuasion(), config, (person(noise=1), Copier())).products
    assert not any(p.bought for p in sold if p.good), "it speaks against all good products"
    lies = [
        sum(
            p.bought
            for p in played(Persuasion(), config, (person(noise=0), Copier()), seed).products
            if not p.good
        )
        for seed in range(10)
    ]
    assert len(set(lies)) > 5, "each match draws how often it lies"


def test_a_simulated_bidder_bids_in_tens_unless_it_errs() -> None:
    config = WaterConfig(supply_low=20, supply_high=20)
    shares = []
    for noise in (0, 1):
        days = played(WaterAuction(), config, [wac.SimulatedAgent(noise=noise)] * 5).past
        bids = [bid for day in days for bid in day.bids if bid is not None]
        shares.append(sum(bid % 10 == 0 for bid in bids) / len(bids))
    assert shares[0] > 0.8, "the others are all that somebody has"
    assert shares[1] < 0.5


def test_equilibrium_shares_without_end_are_rubinsteins() -> None:
    """(1 - dB) / (1 - dA dB), Rubinstein (1982); rows are Alice's discounts, columns Bob's."""
    printed = (
        (0.556, 0.357, 0.208, 0),
        (0.714, 0.526, 0.345, 0),
        (0.833, 0.690, 0.513, 0),
        (1, 1, 1, None),
    )
    for alice, row in zip(DISCOUNTS, printed, strict=True):
        for bob, share in zip(DISCOUNTS, row, strict=True):
            if share is not None:
                assert float(proposer_share(alice, bob, None)) == pytest.approx(share, abs=0.0006)


def test_equilibrium_shares_of_twelve_rounds() -> None:
    printed = (
        (0.517, 0.307, 0.168, 0),
        (0.615, 0.378, 0.210, 0),
        (0.673, 0.420, 0.236, 0),
        (0.738, 0.469, 0.265, 0),
    )
    for alice, row in zip(DISCOUNTS, printed, strict=True):
        for bob, share in zip(DISCOUNTS, row, strict=True):
            assert float(proposer_share(alice, bob, 12)) == pytest.approx(share, abs=0.0006)


def test_two_in_equilibrium_agree_in_round_one_at_that_share() -> None:
    for config in BargainingConfig.grid():
        if config.complete_information and not (config.rounds == 99 and set(config.discounts) == {1}):
            s = played(Bargaining(), config, (Equilibrium(), Equilibrium()))
            share = proposer_share(*config.discounts, config.shown_rounds)
            assert len(s.offers) == 1
            assert s.deal.amount == int(share * config.money)


def test_the_last_proposer_of_a_negotiation_takes_the_surplus() -> None:
    for rounds, price in ((1, 12_000), (10, 8000), (30, 10_000)):
        s = played(Negotiation(), NegotiationConfig(rounds=rounds), (Equilibrium(), Equilibrium()))
        assert (len(s.offers), s.deal.amount) == (1, price)


def test_agents_deal_elsewhere_where_both_know_that_there_is_nothing_to_gain() -> None:
    config = NegotiationConfig(seller_factor=Fraction("1.5"), buyer_factor=Fraction("0.8"))
    for agent in (EqualSplit(), Threshold(), Conceder(), Equilibrium()):
        s = played(Negotiation(), config, (agent, agent))
        assert Negotiation().done(s).reason == "outside"  # type: ignore[union-attr]
        assert len(s.offers) == 1


def test_nobody_trades_at_a_loss() -> None:
    for config in NegotiationConfig.grid():
        for agent in (EqualSplit(), Threshold(share=Fraction(0)), Conceder(end=Fraction(0)), Equilibrium()):
            outcome = Negotiation().done(played(Negotiation(), config, (RandomAgent(), agent)))
            assert outcome is not None
            assert outcome.payoffs[1] >= 0


def test_a_conceder_lowers_its_demand_as_its_parameters_say() -> None:
    # Rounds 1, 3, ..., 11 of 11: 1 - 0.6 x (0, 0.2, ..., 1)^(1 / beta) of 10,000.
    config = BargainingConfig(rounds=11)
    for beta, demands in (
        (1, [10_000, 8800, 7600, 6400, 5200, 4000]),
        (0.5, [10_000, 9760, 9040, 7840, 6160, 4000]),
        (2, [10_000, 7317, 6205, 5352, 4633, 4000]),
    ):
        s = played(Bargaining(), config, (Conceder(beta=beta), Threshold(share=Fraction(1))))
        assert [offer.amount for offer in s.offers if offer.proposer == 1] == demands


def test_chances_of_a_seller_who_could_commit() -> None:
    """min(p(v - 1) / (1 - p), 1), GLEE's appendix A, for the published p and v."""
    values = [Fraction(text) for text in ("1.2", "1.25", "2", "3", "4")]
    for p, chances in (
        ("1/3", (0.1, 0.125, 0.5, 1, 1)),
        ("1/2", (0.2, 0.25, 1, 1, 1)),
        ("4/5", (0.8, 1, 1, 1, 1)),
    ):
        assert [commitment_chance(Fraction(p), value) for value in values] == pytest.approx(chances)


@pytest.mark.slow
def test_sellers_recommend_by_their_rule() -> None:
    for messages in ("binary", "text"):
        config = PersuasionConfig(
            messages=messages, rounds=100, chance_high=Fraction(1, 3), value=Fraction(2)
        )
        for seller, low, high in (
            (Truthful(), 0, 0),
            (Commitment(q=Fraction(1, 4)), 0.15, 0.35),
            (Commitment(), 0.4, 0.6),
            (AlwaysRecommend(), 1, 1),
        ):
            s = played(Persuasion(), config, (seller, Copier()))
            assert all(product.bought for product in s.products if product.good)
            lies = [product.bought for product in s.products if not product.good]
            assert low <= sum(lies) / len(lies) <= high


def test_a_text_is_read_for_a_recommendation() -> None:
    for text, yes in (
        ("Great product, buy it!", True),
        ("I do not recommend it", False),
        ("You shouldn't", False),
        ("Low quality.", False),
        ("  ", False),
        ("Follow me, notable thing", True),
    ):
        assert recommended({"recommended": None, "message": text}) == yes, text


def test_a_buyer_learns_whom_to_follow() -> None:
    for buyer in ("long-living", "myopic"):
        config = PersuasionConfig(buyer=buyer, rounds=60, value=Fraction("1.25"), chance_high=Fraction(1, 2))
        honest = played(Persuasion(), config, (Truthful(), BayesBuyer())).products
        assert [p.bought for p in honest[30:]] == [p.good for p in honest[30:]]
    liar = played(
        Persuasion(), config.model_copy(update={"buyer": "long-living"}), (AlwaysRecommend(), BayesBuyer())
    )
    assert not any(p.bought for p in liar.products[5:])


def test_a_seller_who_says_nothing_is_bought_from_where_products_are_worth_it_on_average() -> None:
    for value, buys in (("1.25", False), ("2", True), ("3", True)):
        s = played(Persuasion(), PersuasionConfig(value=Fraction(value)), (Babbling(), Babbling()))
        assert {product.bought for product in s.products} == {buys}


def test_an_agent_on_the_wrong_seat_is_refused() -> None:
    config = PersuasionConfig()
    assert len(agents_of(Persuasion(), config, "truthful, copier")) == 2
    for seats, said in (
        ("copier", "copier cannot take seat 1"),
        ("truthful,truthful", "truthful cannot take seat 2"),
    ):
        with pytest.raises(StudyError, match=said):
            agents_of(Persuasion(), config, seats)
    with pytest.raises(StudyError, match="seat 1: a move of kind 'answer' is not allowed"):
        play(Persuasion(), config, [Copier().player()] * 2, 1)


def test_bids_by_rule() -> None:
    config = WaterConfig(supply_low=20, supply_high=20, days=4)
    agents = (SalaryShare(share=Fraction(1, 2)), HealthUrgency(), Outbid(window=1), Saver(), Saver(reserve=7))
    s = played(WaterAuction(), config, agents)
    # Day 1: 35 of 70, 75 x 1/8, the salary of 100, nothing, and all 120, as 8 - 1 is no more than 7.
    assert s.past[0].bids == (35, 9, 100, 0, 120)
    assert s.past[0].winners == (5, 1)
    # Day 2: the second-highest winning bid was 35; Bob has 150 and loses 2 of 7; Eric has 120 again and 10 health.
    assert s.past[1].bids == (35, 42, 36, 0, 0)
    # Day 4: David would lose 4 of his 2 left, so that all he has is at stake.
    assert s.past[3].bids[3] == 4 * 120
