"""Studies can be archived; ids of what can be deleted are never given again

Revision: 0007
Follows: 0006

What happens to collected responses: nothing; every row is carried along. SQLite gives the highest id again once its
row is gone: a process that remembers a deleted study, a link to one of its sessions or a report's folder would then
mean another. PostgreSQL never does.
"""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_TABLES = ("study", "study_version", "participant_session", "trial", "job")


def upgrade() -> None:
    op.add_column("study", sa.Column("archived_at", UTCDateTime(), nullable=True))
    _rebuild(sqlite_autoincrement=True)


def downgrade() -> None:
    _rebuild(sqlite_autoincrement=False)
    with op.batch_alter_table("study", reflect_kwargs={"resolve_fks": False}) as study:
        study.drop_column("archived_at")


def _rebuild(*, sqlite_autoincrement: bool) -> None:
    if op.get_bind().dialect.name != "sqlite":
        return
    for table in _TABLES:
        kwargs = {"sqlite_autoincrement": sqlite_autoincrement}
        with op.batch_alter_table(
            table, recreate="always", table_kwargs=kwargs, reflect_kwargs={"resolve_fks": False}
        ):
            pass
