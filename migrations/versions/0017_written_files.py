"""Study files are kept as they were written, comments and all

Revision: 0017
Follows: 0016

What happens to collected responses: nothing. Designs, and so the hashes of versions, stay as they are; drafts and
versions from before have no such file, and are written anew when they are downloaded. Going back loses the comments.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_JSON = sa.JSON(none_as_null=True).with_variant(
    postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), "postgresql"
)


def upgrade() -> None:
    op.add_column("draft", sa.Column("written", _JSON, nullable=True))
    op.add_column("study_version", sa.Column("written", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("study_version", "written")
    op.drop_column("draft", "written")
