"""What the video in a clip's file was: in what the clip differs from it is said from that

Revision: 0022
Follows: 0021

What happens to collected responses: nothing. Of clips that are there already nothing is known of their files until they
are imported again. Going back drops what is known.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_ABSENT_JSON = sa.JSON(none_as_null=True).with_variant(
    postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), "postgresql"
)


def upgrade() -> None:
    op.add_column("stimulus", sa.Column("original_video", _ABSENT_JSON, nullable=True))


def downgrade() -> None:
    op.drop_column("stimulus", "original_video")
