"""Units with members, plans and evidence: tables that hold any task, where only a pair of clips fitted so far

Revision: 0013
Follows: 0012

What happens to collected responses: nothing; no row of `response` changes. Every pair becomes a unit with the members
`a` and `b`, of the block `trials`; the member on the left of a trial stands in its `plan`, what was sent of its clips
in `sent`; a row of `playback` is one of `evidence`, with the same id. Rows are carried over by the database itself.
Going back makes pairs of units again; blocks and groups of items are lost.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_JSON = sa.JSON().with_variant(postgresql.JSONB(astext_type=sa.Text()), "postgresql")
_ABSENT_JSON = sa.JSON(none_as_null=True).with_variant(
    postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), "postgresql"
)
_KINDS = "kind IN ('main', 'practice', 'attention')"
_SLOTS = "IN ('a', 'b', 'item')"
_MEMBERS = "IN ('a', 'b')"
_TOLD = (
    "watched, plays, played, duration_s, stalls, stall_ms, dropped_frames, frames, drift_ms_max, hidden_ms, "
    "page_loads, max_rate, failed, errors"
)


def upgrade() -> None:
    _make_units()
    _plan_trials()
    op.drop_table("pair")
    _make_played("evidence", "slot", _SLOTS)
    _move_played("playback", "member", "evidence", "slot")


def downgrade() -> None:
    _make_pairs()
    _unplan_trials()
    op.drop_table("unit_member")
    op.drop_table("unit")
    _make_played("playback", "member", _MEMBERS)
    _move_played("evidence", "slot", "playback", "member")


def _make_units() -> None:
    op.create_table(
        "unit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("condition", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("truth", sa.String(), nullable=True),
        sa.Column("block", sa.String(), nullable=False),
        sa.Column("item_group", sa.String(), nullable=True),
        sa.CheckConstraint(_KINDS, name=op.f("ck_unit_kind")),
        sa.CheckConstraint(f"truth {_SLOTS}", name=op.f("ck_unit_truth")),
        sa.ForeignKeyConstraint(["version_id"], ["study_version.id"], name=op.f("fk_unit_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_unit")),
        sa.UniqueConstraint("version_id", "name", name=op.f("uq_unit_version_id_name")),
        sa.UniqueConstraint("version_id", "position", name=op.f("uq_unit_version_id_position")),
    )
    op.create_table(
        "unit_member",
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("slot", sa.String(), nullable=False),
        sa.Column("stimulus_id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=True),
        sa.Column("bytes", sa.Integer(), nullable=True),
        sa.Column("duration_s", sa.Float(), nullable=True),
        sa.CheckConstraint(f"slot {_SLOTS}", name=op.f("ck_unit_member_slot")),
        sa.ForeignKeyConstraint(["stimulus_id"], ["stimulus.id"], name=op.f("fk_unit_member_stimulus_id")),
        sa.ForeignKeyConstraint(
            ["unit_id"], ["unit.id"], name=op.f("fk_unit_member_unit_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("unit_id", "slot", name=op.f("pk_unit_member")),
    )
    op.execute(
        "INSERT INTO unit (id, version_id, name, position, condition, kind, truth, block) "
        "SELECT id, version_id, name, position, condition, kind, truth, 'trials' FROM pair ORDER BY id"
    )
    for slot in "ab":
        op.execute(
            "INSERT INTO unit_member (unit_id, slot, stimulus_id, sha256, bytes, duration_s) "  # noqa: S608
            f"SELECT id, '{slot}', stimulus_{slot}_id, clip_{slot}_sha256, clip_{slot}_bytes, "
            f"clip_{slot}_duration_s FROM pair ORDER BY id"
        )
    _go_on_from("unit")


def _make_pairs() -> None:
    clips = [
        sa.Column(f"clip_{slot}_{name}", type_, nullable=True)
        for slot in "ab"
        for name, type_ in (("sha256", sa.String()), ("bytes", sa.Integer()), ("duration_s", sa.Float()))
    ]
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
        *clips,
        sa.CheckConstraint(_KINDS, name=op.f("ck_pair_kind")),
        sa.CheckConstraint(f"truth {_MEMBERS}", name=op.f("ck_pair_truth")),
        sa.CheckConstraint("stimulus_a_id <> stimulus_b_id", name=op.f("ck_pair_two_clips")),
        sa.ForeignKeyConstraint(["stimulus_a_id"], ["stimulus.id"], name=op.f("fk_pair_stimulus_a_id")),
        sa.ForeignKeyConstraint(["stimulus_b_id"], ["stimulus.id"], name=op.f("fk_pair_stimulus_b_id")),
        sa.ForeignKeyConstraint(["version_id"], ["study_version.id"], name=op.f("fk_pair_version_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pair")),
        sa.UniqueConstraint("version_id", "name", name=op.f("uq_pair_version_id_name")),
        sa.UniqueConstraint("version_id", "position", name=op.f("uq_pair_version_id_position")),
    )
    op.execute(
        "INSERT INTO pair (id, version_id, name, position, condition, kind, stimulus_a_id, stimulus_b_id, truth, "
        "clip_a_sha256, clip_a_bytes, clip_a_duration_s, clip_b_sha256, clip_b_bytes, clip_b_duration_s) "
        "SELECT u.id, u.version_id, u.name, u.position, u.condition, u.kind, a.stimulus_id, b.stimulus_id, u.truth, "
        "a.sha256, a.bytes, a.duration_s, b.sha256, b.bytes, b.duration_s FROM unit u "
        "JOIN unit_member a ON a.unit_id = u.id AND a.slot = 'a' "
        "JOIN unit_member b ON b.unit_id = u.id AND b.slot = 'b' ORDER BY u.id"
    )
    _go_on_from("pair")


def _plan_trials() -> None:
    plan: list[sa.Column[Any]] = [
        sa.Column("plan", _JSON, nullable=False),
        sa.Column("sent", _ABSENT_JSON, nullable=True),
    ]
    if not _is_postgres():
        sent = "json_object('left', json(sent_left), 'right', json(sent_right))"
        _make_trials_anew(
            ("pair", "unit"),
            plan,
            "json_object('left', left_member), "
            f"CASE WHEN sent_left IS NOT NULL AND sent_right IS NOT NULL THEN {sent} END",
        )
        return
    _rename_in_trials("pair", "unit")
    for column in plan:
        op.add_column("trial", sa.Column(column.name, column.type, nullable=True))
    op.execute(
        "UPDATE trial SET plan = jsonb_build_object('left', left_member), "
        "sent = CASE WHEN sent_left IS NOT NULL AND sent_right IS NOT NULL "
        "THEN jsonb_build_object('left', sent_left, 'right', sent_right) END"
    )
    op.alter_column("trial", "plan", nullable=False)
    for name in ("left_member", "sent_left", "sent_right"):
        op.drop_column("trial", name)


def _unplan_trials() -> None:
    sides: list[sa.Column[Any]] = [
        sa.Column("left_member", sa.String(), nullable=False),
        sa.Column("sent_left", _ABSENT_JSON, nullable=True),
        sa.Column("sent_right", _ABSENT_JSON, nullable=True),
    ]
    left_is_member = sa.CheckConstraint(f"left_member {_MEMBERS}", name=op.f("ck_trial_left_member"))
    if not _is_postgres():
        _make_trials_anew(
            ("unit", "pair"),
            [*sides, left_is_member],
            "json_extract(plan, '$.left'), json_extract(sent, '$.left'), json_extract(sent, '$.right')",
        )
        return
    _rename_in_trials("unit", "pair")
    for column in sides:
        op.add_column("trial", sa.Column(column.name, column.type, nullable=True))
    op.execute(
        "UPDATE trial SET left_member = plan ->> 'left', sent_left = sent -> 'left', sent_right = sent -> 'right'"
    )
    op.alter_column("trial", "left_member", nullable=False)
    op.create_check_constraint(op.f("ck_trial_left_member"), "trial", f"left_member {_MEMBERS}")
    for name in ("plan", "sent"):
        op.drop_column("trial", name)


def _rename_in_trials(before: str, after: str) -> None:
    """Rename a trial's reference: `pair_id` or `unit_id`, with all that is named after it. On PostgreSQL, in place."""
    op.drop_index(op.f(f"ix_trial_{before}_id"), table_name="trial")
    op.drop_constraint(op.f(f"uq_trial_session_id_{before}_id"), "trial", type_="unique")
    op.drop_constraint(op.f(f"fk_trial_{before}_id"), "trial", type_="foreignkey")
    op.alter_column("trial", f"{before}_id", new_column_name=f"{after}_id")
    op.create_unique_constraint(
        op.f(f"uq_trial_session_id_{after}_id"), "trial", ["session_id", f"{after}_id"]
    )
    op.create_foreign_key(op.f(f"fk_trial_{after}_id"), "trial", after, [f"{after}_id"], ["id"])
    op.create_index(op.f(f"ix_trial_{after}_id"), "trial", [f"{after}_id"])


def _make_trials_anew(
    shows: tuple[str, str], more: Sequence[sa.Column[Any] | sa.CheckConstraint], values: str
) -> None:
    """On SQLite, which changes no constraint of a table: another one, of the same ids, that takes its name."""
    before, after = shows
    op.create_table(
        "trial_anew",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column(f"{after}_id", sa.Integer(), nullable=False),
        *more,
        sa.CheckConstraint("position >= 1", name=op.f("ck_trial_position")),
        sa.ForeignKeyConstraint([f"{after}_id"], [f"{after}.id"], name=op.f(f"fk_trial_{after}_id")),
        sa.ForeignKeyConstraint(["session_id"], ["participant_session.id"], name=op.f("fk_trial_session_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trial")),
        sa.UniqueConstraint("session_id", f"{after}_id", name=op.f(f"uq_trial_session_id_{after}_id")),
        sa.UniqueConstraint("session_id", "position", name=op.f("uq_trial_session_id_position")),
        sqlite_autoincrement=True,
    )
    named = ", ".join(column.name for column in more if isinstance(column, sa.Column))
    op.execute(
        f"INSERT INTO trial_anew (id, session_id, position, {after}_id, {named}) "  # noqa: S608
        f"SELECT id, session_id, position, {before}_id, {values} FROM trial ORDER BY id"
    )
    # The largest id that was ever given, also where its trial is no more.
    op.execute("DELETE FROM sqlite_sequence WHERE name = 'trial_anew'")
    op.execute(
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'trial_anew', seq FROM sqlite_sequence WHERE name = 'trial'"
    )
    op.drop_table("trial")
    op.rename_table("trial_anew", "trial")
    op.create_index(op.f(f"ix_trial_{after}_id"), "trial", [f"{after}_id"])


def _make_played(table: str, slot: str, allowed: str) -> None:
    op.create_table(
        table,
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("response_id", sa.Integer(), nullable=False),
        sa.Column(slot, sa.String(), nullable=False),
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
        sa.CheckConstraint(f"{slot} {allowed}", name=op.f(f"ck_{table}_{slot}")),
        sa.ForeignKeyConstraint(["response_id"], ["response.id"], name=op.f(f"fk_{table}_response_id")),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}")),
        sa.UniqueConstraint("response_id", slot, name=op.f(f"uq_{table}_response_id_{slot}")),
    )


def _move_played(before: str, slot_before: str, after: str, slot_after: str) -> None:
    op.execute(
        f"INSERT INTO {after} (id, response_id, {slot_after}, {_TOLD}) "  # noqa: S608
        f"SELECT id, response_id, {slot_before}, {_TOLD} FROM {before} ORDER BY id"
    )
    op.drop_table(before)
    few = sa.text("stalls > 0 OR hidden_ms > 0")
    op.create_index(
        f"ix_{after}_away",
        after,
        ["response_id", "stalls", "hidden_ms"],
        sqlite_where=few,
        postgresql_where=few,
    )
    _go_on_from(after)


def _go_on_from(table: str) -> None:
    """Let new ids follow those carried over; SQLite does so by itself."""
    if _is_postgres():
        op.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}"  # noqa: S608
        )


def _is_postgres() -> bool:
    return op.get_bind().dialect.name == "postgresql"
