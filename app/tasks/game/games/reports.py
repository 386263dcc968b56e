"""The reports of each game, in addition to its metrics. They need pandas; the service imports `games` alone."""

from collections.abc import Mapping

from app.tasks.game.games.glee import reports as glee
from app.tasks.game.games.public_goods.reports import REPORTS as PUBLIC_GOODS
from app.tasks.game.games.sug.reports import REPORTS as SUG
from app.tasks.game.games.wac.reports import REPORTS as WAC
from app.tasks.game.reporting import GameReports

REPORTS: Mapping[str, GameReports] = {
    "sug": SUG,
    "glee-bargaining": glee.BARGAINING,
    "glee-negotiation": glee.NEGOTIATION,
    "glee-persuasion": glee.PERSUASION,
    "wac": WAC,
    "public-goods": PUBLIC_GOODS,
}
"""A game without a line here is measured as any game is."""
_ANY = GameReports()


def reports_of(game: str) -> GameReports:
    """The measures of a game by its name."""
    return REPORTS.get(game, _ANY)
