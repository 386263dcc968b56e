"""Matches played at random by rule alone, for what must hold in every state."""

import random
from collections.abc import Iterator
from typing import Any

from app.tasks.game.base import AnyGame, Event, GameConfig


def next_event(game: AnyGame, s: Any, rng: random.Random) -> Event:
    """The next event: nature's draw, or a move drawn from those of one seat that may act."""
    phase = game.to_move(s)
    if chance := game.nature(s):
        return Event("nature", phase.phase_id, None, chance.draw(rng))
    seat = rng.choice(phase.seats)
    legal = game.legal(s, seat)
    move = legal.sample(rng)
    message = "hello" if legal.kind(move["kind"]).message else ""
    return Event("move", phase.phase_id, seat, move, message)


def steps(game: AnyGame, config: GameConfig, seed: int) -> Iterator[tuple[Any, Event]]:
    """Each state of a match that is not yet over, with the event that follows."""
    rng = random.Random(seed)
    s = game.initial(config)
    while game.done(s) is None:
        event = next_event(game, s, rng)
        yield s, event
        s = game.apply(s, event)


def events(game: AnyGame, config: GameConfig, seed: int) -> list[Event]:
    """The events of a whole match."""
    return [event for _, event in steps(game, config, seed)]


def after(game: AnyGame, config: GameConfig, happened: list[Event]) -> Any:
    """The state that events lead to."""
    s = game.initial(config)
    for event in happened:
        s = game.apply(s, event)
    return s


def move(game: AnyGame, s: Any, seat: int, message: str = "", **fields: Any) -> Any:
    """The state after a seat's move of the only kind that it has now."""
    (kind,) = game.legal(s, seat).kinds
    phase = game.to_move(s)
    return game.apply(s, Event("move", phase.phase_id, seat, {"kind": kind.kind, **fields}, message))


def draw(game: AnyGame, s: Any, value: Any) -> Any:
    """The state after nature drew `value`."""
    chance = game.nature(s)
    assert chance is not None
    return game.apply(
        s, Event("nature", game.to_move(s).phase_id, None, {"kind": chance.name, "value": value})
    )
