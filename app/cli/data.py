"""`likely-human export`, `package`, `analyze`, `simulate`: data out. Each imports what it alone needs."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli.console import err, now, opened, out, progress, reading_of, say_not_judged
from app.core.errors import StudyError
from app.reports.kinds import Format, What

if TYPE_CHECKING:
    import pandas as pd

    from analysis.data.flow import Flow


_RESPONSES = What("responses")


class TableFiles(Enum):
    """The file formats of `analyze --out`."""

    CSV = "csv"
    PARQUET = "parquet"


def export(
    slug: Annotated[str, typer.Argument(metavar="SLUG")],
    what: Annotated[What, typer.Option(help="Which table.")] = _RESPONSES,
    format_: Annotated[Format, typer.Option("--format", help="How it is written.")] = Format.CSV,
    output: Annotated[
        Path | None,
        typer.Option("--out", metavar="PATH", help="The file to write; standard output without it."),
    ] = None,
    mode: Annotated[
        str | None, typer.Option(help="Mode whose votes make labels: live (if there are any), simulated, ...")
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Also sessions that exclusion rules leave out; for labels and preferences also answers whose clips "
            "cannot have been watched.",
        ),
    ] = False,
    real_ids: Annotated[
        bool,
        typer.Option(
            "--real-ids", help="Participants with recruiters' ids and link parameters that are kept apart."
        ),
    ] = False,
    for_service: Annotated[
        bool, typer.Option("--for-service", hidden=True, help="The service notes who asked.")
    ] = False,
) -> None:
    """Write a study's data in the columns of docs/data.md; the audit log notes it."""
    from app.accounts.audit import COMMAND_LINE
    from app.outputs.outputs import note_export
    from app.reports.export import export
    from app.verdicts.judging import unused_by_rule

    say_not_judged([slug])
    with opened() as (_, database):
        with database.reading() as session:
            # Exported first: the audit log notes no export that failed.
            done = export(
                session, slug, what, format_, output, mode, everything=everything, real_ids=real_ids
            )
            unused = unused_by_rule(session, slug)
        if not for_service:
            with database.transaction() as session:
                note_export(session, COMMAND_LINE, slug, what, format_, now(), mode or "")
    if done.mode not in (None, "live"):
        err.print(f"These labels are votes of {done.mode} participants, not of live ones.", markup=False)
    if unused:
        err.print(_by_rules(unused, is_in=everything, is_votes=done.mode is not None), markup=False)
    if output:
        out.print(f"{done.n_rows} rows of {what} written to {output}", markup=False)


def _by_rules(unused: Mapping[str, int], *, is_in: bool, is_votes: bool) -> str:
    """Sessions that the exclusion rules leave out, and whether they are in the table."""
    n = sum(unused.values())
    why = ", ".join(f"{name} {count}" for name, count in unused.items())
    in_words = "counted here" if is_votes else "their rows are here"
    there = in_words if is_in else "left out here; --all takes them in"
    return f"{n} session{'' if n == 1 else 's'} not used by the exclusion rules ({why}): {there}."


def package(
    slug: Annotated[str, typer.Argument(metavar="SLUG")],
    output: Annotated[Path, typer.Option("--out", metavar="FILE.zip", help="The zip file to write.")],
    real_ids: Annotated[
        bool, typer.Option("--real-ids", help="Keep recruiters' participant ids and link parameters.")
    ] = False,
    keep_links: Annotated[
        bool,
        typer.Option(
            "--keep-links",
            help="Keep session numbers, seeds and exact times, which identify participants to anyone with other "
            "records.",
        ),
    ] = False,
    author: Annotated[list[str] | None, typer.Option(help="An author; give it once for each.")] = None,
    license_: Annotated[str, typer.Option("--license", help="The licence of the data.")] = "",
) -> None:
    """Write everything that belongs to a study into one zip (docs/package.md)."""
    from app.accounts.audit import COMMAND_LINE, record
    from app.reports.package import build_package
    from app.reports.packaging.about import About
    from app.studies.queries import study_named
    from app.worker.handlers.reports import study_files

    about = About(authors=tuple(author or ()), license=license_ or None)
    with opened() as (_, database):
        with database.reading() as session, progress("Packing") as on_progress:
            study_named(session, slug)
            packed = build_package(
                session,
                slug,
                output,
                made_at=now(),
                study_files=study_files(session, slug),
                pseudonyms=not real_ids,
                keeps_links=keep_links,
                about=about,
                on_progress=on_progress,
            )
        says = {"pseudonyms": not real_ids, "keeps_links": keep_links}
        with database.transaction() as session:
            record(session, COMMAND_LINE, "package.write", now=now(), study=slug, after=says)
    out.print(f"{len(packed.files)} files written to {output}", markup=False)


def analyze(
    targets: Annotated[list[str], typer.Argument(metavar="TARGET...", help="Studies, or exported files.")],
    as_json: Annotated[bool, typer.Option("--json", help="The same as JSON (docs/analysis.md).")] = False,
    full: Annotated[bool, typer.Option("--full", help="Every table, not only one screen.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write rows of participants, pairs and items as files; the JSON names them.",
        ),
    ] = None,
    table_files: Annotated[
        TableFiles, typer.Option("--tables", help="How --out writes them.")
    ] = TableFiles.CSV,
    mode: Annotated[str | None, typer.Option(help="live, simulated, pilot or preview.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seeds the bootstrap.")] = 1,
    blank: Annotated[str, typer.Option(help="missing, or wrong as in the paper.")] = "missing",
    alternative: Annotated[str, typer.Option(help="two-sided, less or greater.")] = "two-sided",
    ties: Annotated[str, typer.Option(help="keep, or random: tied labels broken by the seed.")] = "keep",
    resamples: Annotated[
        int,
        typer.Option(
            min=0, max=1_000_000, help="Of every bootstrap; 0: none, and no interval that needs one."
        ),
    ] = 10_000,
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
    independent: Annotated[
        bool,
        typer.Option(
            "--independent", help="Participants with one identifier in two studies are different people."
        ),
    ] = False,
) -> None:
    """The numbers of one study or of several side by side."""
    from app.reports.targets import is_ratings, is_yes_no, notes_of

    for note in notes_of(mapping):
        err.print(note, markup=False)
    shown = _As(as_json, output, table_files)
    if mapping is not None and (is_ratings(mapping) or is_yes_no(mapping)):
        if output is not None and len(targets) > 1:
            raise StudyError(f"{targets[1]}: with --out, one file at a time")
        of_kind = _analyze_ratings if is_ratings(mapping) else _analyze_judgements
        of_kind(targets, mapping, shown, seed=seed, resamples=resamples, full=full)
        return
    # Said first: what is judged while the tables are read may be in them, and what is judged later is not.
    say_not_judged([] if mapping else targets)
    origins, answers, ratings, flows = _tables(targets, mapping, unwatched=everything)
    summary: dict[str, Any] = {}
    if answers:
        from analysis import analyze, render, render_brief

        result = analyze(
            answers,
            mode=mode,
            seed=seed,
            blank=blank,
            alternative=alternative,
            ties=ties,
            resamples=resamples,
            origins=origins,
            independent=independent,
            flows=flows,
        )
        summary = _shown(result, render if full else render_brief, shown)
    if ratings:
        summary |= _rated(ratings, shown, mode=mode, seed=seed, resamples=resamples, full=full)
    summary |= _hypotheses(
        [] if mapping else targets,
        [*answers, *ratings],
        shown,
        mode=mode,
        blank=blank,
        seed=seed,
        resamples=resamples,
    )
    _print_json(summary, shown)


def _tables(
    targets: list[str], mapping: Path | None, *, unwatched: bool
) -> "tuple[Sequence[str], list[pd.DataFrame], list[pd.DataFrame], Mapping[str, Mapping[str, Flow]]]":
    """The targets with answers to pairs, these answers, the ratings, and the flows of studies."""
    from analysis.data.selection import with_unwatched
    from app.reports.targets import frames_of, split_targets

    if mapping:
        return targets, frames_of(None, targets, mapping, unwatched=unwatched), [], {}
    with reading_of(targets) as session:
        split = split_targets(session, targets)
        answers = frames_of(session, split.pairs, unwatched=unwatched)
        flows: Mapping[str, Mapping[str, Flow]] = {}
        # With --all those count whom the rules leave out: the answers tell the flow.
        if session is not None and not unwatched:
            from app.reports.sources import flows_of_studies

            flows = flows_of_studies(session, split.pairs)
    ratings = [with_unwatched(frame) for frame in split.ratings] if unwatched else list(split.ratings)
    return split.pairs, answers, ratings, flows


@dataclass(frozen=True, slots=True)
class _As:
    """Output options: JSON or text on the terminal, and files of rows."""

    as_json: bool
    output: Path | None
    tables: TableFiles


def _show(result: Any, render: Callable[[Any], str], shown: _As) -> None:
    _print_json(_shown(result, render, shown), shown)


def _print_json(summary: dict[str, Any], shown: _As) -> None:
    if shown.as_json:
        # NaN is no JSON (RFC 8259): a missing number has to be null.
        typer.echo(json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False))


def _shown(result: Any, render: Callable[[Any], str], shown: _As) -> dict[str, Any]:
    """Print the text unless JSON is wanted, which is returned; rows go into their files."""
    summary = _summary(result, shown, shown.output)
    if not shown.as_json:
        typer.echo(render(result))
    return summary


def _summary(result: Any, shown: _As, folder: Path | None) -> dict[str, Any]:
    from analysis.row_files import without_many_rows, write_row_files

    if folder is not None:
        return write_row_files(result, folder, shown.tables.value)
    return without_many_rows(result) if shown.as_json else {}


def _rated(
    tables: "Sequence[pd.DataFrame]", shown: _As, *, mode: str | None, seed: int, resamples: int, full: bool
) -> dict[str, Any]:
    """The ratings and yes / no questions of studies, block by block: these keys of the JSON."""
    from analysis import (
        analyze_judgement_rows,
        analyze_rating_rows,
        compare_blocks,
        render_judgement_blocks,
        render_rating_blocks,
    )

    blocks = analyze_rating_rows(tables, mode=mode, seed=seed, resamples=resamples)
    compared = compare_blocks(blocks, seed=seed, resamples=resamples)
    judged = analyze_judgement_rows(tables, mode=mode, seed=seed, resamples=resamples)
    if blocks and not shown.as_json:
        typer.echo(render_rating_blocks(blocks, full=full, compared=compared))
    if judged and not shown.as_json:
        typer.echo(render_judgement_blocks(judged, full=full))

    def summaries(found: Sequence[Any]) -> list[dict[str, Any]]:
        return [_summary(one, shown, shown.output and shown.output / one.name) for one in found]

    return {
        "ratings": summaries(blocks),
        **({"yes_no": summaries(judged)} if judged else {}),
        **({"rating_comparisons": [one.to_dict() for one in compared]} if compared else {}),
    }


def _hypotheses(
    targets: "Sequence[str]",
    frames: "Sequence[pd.DataFrame]",
    shown: _As,
    *,
    mode: str | None,
    blank: str,
    seed: int,
    resamples: int,
) -> dict[str, Any]:
    """The hypotheses of the studies among the targets, each by its own test: a key of the JSON, none without any."""
    from app.reports.targets import is_file

    slugs = [target for target in targets if not is_file(target)]
    if not slugs or not frames:
        return {}
    from app.reports.study_facts import study_facts

    with reading_of(slugs) as session:
        studies = [study_facts(session, slug) for slug in slugs] if session is not None else []
    asked = [one for one in studies if one.held or (one.versions and one.versions[-1].design.hypotheses)]
    if not asked:
        return {}
    from analysis.data.selection import choose_mode
    from analysis.options import BLANKS, chosen
    from analysis.text.hypotheses import render_hypotheses
    from app.reports.expected import decided

    of = choose_mode(frames, mode)
    blanks = chosen("blank", blank, BLANKS)
    made = (decided(study, frames, mode=of, blank=blanks, seed=seed, resamples=resamples) for study in asked)
    found = [one for one in made if one is not None]
    if found and not shown.as_json:
        typer.echo(render_hypotheses(found))
    return {"hypotheses": [one.to_dict() for one in found]} if found else {}


def _analyze_ratings(
    targets: list[str], mapping: Path, shown: _As, *, seed: int, resamples: int, full: bool
) -> None:
    from analysis.ratings.scores import analyze_ratings
    from analysis.text.ratings import render_ratings
    from app.reports.targets import ratings_of

    for target in targets:
        result = analyze_ratings(ratings_of(target, mapping), seed=seed, resamples=resamples)
        _show(result, partial(render_ratings, full=full), shown)


def _analyze_judgements(
    targets: list[str], mapping: Path, shown: _As, *, seed: int, resamples: int, full: bool
) -> None:
    from analysis.detection.measures import analyze_judgements
    from analysis.text.detection import render_detection
    from app.reports.targets import judgements_of

    for target in targets:
        result = analyze_judgements(judgements_of(target, mapping), seed=seed, resamples=resamples)
        _show(result, partial(render_detection, full=full), shown)
