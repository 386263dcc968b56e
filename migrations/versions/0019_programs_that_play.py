"""Programs on seats of live matches: whose decision it is, and which post made it

Revision: 0019
Follows: 0018

What happens to collected responses: nothing. Going back forgets which decisions were of programs.
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_OF_PROGRAMS = sa.text("program IS NOT NULL")


def upgrade() -> None:
    op.add_column("decision", sa.Column("program", sa.String(), nullable=True))
    op.add_column("decision", sa.Column("submit_id", sa.String(), nullable=True))
    op.create_index(
        "ix_decision_program",
        "decision",
        ["program", "match_id"],
        sqlite_where=_OF_PROGRAMS,
        postgresql_where=_OF_PROGRAMS,
    )


def downgrade() -> None:
    op.drop_index("ix_decision_program", "decision")
    op.drop_column("decision", "submit_id")
    op.drop_column("decision", "program")
