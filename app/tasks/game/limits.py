"""The time limits of a block of matches, against the phases of its game."""

from app.core.problems import listed, quoted
from app.tasks.game.choosing import fault_at
from app.tasks.game.games import KITS
from app.tasks.game.terms import Deadlines


def check_deadlines(game: str, deadlines: Deadlines) -> None:
    """Raises the fault of a limit for a phase that the game has not."""
    own = KITS[game].phases
    for phase in deadlines.phases:
        if phase not in own:
            words = listed([f"{each}_s" for each in own])
            raise fault_at(
                ("deadlines", f"{phase}_s"),
                f"deadlines: {game} has no phase {quoted(phase)}",
                f"use {words} or default_s" if own else "use default_s",
            )
