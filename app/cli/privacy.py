"""`likely-human privacy`: identities whose retention is over, and what is held about one person."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.console import err, now, opened, out
from app.core.errors import StudyError

app = typer.Typer(
    no_args_is_help=True, help="Erase identities; export and forget what is held about one person."
)

Id = Annotated[
    str,
    typer.Argument(
        metavar="ID", help="An external id, a name in the data or on Results, a receipt, a session."
    ),
]


@app.command()
def erase(
    slug: Annotated[
        str | None, typer.Argument(metavar="SLUG", help="The study; all of them unless said.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be erased, and erase nothing.")
    ] = False,
) -> None:
    """Erase the identities whose retention is over; answers stay."""
    from app.accounts.audit import COMMAND_LINE
    from app.sessions.erasing import erase_identities

    with opened() as (_, database), database.transaction() as session:
        found = erase_identities(session, COMMAND_LINE, now(), slug, is_dry=dry_run)
    for one in found:
        if one.days is None:
            out.print(f"{one.study}: no retention in the study file; nothing is erased", markup=False)
            continue
        verb = "would be erased" if dry_run else "erased"
        out.print(
            f"{one.study} ({one.days} days): identities of {one.people} people in {one.sessions} sessions {verb}, "
            f"{one.mentions} mentions elsewhere; {one.kept} sessions are kept",
            markup=False,
        )
    if not dry_run and any(one.sessions for one in found):
        err.print("Backups and files exported before still hold them.", markup=False)


@app.command()
def person(
    id_: Id,
    output: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write.")],
) -> None:
    """Write all that is held about one person: person.html to hand over, person.md and person.json."""
    from app.accounts.audit import COMMAND_LINE
    from app.core.whole_files import written_whole
    from app.reports.documents.page import page_of
    from app.reports.documents.person import person_document
    from app.sessions.about_person import about_person, as_json, record_export

    with opened() as (settings, database):
        with database.reading() as session:
            found = about_person(session, id_, settings.secret)
        moment = now()
        document = person_document(found, moment)
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StudyError(f"{output} cannot be written: {error.strerror or error}") from None
        texts = {"person.json": as_json(found, moment), "person.md": document.markdown()}
        for name, text in {**texts, "person.html": page_of(document)}.items():
            with written_whole(output / name) as file:
                file.write(text.encode())
        with database.transaction() as session:
            record_export(session, COMMAND_LINE, found, moment)
    rows = sum(map(len, found.tables.values()))
    out.print(
        f"{output}: {rows} rows of {len(found.tables)} tables, {len(found.sessions)} sessions", markup=False
    )


@app.command()
def forget(
    id_: Id,
    sure: Annotated[bool, typer.Option("--yes", help="Delete for ever.")] = False,
) -> None:
    """Delete a person's answers and identity, as if they had withdrawn with their receipt."""
    from app.accounts.audit import COMMAND_LINE
    from app.sessions.about_person import forget_person, sessions_of_person

    with opened() as (settings, database):
        with database.reading() as session:
            sessions = sessions_of_person(session, id_, settings.secret)
        named = ", ".join(f"session {number} of {slug}" for number, slug in sessions.items())
        if not sure:
            raise StudyError(f"this deletes {named} for ever; add --yes")
        with database.transaction() as session:
            gone = forget_person(session, COMMAND_LINE, id_, settings.secret, now())
    out.print(f"deleted: {', '.join(f'session {number}' for number in gone)}", markup=False)
