"""`likely-human backup`, `restore` and `doctor`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from app.cli.console import now, out, progress

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder that backups are kept in.")]


def backup(
    folder: Folder,
    keep: Annotated[int, typer.Option(min=0, help="Delete all but so many, the newest; 0 keeps all.")] = 0,
    check: Annotated[bool, typer.Option("--check", help="Read all of the newest again; make none.")] = False,
) -> None:
    """Back up all data while serving: database, clips, models, secret."""
    from app.backup import making, restoring
    from app.core.settings import Settings

    if check:
        newest = restoring.chosen(folder)
        restoring.check(folder, newest)
        out.print(f"{newest.name}: all of its {len(newest.contents)} contents are as they were written.")
        return
    with progress("Backup") as tell:
        made = making.make_backup(Settings(), folder, now(), tell)
    gone = making.forget(folder, keep) if keep else 0
    rows = sum(int(said.partition(" ")[0]) for said in made.tables.values())
    out.print(
        f"{made.name}: {rows:,} rows of {len(made.tables)} tables, {len(made.files):,} files; "
        f"{made.new_bytes / 1e6:.1f} MB were new{f'; {gone} older deleted' if gone else ''}.",
        markup=False,
    )


def restore(
    folder: Folder,
    name: Annotated[str, typer.Option(help="The beginning of a backup's name; the newest unless said.")] = "",
) -> None:
    """Put a backup into an empty data folder and an empty database, and prove that it is the same."""
    from app.backup import restoring
    from app.core.settings import Settings

    settings = Settings()
    with progress("Restore") as tell:
        done = restoring.restore(settings, folder, restoring.chosen(folder, name), tell)
    tables = len(done.backup.tables)
    out.print(
        f"{done.backup.name} is in {settings.data.absolute()}: {done.rows:,} rows of {tables} tables and "
        f"{len(done.backup.files):,} files, each with the hash that it had when it was kept.",
        markup=False,
    )
    if not done.is_same_secret:
        out.print(
            "LIKELY_HUMAN_SECRET is another one than before: links and logins of before are not good here."
        )


def doctor() -> None:
    """Check for misconfiguration, and print the remedies.

    The exit status is 1 where something is.
    """
    from app.backup.doctor import examined
    from app.core.settings import Settings

    found = examined(Settings())
    for one in found:
        out.print(f"{'ok  ' if one.is_well else 'FIX '} {one.about}: {one.said}", markup=False)
        if one.remedy:
            out.print(f"      {one.remedy}", markup=False)
    sys.exit(0 if all(one.is_well for one in found) else 1)
