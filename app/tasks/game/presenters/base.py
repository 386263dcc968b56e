"""What a game's presenter has to do, and where it is found."""

from functools import cache
from importlib import import_module
from typing import Protocol, cast

from app.tasks.game.base import View
from app.tasks.game.moves import MoveSchema
from app.tasks.game.parts import Ended, Entered, Face, Rules


class Presenter(Protocol):
    """Pure functions of what one viewer may know: equal views and moves give equal pages, whatever else is so."""

    title: str
    """What participants read as the game's name."""

    def rules(self, view: View) -> Rules:
        """The rules as far as the viewer may know them; for a seat with its own part."""

    def face(self, view: View, legal: MoveSchema | None, entered: Entered) -> Face:
        """The match under way; `legal` is None where the viewer may not act now."""

    def ended(self, view: View) -> Ended:
        """The match at its end."""


@cache
def presenter_of(game: str) -> Presenter:
    """The presenter of a game by its name: the module `glee_bargaining` for `glee-bargaining`."""
    module = import_module(f"app.tasks.game.presenters.{game.replace('-', '_')}")
    return cast("Presenter", module.PRESENTER)
