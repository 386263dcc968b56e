"""Shared by all commands: output, opening the data folder, progress bars."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rich.console import Console

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlmodel import Session

    from app.core.database import Database
    from app.core.settings import Settings

# A name in colons is no emoji: `my_agents:x:` stays.
out = Console(highlight=False, soft_wrap=True, emoji=False)
err = Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


@contextmanager
def opened() -> "Iterator[tuple[Settings, Database]]":
    """The settings and the migrated database of a command."""
    from app.core.migrating import open_database
    from app.core.settings import Settings

    settings = Settings()
    database = open_database(settings)
    try:
        yield settings, database
    finally:
        database.close()


@contextmanager
def connected() -> "Iterator[tuple[Settings, Connection]]":
    """The settings and a connection that reads the migrated database, for a command that needs no ORM."""
    from app.core.engines import make_engine
    from app.core.migrating import migrate
    from app.core.settings import Settings

    settings = Settings()
    migrate(settings)
    engine = make_engine(settings.database_url, writing=False)
    try:
        with engine.connect() as connection:
            yield settings, connection
    finally:
        engine.dispose()


def now() -> datetime:
    return datetime.now(UTC)


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int, str], None]]:
    """A progress bar on standard error, removed at the end; call it with done, total and the current item.

    In a pipe or a log there is none, so that a refusal is the only line there.
    """
    # Imported here: most commands show no progress.
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[item]}", markup=False),
    )
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(title, total=None, item="")

        def update(done: int, total: int, item: str = "") -> None:
            bar.update(task, completed=done, total=total, item=item)

        yield update


@contextmanager
def lines() -> Iterator[Callable[[int, int, str], None]]:
    """Progress as lines on standard output, `3 20`, for a program that reads them."""

    def update(done: int, total: int, item: str = "") -> None:
        sys.stdout.write(f"{done} {total} {item}\n")
        sys.stdout.flush()

    yield update


@contextmanager
def reading_of(targets: Sequence[str]) -> "Iterator[Session | None]":
    """A database session for studies among the targets; None if all are files, in which case no database is opened."""
    from app.reports.targets import is_file

    if all(is_file(target) for target in targets):
        yield None
        return
    with opened() as (_, database), database.reading() as session:
        yield session


def say_not_judged(targets: Sequence[str]) -> None:
    """Say of each study among the targets that its exclusion rules wait to be applied, where they do."""
    from app.reports.targets import is_file

    slugs = [target for target in targets if not is_file(target)]
    if not slugs:  # files need no database, nor what reads one
        return
    from app.verdicts.judging import not_judged

    with opened() as (_, database), database.reading() as session:
        waiting = {slug: said for slug in dict.fromkeys(slugs) if (said := not_judged(session, slug))}
    for slug, said in waiting.items():
        err.print(f"{slug}: {said}; numbers may change.", markup=False)


def print_reasons(named: "Iterable[tuple[str, Mapping[str, Any]]]", start: str) -> None:
    """Print why there is no interval: each reason once, with all names it applies to."""
    names: dict[str, list[str]] = {}
    for name, interval in named:
        if interval["reason"]:
            names.setdefault(interval["reason"], []).append(name)
    for reason, those in names.items():
        out.print(f"{start}no interval of {', '.join(those)}: {reason}", markup=False)


def say_where(site: str) -> None:
    if not site:
        err.print("put your service's address before each link (LIKELY_HUMAN_ADDRESS does it)", markup=False)
