"""Stimuli of three kinds: clips, and records and texts with what they hold

Revision: 0015
Follows: 0014

What happens to collected responses: nothing. Every stimulus there is is a clip. Going back deletes records and
texts; a version that shows one cannot be read by earlier releases, so such studies are deleted before.
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_READ = "stimulus_id IN (SELECT id FROM stimulus WHERE kind <> 'clip')"


def upgrade() -> None:
    op.create_table(
        "content",
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_content")),
    )
    with op.batch_alter_table("stimulus", reflect_kwargs={"resolve_fks": False}) as stimulus:
        stimulus.add_column(sa.Column("kind", sa.String(), nullable=False, server_default="clip"))
        stimulus.add_column(sa.Column("content_sha256", sa.String(), nullable=True))
        stimulus.create_check_constraint(op.f("ck_stimulus_kind"), "kind IN ('clip', 'record', 'text')")
        stimulus.create_foreign_key(
            op.f("fk_stimulus_content_sha256"), "content", ["content_sha256"], ["sha256"]
        )
        stimulus.create_index(op.f("ix_stimulus_content_sha256"), ["content_sha256"])
    with op.batch_alter_table("stimulus", reflect_kwargs={"resolve_fks": False}) as stimulus:
        stimulus.alter_column("kind", server_default=None)


def downgrade() -> None:
    op.execute(f"DELETE FROM study_clip WHERE {_READ}")  # noqa: S608
    op.execute(f"UPDATE upload SET stimulus_id = NULL WHERE {_READ}")  # noqa: S608
    op.execute("DELETE FROM stimulus WHERE kind <> 'clip'")
    with op.batch_alter_table("stimulus", reflect_kwargs={"resolve_fks": False}) as stimulus:
        stimulus.drop_index(op.f("ix_stimulus_content_sha256"))
        stimulus.drop_constraint(op.f("fk_stimulus_content_sha256"), type_="foreignkey")
        stimulus.drop_constraint(op.f("ck_stimulus_kind"), type_="check")
        stimulus.drop_column("content_sha256")
        stimulus.drop_column("kind")
    op.drop_table("content")
