"""A kind of job more: judges run over a study and held against its people

Revision: 0003
Follows: 0002

What happens to collected responses: nothing; no row of any table changes. Going back deletes the jobs of the new kind,
not their files.
"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_BEFORE = "'import', 'preview', 'reprocess', 'clues', 'report', 'package'"


def upgrade() -> None:
    _set_kinds(f"{_BEFORE}, 'judges'")


def downgrade() -> None:
    op.execute("DELETE FROM job WHERE kind = 'judges'")
    _set_kinds(_BEFORE)


def _set_kinds(allowed: str) -> None:
    """SQLite makes the table anew, with the checks that it finds: the old one has to go by name."""
    with op.batch_alter_table("job", reflect_kwargs={"resolve_fks": False}) as job:
        job.drop_constraint(op.f("ck_job_kind"), type_="check")
        job.create_check_constraint(op.f("ck_job_kind"), f"kind IN ({allowed})")
