"""The measures of games in files of moves, file by file and of two groups of seats: what `likely-human game` prints and
the results page of a study shows."""

from collections.abc import Container, Sequence

import pandas as pd

from analysis.games.arms import compare_seats_by_arm
from analysis.games.compare import Comparison, GameMeasures, compare, described
from analysis.options import RESAMPLES
from analysis.stats.arms import ArmsCompared
from app.core.errors import StudyError
from app.reports.matches import seat_table
from app.tasks.game.games import presenter_of
from app.tasks.game.match_files import PUBLISHED, Groups, MatchFile, Options, SeatPlayed, one_game, units_of

WHO = ("people", "agents", "all")


def chosen(file: MatchFile, who: str) -> list[SeatPlayed]:
    """Seats by `people` (simulated ones where there are no others), `agents`, `all`, a kind of occupant, or a player.

    Raises StudyError where there is none."""
    if who == "people":
        return file.people
    if who == "agents":
        found = file.programs
    else:
        found = [one for one in file.seats if who in ("all", one.occupant, one.player)]
    if not found:
        there = sorted({one.player for one in file.seats} | {one.occupant for one in file.seats})
        raise StudyError(f"{file.path} has no seat of {who}; choose {', '.join((*WHO, *there))}")
    return found


def groups_of(first: MatchFile, second: MatchFile | None, who: tuple[str, str]) -> Groups:
    """Two groups from two files, or from one. Raises StudyError where they are not of one game, or share a seat."""
    other = second or first
    game = one_game([first, other])
    seats = chosen(first, who[0]), chosen(other, who[1])
    if first.path == other.path:
        ids = [{(one.match.id, one.seat) for one in group} for group in seats]
        if ids[0] & ids[1]:
            raise StudyError(
                f"{who[0]} and {who[1]} of {first.path} are partly the same seats: nothing can be compared"
            )
    return Groups(game, *seats, (f"{first.path} ({who[0]})", f"{other.path} ({who[1]})"), (first, other))


def measures_compared(groups: Groups, options: Options) -> Comparison:
    """Every measure of the game, of both groups."""
    tables, names = [], dict[str, None]()
    for seats, file in zip((groups.first, groups.second), groups.files, strict=True):
        table, measures = seat_table(seats)
        tables.append(table.assign(unit=units_of(seats, file, options.over)))
        names |= dict.fromkeys(measures)
    return compare(
        tables[0],
        tables[1],
        list(names),
        shares=groups.game.shares,
        over=options.over,
        seed=options.seed,
        resamples=options.resamples,
    )


def _by_arm(
    file: MatchFile,
    seats: pd.DataFrame,
    names: Sequence[str],
    shares: Container[str],
    seed: int,
    resamples: int,
) -> ArmsCompared | None:
    """The arms by what people did; None where the matches are of one arm, or of none that is known."""
    placed = seats.assign(arm=seats["match"].map(file.arms))
    if placed["arm"].nunique() < 2:
        return None
    own = [name for name in names if not name.endswith(PUBLISHED)]
    return compare_seats_by_arm(placed, own, shares=shares, seed=seed, resamples=resamples)


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
                _by_arm(file, table[table["occupant"] == people], names, game.shares, seed, resamples),
            )
        )
    return found
