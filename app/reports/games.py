"""The measures of games in files of moves, file by file and of two groups of seats: what `likely-human game` prints and
the results page of a study shows."""

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import pandas as pd

from analysis.games.compare import Comparison, PlayerMeasure, compare, described
from analysis.games.glee_model import GleeModel, glee_model
from analysis.games.sug import Play, play_of
from analysis.games.sug_compare import PlayComparison, Seats, compare_play
from analysis.games.wac import WaterGame, WaterSetting, water_setting
from analysis.options import RESAMPLES
from app.core.errors import StudyError
from app.reports.matches import (
    PUBLISHED,
    MatchFile,
    SeatPlayed,
    measures_of,
    one_game,
    seat_table,
)
from app.tasks.game.base import AnyGame
from app.tasks.game.match import config_hash
from app.tasks.game.presenters.base import presenter_of
from app.tasks.game.sampling import levels_of

WHO = ("people", "agents", "all")
Limits = tuple[float | None, float | None]
_SHARE: Limits = (0.0, 1.0)
# What a measure can be, at which predictions are cut off. Prices of negotiation have no bound; a buyer loses the price
# each round at worst.
RANGES: Mapping[str, Mapping[str, Limits]] = {
    "glee-bargaining": dict.fromkeys(("alice gain", "bob gain", "efficiency", "fairness"), _SHARE),
    "glee-negotiation": {"efficiency": _SHARE, "fairness": (None, 1.0)},
    "glee-persuasion": {
        "alice gain": _SHARE,
        "bob gain": (-1.0, None),
        "efficiency": _SHARE,
        "fairness": _SHARE,
    },
}
GLEE_MEASURES = ("alice gain", "bob gain", "efficiency", "fairness")


@dataclass(frozen=True, slots=True)
class Options:
    """How distances and intervals are computed."""

    smoothing: float = 0.5
    log_base: float = math.e
    seed: int = 1
    resamples: int = RESAMPLES
    over: str = "matches"


@dataclass(frozen=True, slots=True)
class Groups:
    """Two groups of seats of one game, with their names for words."""

    game: AnyGame
    first: Sequence[SeatPlayed]
    second: Sequence[SeatPlayed]
    names: tuple[str, str]
    files: tuple[MatchFile, MatchFile]


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


def name_of_play(seats: Sequence[SeatPlayed], taken: Container[str] = ()) -> str:
    """Who plays on some seats, for a legend: people, or agents by name; a name that is taken gets a number."""
    said = {"human": "people", "simulated": "simulated people"}
    name = ", ".join(dict.fromkeys(said.get(one.player, one.player) for one in seats))
    return next(one for n in count(1) if (one := name if n == 1 else f"{name} ({n})") not in taken)


def measures_compared(groups: Groups, options: Options) -> Comparison:
    """Every measure of the game, of both groups."""
    tables, names = [], dict[str, None]()
    for seats, file in zip((groups.first, groups.second), groups.files, strict=True):
        table, measures = seat_table(seats)
        tables.append(table.assign(unit=_units(seats, file, options.over)))
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


def play_compared(groups: Groups, options: Options) -> PlayComparison:
    """The distances of play of both groups, for the Social Ultimatum Game."""
    first, second = (
        _by_unit(seats, _units(seats, file, options.over))
        for seats, file in zip((groups.first, groups.second), groups.files, strict=True)
    )
    endowment, step = offers_of([*groups.first, *groups.second])
    return compare_play(
        first,
        second,
        endowment,
        step,
        smoothing=options.smoothing,
        log_base=options.log_base,
        seed=options.seed,
        resamples=options.resamples,
    )


def offers_of(seats: Sequence[SeatPlayed]) -> tuple[int, int]:
    """The endowment and the step of all seats. Raises StudyError where they differ."""
    states = {id(one.match): one.match.match.state for one in seats}.values()
    configs = {(state.config.endowment, state.config.step) for state in states}
    if len(configs) > 1:
        raise StudyError("the matches have other offers; compare matches of one endowment and step")
    return configs.pop()


def play_in(seats: Sequence[SeatPlayed]) -> Play:
    """The distributions of play of seats of the Social Ultimatum Game."""
    return play_of([(one.match.match.state.history, one.seat) for one in seats], *offers_of(seats))


def water_settings(file: MatchFile) -> Mapping[str, WaterSetting]:
    """The measures of the water auction for each configuration, by its preset's name or its hash."""
    named = {
        config_hash(config): name
        for one in file.games
        for name, configs in one.Config.named().items()
        for config in configs
    }
    games: dict[str, list[WaterGame]] = {}
    for one in file.matches:
        key = config_hash(one.match.config)
        games.setdefault(named.get(key, key), []).append(_water(one.match.state))
    return {name: water_setting(each) for name, each in sorted(games.items())}


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
    ranges = RANGES[game.name]
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
            values = measures_of(pair[1].match)
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


def _units(seats: Sequence[SeatPlayed], file: MatchFile, over: str) -> list[str]:
    """The match or person of each seat, as text that is equal where it is the same."""
    if over == "matches":
        return [f"{file.path}:{one.match.id}" for one in seats]
    if unnamed := [one for one in seats if not one.match.sessions.get(one.seat)]:
        raise StudyError(
            f"{file.path} has {len(unnamed)} of these seats without a session, so who is the same person is not known: "
            "compare over matches"
        )
    return [one.person for one in seats]


def _by_unit(seats: Sequence[SeatPlayed], units: Sequence[str]) -> Seats:
    found: dict[str, list[Any]] = {}
    for one, unit in zip(seats, units, strict=True):
        found.setdefault(unit, []).append((one.match.match.state.history, one.seat))
    return found


def _water(state: Any) -> WaterGame:
    names = [resident.name for resident in state.config.residents]
    return WaterGame(
        (state.config.supply_low, state.config.supply_high),
        {resident.name: resident.need for resident in state.config.residents},
        [
            {name: bid for name, bid in zip(names, day.bids, strict=True) if bid is not None}
            for day in state.past
        ],
        [[names[seat - 1] for seat in day.winners] for day in state.past],
        [{name: s.balance for name, s in zip(names, day.statuses, strict=True)} for day in state.past],
        [{name: s.health for name, s in zip(names, day.statuses, strict=True)} for day in state.past],
    )
