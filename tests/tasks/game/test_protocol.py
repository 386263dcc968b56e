"""The contract of every game in the list."""

import json
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from app.core.errors import StudyError
from app.tasks.game.agents.any_game import RandomAgent
from app.tasks.game.agents.registry import agents_for
from app.tasks.game.base import AnyGame, Event, GameConfig, canonical_json, state_hash
from app.tasks.game.games import GAMES
from app.tasks.game.match import Match, config_hash, match_seed, play
from app.tasks.game.moves import Choice, IllegalMove, Move, Number
from tests.tasks.game.random_play import steps

pytestmark = pytest.mark.slow

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))


def some_configs(game: AnyGame, n: int = 12) -> list[GameConfig]:
    """The default configuration, and others of the grid drawn with a seed."""
    grid = list(game.Config.grid())
    return [game.Config(), *random.Random(1).sample(grid, min(n, len(grid)))]


@every_game
def test_random_legal_play_ends_with_a_payoff_for_every_seat(game: AnyGame) -> None:
    for seed, config in enumerate(some_configs(game)):
        match = Match(game, config, seed)
        for _, event in steps(game, config, seed):
            match.append(event)
        assert match.outcome is not None
        assert match.outcome.payoffs == game.payoffs(match.state)
        assert len(match.outcome.payoffs) == len(game.seats(config))
        assert game.to_move(match.state).seats == ()
        measured = game.metrics(config, match.events)
        assert set(measured) == {role.seat for role in game.seats(config)}
        for own in measured.values():
            assert game.shares <= set(own)
            assert all(0 <= own[name] <= 1 for name in game.shares if own[name] is not None)  # type: ignore[operator]


@every_game
def test_the_default_move_is_legal_and_ends_every_match(game: AnyGame) -> None:
    for seed, config in enumerate(some_configs(game, 4)):
        match, rng = Match(game, config, seed), random.Random(seed)
        while match.outcome is None:
            if chance := game.nature(match.state):
                match.append(Event("nature", match.phase.phase_id, None, chance.draw(rng)))
            else:
                seat = match.phase.seats[0]
                move = game.default_move(match.state, seat)
                match.append(Event("move", match.phase.phase_id, seat, move, auto="timeout"))


def wrong_moves(move: Move, game: AnyGame, state: object, seat: int) -> list[Move]:
    """Moves like this one that the schema forbids."""
    wrong: list[Move] = [{}, {**move, "kind": "nonsense"}, {**move, "extra": 1}]
    for field in game.legal(state, seat).kind(move["kind"]).fields:
        wrong.append({key: value for key, value in move.items() if key != field.name})
        wrong += [{**move, field.name: value} for value in (None, 1.5, "nonsense", [1])]
        if isinstance(field, Number):
            wrong.append({**move, field.name: field.minimum - 1})
            wrong += [] if field.maximum is None else [{**move, field.name: field.maximum + field.step}]
        if isinstance(field, Choice) and all(isinstance(option, int) for option in field.options):
            wrong.append({**move, field.name: 10**9})
    return wrong


@pytest.mark.slow
@every_game
def test_what_the_schema_forbids_is_refused_and_changes_nothing(game: AnyGame) -> None:
    n_refused = 0
    for seed, config in enumerate(some_configs(game, 3)):
        for state, event in steps(game, config, seed):
            before = canonical_json(state)
            if event.kind == "nature":
                wrong = [
                    replace(event, move={"kind": "nonsense", "value": 1}),
                    replace(event, kind="move", seat=1),
                ]
            else:
                assert event.seat is not None
                n_seats = len(game.seats(config))
                idle = set(range(n_seats + 2)) - set(game.to_move(state).seats)
                wrong = [
                    replace(event, phase_id="nonsense"),
                    replace(event, kind="nature", seat=None),
                    *(replace(event, seat=seat) for seat in idle),
                    *(replace(event, move=m) for m in wrong_moves(event.move, game, state, event.seat)),
                    replace(event, message="x" * 100_000),
                ]
            for one in wrong:
                with pytest.raises(IllegalMove):
                    game.apply(state, one)
                n_refused += 1
            assert canonical_json(state) == before
    assert n_refused > 20


@every_game
def test_a_move_that_waits_for_others_is_seen_by_nobody_else(game: AnyGame) -> None:
    rng = random.Random(5)
    for seed, config in enumerate(some_configs(game, 3)):
        for state, event in steps(game, config, seed):
            phase = game.to_move(state)
            if not phase.simultaneous or event.seat is None or len(phase.seats) < 2:
                continue
            other_move = game.legal(state, event.seat).sample(rng)
            one, two = game.apply(state, event), game.apply(state, replace(event, move=other_move))
            for role in game.seats(config):
                if role.seat == event.seat:
                    continue
                assert game.view(one, role.seat) == game.view(two, role.seat)
                if role.seat in game.to_move(one).seats:
                    assert game.legal(one, role.seat) == game.legal(two, role.seat)
            assert game.view(one, "record") == game.view(two, "record")


@pytest.mark.slow
@every_game
def test_views_and_states_are_json_without_fractions_and_the_seat_knows_when_to_act(game: AnyGame) -> None:
    for config in some_configs(game, 3):
        for state, _ in steps(game, config, 1):
            assert state_hash(state) == state_hash(state)
            assert not any(isinstance(value, float | Fraction) for value in _leaves(_as_json(state)))
            acting = game.to_move(state).seats
            for role in game.seats(config):
                view = game.view(state, role.seat)
                assert canonical_json(view)
                assert view.acting is (role.seat in acting)
            assert canonical_json(game.view(state, "observer"))


def test_a_hash_is_that_of_the_same_values_in_whatever_order_they_were_written() -> None:
    """Source: SHA-256 of the text, by sha256sum. Amounts are exact, text is UTF-8."""
    one = {"b": [1, {"y": "ü", "x": Fraction(2, 6)}], "a": None}
    other = {"a": None, "b": [1, {"x": Fraction(1, 3), "y": "ü"}]}
    text = '{"a":null,"b":[1,{"x":"1/3","y":"ü"}]}'
    assert canonical_json(one) == canonical_json(other) == text
    assert (
        state_hash(one)
        == state_hash(other)
        == "87c0888780b8bd2611b94f660e2d0037c3f99ea4c22bdd967c3612172ebafa10"
    )


def _as_json(state: object) -> object:
    return json.loads(canonical_json(state))["history"] if hasattr(state, "history") else []


def _leaves(value: object) -> list[object]:
    if isinstance(value, dict):
        return [leaf for one in value.values() for leaf in _leaves(one)]
    return [leaf for one in value for leaf in _leaves(one)] if isinstance(value, list) else [value]


@pytest.mark.slow
@every_game
def test_every_agent_plays_and_a_seed_gives_the_same_match(game: AnyGame) -> None:
    config = game.Config()
    n = len(game.seats(config))
    for kind in agents_for(game.name).values():
        seated = [kind if seat in (kind.takes or [seat]) else RandomAgent for seat in range(1, n + 1)]
        try:
            one, again = (play(game, config, [agent().player() for agent in seated], 7) for _ in range(2))
        except StudyError as error:
            raise AssertionError(kind.name) from error
        assert one.outcome is not None
        assert one.log == again.log
    players = [agents_for(game.name)["random"]().player() for _ in range(n)]
    assert play(game, config, players, 7).log != play(game, config, players, 8).log


@every_game
def test_the_grid_has_each_configuration_once_and_unknown_parameters_are_refused(game: AnyGame) -> None:
    grid = list(game.Config.grid())
    assert len({config_hash(config) for config in grid}) == len(grid)
    with pytest.raises(ValueError, match="nonsense"):
        game.Config.model_validate({"nonsense": 1})


@every_game
def test_a_match_has_a_seed_of_its_own_whatever_else_is_played(game: AnyGame) -> None:
    config = game.Config()
    seeds = {match_seed(seed, config, number) for seed in range(3) for number in range(50)}
    assert len(seeds) == 150
