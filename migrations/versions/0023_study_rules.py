"""The rule of the study itself that leaves an answer out, beside the rule `unwatched`

Revision: 0023
Follows: 0022

What happens to collected responses: nothing. None of them was collected by a study with rules of its own, so that none
is left out by one. Going back drops which are; their flags stay.
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("response", sa.Column("study_rule", sa.String(), nullable=True))


def downgrade() -> None:
    op.drop_column("response", "study_rule")
