"""`likely-human signatures`: how sources move and play, against people. It imports the analysis when it runs."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.console import err, opened
from app.core.errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd
    from sqlmodel import Session

    from analysis.signatures import ClipPath, Signatures
    from app.tasks.game.match_files import MatchFile


def signatures(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET...",
            help="Studies, folders of clips with a manifest.csv, positions without clips (a folder, or CSV), or moves.",
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON (docs/signatures.md).")] = False,
    human: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            help="The source that is people: human, and of moves simulated people where there are no others.",
        ),
    ] = None,
    player: Annotated[
        str,
        typer.Option(metavar="COLUMN", help="The attribute that says who plays; clips of one are pooled."),
    ] = "player",
    mode: Annotated[str | None, typer.Option(help="Whose votes count: live, simulated or pilot.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Matches and votes also of whom exclusion rules leave out.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seeds every bootstrap and draw.")] = 1,
    resamples: Annotated[
        int,
        typer.Option(
            min=0,
            max=100_000,
            help="Over players and clips or matches, for how often the nearest is nearest; 0: none.",
        ),
    ] = 1000,
) -> None:
    """Compute the distance of every source's movement and play to people's, and its relation to people's votes."""
    from analysis.errors import AnalysisError
    from analysis.signatures import (
        PlaySignatures,
        compare_play,
        compare_signatures,
        render_play,
        render_signatures,
    )
    from app.reports.perceived import people_in, seats_of, signatures_of, with_left_out

    with err.status("Reading ..."):
        read = _read(targets, player, mode, everything=everything)

    def moving() -> "Signatures":
        people = human or "human"
        return compare_signatures(read.clips, human=people, votes=read.votes, seed=seed, resamples=resamples)

    def playing() -> PlaySignatures:
        people, seats = human or people_in(read.matches), list(seats_of(read.matches))
        compared = compare_play(
            seats,
            human=people,
            signatures=signatures_of(read.matches),
            votes=read.votes,
            seed=seed,
            resamples=resamples,
        )
        return with_left_out(compared, read.matches)

    found: list[Signatures | PlaySignatures] = []
    refused = []
    with err.status("Comparing ..."):
        for compare, there in ((moving, read.clips), (playing, read.matches)):
            try:
                if there:
                    found.append(compare())
            except AnalysisError as error:
                refused.append(str(error))
    if not found:
        raise AnalysisError("; ".join(refused))
    for reason in refused:
        err.print(reason, markup=False)
    if as_json:
        dumped = [one.to_dict() for one in found]
        whole = dumped[0] if len(dumped) == 1 else {"moving": dumped[0], "playing": dumped[1]}
        typer.echo(json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False))
        return
    for one in found:
        text = render_play(one) if isinstance(one, PlaySignatures) else render_signatures(one)
        typer.echo(text, nl=False)


@dataclass(frozen=True, slots=True)
class _Read:
    clips: "Sequence[ClipPath]"
    matches: "Sequence[MatchFile]"
    votes: "pd.DataFrame | None"


def _read(targets: list[str], player: str, mode: str | None, *, everything: bool) -> _Read:
    """The paths and matches of all targets, and the votes of those that are studies."""
    import pandas as pd

    from app.judges.located import MANIFEST, are_positions, located
    from app.judges.moving import paths_of, recorded_of_folder, recorded_of_study, recorded_without_clips
    from app.library.clips.store import ClipStore
    from app.reports.perceived import matches_of_study
    from app.reports.targets import is_folder
    from app.tasks.game.match_files import read_matches

    clips: dict[tuple[str, str, str], ClipPath] = {}
    matches, frames = [], []
    for target in dict.fromkeys(targets):
        path = Path(target)
        if (path.is_file() or is_folder(target)) and are_positions(path):
            with located(path) as found:
                recorded = recorded_without_clips(found, player)
                clips.update(_by_name(paths_of(recorded, target)))
            continue
        if path.suffix == ".csv" and path.name != MANIFEST:
            matches.append(read_matches(path, everything=everything))
            continue
        if is_folder(target):
            recorded, played = recorded_of_folder(path, player), None
        elif path.suffix:
            raise StudyError(
                f"{target}: is no folder of clips; give the folder that holds its manifest.csv, a file of moves, or a "
                "study"
            )
        else:
            with opened() as (settings, database), database.reading() as session:
                played = matches_of_study(session, target, mode, everything=everything)
                recorded = recorded_of_study(session, target, ClipStore(settings.data_dir), player)
                frames.extend(_votes(session, target, mode, everything=everything))
        if played is not None:
            matches.append(played)
        elif not recorded:
            raise StudyError(
                f"{target}: no clip has positions, and no match is over; import clips by a manifest with the column "
                "positions"
            )
        clips.update(_by_name(paths_of(recorded, target)))
    return _Read(list(clips.values()), matches, pd.concat(frames, ignore_index=True) if frames else None)


def _by_name(clips: "Iterable[ClipPath]") -> "Mapping[tuple[str, str, str], ClipPath]":
    return {(clip.source, clip.player, clip.name): clip for clip in clips}


def _votes(session: "Session", slug: str, mode: str | None, *, everything: bool) -> "list[pd.DataFrame]":
    """The main answers of a study that count, of the mode asked for or the first that there is; none without any."""
    from analysis.data.columns import ANALYZED_COLUMNS
    from analysis.data.selection import choose_mode, select, with_unwatched
    from app.reports.frames import responses_frame

    rows = responses_frame(session, slug, ANALYZED_COLUMNS)
    if rows.empty:
        return []
    if everything:
        rows = with_unwatched(rows)
    return [select(slug, rows, choose_mode([rows], mode)).main]
