"""Tags of studies, by which people find them in the list

Revision: 0030
Follows: 0029

What happens to collected responses: nothing. Going back deletes the tags.
"""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "study_tag",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("tag", AutoString(), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id"], ["study.id"], name=op.f("fk_study_tag_study_id_study"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("study_id", "tag", name=op.f("pk_study_tag")),
    )


def downgrade() -> None:
    op.drop_table("study_tag")
