"""The games there are. A new one is a module, and its name below."""

from collections.abc import Mapping

from app.tasks.game.base import AnyGame

_ALL: tuple[AnyGame, ...] = ()
GAMES: Mapping[str, AnyGame] = {game.name: game for game in _ALL}
