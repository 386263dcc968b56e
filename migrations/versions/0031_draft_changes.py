"""The last changes of each draft, to be undone and merged

Revision: 0031
Follows: 0030

What happens to collected responses: nothing. A draft that is there begins without changes to undo; going back forgets
them, and keeps the drafts.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel.sql.sqltypes import AutoString, UTCDateTime

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "draft_change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("before", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("changes", _json(), nullable=False),
        sa.Column("kind", AutoString(), nullable=False),
        sa.Column("place", AutoString(), nullable=False),
        sa.Column("saved_by", sa.Integer(), nullable=True),
        sa.Column("saved_at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_draft_change_study_id")),
        sa.ForeignKeyConstraint(["saved_by"], ["user_account.id"], name=op.f("fk_draft_change_saved_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draft_change")),
    )
    op.create_index(op.f("ix_draft_change_study_id"), "draft_change", ["study_id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_draft_change_study_id"), "draft_change")
    op.drop_table("draft_change")


def _json() -> sa.types.TypeEngine[Any]:
    return sa.JSON().with_variant(JSONB(), "postgresql")
