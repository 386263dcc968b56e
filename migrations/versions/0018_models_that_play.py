"""Language models on seats of live matches: what they are asked, and every prompt and reply

Revision: 0018
Follows: 0017

What happens to collected responses: nothing. Going back deletes prompts and replies; moves stay.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql")
_ABSENT_JSON = sa.JSON(none_as_null=True).with_variant(
    postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), "postgresql"
)
_OPEN = sa.text("status <> 'made'")


def upgrade() -> None:
    op.create_table(
        "decision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("asked_until", UTCDateTime(), nullable=True),
        sa.Column("move", _ABSENT_JSON, nullable=True),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("auto", sa.String(), nullable=False),
        sa.Column("move_at", UTCDateTime(), nullable=True),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.CheckConstraint("status IN ('open', 'asked', 'made')", name=op.f("ck_decision_status")),
        sa.ForeignKeyConstraint(
            ["match_id"], ["match.id"], name=op.f("fk_decision_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decision")),
        sa.UniqueConstraint("match_id", "phase_id", "seat", name=op.f("uq_decision_match_id_phase_id_seat")),
    )
    op.create_index(
        "ix_decision_open", "decision", ["asked_until"], sqlite_where=_OPEN, postgresql_where=_OPEN
    )
    op.create_table(
        "exchange",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("line", _JSON, nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["match.id"], name=op.f("fk_exchange_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_exchange")),
    )
    op.create_index(op.f("ix_exchange_match_id"), "exchange", ["match_id"])


def downgrade() -> None:
    op.drop_table("exchange")
    op.drop_table("decision")
