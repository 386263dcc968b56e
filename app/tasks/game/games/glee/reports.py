"""Reports of GLEE's games: scores as published, regressions over configurations, signatures of play."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.figures import AnyFigure
from analysis.figures.glee import effects_figure
from analysis.games.glee import (
    Definition,
    GleeScores,
    bargaining_scores,
    negotiation_scores,
    persuasion_scores,
)
from analysis.games.glee_model import GleeModel, glee_model
from analysis.signatures import Act
from analysis.signatures.play_signature import PlaySignature
from analysis.signatures.published_play import PLAY_SIGNATURES
from app.core.errors import StudyError
from app.tasks.game.base import AnyGame, Event, Seat
from app.tasks.game.games import GAMES
from app.tasks.game.games.glee import acts, features
from app.tasks.game.match import Match
from app.tasks.game.match_files import PUBLISHED, MatchFile, SeatPlayed
from app.tasks.game.reporting import Features, Found, GameReports, Looking, decided
from app.tasks.game.sampling import levels_of

Limits = tuple[float | None, float | None]
_SHARE: Limits = (0.0, 1.0)
GLEE_MEASURES = ("alice gain", "bob gain", "efficiency", "fairness")


class GleeReports(GameReports):
    """Reports of one game: how its decisions are counted and predicted, its scores, and each measure's range, to which
    predictions are clipped.
    """

    def __init__(
        self,
        game: str,
        counted: Callable[[Any, Seat, Event], Iterator[Act]],
        known: Callable[[Any, Seat], Features],
        scores: Callable[[Any, Definition], GleeScores],
        ranges: Mapping[str, Limits],
    ) -> None:
        self._game, self._counted, self.features = game, counted, known
        self.scores, self.ranges = scores, ranges

    def signatures(self, seats: Sequence[SeatPlayed]) -> Sequence[PlaySignature]:
        return tuple(one for one in PLAY_SIGNATURES if one.game == self._game)

    def acts(self, one: SeatPlayed) -> Iterator[Act]:
        for state, event in decided(one):
            yield from self._counted(state, one.seat, event)

    def more_measures(self, match: Match) -> Mapping[Seat, Mapping[str, float | None]]:
        """The measures of the released scripts."""
        # The released scripts pay Bob everything where there is no deal, unlike the paper (docs/games.md).
        published = self.scores(match.state, "as_published")
        shared = {"efficiency": published.efficiency, "fairness": published.fairness}
        return {
            seat: {f"{name}{PUBLISHED}": value for name, value in {"gain": gain, **shared}.items()}
            for seat, gain in enumerate((published.alice, published.bob), start=1)
        }

    def more(self, looking: Looking) -> Found:
        """The regressions of each measure over the configurations."""
        game = GAMES[self._game]
        models, figures = glee_models(looking.file, game), list[AnyFigure]()
        if looking.draws:
            paper = [model for name, model in models.items() if not name.endswith(PUBLISHED)]
            for factor in dict.fromkeys(effect.factor for model in paper for effect in model.effects):
                name = f"{game.name}-{factor}{looking.ending}".replace("_", "-")
                figures.append(effects_figure(paper, factor, name))
        return Found({"models": {name: one.to_dict() for name, one in models.items()}}, figures)


def glee_models(file: MatchFile, game: AnyGame) -> Mapping[str, GleeModel]:
    """The regression of each measure over the configurations of one family, each by the paper's definition and, where
    a match of the file has another value by it, as published.

    Raises StudyError where no match has one occupant throughout on both seats.
    """
    table = _glee_table(file, game)
    levels = {
        name: list(dict.fromkeys([*published, *table[name]]))
        for name, published in levels_of(game.Config).items()
    }
    ranges = _BY_GAME[game.name].ranges
    found = {}
    for measure in GLEE_MEASURES:
        published = f"{measure}{PUBLISHED}"
        for name in (measure, *([] if table[measure].equals(table[published]) else [published])):
            if table[name].notna().sum() > 1:
                found[name] = glee_model(table, name, levels, ranges.get(measure, (None, None)))
    return found


def _glee_table(file: MatchFile, game: AnyGame) -> pd.DataFrame:
    """One row per match with both of its players: parameters as text, `alice` and `bob`, and the measures."""
    seats: dict[str, dict[int, SeatPlayed]] = {}
    for one in file.seats:
        if one.match.match.game.name == game.name:
            seats.setdefault(one.match.id, {})[one.seat] = one
    rows = []
    for pair in seats.values():
        if len(pair) == 2:
            values = _BY_GAME[game.name].measures(pair[1].match)
            config = pair[1].match.match.config.model_dump(mode="json")
            gains = {
                f"{role} gain{ending}": values[seat][f"gain{ending}"]
                for role, seat in (("alice", 1), ("bob", 2))
                for ending in ("", PUBLISHED)
            }
            players = {"alice": pair[1].player, "bob": pair[2].player}
            rows.append({**values[1], **{k: str(v) for k, v in config.items()}, **players, **gains})
    if not rows:
        raise StudyError(f"{file.path} has no match of {game.name} with one player on each seat throughout")
    table = pd.DataFrame(rows)
    measured = [f"{name}{ending}" for name in GLEE_MEASURES for ending in ("", PUBLISHED)]
    return table.astype(dict.fromkeys(measured, float))


def _bargaining_scores(state: Any, definition: Definition) -> GleeScores:
    deal, config = state.deal, state.config
    share = deal.amount / config.money if deal else None
    alice, bob = map(float, config.discounts)
    return bargaining_scores(share, len(state.offers) if deal else config.rounds, (alice, bob), definition)


def _negotiation_scores(state: Any, definition: Definition) -> GleeScores:
    price = state.deal.amount if state.deal else None
    return negotiation_scores(price, state.config.values, state.config.money, definition)


def _persuasion_scores(state: Any, definition: Definition) -> GleeScores:
    good = [product.bought for product in state.past if product.good]
    bad = [product.bought for product in state.past if not product.good]
    value = float(state.config.value)
    return persuasion_scores(len(state.past), len(good), (sum(good), sum(bad)), value, definition)


BARGAINING = GleeReports(
    "glee-bargaining",
    acts.bargaining,
    features.bargaining,
    _bargaining_scores,
    dict.fromkeys(GLEE_MEASURES, _SHARE),
)
# Prices have no bound.
NEGOTIATION = GleeReports(
    "glee-negotiation",
    acts.negotiation,
    features.negotiation,
    _negotiation_scores,
    {"efficiency": _SHARE, "fairness": (None, 1.0)},
)
# A buyer loses the price each round at worst.
PERSUASION = GleeReports(
    "glee-persuasion",
    acts.persuasion,
    features.persuasion,
    _persuasion_scores,
    {"alice gain": _SHARE, "bob gain": (-1.0, None), "efficiency": _SHARE, "fairness": _SHARE},
)
_BY_GAME: Mapping[str, GleeReports] = {
    "glee-bargaining": BARGAINING,
    "glee-negotiation": NEGOTIATION,
    "glee-persuasion": PERSUASION,
}
