"""`likely-human prereg` and `ethics`: documents about a study, made from its study file."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.console import err, now, opened, out, progress
from app.core.errors import StudyError

Slug = Annotated[str, typer.Argument(metavar="SLUG", help="The study's name (`study list`).")]


def prereg(
    slug: Slug,
    template: Annotated[
        str, typer.Option(help="The order of parts: aspredicted, or osf (its standard form).")
    ] = "aspredicted",
    format_: Annotated[
        str,
        typer.Option(
            "--format", help="md (Markdown) or pdf; by default pdf for a file that ends so, else md."
        ),
    ] = "",
    output: Annotated[
        Path | None,
        typer.Option("--out", metavar="PATH", help="The file to write; by default SLUG-prereg here."),
    ] = None,
    register: Annotated[
        bool,
        typer.Option(
            "--register", help="Store the text and its hash: what is reported is held to it from now on."
        ),
    ] = False,
    address: Annotated[
        str, typer.Option("--address", metavar="URL", help="With --register: where it was registered.")
    ] = "",
    for_service: Annotated[bool, typer.Option("--for-service", hidden=True)] = False,
) -> None:
    """Write a study's pre-registration in the order of AsPredicted's or OSF's form."""
    from app.accounts.audit import COMMAND_LINE
    from app.reports.documents.document import blanks_in
    from app.reports.documents.making import FORMATS, made_prereg, template_named, written
    from app.studies.launch import study_here
    from app.studies.registering import checked_address
    from app.studies.registering import register as store

    format_ = format_ or ("pdf" if output is not None and output.suffix.lower() == ".pdf" else "md")
    if format_ not in FORMATS:
        raise StudyError(f"--format {format_!r} is not known; use {' or '.join(FORMATS)}")
    if address and not register:
        raise StudyError("--address is of a registration: add --register")
    chosen, moment, path = template_named(template), now(), output or Path(f"{slug}-prereg.{format_}")
    checked_address(address)
    with opened() as (_, database):
        with progress("Planning") as tell, database.reading() as session:
            made = made_prereg(session, slug, chosen, moment, tell)
        written(made.document, path, format_, moment)
        if register:
            with database.transaction() as session:
                study = study_here(session, slug)
                kept = store(
                    session, COMMAND_LINE, study, made.version, made.document.markdown(), address, moment
                )
            out.print(f"{slug}: version {kept.version} registered, SHA-256 {kept.sha256}", markup=False)
    if not for_service:
        for what in blanks_in(made.document):
            err.print(f"to be filled in: {what}", markup=False)
        out.print(f"{path}: written", markup=False)


def ethics(
    slug: Slug,
    output: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The file to write; by default SLUG-ethics.md here."),
    ] = None,
    for_service: Annotated[bool, typer.Option("--for-service", hidden=True)] = False,
) -> None:
    """Write an application to an ethics board from the study file, with blanks for what it cannot know."""
    from app.reports.documents.document import blanks_in
    from app.reports.documents.ethics import ethics as written_for
    from app.reports.documents.making import facts_with_version, written

    moment, path = now(), output or Path(f"{slug}-ethics.md")
    with opened() as (_, database), database.reading() as session:
        document = written_for(facts_with_version(session, slug), moment)
    written(document, path, "md", moment)
    if not for_service:
        for what in blanks_in(document):
            err.print(f"to be filled in: {what}", markup=False)
        out.print(f"{path}: written", markup=False)
