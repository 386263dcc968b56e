"""Run migrations on the connection that the caller gives, or on the database that the settings name."""

from alembic import context
from sqlalchemy import Connection
from sqlmodel import SQLModel

import app.tasks.game.tables
import app.tasks.walk.tables  # noqa: F401
from app.core.engines import make_engine
from app.core.settings import Settings


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=SQLModel.metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_server_default=True,
    )
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    with make_engine(Settings().database_url, writing=True, enforcing=False).connect() as own:
        run(own)
        own.commit()
