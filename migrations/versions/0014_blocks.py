"""The blocks that a session goes through, and how a stimulus was read

Revision: 0014
Follows: 0013

What happens to collected responses: nothing; NULL is that a session goes through all blocks of its version, whole and
in order, as every session did so far. Going back forgets the blocks: a session under way of a study with several of
them is lost.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_ABSENT_JSON = sa.JSON(none_as_null=True).with_variant(
    postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), "postgresql"
)


def upgrade() -> None:
    op.add_column("participant_session", sa.Column("blocks", _ABSENT_JSON, nullable=True))
    op.add_column("evidence", sa.Column("reading", _ABSENT_JSON, nullable=True))


def downgrade() -> None:
    op.drop_column("evidence", "reading")
    op.drop_column("participant_session", "blocks")
