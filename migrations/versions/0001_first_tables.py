"""first tables

Revision: 0001
Follows: none

What happens to collected responses: there are none yet.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "stimulus",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("attributes", _JSON, nullable=False),
        sa.Column("original_name", sa.String(), nullable=True),
        sa.Column("original_sha256", sa.String(), nullable=True),
        sa.Column("original_bytes", sa.Integer(), nullable=True),
        sa.Column("clip_sha256", sa.String(), nullable=True),
        sa.Column("clip_bytes", sa.Integer(), nullable=True),
        sa.Column("positions_sha256", sa.String(), nullable=True),
        sa.Column("rules", _JSON, nullable=False),
        sa.Column("duration_s", sa.Float(), nullable=True),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("fps", sa.Float(), nullable=True),
        sa.Column("frames", sa.Integer(), nullable=True),
        sa.Column("imported_at", UTCDateTime(), nullable=False),
        sa.CheckConstraint("duration_s > 0", name=op.f("ck_stimulus_duration_s")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stimulus")),
        sa.UniqueConstraint("name", name=op.f("uq_stimulus_name")),
    )
    op.create_table(
        "study",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.CheckConstraint("state IN ('draft', 'live', 'paused', 'closed')", name=op.f("ck_study_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study")),
        sa.UniqueConstraint("slug", name=op.f("uq_study_slug")),
    )
    op.create_table(
        "study_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("design", sa.Text(), nullable=False),
        sa.Column("padded_bytes", sa.Integer(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("frozen_at", UTCDateTime(), nullable=True),
        sa.CheckConstraint("number >= 1", name=op.f("ck_study_version_number")),
        sa.CheckConstraint("padded_bytes >= 0", name=op.f("ck_study_version_padded_bytes")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_study_version_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study_version")),
        sa.UniqueConstraint("study_id", "number", name=op.f("uq_study_version_study_id_number")),
    )
    op.create_table(
        "pair",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("condition", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("stimulus_a_id", sa.Integer(), nullable=False),
        sa.Column("stimulus_b_id", sa.Integer(), nullable=False),
        sa.Column("truth", sa.String(), nullable=True),
        sa.CheckConstraint("kind IN ('main', 'practice', 'attention')", name=op.f("ck_pair_kind")),
        sa.CheckConstraint("truth IN ('a', 'b')", name=op.f("ck_pair_truth")),
        sa.CheckConstraint("stimulus_a_id <> stimulus_b_id", name=op.f("ck_pair_two_clips")),
        sa.ForeignKeyConstraint(["stimulus_a_id"], ["stimulus.id"], name=op.f("fk_pair_stimulus_a_id")),
        sa.ForeignKeyConstraint(["stimulus_b_id"], ["stimulus.id"], name=op.f("fk_pair_stimulus_b_id")),
        sa.ForeignKeyConstraint(["version_id"], ["study_version.id"], name=op.f("fk_pair_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pair")),
        sa.UniqueConstraint("version_id", "name", name=op.f("uq_pair_version_id_name")),
        sa.UniqueConstraint("version_id", "position", name=op.f("uq_pair_version_id_position")),
    )
    op.create_table(
        "participant_session",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("arm", sa.String(), nullable=False),
        sa.Column("mode", sa.String(), nullable=False),
        sa.Column("participant", sa.String(), nullable=True),
        sa.Column("recruiter", _JSON, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=True),
        sa.Column("seed", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("page_shown_at", UTCDateTime(), nullable=True),
        sa.Column("arrived_at", UTCDateTime(), nullable=False),
        sa.Column("consented_at", UTCDateTime(), nullable=True),
        sa.Column("ended_at", UTCDateTime(), nullable=True),
        sa.CheckConstraint(
            "mode IN ('live', 'pilot', 'preview', 'simulated')", name=op.f("ck_participant_session_mode")
        ),
        sa.CheckConstraint(
            "status IN ('arrived', 'active', 'completed', 'refused', 'under-age')",
            name=op.f("ck_participant_session_status"),
        ),
        sa.CheckConstraint("step >= 0", name=op.f("ck_participant_session_step")),
        sa.ForeignKeyConstraint(
            ["version_id"], ["study_version.id"], name=op.f("fk_participant_session_version_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_participant_session")),
        sa.UniqueConstraint("token", name=op.f("uq_participant_session_token")),
        sa.UniqueConstraint(
            "version_id", "mode", "ordinal", name=op.f("uq_participant_session_version_id_mode_ordinal")
        ),
    )
    with op.batch_alter_table(
        "participant_session", schema=None, reflect_kwargs={"resolve_fks": False}
    ) as batch_op:
        batch_op.create_index(
            "ix_participant_session_version_participant", ["version_id", "participant"], unique=False
        )

    op.create_table(
        "trial",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("left_member", sa.String(), nullable=False),
        sa.CheckConstraint("left_member IN ('a', 'b')", name=op.f("ck_trial_left_member")),
        sa.CheckConstraint("position >= 1", name=op.f("ck_trial_position")),
        sa.ForeignKeyConstraint(["pair_id"], ["pair.id"], name=op.f("fk_trial_pair_id")),
        sa.ForeignKeyConstraint(["session_id"], ["participant_session.id"], name=op.f("fk_trial_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trial")),
        sa.UniqueConstraint("session_id", "pair_id", name=op.f("uq_trial_session_id_pair_id")),
        sa.UniqueConstraint("session_id", "position", name=op.f("uq_trial_session_id_position")),
    )
    with op.batch_alter_table("trial", schema=None, reflect_kwargs={"resolve_fks": False}) as batch_op:
        batch_op.create_index(batch_op.f("ix_trial_pair_id"), ["pair_id"], unique=False)

    op.create_table(
        "response",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("trial_id", sa.Integer(), nullable=True),
        sa.Column("page", sa.String(), nullable=False),
        sa.Column("submit_id", sa.String(), nullable=False),
        sa.Column("side", sa.String(), nullable=True),
        sa.Column("uncertainty", sa.Integer(), nullable=True),
        sa.Column("rationale", sa.Text(), nullable=True),
        sa.Column("answers", _JSON, nullable=False),
        sa.Column("unplayable", sa.Boolean(), nullable=False),
        sa.Column("rt_ms", sa.Integer(), nullable=True),
        sa.Column("shown_at", UTCDateTime(), nullable=True),
        sa.Column("answered_at", UTCDateTime(), nullable=True),
        sa.Column("flags", _JSON, nullable=False),
        sa.Column("odd_playback", sa.Text(), nullable=True),
        sa.CheckConstraint("side IN ('left', 'right')", name=op.f("ck_response_side")),
        sa.CheckConstraint("rt_ms >= 0", name=op.f("ck_response_rt_ms")),
        sa.CheckConstraint("trial_id IS NOT NULL OR side IS NULL", name=op.f("ck_response_side_needs_trial")),
        sa.CheckConstraint("uncertainty BETWEEN 1 AND 11", name=op.f("ck_response_uncertainty")),
        sa.ForeignKeyConstraint(
            ["session_id"], ["participant_session.id"], name=op.f("fk_response_session_id")
        ),
        sa.ForeignKeyConstraint(["trial_id"], ["trial.id"], name=op.f("fk_response_trial_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_response")),
        sa.UniqueConstraint("session_id", "page", name=op.f("uq_response_session_id_page")),
        sa.UniqueConstraint("session_id", "submit_id", name=op.f("uq_response_session_id_submit_id")),
        sa.UniqueConstraint("trial_id", name=op.f("uq_response_trial_id")),
    )
    op.create_table(
        "playback",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("response_id", sa.Integer(), nullable=False),
        sa.Column("member", sa.String(), nullable=False),
        sa.Column("watched", sa.Boolean(), nullable=False),
        sa.Column("plays", sa.Integer(), nullable=False),
        sa.Column("played", _JSON, nullable=False),
        sa.Column("duration_s", sa.Float(), nullable=True),
        sa.Column("stalls", sa.Integer(), nullable=False),
        sa.Column("stall_ms", sa.Integer(), nullable=False),
        sa.Column("dropped_frames", sa.Integer(), nullable=False),
        sa.Column("frames", sa.Integer(), nullable=False),
        sa.Column("drift_ms_max", sa.Integer(), nullable=True),
        sa.Column("hidden_ms", sa.Integer(), nullable=False),
        sa.Column("page_loads", sa.Integer(), nullable=False),
        sa.Column("max_rate", sa.Float(), nullable=True),
        sa.Column("failed", sa.Boolean(), nullable=False),
        sa.Column("errors", _JSON, nullable=False),
        sa.CheckConstraint("member IN ('a', 'b')", name=op.f("ck_playback_member")),
        sa.ForeignKeyConstraint(["response_id"], ["response.id"], name=op.f("fk_playback_response_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_playback")),
        sa.UniqueConstraint("response_id", "member", name=op.f("uq_playback_response_id_member")),
    )


def downgrade() -> None:
    op.drop_table("playback")
    op.drop_table("response")
    with op.batch_alter_table("trial", schema=None, reflect_kwargs={"resolve_fks": False}) as batch_op:
        batch_op.drop_index(batch_op.f("ix_trial_pair_id"))

    op.drop_table("trial")
    with op.batch_alter_table(
        "participant_session", schema=None, reflect_kwargs={"resolve_fks": False}
    ) as batch_op:
        batch_op.drop_index("ix_participant_session_version_participant")

    op.drop_table("participant_session")
    op.drop_table("pair")
    op.drop_table("study_version")
    op.drop_table("study")
    op.drop_table("stimulus")
