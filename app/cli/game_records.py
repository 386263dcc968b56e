"""`likely-human game records`: what was played, as records that others rate or compare. No database is opened."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.console import out
from app.tasks.game.record_options import Automatic, By, Hybrid, Options, Sources, Text


def records(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="MOVES.csv...", help="Moves; seats_played.csv beside them names agents."),
    ],
    folder: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="A new folder.")],
    by: Annotated[By, typer.Option(help="One record for each seat, or for each match.")] = By.SEAT,
    rounds: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="K", help="Show the first K rounds; shorter ones are left out. All unless said."
        ),
    ] = None,
    text: Annotated[
        Text, typer.Option(help="Messages: not shown, as a class of length, or in full without contacts.")
    ] = Text.NUMBERS,
    automatic: Annotated[
        Automatic, typer.Option(help="Rounds in which a move was made for the player.")
    ] = Automatic.LEAVE_OUT,
    hybrid: Annotated[
        Hybrid, typer.Option(help="Seats with several occupants: of the source hybrid, or left out.")
    ] = Hybrid.KEEP,
    sources: Annotated[
        Sources, typer.Option(help="Sources by kind of occupant, or programs by their names.")
    ] = Sources.OCCUPANT,
) -> None:
    """Write a record of each seat, and stimuli.csv, which `stimuli import` takes (docs/games.md)."""
    from app.reports.matches import read_matches
    from app.tasks.game.records import MANIFEST, write_records

    read = [read_matches(path) for path in files]
    options = Options(by, rounds, text, automatic, hybrid, sources)
    written = write_records([(one.matches, one.agents) for one in read], options, folder)
    named = ", ".join(f"{n} {source}" for source, n in sorted(written.sources.items()))
    out.print(f"{sum(written.sources.values())} records ({named}): {folder / MANIFEST}", markup=False)
    for reason, n in written.left_out.items():
        out.print(f"left out: {n} {reason}", markup=False)
    if (excluded := sum(sum(one.left_out.values()) for one in read)) > 0:
        out.print(f"left out: {excluded} matches that are excluded", markup=False)
    least, most = written.rounds
    if least < most:
        out.print(
            f"lengths differ, from {least} to {most} rounds, which can tell who played; --rounds K makes them equal",
            markup=False,
        )
