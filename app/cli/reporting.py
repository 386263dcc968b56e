"""`likely-human report`: studies or exported files as a page with figures. It imports the analysis when it runs."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.console import err, now, opened, out, progress, reading_of, say_not_judged
from app.core.errors import StudyError

if TYPE_CHECKING:
    import pandas as pd

    from analysis.distances import SourceDistance
    from analysis.findings.signature_tables import Found as Moves
    from analysis.findings.signature_tables import Played
    from app.reports.sources import Source


def report(
    targets: Annotated[list[str], typer.Argument(metavar="TARGET...", help="Studies, or exported files.")],
    output: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write.")],
    mode: Annotated[str | None, typer.Option(help="live, simulated or pilot.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seeds every bootstrap.")] = 1,
    resamples: Annotated[
        int,
        typer.Option(
            min=0, max=1_000_000, help="Of every bootstrap; 0: none, and no interval that needs one."
        ),
    ] = 10_000,
    verdicts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Verdicts of judges, to compare with people.")
    ] = None,
    distances: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Distances of sources to people (game metrics --distances), against choices."
        ),
    ] = None,
    mapping: Annotated[
        Path | None, typer.Option(metavar="MAP.yaml", help="What is what in files from elsewhere.")
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Count also what exclusion rules leave out, and answers whose clips cannot have been watched.",
        ),
    ] = False,
    independent: Annotated[
        bool,
        typer.Option(
            "--independent", help="Participants with one identifier in two studies are different people."
        ),
    ] = False,
) -> None:
    """Write a folder with a page that opens offline: figures, tables, and the methods in words."""
    from app.reports.targets import is_ratings, is_yes_no

    if is_yes_no(mapping) or is_ratings(mapping):
        _report_file(targets, output, mapping, seed, resamples, verdicts, ratings=is_ratings(mapping))
    else:
        _report_answers(
            *(targets, output, mode, seed, resamples, verdicts, distances, mapping),
            unwatched=everything,
            independent=independent,
        )


def _report_answers(
    targets: list[str],
    output: Path,
    mode: str | None,
    seed: int,
    resamples: int,
    verdicts: Path | None,
    distances: Path | None,
    mapping: Path | None,
    *,
    unwatched: bool,
    independent: bool,
) -> None:
    from analysis.data.selection import with_unwatched
    from analysis.distances import read_distances
    from analysis.judging import read_verdicts
    from analysis.judging.items import read_item_verdicts
    from app.judges.rated import are_of_items
    from app.reports.file_studies import joined
    from app.reports.report import require_reportable, write_reports

    require_reportable(output, mode)
    say_not_judged([] if mapping else targets)
    # What is wrong with a file is said in one line, without a bar above it.
    with err.status("Reading ..."):
        pairs, ratings = _split(targets, mapping)
        of_items = verdicts is not None and bool(ratings) and (not pairs or are_of_items(verdicts, ratings))
        given = None if verdicts is None or of_items else read_verdicts(verdicts)
        given_of_items = read_item_verdicts(verdicts) if verdicts is not None and of_items else None
        moves, play = (None, None) if mapping else _signatures(pairs, mode, seed, everything=unwatched)
        far = _distances(pairs, mapping) if distances is None else read_distances(distances)
        studies, frames = joined([one for target in pairs for one in _read(target, mapping)])
        if unwatched:
            frames = {slug: with_unwatched(frame) for slug, frame in frames.items()}
            ratings = [with_unwatched(frame) for frame in ratings]
    with progress("Making the report") as on_progress:
        written = write_reports(
            studies,
            frames,
            ratings,
            output,
            seed=seed,
            mode=mode,
            made_at=now(),
            resamples=resamples,
            verdicts=given,
            distances=far,
            signatures=moves,
            play=play,
            item_verdicts=given_of_items,
            independent=independent,
            rated_alone=[] if mapping else _rated_alone(targets, pairs),
            on_progress=on_progress,
        )
    what = "answers of" if pairs else "items rated by"
    counted = f"{written.n_answers} {what} {written.n_participants} participants (mode {written.mode})"
    for page in dict.fromkeys([*(["report.html"] if pairs else []), *written.ratings]):
        out.print(f"{counted}: {output / page}", markup=False)
        counted = "ratings"


def _distances(targets: "Sequence[str]", mapping: Path | None) -> "Sequence[SourceDistance]":
    """The distances stored with the records of the studies."""
    from app.reports.targets import is_file

    slugs = [target for target in targets if not (mapping or is_file(target))]
    if not slugs:
        return ()
    from app.reports.distances import kept_distances
    from app.reports.facts import designs_of

    with opened() as (_, database), database.reading() as session:
        newest = [list(designs_of(session, slug).values())[-1:] for slug in slugs]
        return [one for designs in newest for design in designs for one in kept_distances(session, design)]


def _signatures(
    targets: "Sequence[str]", mode: str | None, seed: int, *, everything: bool
) -> "tuple[Moves | None, Played | None]":
    """Movement and play signatures of the studies' sources; None if no clip has positions, or no match is over."""
    from app.reports.targets import is_file

    slugs = [target for target in targets if not is_file(target)]
    if not slugs:  # files need no database, nor what reads one
        return None, None
    from app.judges.moving import signatures_of_studies
    from app.library.clips.store import ClipStore
    from app.reports.perceived import play_of_studies

    with opened() as (settings, database), database.reading() as session:
        moves = signatures_of_studies(session, slugs, ClipStore(settings.data_dir), seed=seed)
        return moves, play_of_studies(session, slugs, mode, seed=seed, everything=everything)


def _split(targets: list[str], mapping: Path | None) -> "tuple[Sequence[str], Sequence[pd.DataFrame]]":
    """The targets with answers to pairs, and the ratings."""
    from app.reports.targets import split_targets

    if mapping:
        return targets, ()
    with reading_of(targets) as session:
        found = split_targets(session, targets)
    return found.pairs, found.ratings


def _read(target: str, mapping: Path | None) -> "Sequence[tuple[Source, pd.DataFrame]]":
    from app.reports.file_studies import read_file
    from app.reports.targets import is_file

    if mapping or is_file(target):
        return list(read_file(target, mapping))
    from app.reports.sources import read_study

    with opened() as (_, database), database.reading() as session:
        return [read_study(session, target)]


def _rated_alone(targets: "Sequence[str]", pairs: "Sequence[str]") -> "list[Source]":
    """The studies among the targets that have no answers to pairs."""
    from app.reports.targets import is_file

    slugs = [target for target in targets if not is_file(target) and target not in pairs]
    if not slugs:
        return []
    from app.reports.sources import source_of

    with opened() as (_, database), database.reading() as session:
        return [source_of(session, slug) for slug in slugs]


def _report_file(
    targets: list[str],
    output: Path,
    mapping: Path | None,
    seed: int,
    resamples: int,
    verdicts: Path | None,
    *,
    ratings: bool,
) -> None:
    from analysis.judging.items import read_item_verdicts
    from app.reports.detection import write_detection_report
    from app.reports.page.writing import require_folder
    from app.reports.ratings import write_ratings_report
    from app.reports.targets import judgements_of, ratings_of

    require_folder(output)
    if len(targets) > 1 or mapping is None:
        what = "ratings" if ratings else "judgements of single stimuli"
        raise StudyError(f"{targets[-1]}: {what} are reported one file at a time")
    with err.status("Reading ..."):
        judged = None if verdicts is None else read_item_verdicts(verdicts)
        if ratings:
            write = partial(write_ratings_report, ratings_of(targets[0], mapping), verdicts=judged)
        else:
            write = partial(write_detection_report, judgements_of(targets[0], mapping), verdicts=judged)
    with progress("Making the report") as on_progress:
        n = write(output, seed=seed, resamples=resamples, made_at=now(), on_progress=on_progress)
    out.print(f"{n} {'scores' if ratings else 'answers'}: {output / 'report.html'}", markup=False)
