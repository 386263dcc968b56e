"""`likely-human recruit`: what to enter at a recruiter, and its submissions held against the sessions here."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.console import now, opened, out

app = typer.Typer(
    no_args_is_help=True, help="Recruiters: what to enter there, and their submissions compared."
)
Slug = Annotated[str, typer.Argument(metavar="SLUG", help="The study's name.")]


@app.command()
def setup(
    slug: Slug,
    site: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Where participants reach the service, as https://example.org."),
    ] = "",
) -> None:
    """Print the link, the steps and the codes to enter at the recruiter of a study."""
    from app.core.errors import StudyError
    from app.studies.launch import study_here
    from app.studies.recruiting import recruiting_view

    with opened() as (settings, database), database.reading() as session:
        address = (site or settings.public_address).rstrip("/")
        view = recruiting_view(session, study_here(session, slug), address)
    if view is None:
        raise StudyError(f"{slug} has no version yet; load a study file first.")
    out.print(f"Link: {view.link}", markup=False, soft_wrap=True)
    for number, step in enumerate(view.steps, start=1):
        out.print(f"{number}. {step}", markup=False)
    for way in view.ways:
        leads = f" -> {way.leads_to}" if way.leads_to else ""
        action = f" ({way.action})" if way.action else ""
        out.print(f"{way.name}: {way.code or 'no code'}{leads}{action}", markup=False, soft_wrap=True)


@app.command("reconcile")
def reconcile_file(
    slug: Slug,
    file: Annotated[
        Path, typer.Argument(metavar="SUBMISSIONS.csv", help="The recruiter's file of submissions.")
    ],
    folder: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder for the lists.")],
    recruiter: Annotated[
        str,
        typer.Option("--from", metavar="NAME", help="The recruiter, if not the one that the study names."),
    ] = "",
    columns: Annotated[
        str,
        typer.Option(
            "--columns",
            metavar="NAMES",
            help="Columns called otherwise: participant=NAME,status=NAME,code=NAME.",
        ),
    ] = "",
) -> None:
    """Compare a recruiter's submissions with the sessions here: whom to pay, whom to ask to return, and why."""
    from app.accounts.audit import COMMAND_LINE
    from app.core.errors import StudyError
    from app.monitor.reconciling.lists import lists_of
    from app.monitor.reconciling.reconcile import note_reconciled, reconcile, recruiter_of, summary
    from app.monitor.reconciling.submissions import columns_named, read_submissions
    from app.studies.file.recruiters import OTHER, RECRUITERS
    from app.studies.launch import study_here

    if recruiter and recruiter not in (*RECRUITERS, OTHER):
        raise StudyError(f"--from {recruiter}: use one of {', '.join((*RECRUITERS, OTHER))}")
    with opened() as (settings, database):
        with database.reading() as session:
            study = study_here(session, slug)
            name = recruiter or recruiter_of(session, study)
            submissions = read_submissions(file, name, columns_named(columns))
            found = reconcile(session, study, submissions, name, settings.secret)
        lists = lists_of(found)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for each, content in lists.items():
                (folder / each).write_text(content, encoding="utf-8")
        except OSError as error:
            raise StudyError(f"{folder} cannot be written: {error.strerror or error}") from None
        with database.transaction() as session:
            note_reconciled(session, COMMAND_LINE, study, found, now())
    out.print(summary(found), markup=False)
    for note in found.notes:
        out.print(note, markup=False)
    out.print(f"{', '.join(lists)} written to {folder}", markup=False)
