"""`likely-human game records`: matches as records to be rated or compared. No database is opened."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from app.cli.console import out
from app.cli.game_metrics import EVERYTHING
from app.core.errors import StudyError
from app.tasks.game.record_options import Automatic, By, Hybrid, Options, People, Sources, Text


def records(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="MOVES.csv...", help="Moves; a seats_played.csv in the same folder names agents."
        ),
    ],
    folder: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="A new folder.")],
    by: Annotated[
        By, typer.Option(help="One record for each seat, each match, or each decision of a seat.")
    ] = By.SEAT,
    rounds: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="K",
            help="Show the first K rounds, shorter ones are left out; or take their decisions. All unless said.",
        ),
    ] = None,
    text: Annotated[
        Text, typer.Option(help="Messages: not shown, as a class of length, or in full without contacts.")
    ] = Text.NUMBERS,
    automatic: Annotated[
        Automatic, typer.Option(help="Rounds in which a move was made for the player.")
    ] = Automatic.LEAVE_OUT,
    hybrid: Annotated[
        Hybrid,
        typer.Option(
            help="Seats with several occupants: of the source hybrid, left out, or cut at the switch."
        ),
    ] = Hybrid.KEEP,
    distances: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Of game metrics --distances: kept with the records of each source."
        ),
    ] = None,
    sources: Annotated[
        Sources, typer.Option(help="Sources by kind of occupant, or programs by their names.")
    ] = Sources.OCCUPANT,
    people: Annotated[
        People,
        typer.Option(help="Matches whose people all agreed to be shown, or all: you know that they did."),
    ] = People.AGREED,
    everything: EVERYTHING = False,
) -> None:
    """Write a record of each seat, match or decision, and stimuli.csv, which `stimuli import` takes (docs/games.md)."""
    from app.core.problems import counted
    from app.tasks.game.match_files import left_out_note, read_matches
    from app.tasks.game.records import MANIFEST, write_records

    read = [read_matches(path, everything=everything) for path in files]
    options = Options(by, rounds, text, automatic, hybrid, sources)
    kept = _attributes(distances) if distances else {}
    used = [(one.agreed if people is People.AGREED else one.matches, one.agents) for one in read]
    n_unagreed = sum(len(one.matches) for one in read) - sum(len(matches) for matches, _ in used)
    if n_unagreed and not any(matches for matches, _ in used):
        raise StudyError(
            f"no record: in each of {counted(n_unagreed, 'match', 'matches')} are people who did not agree to be shown "
            "(may_show of seats_played.csv beside the moves). Where you have their agreement otherwise: --people all"
        )
    written = write_records(used, options, folder, kept)
    named = ", ".join(f"{n} {source}" for source, n in sorted(written.sources.items()))
    out.print(
        f"{counted(sum(written.sources.values()), 'record')} ({named}): {folder / MANIFEST}", markup=False
    )
    for reason, n in written.left_out.items():
        out.print(f"left out: {n} {reason}", markup=False)
    if note := left_out_note(read):
        out.print(note, markup=False)
    if n_unagreed:
        out.print(
            f"left out: {counted(n_unagreed, 'match', 'matches')} with people who did not agree to be shown",
            markup=False,
        )
    least, most = written.rounds
    if least < most:
        out.print(
            f"lengths differ, from {least} to {most} rounds, which can tell who played; --rounds K makes them equal",
            markup=False,
        )


def _attributes(path: Path) -> Mapping[str, Mapping[str, str]]:
    from analysis.distances import read_distances
    from app.reports.distances import as_attributes

    return as_attributes(read_distances(path))
