"""`likely-human judge`: ours and those of packages, run and listed; `judging` holds them against people."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer

from app.cli import judging
from app.cli.console import err, now, opened, out, progress
from app.core.errors import StudyError

app = typer.Typer(no_args_is_help=True, help="Automated judges: run them, hold them against people.")


@app.command("run")
def run_(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A judge; `judge list` names them.")],
    slug: Annotated[str, typer.Argument(metavar="SLUG")],
    output: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE.csv", help="The file to write; standard output without it."),
    ] = None,
    version: Annotated[
        int | None,
        typer.Option(min=1, help="Of the study; else the newest that people have seen, else the newest."),
    ] = None,
) -> None:
    """Let a judge look at every main pair of a study, and write its verdicts (docs/judges.md)."""
    from app.judges.registry import judge_named
    from app.judges.runner import run_judge, verdicts_csv
    from app.judges.study import pairs_to_judge, refuse_without_files
    from app.library.clips.store import ClipStore

    judge = judge_named(name)
    with opened() as (settings, database):
        with database.reading() as session:
            study = pairs_to_judge(session, slug, ClipStore(settings.data_dir), version)
        refuse_without_files(judge.info, slug, study.pairs)
        with _target(output) as file:
            with progress("Judging") as on_progress:
                rows = run_judge(judge, study.pairs, on_progress, now)
            failed = [row for row in rows if row.problem]
            if len(failed) == len(rows):
                raise StudyError(
                    f"{name} could judge none of {len(rows)} pairs; {failed[0].pair}: {failed[0].problem}"
                )
            file.write(verdicts_csv(rows).encode())
    if failed:
        err.print(
            f"{len(failed)} of {len(rows)} pairs could not be judged; {failed[0].pair}: {failed[0].problem}",
            markup=False,
        )
    if output:
        undecided = sum(row.choice is None and not row.problem for row in rows)
        out.print(
            f"{len(rows)} verdicts on version {study.number} of {slug} written to {output}"
            + (f", {undecided} of them undecided" if undecided else ""),
            markup=False,
        )


@app.command("list")
def list_() -> None:
    """List the judges with what they look at and what their score is."""
    from app.judges.described import described
    from app.judges.registry import registry

    for judge in described():
        if info := judge.info:
            out.print(f"{judge.name}  version {info.version}  from {info.needs}  {info.title}", markup=False)
            if judge.package:
                out.print(f"    package: {judge.package}", markup=False)
            out.print(f"    {info.reference}", markup=False)
            out.print(f"    score: {info.score_unit}", markup=False)
    for problem in (*(judge.problem for judge in described() if judge.problem), *registry().refused):
        err.print(problem, markup=False)


@contextmanager
def _target(output: Path | None) -> Iterator[IO[bytes]]:
    """The file, written whole or not at all; opened before the judge begins, so that a bad path costs no waiting."""
    from app.core.whole_files import written_whole

    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with written_whole(output) as file:
        yield file


app.command("validate")(judging.validate)
