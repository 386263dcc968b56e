"""Nothing of anybody before consent; and sessions of which a count alone is kept

Revision: 0024
Follows: 0023

What happens to collected responses: nothing. Of who has not answered the consent page the id, the link's parameters and
the time of day are forgotten, and they have left: whoever has that page open opens their link once more. Going back
makes those who left or found no place people who refused, as no other row holds nothing of anybody; so it does of who
had their answers deleted.
"""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_STATUSES = ("arrived", "active", "completed", "refused", "under-age", "unplayable")
_NEW = ("full", "left", "withdrawn")
_SESSION = sa.table(
    "participant_session",
    sa.column("id", sa.Integer()),
    sa.column("mode", sa.String()),
    sa.column("status", sa.String()),
    sa.column("participant", sa.String()),
    sa.column("is_signed", sa.Boolean()),
    sa.column("recruiter", sa.JSON()),
    sa.column("page_shown_at", UTCDateTime()),
    sa.column("arrived_at", UTCDateTime()),
    sa.column("ended_at", UTCDateTime()),
)
_TOKEN = sa.table("session_token", sa.column("session_id", sa.Integer()))
_NOTHING: dict[str, object] = {
    "participant": None,
    "is_signed": False,
    "recruiter": {},
    "page_shown_at": None,
}


def upgrade() -> None:
    _allow((*_STATUSES, *_NEW))
    connection = op.get_bind()
    undecided = (_SESSION.c.status == "arrived", _SESSION.c.mode != "preview")
    for id_, arrived_at in connection.execute(
        sa.select(_SESSION.c.id, _SESSION.c.arrived_at).where(*undecided)
    ).all():
        on = arrived_at.replace(hour=0, minute=0, second=0, microsecond=0)
        connection.execute(sa.delete(_TOKEN).where(_TOKEN.c.session_id == id_))
        left = sa.update(_SESSION).where(_SESSION.c.id == id_)
        connection.execute(left.values(status="left", arrived_at=on, **_NOTHING))


def downgrade() -> None:
    counted = sa.update(_SESSION).where(_SESSION.c.status.in_(_NEW))
    op.get_bind().execute(counted.values(status="refused", ended_at=_SESSION.c.arrived_at))
    _allow(_STATUSES)


def _allow(statuses: tuple[str, ...]) -> None:
    """SQLite makes the table anew, with the checks that it finds: the old one has to go by name, and ids stay new."""
    with op.batch_alter_table(
        "participant_session",
        table_kwargs={"sqlite_autoincrement": True},
        reflect_kwargs={"resolve_fks": False},
    ) as session:
        session.drop_constraint(op.f("ck_participant_session_status"), type_="check")
        session.create_check_constraint(
            op.f("ck_participant_session_status"), f"status IN ({', '.join(map(repr, statuses))})"
        )
