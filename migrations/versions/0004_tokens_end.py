"""API tokens may end

Revision: 0004
Follows: 0003

What happens to collected responses: nothing. Tokens made before have no end and go on until they are revoked, as they
were made to. Going back forgets the ends: tokens that had ended work again.
"""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_token", sa.Column("expires_at", UTCDateTime(), nullable=True))


def downgrade() -> None:
    op.drop_column("api_token", "expires_at")
