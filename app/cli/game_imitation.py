"""`likely-human game imitate`: agents in place of the people of a file, and how far their play is from people's."""

import json
import math
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.console import out, progress
from app.cli.drawn import write_figures
from app.cli.game_metrics import EVERYTHING, LOG_BASE, NAMES, SMOOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from analysis.distances import SourceDistance
    from app.reports.imitated import ToImitate
    from app.tasks.game.imitating import Imitation
    from app.tasks.game.match_files import Options

STAGE = ".unfinished"


def imitate(
    moves: Annotated[
        Path, typer.Argument(metavar="MOVES.csv", help="Matches that people played, here or elsewhere.")
    ],
    agents: Annotated[
        str,
        typer.Option(help="Agents, separated by commas, as NAME or NAME:KEY=VALUE; each takes all seats."),
    ],
    folder: Annotated[Path, typer.Option("--out", metavar="DIR", help="A new folder.")],
    traces: Annotated[int, typer.Option(min=1, help="Matches of each agent for each match of people.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="The same seed, the same files.")] = 1,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Take matches with this parameter alone, such as players=5."),
    ] = None,
    smoothing: SMOOTHING = 0.5,
    log_base: LOG_BASE = math.e,
    everything: EVERYTHING = False,
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON, with all counts.")] = False,
) -> None:
    """Play each match of people again by agents, each seat with its person's parameters, and compare (docs/games.md).

    Writes AGENT/moves.csv and AGENT/seats_played.csv for each agent, parameters.csv, traces.csv, distances.csv, and the
    figures that the game has.
    """
    from app.reports.distances import distances_to_people, write_distances
    from app.reports.imitated import to_imitate, write_tables
    from app.tasks.game.games.reports import reports_of
    from app.tasks.game.imitating import imitations
    from app.tasks.game.match_files import Options, one_game, read_matches
    from app.tasks.game.run import pairs_of

    options = Options(smoothing=smoothing, log_base=log_base, seed=seed, resamples=0)
    people = to_imitate(read_matches(moves, everything=everything), pairs_of(only or [], "--only"))
    game = one_game([people.file])
    imitated = imitations(game, people.file.matches, agents.split(","), traces, seed, moves)
    with _staged(folder) as stage:
        _play(imitated, stage)
        write_tables(stage, imitated)
        files = [people.file, *(read_matches(stage / one.name / "moves.csv") for one in imitated)]
        found = reports_of(game.name).against_people(files, options)
        far = distances_to_people(files, options)
        write_distances(stage / "distances.csv", far)
        write_figures(stage, found.figures, quiet=True)
    if as_json:
        names = {str(file.path): one.name for file, one in zip(files[1:], imitated, strict=True)}
        whole = _whole(people, far, found.whole, names)
        typer.echo(json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _print(people, imitated, far, options, folder)


@contextmanager
def _staged(folder: Path) -> "Iterator[Path]":
    """A staging folder whose files are moved when all are complete. Leftovers of an interrupted run are deleted."""
    from app.core.errors import StudyError

    stage = folder / STAGE
    try:
        # First, as what an interrupted run left is not to count as somebody's files.
        rmtree(stage, ignore_errors=True)
        if folder.exists() and any(folder.iterdir()):
            raise StudyError(f"{folder} is not empty; name another folder with --out")
        stage.mkdir(parents=True)
        yield stage
        for path in sorted(stage.iterdir()):
            path.rename(folder / path.name)
        stage.rmdir()
    except OSError as error:
        raise StudyError(f"cannot write {folder}: {error.strerror or error}") from None


def _play(imitated: "Sequence[Imitation]", stage: Path) -> None:
    from app.tasks.game.writing import write

    total, before = sum(len(one.people) * one.traces for one in imitated), 0
    with progress("Playing") as on_progress:
        for one in imitated:

            def on_played(done: int, _: int, __: str, name: str = one.name, before: int = before) -> None:
                on_progress(before + done, total, name)

            write(one.runs, stage / one.name, on_played, one)
            before += len(one.people) * one.traces


def _whole(
    people: "ToImitate",
    far: "Sequence[SourceDistance]",
    of_play: "Mapping[str, Any]",
    names: "Mapping[str, str]",
) -> dict[str, Any]:
    """The printed JSON; distances of play with their counts if the game has them, by agent."""
    from analysis.results import plain

    whole: dict[str, Any] = {
        "matches": len(people.file.matches),
        "left_out": dict(people.left_out),
        "automatic": people.automatic,
        "distances": plain(far),
    }
    if of_play:
        kept = ("distances", "play")
        whole["people"] = of_play["people"]["play"]
        whole["agents"] = {
            names[path]: {key: one[key] for key in kept} for path, one in of_play["files"].items()
        }
    return whole


def _print(
    people: "ToImitate",
    imitated: "Sequence[Imitation]",
    far: "Sequence[SourceDistance]",
    options: "Options",
    folder: Path,
) -> None:
    from app.core.problems import counted

    who = "simulated people" if people.kind == "simulated" else "people"
    n, traces = len(people.file.matches), imitated[0].traces
    out.print(
        f"{counted(n, 'match', 'matches')} of {who}, {counted(traces, 'trace')} of each by each agent: {folder}",
        markup=False,
    )
    for why, count in people.left_out.items():
        out.print(f"left out: {counted(count, 'match', 'matches')} {why}", markup=False)
    if people.automatic:
        out.print(
            f"{people.automatic} of {people.moves} moves of these {who} are default moves; they count as theirs",
            markup=False,
        )
    found = {(one.source, one.metric): one.distance for one in far}
    metrics = list(dict.fromkeys(one.metric for one in far))
    named = [NAMES.get(metric, metric) for metric in metrics]
    wide, each = max(map(len, named)), max(9, *(len(one.name) + 2 for one in imitated))
    base = "nats" if options.log_base == math.e else f"base {options.log_base:g}"
    out.print(
        f"Distance to {who}; {options.smoothing:g} added to every count of dO to dY8, {base}", markup=False
    )
    out.print(" " * wide + "".join(one.name.rjust(each) for one in imitated), markup=False)
    for metric, name in zip(metrics, named, strict=True):
        cells = (_cell(found.get((one.name, metric))).rjust(each) for one in imitated)
        out.print(name.ljust(wide) + "".join(cells), markup=False)


def _cell(distance: float | None) -> str:
    return "none" if distance is None else f"{distance:.3f}"
