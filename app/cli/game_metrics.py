"""`likely-human game metrics` and `compare`: measures of play, with distances, intervals, tests and figures."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analysis.signs import signed
from app.cli.console import out, print_reasons
from app.cli.drawn import write_figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from analysis.figures import AnyFigure
    from app.tasks.game.base import AnyGame
    from app.tasks.game.match_files import MatchFile, Options, SeatPlayed

SMOOTHING = Annotated[float, typer.Option(help="Added to every count of a distance of play.")]
LOG_BASE = Annotated[
    float, typer.Option(help="Of the logarithm in distances of play; e, in nats, unless given.")
]
RESAMPLES = Annotated[int, typer.Option(min=0, help="Of bootstrap intervals and permutation tests.")]
SEED = Annotated[int, typer.Option(min=0, help="Of resamples.")]
EVERYTHING = Annotated[
    bool, typer.Option("--all", help="Also matches with people whom exclusion rules leave out.")
]
AS_JSON = Annotated[bool, typer.Option("--json", help="The same as JSON, with all counts.")]
FIGURES = Annotated[
    Path | None,
    typer.Option("--figures", metavar="DIR", help="Write figures: SVG, PNG, and their numbers as CSV."),
]
NAMES = {
    "d_o": "dO",
    "d_r": "dR",
    "d_b": "dB",
    "d_y": "dY",
    "d_y8": "dY8",
    "d_y_accepted": "dY accepted",
    "d_y8_accepted": "dY8 accepted",
}


def metrics(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="MOVES.csv...",
            help="Moves; several of a game with distances of play, the people of the first being compared.",
        ),
    ],
    smoothing: SMOOTHING = 0.5,
    log_base: LOG_BASE = math.e,
    resamples: RESAMPLES = 10_000,
    seed: SEED = 1,
    figures: FIGURES = None,
    distances: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.csv",
            help="Write the distance of each agent to the people of the first file, by metric.",
        ),
    ] = None,
    everything: EVERYTHING = False,
    as_json: AS_JSON = False,
) -> None:
    """The measures of each game in files of moves, by player and role, and how far agents' play is from people's."""
    from app.tasks.game.games.reports import reports_of
    from app.tasks.game.match_files import Options, one_game, read_matches
    from app.tasks.game.reporting import Found

    options = Options(smoothing=smoothing, log_base=log_base, seed=seed, resamples=resamples)
    read = [read_matches(path, everything=everything) for path in files]
    found = reports_of(one_game(read).name).against_people(read, options) if len(read) > 1 else Found()
    whole: dict[str, Any] = {"files": {}, **found.whole}
    drawn: list[AnyFigure] = list(found.figures)
    for number, file in enumerate(read, 1):
        ending = f"-{number}" if len(read) > 1 else ""
        one, more = _file(file, options, ending, with_play=not found.whole, draws=figures is not None)
        whole["files"].setdefault(str(file.path), {})
        whole["files"][str(file.path)] |= one
        drawn += more
    if as_json:
        typer.echo(json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _print(whole, options)
    if figures is not None:
        write_figures(figures, drawn, quiet=as_json)
    if distances is not None:
        from app.reports.distances import distances_to_people, write_distances

        write_distances(distances, distances_to_people(read, options))


def compare(
    first: Annotated[Path, typer.Argument(metavar="A.csv", help="Moves.")],
    second: Annotated[
        Path | None,
        typer.Argument(metavar="B.csv", help="Moves to compare with; without, agents in the same file."),
    ] = None,
    who: Annotated[
        str | None,
        typer.Option(
            "--first", help="Seats of A: people, agents, all, a kind of occupant, or a player's name."
        ),
    ] = None,
    whom: Annotated[str | None, typer.Option("--second", help="Seats of B, likewise.")] = None,
    over: Annotated[
        str, typer.Option(help="What is resampled: matches, or people by their sessions.")
    ] = "matches",
    smoothing: SMOOTHING = 0.5,
    log_base: LOG_BASE = math.e,
    resamples: RESAMPLES = 10_000,
    seed: SEED = 1,
    figures: FIGURES = None,
    everything: EVERYTHING = False,
    as_json: AS_JSON = False,
) -> None:
    """Compare two groups of seats of one game on every measure: differences with intervals and permutation tests.

    With one file its people are compared with its agents; with two, all seats of both, unless asked otherwise.
    """
    from analysis.results import plain
    from app.core.errors import StudyError
    from app.reports.games import groups_of, measures_compared
    from app.tasks.game.games.reports import reports_of
    from app.tasks.game.match_files import Options, left_out_note, read_matches

    if over not in ("matches", "people"):
        raise StudyError(f"--over is {over!r}; it must be matches or people")
    options = Options(smoothing, log_base, seed, resamples, over)
    files = (
        read_matches(first, everything=everything),
        read_matches(second, everything=everything) if second else None,
    )
    defaults = ("all", "all") if second else ("people", "agents")
    groups = groups_of(*files, (who or defaults[0], whom or defaults[1]))
    found = measures_compared(groups, options)
    whole: dict[str, Any] = {
        "game": groups.game.name,
        "first": groups.names[0],
        "second": groups.names[1],
        "over": over,
        "measures": plain(found.measures),
        "notes": [*filter(None, [left_out_note([file for file in files if file])]), *found.notes],
        "left_out": {str(file.path): dict(file.left_out) for file in files if file},
    }
    drawn: list[AnyFigure] = []
    reports = reports_of(groups.game.name)
    play = reports.play_compared(groups, options)
    if play is not None:
        whole["play"] = play.to_dict()
        if figures is not None:
            drawn.extend(reports.play_figures(groups, play))
    if as_json:
        typer.echo(json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _print_comparison(whole)
    if figures is not None:
        write_figures(figures, drawn, quiet=as_json)


def _file(
    file: "MatchFile", options: "Options", ending: str, *, with_play: bool, draws: bool
) -> "tuple[dict[str, Any], list[AnyFigure]]":
    """The measures of one file, game by game, and its figures."""
    whole: dict[str, Any] = {"left_out": dict(file.left_out), "games": {}}
    drawn: list[AnyFigure] = []
    for game in file.games:
        seats = [one for one in file.seats if one.match.match.game.name == game.name]
        one, more = _game(file, game, seats, options, ending, with_play=with_play, draws=draws)
        whole["games"][game.name] = one
        drawn += more
    return whole, drawn


def _game(
    file: "MatchFile",
    game: "AnyGame",
    seats: "Sequence[SeatPlayed]",
    options: "Options",
    ending: str,
    *,
    with_play: bool,
    draws: bool,
) -> "tuple[dict[str, Any], list[AnyFigure]]":
    from analysis.games.compare import described
    from analysis.results import plain
    from app.reports.matches import seat_table
    from app.tasks.game.games.reports import reports_of
    from app.tasks.game.reporting import Looking

    table, names = seat_table(seats)
    means = described(table, names, shares=game.shares, seed=options.seed, resamples=options.resamples)
    whole: dict[str, Any] = {
        "matches": sum(one.match.game.name == game.name for one in file.matches),
        "seats": len(seats),
        "measures": plain(means),
    }
    looking = Looking(file, seats, options, ending, with_play=with_play, draws=draws)
    found = reports_of(game.name).more(looking)
    return {**whole, **found.whole}, list(found.figures)


def _print(whole: "Mapping[str, Any]", options: "Options") -> None:
    if people := whole.get("people"):
        base = "nats" if options.log_base == math.e else f"base {options.log_base:g}"
        out.print(
            f"Distances to the people in {people['file']}; {options.smoothing:g} added to every count, {base}; "
            "95% intervals over matches; chance: what matches dealt out anew reach in 1 of 20",
            markup=False,
        )
    from app.core.problems import counted

    for path, file in whole["files"].items():
        for one in file.get("tests", []):
            chance = "" if one["chance"] is None else f", chance {one['chance']:.3f}, p {one['p']:.4f}"
            out.print(
                f"{path}: {NAMES[one['name']]} {one['value']:.3f}{_limits(one['interval'])}{chance}",
                markup=False,
            )
        print_reasons([(NAMES[one["name"]], one["interval"]) for one in file.get("tests", [])], f"{path}: ")
        for why, n in file["left_out"].items():
            out.print(f"{path}: {_matches(n)} left out: {why}", markup=False)
        for name, game in file["games"].items():
            out.print(
                f"{path}: {name}, {_matches(game['matches'])}, {counted(game['seats'], 'seat')}", markup=False
            )
            paper = {(one["player"], one["role"], one["measure"]): one["mean"] for one in game["measures"]}
            for one in game["measures"]:
                name = one["measure"].removesuffix(" as published")
                repeated = name != one["measure"] and one["mean"] == paper[one["player"], one["role"], name]
                if one["mean"] is not None and not repeated:
                    said = f"  {one['player']} ({one['role']}) {one['measure']}: {one['mean']:.3f}"
                    out.print(f"{said}{_limits(one['interval'])}, {_matches(one['n'])}", markup=False)
            named = (
                (f"{one['player']} ({one['role']}) {one['measure']}", one["interval"])
                for one in game["measures"]
                if one["n"]
            )
            print_reasons(named, "  ")
            _print_settings(game.get("settings", {}))
            _print_models(game.get("models", {}))


def _print_settings(settings: "Mapping[str, Any]") -> None:
    from analysis.text.water import marks
    from app.core.problems import counted

    for name, one in settings.items():
        rates = ", ".join(f"{who} {rate:.2f}" for who, rate in one["survival"]["rates"].items())
        end = "none left" if one["rsr_end"] is None else f"{one['rsr_end']:.2f}"
        price = "none" if one["mean_median"] is None else f"{one['mean_median']:.1f}"
        out.print(
            f"  {name}: {counted(one['survival']['games'], 'game')}, survival {rates}; "
            f"N {one['survival']['survivors']:.1f}; "
            f"RSR {one['rsr_start']:.2f} at the start, {end} at the end; mean of the daily medians of the lowest "
            f"winning bid {price}; first deaths by day {one['first_death'] or 'none'}",
            markup=False,
        )
        for line in marks(one):
            out.print(f"    {line}", markup=False)


def _print_models(models: "Mapping[str, Any]") -> None:
    from app.core.problems import counted

    for name, one in models.items():
        fit = "" if one["r_squared_adjusted"] is None else f", adjusted R2 {one['r_squared_adjusted']:.2f}"
        out.print(
            f"  {name}, predicted for {counted(one['configurations'], 'configuration')} from "
            f"{counted(one['games'], 'game')}{fit}",
            markup=False,
        )
        for mean in one["means"]:
            out.print(
                f"    {mean['player']} as {mean['role']}: {mean['fitted']:.3f} "
                f"(mean of its {counted(mean['n'], 'game')} "
                f"{mean['mean']:.3f})",
                markup=False,
            )
    if any("bob gain as published" in name for name in models):
        out.print(
            "  bob gain is by the paper's definition; as published is what its released scripts compute",
            markup=False,
        )


def _print_comparison(whole: "Mapping[str, Any]") -> None:
    out.print(
        f"{whole['game']}: {whole['first']} against {whole['second']}, over {whole['over']}", markup=False
    )
    if play := whole.get("play"):
        far = play["distances"]
        out.print(
            f"Distances of play, {play['n_first']} and {play['n_second']} {whole['over']}; {far['smoothing']:g} added "
            f"to every count, base {far['log_base']:.4g}; 95% intervals; chance: what a new deal reaches in 1 of 20",
            markup=False,
        )
        for one in play["tests"]:
            chance = "" if one["chance"] is None else f", chance {one['chance']:.3f}, p {one['p']:.4f}"
            out.print(
                f"  {NAMES[one['name']]} {one['value']:.3f}{_limits(one['interval'])}{chance}", markup=False
            )
        out.print(f"  dR smoothed by seat (the other reading): {far['d_r_by_seat']:.3f}", markup=False)
        print_reasons([(NAMES[one["name"]], one["interval"]) for one in play["tests"]], "  ")
    for one in whole["measures"]:
        means = [one[group]["mean"] for group in ("first", "second")]
        if one["difference"] is None:
            continue
        sizes = f"{one['first']['n']} and {one['second']['n']} {whole['over']}"
        paired = f", {one['n_paired']} with both" if one["paired"] else ""
        p = "" if one["test"]["p"] is None else f", p {one['test']['p']:.4f} (Holm {one['p_holm']:.4f})"
        out.print(
            f"  {one['measure']} ({one['role']}): {means[0]:.3f} against {means[1]:.3f}, difference "
            f"{signed(one['difference'], 3)}{_limits(one['interval'])}{p}; {sizes}{paired}",
            markup=False,
        )
    known = [one for one in whole["measures"] if one["difference"] is not None]
    print_reasons([(f"{one['measure']} ({one['role']})", one["interval"]) for one in known], "  ")
    for note in whole["notes"]:
        out.print(note, markup=False)


def _matches(n: int) -> str:
    return "1 match" if n == 1 else f"{n} matches"


def _limits(interval: "Mapping[str, Any]") -> str:
    return "" if interval["low"] is None else f" ({interval['low']:.3f} to {interval['high']:.3f})"
