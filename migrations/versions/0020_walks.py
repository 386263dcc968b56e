"""Walks that people take on the map, and what they pressed

Revision: 0020
Follows: 0019

What happens to collected responses: nothing. Going back drops every walk.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql")


def upgrade() -> None:
    op.create_table(
        "walk",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("trial_id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("tick", sa.Integer(), nullable=False),
        sa.Column("walker", _JSON, nullable=False),
        sa.Column("length_um", sa.Integer(), nullable=False),
        sa.Column("over", sa.String(), nullable=True),
        sa.Column("began_at", UTCDateTime(), nullable=False),
        sa.Column("over_at", UTCDateTime(), nullable=True),
        sa.Column("frames", sa.Integer(), nullable=False),
        sa.Column("drawn_ms", sa.Integer(), nullable=False),
        sa.Column("slow_ms", sa.Integer(), nullable=False),
        sa.Column("input", sa.String(), nullable=False),
        sa.CheckConstraint("over IN ('arrived', 'time')", name=op.f("ck_walk_over")),
        sa.CheckConstraint("tick >= 0", name=op.f("ck_walk_tick")),
        sa.ForeignKeyConstraint(["session_id"], ["participant_session.id"], name=op.f("fk_walk_session_id")),
        sa.ForeignKeyConstraint(["trial_id"], ["trial.id"], name=op.f("fk_walk_trial_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_walk")),
        sa.UniqueConstraint("trial_id", name=op.f("uq_walk_trial_id")),
    )
    op.create_index(op.f("ix_walk_session_id"), "walk", ["session_id"])
    op.create_table(
        "walk_steps",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("walk_id", sa.Integer(), nullable=False),
        sa.Column("from_tick", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("steps", _JSON, nullable=False),
        sa.Column("frames", sa.Integer(), nullable=True),
        sa.Column("drawn_ms", sa.Integer(), nullable=True),
        sa.Column("input", sa.String(), nullable=False),
        sa.Column("received_at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["walk_id"], ["walk.id"], name=op.f("fk_walk_steps_walk_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_walk_steps")),
        sa.UniqueConstraint("walk_id", "from_tick", name=op.f("uq_walk_steps_walk_id_from_tick")),
    )


def downgrade() -> None:
    op.drop_table("walk_steps")
    op.drop_index(op.f("ix_walk_session_id"), "walk")
    op.drop_table("walk")
