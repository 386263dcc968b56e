"""`likely-human judge validate`: automated judges held against people. It imports the analysis when it runs."""

import json
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli.console import err, progress, reading_of
from app.cli.drawn import write_figures
from app.core.errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd
    from sqlmodel import Session

    from app.judges.standing import About

_CHECKED = (".csv", ".tsv", ".txt", ".xlsx", ".xls")
_MOST_CHECKED = 20_000_000


def validate(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET...",
            help="A study, or an exported file of answers or ratings; with a mapping of kind ratings, one of these.",
        ),
    ],
    verdicts: Annotated[
        Path,
        typer.Argument(
            metavar="VERDICTS", help="A file of verdicts: CSV, an Excel workbook, JSONL or Parquet."
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON (docs/analysis.md).")] = False,
    mode: Annotated[str | None, typer.Option(help="live, simulated, pilot or preview.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seeds every bootstrap, draw and split.")] = 1,
    resamples: Annotated[int, typer.Option(min=0, max=1_000_000, help="Bootstrap resamples.")] = 10_000,
    epsilon: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1.0,
            help="The value of the judge being cheaper: 0.2 against experts, 0.15 trained people, 0.1 a crowd.",
        ),
    ] = 0.1,
    min_instances: Annotated[
        int, typer.Option(min=2, help="Pairs that a participant needs for the alternative annotator test.")
    ] = 30,
    pairs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Pairs without votes that verdicts speak of (columns as of labels); else those of the study.",
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(metavar="MAP.yaml", help="Mapping of external files (docs/elsewhere.md)."),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Count also what exclusion rules leave out, and answers whose clips cannot have been watched.",
        ),
    ] = False,
    figures: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Of judges of pairs: where to draw accuracy and rank correlation by model, with their numbers.",
        ),
    ] = None,
) -> None:
    """Validate judges against people: how far they can replace people's answers."""
    import pandas as pd

    from analysis.judging import read_pairs, read_verdicts, render_validation, validate_judges
    from analysis.judging.by_model import accuracy_figure, rank_figure
    from app.reports.targets import frames_of, is_ratings, is_yes_no, notes_of

    for note in notes_of(mapping):
        err.print(note, markup=False)
    if mapping is not None and (is_ratings(mapping) or is_yes_no(mapping)):
        if pairs is not None or mode is not None or everything or figures is not None or len(targets) != 1:
            raise StudyError(
                "judges of ratings, classes and judgements are compared with one file of these; "
                "leave out --pairs, --mode, --all and --figures"
            )
        validate_items_of(
            Path(targets[0]), mapping, verdicts, as_json, seed, resamples, epsilon, min_instances
        )
        return
    if mapping is None and (rated := _rated(targets, verdicts, unwatched=everything)):
        if pairs is not None or figures is not None:
            raise StudyError(
                f"{pairs or figures}: the verdicts are of items that were rated; leave out --pairs and --figures"
            )
        _validate_rated(rated, verdicts, as_json, mode, seed, resamples, epsilon, min_instances)
        return
    with checked_verdicts(verdicts) as path:
        given = read_verdicts(path)
    with reading_of(targets) as session:
        frames = frames_of(session, targets, mapping, unwatched=everything)
        # What a study shows and nobody voted on is what verdicts may add to.
        shown = _pairs_shown(session, targets) if session is not None and pairs is None else []
    further = read_pairs(pairs) if pairs else pd.DataFrame(shown) if shown else None
    with progress("Comparing judges with people") as on_progress:
        validation = validate_judges(
            frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True),
            given,
            pairs=further,
            mode=mode,
            seed=seed,
            resamples=resamples,
            epsilon=epsilon,
            min_instances=min_instances,
            on_progress=on_progress,
        )
    if not any(run.n_judged or run.n_abstained for judge in validation.judges for run in judge.runs):
        raise StudyError(
            f"{verdicts}: no verdict is of a main pair of {', '.join(targets)}; compare the names in the columns "
            "pair, stimulus and study with those in the exported labels"
        )
    if figures is not None:
        drawn = [accuracy_figure(validation), rank_figure(validation)]
        write_figures(figures, drawn, quiet=as_json)
    if as_json:
        typer.echo(json.dumps(validation.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        typer.echo(render_validation(validation))


def _pairs_shown(session: "Session", targets: "list[str]") -> "list[dict[str, str | None]]":
    # Imported here: numbers of files need neither designs nor judges.
    from app.judges.study import pairs_of_studies

    return pairs_of_studies(session, targets)


@contextmanager
def checked_verdicts(path: Path, about: "About" = "pairs") -> "Iterator[Path]":
    """A file that the analysis reads, of one as people send it. Raises StudyError, with a line for each fault.

    JSON lines, Parquet and very large files are read as they are: their reader stops at the first fault.
    """
    from app.judges.checking import check_file

    if path.suffix.lower() not in _CHECKED or not path.is_file() or path.stat().st_size > _MOST_CHECKED:
        yield path
        return
    checked = check_file(path.read_bytes(), str(path), None, about)
    if checked.check.n_wrong:
        raise StudyError("\n".join(f"{path}: {line}" for line in checked.check.wrong_lines))
    for note in checked.check.notes:
        err.print(note, markup=False)
    if not checked.check.notes and path.suffix.lower() == ".csv":
        yield path
        return
    with TemporaryDirectory() as folder:
        plain = Path(folder) / f"{path.stem}.csv"
        plain.write_text(checked.text, encoding="utf-8", newline="")
        yield plain


def _rated(targets: "list[str]", verdicts: Path, *, unwatched: bool) -> "Sequence[pd.DataFrame]":
    """The ratings that the verdicts are of; none where they are of pairs."""
    from analysis.data.selection import with_unwatched
    from app.judges.rated import are_of_items
    from app.reports.targets import split_targets

    with reading_of(targets) as session:
        split = split_targets(session, targets)
    if not split.ratings or (split.pairs and not are_of_items(verdicts, split.ratings)):
        return ()
    return [with_unwatched(frame) for frame in split.ratings] if unwatched else split.ratings


def _validate_rated(
    rated: "Sequence[pd.DataFrame]",
    verdicts: Path,
    as_json: bool,
    mode: str | None,
    seed: int,
    resamples: int,
    epsilon: float,
    min_instances: int,
) -> None:
    """Judges of items against the raters of studies."""
    from analysis.judging.items import read_item_verdicts, render_block_validations, validate_rating_rows

    with checked_verdicts(verdicts, "items") as path:
        given = read_item_verdicts(path)
    found = validate_rating_rows(
        rated,
        given,
        mode=mode,
        seed=seed,
        resamples=resamples,
        epsilon=epsilon,
        min_instances=min_instances,
        origin=str(verdicts),
    )
    if as_json:
        blocks = {"ratings": [one.to_dict() for one in found]}
        typer.echo(json.dumps(blocks, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        typer.echo(render_block_validations(found))


def validate_items_of(
    ratings: Path,
    mapping: Path,
    verdicts: Path,
    as_json: bool,
    seed: int,
    resamples: int,
    epsilon: float,
    min_instances: int,
) -> None:
    """Judges of classes or of ratings, one value for each item, against a file of ratings."""
    from analysis.judging.items import read_item_verdicts, render_items, validate_items
    from app.reports.targets import ratings_of

    given = read_item_verdicts(verdicts)
    found = validate_items(
        ratings_of(str(ratings), mapping),
        given,
        seed=seed,
        resamples=resamples,
        epsilon=epsilon,
        min_instances=min_instances,
        origin=str(verdicts),
    )
    if as_json:
        typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        typer.echo(render_items(found))
