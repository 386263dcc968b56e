"""A kind of job more: training a judge, done by the worker

Revision: 0021
Follows: 0020

What happens to collected responses: nothing; no row of any table changes. Going back deletes the jobs of the new kind,
not the judges that they trained.
"""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_BEFORE = "'import', 'preview', 'reprocess', 'clues', 'report', 'package', 'judges', 'results'"


def upgrade() -> None:
    _set_kinds(f"{_BEFORE}, 'training'")


def downgrade() -> None:
    op.execute("DELETE FROM job WHERE kind = 'training'")
    _set_kinds(_BEFORE)


def _set_kinds(allowed: str) -> None:
    """SQLite makes the table anew, with the checks that it finds: the old one has to go by name, and ids stay new."""
    with op.batch_alter_table(
        "job", table_kwargs={"sqlite_autoincrement": True}, reflect_kwargs={"resolve_fks": False}
    ) as job:
        job.drop_constraint(op.f("ck_job_kind"), type_="check")
        job.create_check_constraint(op.f("ck_job_kind"), f"kind IN ({allowed})")
