"""Tokens as hashes, sessions vouched for by a link, studies that close with a grace, refusals that leave a date

Revision: 0006
Follows: 0005

What happens to collected responses: none changes but those of people who declined, of whom only the decision and its
date was to be kept: the response that named a time of day goes, as do their tokens. Every other token opens its
session as before. Studies that are closed stay closed to everybody. Going back loses the links of all sessions, as a
hash is no token, and counts who could play nothing as completed.
"""

import hashlib
import secrets

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_STATUSES = "'arrived', 'active', 'completed', 'refused', 'under-age'"
_DECLINED = "('refused', 'under-age')"
_AT_ONCE = 10_000


def upgrade() -> None:
    op.create_table(
        "session_token",
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["participant_session.id"], name=op.f("fk_session_token_session_id")
        ),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_session_token")),
    )
    op.create_index(op.f("ix_session_token_session_id"), "session_token", ["session_id"], unique=False)
    _forget_who_declined()
    _hash_tokens()
    with op.batch_alter_table("participant_session", reflect_kwargs={"resolve_fks": False}) as session:
        session.drop_constraint(op.f("uq_participant_session_token"), type_="unique")
        session.drop_column("token")
        session.add_column(sa.Column("is_signed", sa.Boolean(), nullable=False, server_default=sa.false()))
        session.drop_constraint(op.f("ck_participant_session_status"), type_="check")
        session.create_check_constraint(
            op.f("ck_participant_session_status"), f"status IN ({_STATUSES}, 'unplayable')"
        )
    with op.batch_alter_table("participant_session", reflect_kwargs={"resolve_fks": False}) as session:
        session.alter_column(
            "is_signed", server_default=None, existing_type=sa.Boolean(), existing_nullable=False
        )
    with op.batch_alter_table("study", reflect_kwargs={"resolve_fks": False}) as study:
        study.add_column(sa.Column("closes_at", UTCDateTime(), nullable=True))
        study.add_column(sa.Column("closing", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("study", reflect_kwargs={"resolve_fks": False}) as study:
        study.alter_column("closing", server_default=None, existing_type=sa.Text(), existing_nullable=False)


def downgrade() -> None:
    with op.batch_alter_table("study", reflect_kwargs={"resolve_fks": False}) as study:
        study.drop_column("closing")
        study.drop_column("closes_at")
    op.execute("UPDATE participant_session SET status = 'completed' WHERE status = 'unplayable'")
    with op.batch_alter_table("participant_session", reflect_kwargs={"resolve_fks": False}) as session:
        session.add_column(sa.Column("token", sa.String(), nullable=True))
        session.drop_column("is_signed")
        session.drop_constraint(op.f("ck_participant_session_status"), type_="check")
        session.create_check_constraint(op.f("ck_participant_session_status"), f"status IN ({_STATUSES})")
    connection = op.get_bind()
    for id_ in connection.scalars(sa.text("SELECT id FROM participant_session")).all():
        connection.execute(
            sa.text("UPDATE participant_session SET token = :token WHERE id = :id"),
            {"token": secrets.token_urlsafe(16), "id": id_},
        )
    with op.batch_alter_table("participant_session", reflect_kwargs={"resolve_fks": False}) as session:
        session.alter_column("token", nullable=False, existing_type=sa.String())
        session.create_unique_constraint(op.f("uq_participant_session_token"), ["token"])
    op.drop_table("session_token")


def _forget_who_declined() -> None:
    """Delete the data of people who declined; previews belong to no person and keep theirs."""
    of_people = f"status IN {_DECLINED} AND mode <> 'preview'"
    declined = f"SELECT id FROM participant_session WHERE {of_people}"  # noqa: S608
    op.execute(f"DELETE FROM response WHERE session_id IN ({declined})")  # noqa: S608
    sessions = sa.table(
        "participant_session",
        sa.column("participant", sa.String()),
        sa.column("recruiter", sa.JSON()),
        sa.column("page_shown_at", UTCDateTime()),
        sa.column("arrived_at", UTCDateTime()),
        sa.column("ended_at", UTCDateTime()),
        sa.column("id", sa.Integer()),
    )
    connection = op.get_bind()
    found = sa.select(sessions.c.id, sessions.c.arrived_at, sessions.c.ended_at).where(sa.text(of_people))
    for id_, arrived_at, ended_at in connection.execute(found).all():
        on = (ended_at or arrived_at).replace(hour=0, minute=0, second=0, microsecond=0)
        connection.execute(
            sessions.update()
            .where(sessions.c.id == id_)
            .values(participant=None, recruiter={}, page_shown_at=None, arrived_at=on, ended_at=on)
        )


def _hash_tokens() -> None:
    connection = op.get_bind()
    tokens = sa.table("session_token", sa.column("sha256"), sa.column("session_id"))
    kept = sa.text(
        "SELECT id, token FROM participant_session "  # noqa: S608
        f"WHERE status NOT IN {_DECLINED} OR mode = 'preview'"
    )
    rows = connection.execute(kept).all()
    for start in range(0, len(rows), _AT_ONCE):
        connection.execute(
            sa.insert(tokens),
            [
                {"sha256": hashlib.sha256(token.encode()).hexdigest(), "session_id": id_}
                for id_, token in rows[start : start + _AT_ONCE]
            ],
        )
