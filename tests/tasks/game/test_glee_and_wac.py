"""Properties of GLEE's three families and the water auction in every published configuration."""

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from pydantic import ValidationError

from analysis.games.glee import bargaining_scores, negotiation_scores, persuasion_scores
from app.tasks.game.base import AnyGame, Event, View, canonical_json, state_hash
from app.tasks.game.games import GAMES
from app.tasks.game.games.glee.bargaining import Bargaining, BargainingConfig
from app.tasks.game.games.glee.negotiation import Negotiation, NegotiationConfig
from app.tasks.game.games.glee.persuasion import Persuasion, PersuasionConfig
from app.tasks.game.games.wac.rules import WaterAuction
from app.tasks.game.moves import IllegalMove
from tests.tasks.game.random_play import after, events, steps

pytestmark = pytest.mark.slow

MINE: tuple[AnyGame, ...] = (Bargaining(), Negotiation(), Persuasion(), WaterAuction())
SIZES = {"glee-bargaining": 384, "glee-negotiation": 576, "glee-persuasion": 360, "wac": 6}


def test_grids_have_the_sizes_of_the_printed_levels() -> None:
    for game in MINE:
        grid = game.Config.grid()
        assert len(set(grid)) == len(grid) == SIZES[game.name]
        assert grid[0] == game.Config()
        assert GAMES[game.name].Config is game.Config
    assert sum(size for name, size in SIZES.items() if name.startswith("glee")) == 1320


@pytest.mark.slow
def test_random_play_of_every_configuration_ends_and_replays_to_the_same_hash(exhaustive: bool) -> None:
    for game in MINE:
        for seed, config in list(enumerate(game.Config.grid()))[:: 1 if exhaustive else 5]:
            happened = events(game, config, seed)
            first, second = (after(game, config, happened) for _ in range(2))
            assert state_hash(first) == state_hash(second)
            outcome = game.done(first)
            assert outcome is not None
            assert outcome.payoffs == game.payoffs(first)
            assert game.to_move(first).seats == ()
            assert game.nature(first) is None


def test_phase_ids_occur_once_for_each_seat() -> None:
    for game in MINE:
        happened = [(event.phase_id, event.seat) for event in events(game, game.Config(), 3)]
        assert len(set(happened)) == len(happened)


def _wrong(event: Event) -> list[Event]:
    seat = (event.seat or 0) + 50
    return [
        replace(event, phase_id="0-other"),
        replace(event, seat=seat, kind="move"),
        replace(event, move={**event.move, "kind": "other"}),
        replace(event, move={**event.move, "more": 1}),
        replace(
            event, move={"kind": event.move["kind"], **{k: -1 for k in event.move if k != "kind"}, "x": 1}
        ),
        replace(event, kind="nature" if event.kind == "move" else "move"),
    ]


def test_what_is_not_legal_is_refused_in_every_state() -> None:
    for game in MINE:
        for s, event in steps(game, game.Config(), 5):
            before = state_hash(s)
            for wrong in _wrong(event):
                with pytest.raises(IllegalMove):
                    game.apply(s, wrong)
            for seat in {seat.seat for seat in game.seats(game.Config())} - set(game.to_move(s).seats):
                with pytest.raises(IllegalMove, match=f"seat {seat} may not act"):
                    game.legal(s, seat)
            assert state_hash(s) == before


def test_moves_out_of_bounds_are_refused() -> None:
    for game in MINE:
        for s, event in steps(game, game.Config(), 6):
            for name in event.move:
                for other in (-1, 10**9, 0.5, "1", None):
                    if name == "kind" or (name == "price" and other == 10**9):
                        continue
                    with pytest.raises(IllegalMove):
                        game.apply(s, replace(event, move={**event.move, name: other}))


def test_default_moves_are_legal_and_end_the_game() -> None:
    for game in MINE:
        for config in game.Config.grid()[::37]:
            s = game.initial(config)
            for _ in range(1000):
                phase = game.to_move(s)
                if chance := game.nature(s):
                    s = game.apply(s, Event("nature", phase.phase_id, None, chance.draw(random.Random(1))))
                for seat in game.to_move(s).seats[:1]:
                    move = game.default_move(s, seat)
                    s = game.apply(s, Event("move", game.to_move(s).phase_id, seat, move, auto="timeout"))
                if game.done(s):
                    break
            assert game.done(s), config


def test_other_lines_of_a_log_change_nothing() -> None:
    for game in MINE:
        s = game.initial(game.Config())
        assert game.apply(s, Event("note", game.to_move(s).phase_id, None, {})) is s


def test_messages_go_only_where_the_configuration_has_them() -> None:
    for game, config in (
        (Bargaining(), BargainingConfig(messages=False)),
        (Negotiation(), NegotiationConfig(messages=False)),
        (Persuasion(), PersuasionConfig(messages="binary")),
    ):
        for s, event in steps(game, config, 1):
            if event.kind == "move":
                with pytest.raises(IllegalMove, match="no message"):
                    game.apply(s, replace(event, message="hello"))
    s = Bargaining().initial(BargainingConfig(max_length=4))
    with pytest.raises(IllegalMove, match="5 characters; at most 4"):
        Bargaining().apply(s, Event("move", "1-propose", 1, {"kind": "propose", "alice_gain": 1}, "hello"))


def _seen(game: AnyGame, s: Any, viewer: Any) -> str:
    view: View = game.view(s, viewer)
    legal = game.legal(s, viewer) if view.acting else None
    return canonical_json([view, legal])


def _same(game: AnyGame, s: Any, changed: Any, blind: tuple[Any, ...]) -> None:
    assert _seen(game, s, "observer") != _seen(game, changed, "observer")
    for viewer in blind:
        assert _seen(game, s, viewer) == _seen(game, changed, viewer), viewer


def _with(s: Any, **changes: Any) -> Any:
    return replace(s, config=type(s.config)(**{**dict(s.config), **changes}))


def test_nobody_sees_the_others_discount_or_value_without_complete_information() -> None:
    cases: tuple[tuple[AnyGame, str, str], ...] = (
        (Bargaining(), "discount_alice", "discount_bob"),
        (Negotiation(), "seller_factor", "buyer_factor"),
    )
    for game, first, second in cases:
        for seed in range(20):
            config = game.Config(complete_information=False)
            happened = events(game, config, seed)
            for n in range(len(happened) + 1):
                s = after(game, config, happened[:n])
                _same(game, s, _with(s, **{second: Fraction(1)}), (1, "record"))
                _same(game, s, _with(s, **{first: Fraction(1)}), (2, "record"))
        s = game.initial(game.Config())
        assert _seen(game, s, 1) != _seen(game, _with(s, **{second: Fraction(1)}), 1)


def test_a_horizon_above_twenty_rounds_is_seen_by_nobody() -> None:
    for game in MINE[:3]:
        config = game.Config(rounds=60)
        for s, _ in steps(game, config, 2):
            _same(game, s, _with(s, rounds=99), (1, 2, "record"))
        assert game.view(game.initial(game.Config(rounds=20)), 1).rounds == 20


@pytest.mark.slow
def test_the_buyer_does_not_see_the_quality_before_the_answer() -> None:
    for config in PersuasionConfig.grid()[::7]:
        game = Persuasion()
        for s, event in steps(game, config, 4):
            if event.kind == "move" and s.current:
                other = replace(s.current, good=not s.current.good)
                _same(game, s, replace(s, products=(*s.past, other)), (2, "record"))


def test_the_seller_sees_the_buyers_value_only_with_complete_information() -> None:
    game = Persuasion()
    config = PersuasionConfig(complete_information=False)
    happened = events(game, config, 8)
    for n in range(len(happened) + 1):
        s = after(game, config, happened[:n])
        _same(game, s, _with(s, value=3), (1, "record"))


def test_a_myopic_buyer_sees_statistics_of_the_past_alone() -> None:
    game = Persuasion()
    for s, _ in steps(game, PersuasionConfig(buyer="myopic"), 9):
        if len(s.past) > 1 and s.current:
            told = [replace(product, message="something else") for product in reversed(s.past)]
            _same(game, s, replace(s, products=(*told, s.current)), (2,))
    assert game.view(s, 2).facts["statistics"]["rounds"] == 19


def test_bids_and_personas_of_others_are_not_seen() -> None:
    game = WaterAuction()
    config = game.Config(personas=True)
    for s, _ in steps(game, config, 3):
        for seat, bid in enumerate(s.bids, 1):
            if bid is not None:
                bids = (*s.bids[: seat - 1], bid + 1, *s.bids[seat:])
                _same(game, s, replace(s, bids=bids), (*({1, 2, 3, 4, 5} - {seat}), "record"))
        eric = config.residents[4].model_copy(update={"persona": "Somebody else."})
        told = _with(s, residents=(*config.residents[:4], eric))
        for viewer in (1, 2, 3, 4, "record"):
            assert _seen(game, s, viewer) == _seen(game, told, viewer)
        assert _seen(game, s, 5) != _seen(game, told, 5)


def test_shares_add_up_to_the_money() -> None:
    for seed in range(50):
        config = BargainingConfig(discount_alice=Fraction(1), discount_bob=Fraction(1))
        happened = events(Bargaining(), config, seed)
        outcome = Bargaining().done(after(Bargaining(), config, happened))
        assert outcome is not None
        assert sum(outcome.payoffs) == (config.money if outcome.reason == "accepted" else 0)


def test_gains_of_a_sale_add_up_to_the_difference_of_the_values() -> None:
    reasons = set()
    for seed in range(50):
        config = NegotiationConfig()
        outcome = Negotiation().done(after(Negotiation(), config, events(Negotiation(), config, seed)))
        assert outcome is not None
        assert sum(outcome.payoffs) == (4000 if outcome.reason == "accepted" else 0)
        reasons.add(outcome.reason)
    assert {"accepted", "outside"} <= reasons


def test_the_water_given_is_at_most_the_supply_and_money_is_paid_for_it() -> None:
    game = WaterAuction()
    for seed, config in enumerate(game.Config.grid()):
        s = after(game, config, events(game, config, seed))
        earned = [0] * 5
        for number, day in enumerate(s.past):
            alive = [bid is not None for bid in day.bids]
            needs = [config.residents[seat - 1].need for seat in day.winners]
            assert sum(needs) <= day.supply
            left = day.supply - sum(needs)
            losers = [i for i in range(5) if alive[i] and i + 1 not in day.winners]
            assert all(config.residents[i].need > left for i in losers)
            for i in range(5):
                won = i + 1 in day.winners
                earned[i] += config.residents[i].salary * alive[i] - (day.bids[i] or 0) * won
                assert day.statuses[i].balance == earned[i] >= 0, (number, i)


def test_the_games_own_measures_agree_with_the_analysis() -> None:
    for game in MINE[:3]:
        for seed, config in enumerate(game.Config.grid()[::5]):
            happened = events(game, config, seed)
            s = after(game, config, happened)
            measured, expected = game.metrics(config, happened), _expected(game, s)
            for seat, gain in ((1, expected.alice), (2, expected.bob)):
                assert float(measured[seat]["gain"] or 0) == pytest.approx(gain)
                for name in ("efficiency", "fairness"):
                    value = getattr(expected, name)
                    assert measured[seat][name] == (value if value is None else pytest.approx(value))


def _expected(game: AnyGame, s: Any) -> Any:
    c = s.config
    if isinstance(game, Persuasion):
        good = sum(product.good for product in s.past)
        bought = [product.good for product in s.past if product.bought]
        counts = (sum(bought), len(bought) - sum(bought))
        return persuasion_scores(len(s.past), good, counts, float(c.value))
    amount = s.deal.amount if s.deal else None
    if isinstance(game, Negotiation):
        return negotiation_scores(amount, c.values, c.money)
    share = None if amount is None else amount / c.money
    return bargaining_scores(share, len(s.offers), (float(c.discount_alice), float(c.discount_bob)))


def test_configurations_refuse_what_makes_no_sense() -> None:
    for config, wrong, said in (
        (BargainingConfig, {"discount": 1}, "Extra inputs"),
        (BargainingConfig, {"discount_bob": "1/0"}, "write 0.9 or 1/3"),
        (BargainingConfig, {"discount_bob": "1e-99999999"}, "write 0.9 or 1/3"),
        (BargainingConfig, {"discount_bob": "-0.5"}, "greater than 0"),
        (BargainingConfig, {"discount_bob": True}, "a number such as 0.9"),
        (BargainingConfig, {"discount_bob": 1.5}, "less than or equal to 1"),
        (BargainingConfig, {"rounds": 0}, "greater than or equal to 1"),
        (NegotiationConfig, {"money": 3}, "seller's value is 4/5 x 3"),
        (PersuasionConfig, {"chance_high": 1}, "less than 1"),
        (PersuasionConfig, {"buyer": "patient"}, "'long-living' or 'myopic'"),
        (WaterAuction.Config, {"supply_low": 21}, "supply_low 21 is above supply_high 20"),
        (WaterAuction.Config, {"start_health": 11}, "above most_health 10"),
        (WaterAuction.Config, {"residents": [{"name": "A", "need": 1, "salary": 1}] * 2}, "same name"),
    ):
        with pytest.raises(ValidationError, match=said):
            config(**wrong)


def test_factors_are_exact_however_they_are_written() -> None:
    for text in (0.9, "0.9", "9/10", Fraction(9, 10)):
        config = BargainingConfig(discount_alice=text)  # type: ignore[arg-type]
        assert config == BargainingConfig()
        assert BargainingConfig.model_validate(config.model_dump(mode="json")) == config
    small = BargainingConfig(discount_alice=1e-05)  # type: ignore[arg-type]
    assert small.discount_alice == Fraction(1, 100_000)
