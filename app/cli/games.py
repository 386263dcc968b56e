"""`likely-human game`: matches without people, played, written and replayed. Only `exchanges` opens the database."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.console import now, out, progress
from app.cli.game_choices import predict
from app.cli.game_imitation import imitate
from app.cli.game_metrics import compare, metrics
from app.cli.game_records import records

if TYPE_CHECKING:
    from app.tasks.game.base import Agent
    from app.tasks.game.run import RunRequest
    from app.tasks.game.writing import Seating

app = typer.Typer(
    no_args_is_help=True, help="Games that agents play: list, play, replay, imitate, compare, record."
)


@app.command("list")
def listed() -> None:
    """The games there are, their parameters and their agents."""
    from app.tasks.game.agents.registry import OUTSIDE, agents_for
    from app.tasks.game.games import FAMILIES, GAMES
    from app.tasks.game.sampling import presets

    for game in GAMES.values():
        config = game.Config()
        out.print(f"{game.name} (version {game.version}, {len(game.seats(config))} seats)", markup=False)
        for name, value in config.model_dump(mode="json").items():
            about = game.Config.model_fields[name].description or ""
            out.print(f"  {name}={value}  {about}", markup=False)
        sizes = ", ".join(f"{name} ({len(configs)})" for name, configs in presets(game.Config).items())
        out.print(f"  presets: {sizes}", markup=False)
        for agent in agents_for(game.name).values():
            out.print(f"  {_agent_line(agent)}", markup=False)
    for name, games in FAMILIES.items():
        out.print(f"{name} is {', '.join(games)}", markup=False)
    out.print("players outside, of every game (docs/games.md)", markup=False)
    for agent in OUTSIDE:
        out.print(f"  {_agent_line(agent)}", markup=False)


def _agent_line(agent: "type[Agent]") -> str:
    parameters = ", ".join(name for name in agent.model_fields if name != "habits")
    return f"agent {agent.name}: {agent.about}{parameters and f' ({parameters})'}"


@app.command()
def play(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The game, or the family of games, as `game list` names it.")
    ],
    seats: Annotated[
        list[str],
        typer.Option(
            help="Agents by seat, separated by commas, as NAME or NAME:KEY=VALUE; one takes all. "
            "For several games once, or once for each."
        ),
    ],
    folder: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the two files are written.")],
    matches: Annotated[int, typer.Option(min=1, help="Of each configuration.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="The same seed, the same files.")] = 1,
    learn: Annotated[
        Path | None,
        typer.Option(
            metavar="MOVES.csv", help="Fit the agents to the people in these moves, where they learn."
        ),
    ] = None,
    config: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PRESET|SAMPLE|FILE|KEY=VALUE",
            help="grid or another preset; main+variants+random; a YAML file; or KEY=VALUE as often as needed.",
        ),
    ] = None,
    calls: Annotated[int, typer.Option(min=0, help="Of language models, at most, in this run.")] = 1000,
    tokens: Annotated[int, typer.Option(min=0, help="Of language models, at most, in this run.")] = 1_000_000,
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where programs on pull seats call; port 0: any.")
    ] = "127.0.0.1:0",
) -> None:
    """Play matches, and write moves.csv and seats_played.csv (docs/games.md).

    A run that was stopped is finished by the same command: what was played is not played again.
    """
    from app.core.problems import counted
    from app.tasks.game.run import asked_for
    from app.tasks.game.writing import write

    asked = asked_for(name, config or [], seats, matches, seed, learn)
    with (
        _seated(asked, folder, (calls, tokens), listen) as (runs, seating),
        progress("Playing") as on_progress,
    ):
        done = write(runs, folder, on_progress, seating)
    earlier = f", {done.earlier} of them by an earlier run" if done.earlier else ""
    files = f"{folder / 'moves.csv'}, {folder / 'seats_played.csv'}"
    out.print(f"{counted(done.matches, 'match', 'matches')} of {name}{earlier}: {files}", markup=False)


@contextmanager
def _seated(
    asked: "list[RunRequest]", folder: Path, budget: tuple[int, int], listen: str
) -> "Iterator[tuple[list[RunRequest], Seating | None]]":
    """Yields the matches with their seats. Prints the servers called, and at the end external players' outcomes."""
    from app.core.settings import Settings
    from app.tasks.game.agents.outside import Outside

    if not any(isinstance(agent, Outside) for one in asked for agent in one.agents):
        yield asked, None
        return
    from app.core.chat import Spent, Unavailable
    from app.core.errors import StudyError
    from app.tasks.game.outside.opened import Terms, named, opened

    settings = Settings()
    runs = named(asked, settings)
    with opened(runs, Terms(settings, folder, *budget, listen, now)) as outsiders:
        for (game, seat), address in outsiders.addresses.items():
            typer.echo(f"{game}, seat {seat}: {address}")
        # Into a pipe Python writes in blocks, and players wait for these addresses.
        sys.stdout.flush()
        try:
            yield runs, outsiders
        except (Spent, Unavailable) as error:
            raise StudyError(
                f"{error}; what was played is kept, and the same command continues after it"
            ) from None
        finally:
            for line in outsiders.summary():
                out.print(line, markup=False)


@app.command()
def replay(
    moves: Annotated[Path, typer.Argument(metavar="MOVES.csv", help="A file of moves.")],
) -> None:
    """Compute every state of a file of moves again; the first event that differs is named, with exit status 1."""
    from app.core.problems import counted
    from app.tasks.game.replay import replayed

    n_matches = n_events = 0
    with progress("Replaying") as on_progress:
        for one in replayed(moves):
            n_matches, n_events = n_matches + 1, n_events + len(one.match.log)
            on_progress(n_matches, 0, counted(n_matches, "match", "matches"))
    read = f"{counted(n_matches, 'match', 'matches')}, {counted(n_events, 'event')}"
    out.print(f"{read}: every state is as written", markup=False)


app.command()(metrics)
app.command()(compare)
app.command()(predict)
app.command()(imitate)
app.command()(records)


@app.command()
def exchanges(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="The study's short name.")],
    file: Annotated[Path, typer.Option("--out", metavar="FILE.jsonl", help="A new file.")],
) -> None:
    """Write every prompt to the language models of a study's live matches, and every reply (docs/games.md)."""
    import json

    from app.cli.console import opened
    from app.core.errors import StudyError
    from app.studies.queries import study_named
    from app.tasks.game.played import exchanges as exchanged

    with opened() as (_, database), database.reading() as session:
        study_named(session, study)
        n = 0
        try:
            with file.open("x", encoding="utf-8") as lines:
                for line in exchanged(session, study):
                    lines.write(json.dumps(line) + "\n")
                    n += 1
        except OSError as error:
            raise StudyError(f"cannot write {file}: {error.strerror}") from None
    out.print(f"{n} prompts with what came back: {file}", markup=False)
