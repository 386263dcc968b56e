"""Random play for the tests of games: matches, and the states on their way."""

import random
from collections.abc import Iterator
from typing import Any

from app.tasks.game.base import AnyGame, Event, GameConfig


def walk(game: AnyGame, config: GameConfig, seed: int) -> Iterator[tuple[Any, Event]]:
    """Each state of a match of random legal moves with the event that follows; the last event ends it."""
    rng = random.Random(seed)
    state = game.initial(config)
    while game.done(state) is None:
        phase = game.to_move(state)
        if chance := game.nature(state):
            event = Event("nature", phase.phase_id, None, chance.draw(rng))
        else:
            seat = rng.choice(phase.seats)
            event = Event("move", phase.phase_id, seat, game.legal(state, seat).sample(rng))
        yield state, event
        state = game.apply(state, event)


def some_configs(game: AnyGame, n: int = 12) -> list[GameConfig]:
    """The default configuration, and others of the grid drawn with a seed."""
    grid = list(game.Config.grid())
    return [game.Config(), *random.Random(1).sample(grid, min(n, len(grid)))]
