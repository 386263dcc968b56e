"""Certainty on a scale of any kind, beside the points of `uncertainty`

Revision: 0010
Follows: 0009

What happens to collected responses: they stay as they are, without a certainty; an answer to a question that was
called `certainty` so far stays among the other answers. Going back loses the answers to sliders of that name.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("response", sa.Column("certainty", sa.Float(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("response", reflect_kwargs={"resolve_fks": False}) as response:
        response.drop_column("certainty")
