"""A kind of job more: the numbers of the results page, computed by the worker

Revision: 0011
Follows: 0010

What happens to collected responses: nothing; no row of any table changes. Going back deletes the jobs of the new kind,
not their files.
"""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_BEFORE = "'import', 'preview', 'reprocess', 'clues', 'report', 'package', 'judges'"


def upgrade() -> None:
    _set_kinds(f"{_BEFORE}, 'results'")


def downgrade() -> None:
    op.execute("DELETE FROM job WHERE kind = 'results'")
    _set_kinds(_BEFORE)


def _set_kinds(allowed: str) -> None:
    """SQLite makes the table anew, with the checks that it finds: the old one has to go by name, and ids stay new."""
    with op.batch_alter_table(
        "job", table_kwargs={"sqlite_autoincrement": True}, reflect_kwargs={"resolve_fks": False}
    ) as job:
        job.drop_constraint(op.f("ck_job_kind"), type_="check")
        job.create_check_constraint(op.f("ck_job_kind"), f"kind IN ({allowed})")
