"""Bring a database to the newest revision. Commands do this before they touch it; importing anything does not."""

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError

from app.core.engines import make_engine
from app.core.errors import StudyError
from app.core.settings import Settings

if TYPE_CHECKING:
    from app.core.database import Database

_MIGRATIONS = Path(__file__).parents[2] / "migrations"


def open_database(settings: Settings, *, checkpointing: bool = False) -> "Database":
    """The settings' database, migrated. Raises StudyError where it cannot be reached or is newer than this program."""
    # Imported here: a command that reads by SQL alone needs no ORM, a sixth of its start.
    from app.core.database import Database

    migrate(settings)
    return Database(settings.database_url, checkpointing=checkpointing)


def migrate(settings: Settings) -> None:
    """Bring the settings' database to the newest revision. Raises StudyError as `open_database` does."""
    url = settings.database_url
    # Foreign keys are off, as SQLite alters most of a table by building it anew and dropping the old one.
    engine = make_engine(url, writing=True, enforcing=False)
    try:
        with engine.begin() as connection:
            upgrade(connection)
    except DBAPIError as error:
        reason = str(error.orig).strip().splitlines()[0]
        raise StudyError(f"cannot use the database {url.render_as_string()}: {reason}") from None
    except NewerDatabase:
        raise StudyError(
            f"the database {url.render_as_string()} was made by a newer Likely Human; use that one or another folder"
        ) from None
    finally:
        engine.dispose()


class NewerDatabase(Exception):
    """The database is at a revision that is not here."""


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Raises NewerDatabase. Alembic, a good part of a command's start, is imported where there is something to do."""
    if revision == "head" and _revision_of(connection) == newest_revision():
        return
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(_MIGRATIONS))
    if connection.dialect.name == "postgresql":
        # two processes that start together: the second waits here, then finds nothing left to do
        # Held until the transaction ends, so a crash in the middle of it leaves no lock behind.
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7436)")
    try:
        command.upgrade(config, revision)
    except CommandError as error:
        raise NewerDatabase from error


@cache
def newest_revision() -> str:
    """The revision that no other follows, read from the files; Alembic itself is asked in the tests."""
    texts = [path.read_text() for path in (_MIGRATIONS / "versions").glob("*.py")]
    named, followed = (
        {found[1] for each in texts if (found := re.search(rf'^{name} = "(.+)"$', each, re.MULTILINE))}
        for name in ("revision", "down_revision")
    )
    (newest,) = named - followed
    return newest


def _revision_of(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return revision
