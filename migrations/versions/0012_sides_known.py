"""Whether it is known where the clips were, for answers that came from elsewhere

Revision: 0012
Follows: 0011

What happens to collected responses: nothing; NULL is that the sides are known, as in every study so far. Going back
makes the left member of imported answers that did not say it member a.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("study_version", sa.Column("sides_known", sa.Boolean(), nullable=True))


def downgrade() -> None:
    op.drop_column("study_version", "sides_known")
