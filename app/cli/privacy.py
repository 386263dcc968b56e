"""`likely-human privacy`: identities whose retention is over, and what is held about one person."""

import json
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

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
    """Write all that is held about one person: person.json, and person.md to be read."""
    from app.accounts.audit import COMMAND_LINE, record
    from app.reports.documents.person import person_document
    from app.sessions.about_person import about_person

    with opened() as (settings, database):
        with database.reading() as session:
            found = about_person(session, id_, settings.secret)
        moment = now()
        try:
            output.mkdir(parents=True, exist_ok=True)
            text = json.dumps({"sessions": found.sessions, "tables": found.tables}, indent=2, default=_plain)
            (output / "person.json").write_text(text + "\n", encoding="utf-8")
            (output / "person.md").write_text(person_document(found, moment).markdown(), encoding="utf-8")
        except OSError as error:
            raise StudyError(f"{output} cannot be written: {error.strerror or error}") from None
        with database.transaction() as session:
            for number, slug in found.sessions.items():
                record(
                    session,
                    COMMAND_LINE,
                    "privacy.export",
                    now=moment,
                    study=slug,
                    subject=f"session {number}",
                )
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


def _plain(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
