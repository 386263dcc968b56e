"""The legal moves of a seat, and the model or program that decides for it."""

from collections.abc import Mapping
from typing import Any

from app.tasks.game.agents.registry import is_model, is_outside
from app.tasks.game.base import AnyGame
from app.tasks.game.moves import MoveSchema
from app.tasks.game.settings import GameDesign


def legal_for(design: GameDesign, game: AnyGame, state: Any, seat: int) -> MoveSchema:
    """The legal moves, with messages no longer than the study allows."""
    legal = game.legal(state, seat)
    longest = min(legal.max_length, design.messages.max_chars)
    return legal if longest == legal.max_length else MoveSchema(legal.kinds, longest)


def asks(seat: Mapping[str, Any]) -> bool:
    """True if a language model or a program, which decides outside, is on a seat."""
    return is_outside(seat["agent"]) and seat["away_at"] is None


def program_of(seat: Mapping[str, Any]) -> str | None:
    """The name of the program that has a seat."""
    is_program = asks(seat) and not is_model(seat["agent"])
    return str(seat["settings"]["label"]) if is_program else None
