"""Notes on studies, links to results, email: names of users and their wishes, links to a password, jobs that wait

Revision: 0029
Follows: 0028

What happens to collected responses: nothing. Going back deletes notes, links, names and wishes, and mails that wait.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel.sql.sqltypes import AutoString, UTCDateTime

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

_JOB = sa.table("job", sa.column("kind", sa.String()))
_KINDS = (
    "import", "preview", "reprocess", "clues", "report", "package", "judges", "results", "training", "walks",
    "pictures", "verdicts", "simulation",
)  # fmt: skip


def upgrade() -> None:
    op.add_column("user_account", sa.Column("name", AutoString(), nullable=True))
    op.add_column("user_account", sa.Column("mails", _json(), nullable=True))
    with op.batch_alter_table(
        "job", table_kwargs={"sqlite_autoincrement": True}, reflect_kwargs={"resolve_fks": False}
    ) as job:
        job.drop_constraint(op.f("ck_job_kind"), type_="check")
        job.create_check_constraint(op.f("ck_job_kind"), _is_one_of((*_KINDS, "mail")))
        job.add_column(sa.Column("not_before", UTCDateTime(), nullable=True))
    op.create_table(
        "password_link",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("token_sha256", AutoString(), nullable=False),
        sa.Column("made_at", UTCDateTime(), nullable=False),
        sa.Column("expires_at", UTCDateTime(), nullable=False),
        sa.Column("used_at", UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"], name=op.f("fk_password_link_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_password_link")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_password_link_token_sha256")),
    )
    op.create_index(op.f("ix_password_link_user_id"), "password_link", ["user_id"])
    op.create_table(
        "study_note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("written_by", sa.Integer(), nullable=True),
        sa.Column("written_at", UTCDateTime(), nullable=False),
        sa.Column("edited_at", UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_study_note_study_id")),
        sa.ForeignKeyConstraint(["written_by"], ["user_account.id"], name=op.f("fk_study_note_written_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_study_note")),
    )
    op.create_index(op.f("ix_study_note_study_id"), "study_note", ["study_id"])
    op.create_table(
        "results_link",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("token_sha256", AutoString(), nullable=False),
        sa.Column("mode", AutoString(), nullable=False),
        sa.Column("name", AutoString(), nullable=False),
        sa.Column("made_by", sa.Integer(), nullable=True),
        sa.Column("made_at", UTCDateTime(), nullable=False),
        sa.Column("expires_at", UTCDateTime(), nullable=False),
        sa.Column("revoked_at", UTCDateTime(), nullable=True),
        sa.Column("opened_at", UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["study_id"], ["study.id"], name=op.f("fk_results_link_study_id")),
        sa.ForeignKeyConstraint(["made_by"], ["user_account.id"], name=op.f("fk_results_link_made_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_results_link")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_results_link_token_sha256")),
    )
    op.create_index(op.f("ix_results_link_study_id"), "results_link", ["study_id"])


def downgrade() -> None:
    for table in ("results_link", "study_note", "password_link"):
        op.drop_table(table)
    op.get_bind().execute(sa.delete(_JOB).where(_JOB.c.kind == "mail"))
    with op.batch_alter_table(
        "job", table_kwargs={"sqlite_autoincrement": True}, reflect_kwargs={"resolve_fks": False}
    ) as job:
        job.drop_column("not_before")
        job.drop_constraint(op.f("ck_job_kind"), type_="check")
        job.create_check_constraint(op.f("ck_job_kind"), _is_one_of(_KINDS))
    op.drop_column("user_account", "mails")
    op.drop_column("user_account", "name")


def _is_one_of(kinds: tuple[str, ...]) -> str:
    return f"kind IN ({', '.join(map(repr, kinds))})"


def _json() -> sa.types.TypeEngine[Any]:
    return sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
