"""`likely-human signatures`: how sources move, against people. It imports the analysis when it runs."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.console import err, opened
from app.core.errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from sqlmodel import Session

    from analysis.signatures import ClipPath


def signatures(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET...", help="Studies, or folders of clips with a manifest.csv and positions."
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON (docs/signatures.md).")] = False,
    human: Annotated[str, typer.Option(metavar="SOURCE", help="The source that is people.")] = "human",
    player: Annotated[
        str,
        typer.Option(metavar="COLUMN", help="The attribute that says who plays; clips of one are pooled."),
    ] = "player",
    mode: Annotated[str | None, typer.Option(help="Whose votes count: live, simulated or pilot.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seeds every bootstrap and draw.")] = 1,
    resamples: Annotated[
        int,
        typer.Option(
            min=0, max=100_000, help="Over players and clips, for how often the nearest is nearest; 0: none."
        ),
    ] = 1000,
) -> None:
    """How far every source's way of moving is from people's, and whether people's votes agree."""
    from analysis.signatures import compare_signatures, render_signatures

    with err.status("Reading ..."):
        clips, votes = _read(targets, player, mode)
    with err.status("Comparing ..."):
        found = compare_signatures(clips, human=human, votes=votes, seed=seed, resamples=resamples)
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        typer.echo(render_signatures(found), nl=False)


def _read(
    targets: list[str], player: str, mode: str | None
) -> "tuple[Sequence[ClipPath], pd.DataFrame | None]":
    """The paths of all targets, and the votes on those that are studies."""
    import pandas as pd

    from app.judges.moving import paths_of, recorded_of_folder, recorded_of_study
    from app.library.clips.store import ClipStore

    clips, frames = {}, []
    for target in dict.fromkeys(targets):
        if Path(target).is_dir():
            recorded = recorded_of_folder(Path(target), player)
        elif Path(target).suffix:
            raise StudyError(
                f"{target}: is no folder of clips; give the folder that holds its manifest.csv, or a study"
            )
        else:
            with opened() as (settings, database), database.reading() as session:
                recorded = recorded_of_study(session, target, ClipStore(settings.data_dir), player)
                frames.extend(_votes(session, target, mode))
        if not recorded:
            raise StudyError(
                f"{target}: no clip has positions; import clips by a manifest with the column positions"
            )
        clips.update({(clip.source, clip.player, clip.name): clip for clip in paths_of(recorded, target)})
    return list(clips.values()), pd.concat(frames, ignore_index=True) if frames else None


def _votes(session: "Session", slug: str, mode: str | None) -> "list[pd.DataFrame]":
    """The main answers of a study that count, of the mode asked for or the first that there is; none without any."""
    from analysis.data.columns import ANALYZED_COLUMNS
    from analysis.data.selection import choose_mode, select
    from app.reports.frames import responses_frame

    rows = responses_frame(session, slug, ANALYZED_COLUMNS)
    if rows.empty:
        return []
    return [select(slug, rows, choose_mode([rows], mode)).main]
