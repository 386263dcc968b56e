"""Jobs that send simulated people through a study

Revision: 0028
Follows: 0027

What happens to collected responses: nothing. Going back deletes such jobs from the queue and keeps the simulated
sessions, as the command line makes them.
"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

_JOB = sa.table("job", sa.column("kind", sa.String()))
_KINDS = (
    "import", "preview", "reprocess", "clues", "report", "package", "judges", "results", "training", "walks",
    "pictures", "verdicts",
)  # fmt: skip


def upgrade() -> None:
    _allow_kinds((*_KINDS, "simulation"))


def downgrade() -> None:
    op.get_bind().execute(sa.delete(_JOB).where(_JOB.c.kind == "simulation"))
    _allow_kinds(_KINDS)


def _allow_kinds(kinds: tuple[str, ...]) -> None:
    with op.batch_alter_table(
        "job", table_kwargs={"sqlite_autoincrement": True}, reflect_kwargs={"resolve_fks": False}
    ) as job:
        job.drop_constraint(op.f("ck_job_kind"), type_="check")
        job.create_check_constraint(op.f("ck_job_kind"), f"kind IN ({', '.join(map(repr, kinds))})")
