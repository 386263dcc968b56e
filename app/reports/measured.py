"""The measures of a study's matches, for its results page: each game's, by player and role."""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.games.compare import PlayerMeasure, described
from analysis.options import RESAMPLES
from app.reports.matches import MatchFile, seat_table
from app.tasks.game.presenters.base import presenter_of


@dataclass(frozen=True, slots=True)
class GameMeasures:
    """The finished matches of one game: `people` are the players that are persons, or simulated ones where no person
    played; `n_people` counts them."""

    game: str
    title: str
    n_matches: int
    n_people: int
    people: str
    measures: Sequence[PlayerMeasure]


def measures_by_game(file: MatchFile, *, seed: int = 1, resamples: int = RESAMPLES) -> list[GameMeasures]:
    """Every measure as `likely-human game metrics` has it, with its 95% interval over matches."""
    found = []
    for game in file.games:
        seats = [one for one in file.seats if one.match.match.game.name == game.name]
        if not seats:
            continue
        kinds = {one.occupant for one in seats}
        people = next((kind for kind in ("human", "simulated") if kind in kinds), "")
        table, names = seat_table(seats)
        found.append(
            GameMeasures(
                game.name,
                presenter_of(game.name).title,
                sum(one.match.game.name == game.name for one in file.matches),
                len({one.person for one in seats if one.occupant == people}),
                people,
                described(table, names, shares=game.shares, seed=seed, resamples=resamples),
            )
        )
    return found
