"""What recruitment needs: slots, languages, identities apart from answers, live targets of arms, registrations

Revision: 0026
Follows: 0025

What happens to collected responses: nothing. Sessions of before have no language, no time at which they were last seen
and nothing of their device; their ids stay where they are. Going back deletes identities that are kept apart, live
targets, verdicts of rules and registrations, and the layout of answers to clips that were shown one after the other. It
makes people who were screened out, or whose device was not suited, people who refused, and those who failed the checks
people whose study would not play.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from alembic.operations import BatchOperations
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel.sql.sqltypes import AutoString, UTCDateTime

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

_BEFORE = (
    "arrived", "active", "completed", "refused", "under-age", "unplayable", "full", "left", "withdrawn"
)  # fmt: skip
_NEW = ("screened-out", "unsuited", "failed-checks")
_JOB = sa.table("job", sa.column("kind", sa.String()))
_RESPONSE = sa.table("response", sa.column("layout", sa.String()))
_LAYOUTS = ("side-by-side", "stacked")
_SESSION = sa.table("participant_session", sa.column("status", sa.String()))


_KINDS = (
    "import", "preview", "reprocess", "clues", "report", "package", "judges", "results", "training", "walks", "pictures"
)  # fmt: skip


def upgrade() -> None:
    _allow_kinds((*_KINDS, "verdicts"))
    with op.batch_alter_table(
        "participant_session",
        table_kwargs={"sqlite_autoincrement": True},
        reflect_kwargs={"resolve_fks": False},
    ) as session:
        _allow(session, (*_BEFORE, *_NEW))
        session.add_column(sa.Column("language", AutoString(), nullable=True))
        session.add_column(sa.Column("consent_sha256", AutoString(), nullable=True))
        session.add_column(sa.Column("seen_at", UTCDateTime(), nullable=True))
        session.add_column(sa.Column("released_at", UTCDateTime(), nullable=True))
        session.add_column(sa.Column("device", _json(), nullable=True))
    op.add_column("study", sa.Column("target", sa.Integer(), nullable=True))
    op.add_column("study", sa.Column("opens_at", UTCDateTime(), nullable=True))
    op.add_column("study", sa.Column("ends_at", UTCDateTime(), nullable=True))
    with op.batch_alter_table("response", reflect_kwargs={"resolve_fks": False}) as response:
        _allow_layouts(response, (*_LAYOUTS, "sequential"))
        response.add_column(sa.Column("typed", _json(), nullable=True))
    op.create_table(
        "participant_identity",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("external_id", AutoString(), nullable=True),
        sa.Column("hashed_id", AutoString(), nullable=True),
        sa.Column("parameters", _json(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["participant_session.id"],
            name=op.f("fk_participant_identity_session_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_participant_identity")),
    )
    op.create_index(op.f("ix_participant_identity_external_id"), "participant_identity", ["external_id"])
    op.create_index(op.f("ix_participant_identity_hashed_id"), "participant_identity", ["hashed_id"])
    op.create_table(
        "session_verdict",
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("use", sa.Boolean(), nullable=False),
        sa.Column("pay", sa.Boolean(), nullable=False),
        sa.Column("rules", _json(), nullable=False),
        sa.Column("names", sa.Text(), nullable=False),
        sa.Column("judged_at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["participant_session.id"],
            name=op.f("fk_session_verdict_session_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_session_verdict")),
    )
    op.create_index(
        "ix_session_verdict_unused",
        "session_verdict",
        ["session_id"],
        sqlite_where=sa.text("use IS 0"),
        postgresql_where=sa.text("use IS FALSE"),
    )
    op.create_table(
        "study_arm",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("arm", AutoString(), nullable=False),
        sa.Column("target", sa.Integer(), nullable=True),
        sa.Column("paused_at", UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["study_id"], ["study.id"], name=op.f("fk_study_arm_study_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("study_id", "arm", name=op.f("pk_study_arm")),
    )
    op.create_table(
        "registration",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("sha256", AutoString(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("address", AutoString(), nullable=True),
        sa.Column("registered_at", UTCDateTime(), nullable=False),
        sa.Column("registered_by", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["version_id"], ["study_version.id"], name=op.f("fk_registration_version_id")
        ),
        sa.ForeignKeyConstraint(
            ["registered_by"], ["user_account.id"], name=op.f("fk_registration_registered_by")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_registration")),
    )
    op.create_index(op.f("ix_registration_version_id"), "registration", ["version_id"])


def downgrade() -> None:
    op.drop_table("registration")
    op.drop_table("study_arm")
    op.drop_index("ix_session_verdict_unused", "session_verdict")
    op.drop_table("session_verdict")
    op.drop_table("participant_identity")
    op.get_bind().execute(sa.update(_RESPONSE).where(_RESPONSE.c.layout == "sequential").values(layout=None))
    with op.batch_alter_table("response", reflect_kwargs={"resolve_fks": False}) as response:
        response.drop_column("typed")
        _allow_layouts(response, _LAYOUTS)
    op.get_bind().execute(sa.delete(_JOB).where(_JOB.c.kind == "verdicts"))
    _allow_kinds(_KINDS)
    for column in ("ends_at", "opens_at", "target"):
        op.drop_column("study", column)
    connection = op.get_bind()
    for was, becomes in (
        ("screened-out", "refused"),
        ("unsuited", "refused"),
        ("failed-checks", "unplayable"),
    ):
        connection.execute(sa.update(_SESSION).where(_SESSION.c.status == was).values(status=becomes))
    with op.batch_alter_table(
        "participant_session",
        table_kwargs={"sqlite_autoincrement": True},
        reflect_kwargs={"resolve_fks": False},
    ) as session:
        for column in ("device", "released_at", "seen_at", "consent_sha256", "language"):
            session.drop_column(column)
        _allow(session, _BEFORE)


def _allow(session: BatchOperations, statuses: tuple[str, ...]) -> None:
    """SQLite makes the table anew, with the checks that it finds: the old one has to go by name, and ids stay new."""
    name = op.f("ck_participant_session_status")
    session.drop_constraint(name, type_="check")
    session.create_check_constraint(name, f"status IN ({', '.join(map(repr, statuses))})")


def _allow_layouts(response: BatchOperations, layouts: tuple[str, ...]) -> None:
    response.drop_constraint(op.f("ck_response_layout"), type_="check")
    response.create_check_constraint(
        op.f("ck_response_layout"), f"layout IN ({', '.join(map(repr, layouts))})"
    )


def _allow_kinds(kinds: tuple[str, ...]) -> None:
    with op.batch_alter_table(
        "job", table_kwargs={"sqlite_autoincrement": True}, reflect_kwargs={"resolve_fks": False}
    ) as job:
        job.drop_constraint(op.f("ck_job_kind"), type_="check")
        job.create_check_constraint(op.f("ck_job_kind"), f"kind IN ({', '.join(map(repr, kinds))})")


def _json() -> sa.types.TypeEngine[Any]:
    return sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
