"""the experimenter's room: users, drafts, uploads, jobs, exclusions; pairs keep the clips they were saved with

Revision: 0002
Follows: 0001

What happens to collected responses: nothing; every row is carried along. Pairs are given the clips that their
stimuli have now, which are those that were shown: until this revision a stimulus could not be processed anew.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_TABLES = (
    "login_attempt",
    "user_account",
    "api_token",
    "audit_entry",
    "draft",
    "job",
    "library_rules",
    "login",
    "study_share",
    "upload",
    "exclusion",
    "session_note",
)

# What a pair keeps of each clip, and the stimulus's column that has it.
_CLIP: dict[str, tuple[Any, str]] = {
    "sha256": (sa.String(), "clip_sha256"),
    "bytes": (sa.Integer(), "clip_bytes"),
    "duration_s": (sa.Float(), "duration_s"),
}


def upgrade() -> None:
    _make_tables()
    _set_states("'draft', 'pilot', 'live', 'paused', 'closed'")
    with op.batch_alter_table("study_version", reflect_kwargs={"resolve_fks": False}) as version:
        version.add_column(sa.Column("reason", sa.Text(), nullable=False, server_default=""))
        version.add_column(sa.Column("saved_by", sa.Integer(), nullable=True))
        version.create_foreign_key("fk_study_version_saved_by", "user_account", ["saved_by"], ["id"])
    with op.batch_alter_table("study_version", reflect_kwargs={"resolve_fks": False}) as version:
        version.alter_column("reason", server_default=None, existing_type=sa.Text(), existing_nullable=False)
    with op.batch_alter_table("stimulus", reflect_kwargs={"resolve_fks": False}) as stimulus:
        stimulus.alter_column("original_bytes", type_=sa.BigInteger(), existing_type=sa.Integer())
    _index_playback()
    for member in "ab":
        for column, (type_, of_stimulus) in _CLIP.items():
            op.add_column("pair", sa.Column(f"clip_{member}_{column}", type_, nullable=True))
            op.execute(
                f"UPDATE pair SET clip_{member}_{column} = "  # noqa: S608
                f"(SELECT {of_stimulus} FROM stimulus WHERE stimulus.id = pair.stimulus_{member}_id)"
            )


def downgrade() -> None:
    op.drop_index("ix_playback_away", table_name="playback")
    for member in "ab":
        for column in _CLIP:
            op.drop_column("pair", f"clip_{member}_{column}")
    with op.batch_alter_table("stimulus", reflect_kwargs={"resolve_fks": False}) as stimulus:
        stimulus.alter_column("original_bytes", type_=sa.Integer(), existing_type=sa.BigInteger())
    with op.batch_alter_table("study_version", reflect_kwargs={"resolve_fks": False}) as version:
        version.drop_constraint("fk_study_version_saved_by", type_="foreignkey")
        version.drop_column("saved_by")
        version.drop_column("reason")
    op.execute("UPDATE study SET state = 'draft' WHERE state = 'pilot'")
    _set_states("'draft', 'live', 'paused', 'closed'")
    for table in reversed(_TABLES):
        op.drop_table(table)


def _index_playback() -> None:
    """Create the index for the monitor, which looks for the few clips that stalled or were on a hidden page."""
    away = sa.text("stalls > 0 OR hidden_ms > 0")
    op.create_index(
        "ix_playback_away",
        "playback",
        ["response_id", "stalls", "hidden_ms"],
        unique=False,
        sqlite_where=away,
        postgresql_where=away,
    )


def _set_states(allowed: str) -> None:
    """SQLite makes the table anew, with the checks that it finds: the old one has to go by name."""
    with op.batch_alter_table("study", reflect_kwargs={"resolve_fks": False}) as study:
        study.drop_constraint(op.f("ck_study_state"), type_="check")
        study.create_check_constraint(op.f("ck_study_state"), f"state IN ({allowed})")


def _make_tables() -> None:
    op.create_table(
        "login_attempt",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_attempt")),
    )
    op.create_index("ix_login_attempt_who_at", "login_attempt", ["who", "at"], unique=False)

    op.create_table(
        "user_account",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("disabled_at", UTCDateTime(), nullable=True),
        sa.CheckConstraint("role IN ('owner', 'editor', 'viewer')", name=op.f("ck_user_account_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_account")),
        sa.UniqueConstraint("email", name=op.f("uq_user_account_email")),
    )
    op.create_table(
        "api_token",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("token_sha256", sa.String(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("used_at", UTCDateTime(), nullable=True),
        sa.Column("revoked_at", UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"], name=op.f("fk_api_token_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_token")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_api_token_token_sha256")),
    )
    op.create_index("ix_api_token_user_id", "api_token", ["user_id"], unique=False)

    op.create_table(
        "audit_entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("study", sa.String(), nullable=True),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("before", _JSON, nullable=True),
        sa.Column("after", _JSON, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"], name=op.f("fk_audit_entry_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entry")),
    )
    op.create_index("ix_audit_entry_study_id", "audit_entry", ["study", "id"], unique=False)

    op.create_table(
        "draft",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("keys", _JSON, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("saved_by", sa.Integer(), nullable=True),
        sa.Column("saved_at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["saved_by"], ["user_account.id"], name=op.f("fk_draft_saved_by")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_draft_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draft")),
        sa.UniqueConstraint("study_id", name=op.f("uq_draft_study_id")),
    )
    op.create_table(
        "job",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=True),
        sa.Column("params", _JSON, nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("doing", sa.String(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("result", _JSON, nullable=True),
        sa.Column("asked_by", sa.Integer(), nullable=True),
        sa.Column("asked_at", UTCDateTime(), nullable=False),
        sa.Column("begun_at", UTCDateTime(), nullable=True),
        sa.Column("ended_at", UTCDateTime(), nullable=True),
        sa.Column("seen_at", UTCDateTime(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('import', 'preview', 'reprocess', 'clues', 'report', 'package')",
            name=op.f("ck_job_kind"),
        ),
        sa.CheckConstraint(
            "status IN ('queued', 'running', 'done', 'failed', 'cancelled')", name=op.f("ck_job_status")
        ),
        sa.CheckConstraint("done >= 0 AND total >= 0", name=op.f("ck_job_progress")),
        sa.ForeignKeyConstraint(["asked_by"], ["user_account.id"], name=op.f("fk_job_asked_by")),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_job_study_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
    )
    op.create_index("ix_job_status_id", "job", ["status", "id"], unique=False)
    op.create_index("ix_job_study_id_kind", "job", ["study_id", "kind"], unique=False)

    op.create_table(
        "library_rules",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("rules", _JSON, nullable=False),
        sa.Column("saved_by", sa.Integer(), nullable=True),
        sa.Column("saved_at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["saved_by"], ["user_account.id"], name=op.f("fk_library_rules_saved_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_library_rules")),
    )
    op.create_table(
        "login",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("token_sha256", sa.String(), nullable=False),
        sa.Column("browser", sa.String(), nullable=False),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("seen_at", UTCDateTime(), nullable=False),
        sa.Column("expires_at", UTCDateTime(), nullable=False),
        sa.Column("revoked_at", UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"], name=op.f("fk_login_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_login_token_sha256")),
    )
    op.create_index("ix_login_user_id", "login", ["user_id"], unique=False)

    op.create_table(
        "study_share",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_study_share_study_id")),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"], name=op.f("fk_study_share_user_id")),
        sa.PrimaryKeyConstraint("study_id", "user_id", name=op.f("pk_study_share")),
    )
    op.create_index("ix_study_share_user_id", "study_share", ["user_id"], unique=False)

    op.create_table(
        "upload",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("file_name", sa.String(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("attributes", _JSON, nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("stimulus_id", sa.Integer(), nullable=True),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.Column("ended_at", UTCDateTime(), nullable=True),
        sa.CheckConstraint(
            "status IN ('receiving', 'waiting', 'done', 'refused', 'cancelled')",
            name=op.f("ck_upload_status"),
        ),
        sa.CheckConstraint("bytes >= 0", name=op.f("ck_upload_bytes")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_upload_job_id")),
        sa.ForeignKeyConstraint(["stimulus_id"], ["stimulus.id"], name=op.f("fk_upload_stimulus_id")),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"], name=op.f("fk_upload_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_upload")),
        sa.UniqueConstraint("token", name=op.f("uq_upload_token")),
    )
    op.create_index("ix_upload_user_id", "upload", ["user_id"], unique=False)

    op.create_table(
        "exclusion",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("excluded_by", sa.Integer(), nullable=True),
        sa.Column("excluded_at", UTCDateTime(), nullable=False),
        sa.Column("lifted_by", sa.Integer(), nullable=True),
        sa.Column("lifted_at", UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["excluded_by"], ["user_account.id"], name=op.f("fk_exclusion_excluded_by")),
        sa.ForeignKeyConstraint(["lifted_by"], ["user_account.id"], name=op.f("fk_exclusion_lifted_by")),
        sa.ForeignKeyConstraint(
            ["session_id"], ["participant_session.id"], name=op.f("fk_exclusion_session_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_exclusion")),
    )
    op.create_index("ix_exclusion_session_id", "exclusion", ["session_id"], unique=False)
    op.create_index(
        "uq_exclusion_standing",
        "exclusion",
        ["session_id"],
        unique=True,
        sqlite_where=sa.text("lifted_at IS NULL"),
        postgresql_where=sa.text("lifted_at IS NULL"),
    )

    op.create_table(
        "session_note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("written_by", sa.Integer(), nullable=True),
        sa.Column("written_at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["participant_session.id"], name=op.f("fk_session_note_session_id")
        ),
        sa.ForeignKeyConstraint(["written_by"], ["user_account.id"], name=op.f("fk_session_note_written_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_session_note")),
    )
    op.create_index("ix_session_note_session_id", "session_note", ["session_id"], unique=False)
