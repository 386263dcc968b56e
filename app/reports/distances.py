"""Distances to people: of agents in files of moves, kept with their records, and held against people's choices."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sqlmodel import Session, col, select

from analysis.distances import (
    AS_GIVEN,
    DISTANCE_COLUMNS,
    SourceDistance,
    distance_rows,
)
from analysis.options import LEVEL
from analysis.signatures import compare_play
from analysis.stats.intervals import Interval
from app.core.errors import StudyError
from app.core.spreadsheet import csv_text
from app.library.tables import Stimulus
from app.reports.games import measures_compared
from app.reports.perceived import seats_of, signatures_of
from app.studies.file.design import StudyDesign
from app.tasks.game.games.reports import reports_of
from app.tasks.game.match_files import Groups, MatchFile, Options, one_game

ATTRIBUTE = "distance_"
"""Begins the name of an attribute of a record that holds one distance of its source, as JSON."""


def distances_to_people(files: Sequence[MatchFile], options: Options) -> list[SourceDistance]:
    """The distance of each agent in the files to the people of the first (simulated ones if there are no others).

    Distances of play for games that define them; for every game, those of its signatures of play and of the means of
    each measure. Raises StudyError if there are no people, or no agents, or if an agent is in several files.
    """
    people, game = files[0], one_game(files)
    reference = people.people
    players = {one.player for one in reference}
    found: list[SourceDistance] = []
    for file in files:
        for player in dict.fromkeys(one.player for one in file.seats if one.player not in players):
            if any(one.source == player for one in found):
                raise StudyError(
                    f"{player} is in several files, {file.path} one of them: give all its matches in one"
                )
            seats = [one for one in file.seats if one.player == player]
            names = str(people.path), f"{file.path} ({player})"
            groups = Groups(game, reference, seats, names, (people, file))
            found += _of_player(player, groups, options)
    if not found:
        raise StudyError(f"{people.path} has no agent whose play could be compared with people's")
    first = "0/" if len(files) > 1 else ""
    played = [one for one in seats_of(files) if one.source not in players or one.match.startswith(first)]
    compared = compare_play(
        played,
        human=reference[0].player,
        signatures=signatures_of(files),
        seed=options.seed,
        resamples=0,
    )
    return [*found, *(one for signature in compared.signatures for one in signature.distances)]


def write_distances(path: Path, distances: Sequence[SourceDistance]) -> None:
    """Write distances as CSV. Raises StudyError where the file cannot be written."""
    cells = [["" if cell is None else str(cell) for cell in row] for row in distance_rows(distances)]
    try:
        path.write_text(csv_text([column.name for column in DISTANCE_COLUMNS], cells), encoding="utf-8")
    except OSError as error:
        raise StudyError(f"cannot write {path}: {error.strerror}") from None


def _of_player(player: str, groups: Groups, options: Options) -> Iterable[SourceDistance]:
    play = reports_of(groups.game.name).play_compared(groups, options)
    if play is not None:
        for test in play.tests:
            yield SourceDistance(player, test.name, test.value, test.interval, play.n_second, "matches")
    measures = measures_compared(groups, options).measures
    roles = {one.role for one in measures}
    for one in measures:
        if one.difference is not None:
            metric = f"{one.measure} ({one.role})" if len(roles) > 1 else one.measure
            apart = abs(one.difference)
            yield SourceDistance(player, metric, apart, _absolute(one.interval), one.second.n, options.over)


def _absolute(of: Interval) -> Interval:
    """The interval of the size of a difference."""
    if of.low is None or of.high is None:
        return of
    ends = sorted((abs(of.low), abs(of.high)))
    return replace(of, low=0.0 if of.low <= 0 <= of.high else ends[0], high=ends[1])


def as_attributes(distances: Iterable[SourceDistance]) -> Mapping[str, Mapping[str, str]]:
    """Attributes by source: one for each distance, numbered."""
    found: dict[str, dict[str, str]] = {}
    for one in distances:
        own = found.setdefault(one.source, {})
        cells = [one.metric, one.distance, one.interval.low, one.interval.high, one.n, one.unit]
        own[f"{ATTRIBUTE}{len(own) + 1}"] = json.dumps(cells, ensure_ascii=False)
    return found


def kept_distances(session: Session, design: StudyDesign) -> list[SourceDistance]:
    """The distances that stand with the records that a study shows, each once; what cannot be read is left out."""
    rows = session.exec(
        select(Stimulus.source, Stimulus.attributes)
        .where(col(Stimulus.name).in_(design.stimuli))
        .order_by(col(Stimulus.name))
    )
    found: dict[tuple[str, str], SourceDistance] = {}
    for source, attributes in rows:
        # In the order of the file: distance_2 before distance_10.
        for name in sorted(attributes, key=lambda name: (len(name), name)):
            one = _stored_distance(source, attributes[name]) if name.startswith(ATTRIBUTE) else None
            if one is not None:
                found.setdefault((one.source, one.metric), one)
    return list(found.values())


def _stored_distance(source: str, text: str) -> SourceDistance | None:
    try:
        metric, distance, low, high, n, unit = json.loads(text)
        reason = None if low is not None else "none was given"
        within = Interval(
            None if low is None else float(low),
            None if high is None else float(high),
            *(LEVEL, AS_GIVEN, 0, 0, reason),
        )
        return SourceDistance(source, str(metric), float(distance), within, int(n), str(unit))
    except (ValueError, TypeError):
        return None


__all__ = [
    "as_attributes",
    "distances_to_people",
    "kept_distances",
    "write_distances",
]
