"""Bring a database to the newest revision. Commands do this before they touch it; importing anything does not."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from app.database import Database, make_engine
from app.errors import StudyError
from app.settings import Settings

_MIGRATIONS = Path(__file__).parent.parent / "migrations"


def open_database(settings: Settings, *, checkpointing: bool = False) -> Database:
    """The settings' database, migrated. Raises StudyError where it cannot be reached or is newer than this program."""
    url = settings.database_url
    engine = make_engine(url, writing=True, enforcing=False)
    try:
        with engine.begin() as connection:
            upgrade(connection)
    except DBAPIError as error:
        reason = str(error.orig).strip().splitlines()[0]
        raise StudyError(f"cannot use the database {url.render_as_string()}: {reason}") from None
    except CommandError:
        raise StudyError(
            f"the database {url.render_as_string()} was made by a newer Likely Human; use that one or another folder"
        ) from None
    finally:
        engine.dispose()
    return Database(url, checkpointing=checkpointing)


def upgrade(connection: Connection, revision: str = "head") -> None:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(_MIGRATIONS))
    heads = set(ScriptDirectory.from_config(config).get_heads())
    if revision == "head" and set(MigrationContext.configure(connection).get_current_heads()) == heads:
        return
    if connection.dialect.name == "postgresql":
        # two processes that start together: the second waits here, then finds nothing left to do
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7436)")
    command.upgrade(config, revision)
