"""The games there are. A new one is a module, and its name below."""

from collections.abc import Mapping

from app.tasks.game.base import AnyGame
from app.tasks.game.glee_bargaining import Bargaining
from app.tasks.game.glee_negotiation import Negotiation
from app.tasks.game.glee_persuasion import Persuasion
from app.tasks.game.sug import Sug
from app.tasks.game.wac import WaterAuction

_ALL: tuple[AnyGame, ...] = (
    Sug(),
    Bargaining(),
    Negotiation(),
    Persuasion(),
    WaterAuction(),
)
GAMES: Mapping[str, AnyGame] = {game.name: game for game in _ALL}

FAMILIES: Mapping[str, tuple[str, ...]] = {"glee": ("glee-bargaining", "glee-negotiation", "glee-persuasion")}
"""Games that are studied together, by a name for all of them."""
