"""Matches: who waits, matches, seats and their log; a session may have the same unit on several trials

Revision: 0016
Follows: 0015

What happens to collected responses: nothing. A session plays the same configuration more than once, so a trial's unit
need not differ from that of the session's other trials. Going back deletes matches, and studies with matches in their
design cannot be read by earlier releases, so they are deleted before.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
from sqlmodel.sql.sqltypes import UTCDateTime

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql")
_ABSENT_JSON = sa.JSON(none_as_null=True).with_variant(
    postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), "postgresql"
)
_UNIQUE = "uq_trial_session_id_unit_id"
_MODES = "('live', 'pilot', 'preview', 'simulated')"


def upgrade() -> None:
    _make_trials_anew(unique=False)
    op.create_table(
        "match",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("mode", sa.String(), nullable=False),
        sa.Column("arm", sa.String(), nullable=False),
        sa.Column("block", sa.String(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("game_version", sa.String(), nullable=False),
        sa.Column("config", _JSON, nullable=False),
        sa.Column("config_hash", sa.String(), nullable=False),
        sa.Column("seed", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("end_reason", sa.String(), nullable=False),
        sa.Column("formed_at", UTCDateTime(), nullable=False),
        sa.Column("ended_at", UTCDateTime(), nullable=True),
        sa.Column("opened_at", UTCDateTime(), nullable=False),
        sa.Column("deadline_at", UTCDateTime(), nullable=True),
        sa.Column("due_at", UTCDateTime(), nullable=True),
        sa.Column("last_seq", sa.Integer(), nullable=False),
        sa.Column("last_hash", sa.String(), nullable=False),
        sa.CheckConstraint(f"mode IN {_MODES}", name=op.f("ck_match_mode")),
        sa.CheckConstraint("status IN ('running', 'finished', 'stopped')", name=op.f("ck_match_status")),
        _refers("match", "version_id", "study_version"),
        _refers("match", "unit_id", "unit"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_match")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "seat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("occupant", sa.String(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=True),
        sa.Column("trial_id", sa.Integer(), nullable=True),
        sa.Column("agent", sa.String(), nullable=True),
        sa.Column("settings", _ABSENT_JSON, nullable=True),
        sa.Column("from_seq", sa.Integer(), nullable=False),
        sa.Column("to_seq", sa.Integer(), nullable=True),
        sa.Column("left_reason", sa.String(), nullable=False),
        sa.Column("missed", sa.Integer(), nullable=False),
        sa.Column("away_at", UTCDateTime(), nullable=True),
        sa.Column("lapse_at", UTCDateTime(), nullable=True),
        sa.Column("payoff", sa.String(), nullable=False),
        sa.Column("bonus_minor", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "occupant IN ('human', 'rule', 'model', 'simulated')", name=op.f("ck_seat_occupant")
        ),
        sa.CheckConstraint("seat >= 1", name=op.f("ck_seat_seat")),
        _refers("seat", "match_id", "match", "CASCADE"),
        _refers("seat", "session_id", "participant_session"),
        _refers("seat", "trial_id", "trial"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_seat")),
    )
    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("phase_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("occupant", sa.String(), nullable=True),
        sa.Column("session_id", sa.Integer(), nullable=True),
        sa.Column("move", _JSON, nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("auto", sa.String(), nullable=False),
        sa.Column("shown_at", UTCDateTime(), nullable=True),
        sa.Column("received_at", UTCDateTime(), nullable=False),
        sa.Column("deadline_at", UTCDateTime(), nullable=True),
        sa.Column("rt_ms", sa.Integer(), nullable=True),
        sa.Column("delay_ms", sa.Integer(), nullable=True),
        sa.Column("payoff_round", sa.String(), nullable=True),
        sa.Column("payoff_total", sa.String(), nullable=True),
        sa.Column("state_hash", sa.String(), nullable=False),
        sa.Column("submit_id", sa.String(), nullable=True),
        sa.CheckConstraint("seq >= 1", name=op.f("ck_event_seq")),
        _refers("event", "match_id", "match", "CASCADE"),
        _refers("event", "session_id", "participant_session"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
        sa.UniqueConstraint("match_id", "seq", name=op.f("uq_event_match_id_seq")),
        sa.UniqueConstraint("session_id", "submit_id", name=op.f("uq_event_session_id_submit_id")),
    )
    op.create_table(
        "waiting",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("trial_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("mode", sa.String(), nullable=False),
        sa.Column("arm", sa.String(), nullable=False),
        sa.Column("block", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("since", UTCDateTime(), nullable=True),
        sa.Column("until", UTCDateTime(), nullable=True),
        sa.Column("ask_until", UTCDateTime(), nullable=True),
        sa.Column("due_at", UTCDateTime(), nullable=True),
        sa.Column("seen_at", UTCDateTime(), nullable=False),
        sa.Column("extended", sa.Boolean(), nullable=False),
        sa.Column("waited_s", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.CheckConstraint(
            "status IN ('questions', 'waiting', 'asked', 'ready', 'away', 'bound', 'matched', 'out')",
            name=op.f("ck_waiting_status"),
        ),
        _refers("waiting", "session_id", "participant_session"),
        _refers("waiting", "trial_id", "trial"),
        _refers("waiting", "version_id", "study_version"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_waiting")),
        sa.UniqueConstraint("trial_id", name=op.f("uq_waiting_trial_id")),
    )
    for table, *columns in _INDEXES:
        op.create_index(op.f(f"ix_{table}_{'_'.join(columns)}"), table, columns)
    op.create_index("ix_waiting_pool", "waiting", ["version_id", "mode", "arm", "block", "status"])
    for name, table, over, where, unique in _PARTIAL:
        op.create_index(
            name, table, list(over), unique=unique, sqlite_where=sa.text(where), postgresql_where=sa.text(where)
        )  # fmt: skip


_INDEXES = (
    ("match", "version_id"),
    ("match", "unit_id"),
    ("seat", "match_id"),
    ("seat", "session_id"),
    ("seat", "trial_id"),
    ("waiting", "session_id"),
)
_PARTIAL = (
    ("ix_match_due", "match", ("due_at",), "due_at IS NOT NULL", False),
    ("ix_seat_lapse", "seat", ("lapse_at",), "lapse_at IS NOT NULL", False),
    ("uq_seat_open", "seat", ("match_id", "seat"), "to_seq IS NULL", True),
    ("uq_event_move", "event", ("match_id", "phase_id", "seat"), "kind = 'move'", True),
    ("ix_waiting_due", "waiting", ("due_at",), "due_at IS NOT NULL", False),
)


def downgrade() -> None:
    for table in ("waiting", "event", "seat", "match"):
        op.drop_table(table)
    _make_trials_anew(unique=True)


def _refers(table: str, column: str, to: str, ondelete: str | None = None) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{to}.id"], name=op.f(f"fk_{table}_{column}"), ondelete=ondelete
    )


def _make_trials_anew(*, unique: bool) -> None:
    """Make the table with or without the constraint. SQLite cannot alter it: another table with the same ids takes its
    name.
    """
    if op.get_bind().dialect.name == "postgresql":
        if unique:
            op.create_unique_constraint(op.f(_UNIQUE), "trial", ["session_id", "unit_id"])
        else:
            op.drop_constraint(op.f(_UNIQUE), "trial", type_="unique")
        return
    more: Sequence[Any] = [sa.UniqueConstraint("session_id", "unit_id", name=op.f(_UNIQUE))] if unique else []
    op.create_table(
        "trial_anew",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("plan", _JSON, nullable=False),
        sa.Column("sent", _ABSENT_JSON, nullable=True),
        sa.CheckConstraint("position >= 1", name=op.f("ck_trial_position")),
        sa.ForeignKeyConstraint(["unit_id"], ["unit.id"], name=op.f("fk_trial_unit_id")),
        sa.ForeignKeyConstraint(["session_id"], ["participant_session.id"], name=op.f("fk_trial_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trial")),
        sa.UniqueConstraint("session_id", "position", name=op.f("uq_trial_session_id_position")),
        *more,
        sqlite_autoincrement=True,
    )
    op.execute(
        "INSERT INTO trial_anew (id, session_id, position, unit_id, plan, sent) "
        "SELECT id, session_id, position, unit_id, plan, sent FROM trial ORDER BY id"
    )
    # The largest id that was ever given, also where its trial is no more.
    op.execute("DELETE FROM sqlite_sequence WHERE name = 'trial_anew'")
    op.execute(
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'trial_anew', seq FROM sqlite_sequence WHERE name = 'trial'"
    )
    op.drop_table("trial")
    op.rename_table("trial_anew", "trial")
    op.create_index(op.f("ix_trial_unit_id"), "trial", ["unit_id"])
