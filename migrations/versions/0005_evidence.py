"""The server's own evidence of a trial: what was sent of its clips, how long it waited, and what that raises

Revision: 0005
Follows: 0004

What happens to collected responses: they stay as they are. What was not recorded of them is NULL and held against
nobody: no interval, no layout, nothing of what was fetched, no rule. `raised` gets the flags that the monitor has
shown for them so far, none for simulated participants. Going back drops the new columns.
"""

import json
from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_LAYOUTS = "layout IN ('side-by-side', 'stacked')"


def _ranges() -> sa.JSON:
    return sa.JSON(none_as_null=True).with_variant(
        postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), "postgresql"
    )


def upgrade() -> None:
    for side in ("left", "right"):
        op.add_column("trial", sa.Column(f"sent_{side}", _ranges(), nullable=True))
    with op.batch_alter_table("response", reflect_kwargs={"resolve_fks": False}) as response:
        response.add_column(sa.Column("raised", sa.String(), nullable=True))
        response.add_column(sa.Column("unwatched", sa.Boolean(), nullable=True))
        response.add_column(sa.Column("layout", sa.String(), nullable=True))
        response.add_column(sa.Column("opened_ms", sa.Integer(), nullable=True))
        response.add_column(sa.Column("interval_ms", sa.Integer(), nullable=True))
        response.add_column(sa.Column("fetched_a", sa.Boolean(), nullable=True))
        response.add_column(sa.Column("fetched_b", sa.Boolean(), nullable=True))
        response.create_check_constraint(op.f("ck_response_layout"), _LAYOUTS)
    _raise_flags()


def downgrade() -> None:
    with op.batch_alter_table("response", reflect_kwargs={"resolve_fks": False}) as response:
        response.drop_constraint(op.f("ck_response_layout"), type_="check")
        for name in ("fetched_b", "fetched_a", "interval_ms", "opened_ms", "layout", "unwatched", "raised"):
            response.drop_column(name)
    with op.batch_alter_table("trial", reflect_kwargs={"resolve_fks": False}) as trial:
        trial.drop_column("sent_right")
        trial.drop_column("sent_left")


_TOLD = "CAST(flags AS TEXT)"
_FAILED = f"(unplayable OR {_TOLD} LIKE '%\"failed-%')"
_HIDDEN = "(SELECT max(hidden_ms) FROM playback WHERE playback.response_id = response.id) > 10000"
_LONGEST = (
    "(SELECT CASE WHEN clip_a_duration_s > clip_b_duration_s THEN clip_a_duration_s ELSE clip_b_duration_s END "
    "FROM pair JOIN trial ON trial.pair_id = pair.id WHERE trial.id = response.trial_id "
    "AND clip_a_duration_s > 0 AND clip_b_duration_s > 0)"
)


def _conditions(*, to_end: bool) -> Iterator[tuple[str, str]]:
    """Each flag as the monitor of 0.3 raised it, in the order in which words are joined."""
    if to_end:
        yield "not-watched", f"{_TOLD} LIKE '%\"not-watched-%' AND NOT {_FAILED}"
        yield "too-fast", f"NOT {_FAILED} AND rt_ms < 1000 * {_LONGEST}"
    yield "no-telemetry", f"{_TOLD} LIKE '%\"playback-missing\"%'"
    yield "sped-up", f"{_TOLD} LIKE '%\"fast-%'"
    yield "hidden", _HIDDEN
    yield "unplayable", _FAILED
    yield "rt-odd", f"{_TOLD} LIKE '%\"rt-odd\"%'"
    missing = f"{_TOLD} LIKE '%\"rt-missing\"%' AND {_TOLD} NOT LIKE '%\"playback-missing\"%'"
    yield "odd-telemetry", f"{_TOLD} LIKE '%\"playback-odd\"%' OR ({missing})"


def _raise_flags() -> None:
    bind = op.get_bind()
    versions = bind.execute(sa.text("SELECT id, design FROM study_version ORDER BY id")).all()
    for version_id, design in versions:
        to_end = json.loads(design).get("trials", {}).get("watch", "both-to-end") == "both-to-end"
        words = " || ".join(
            f"CASE WHEN {holds} THEN ';{word}' ELSE '' END" for word, holds in _conditions(to_end=to_end)
        )
        bind.execute(
            sa.text(
                f"UPDATE response SET raised = NULLIF(SUBSTR({words}, 2), '') WHERE trial_id IS NOT NULL "  # noqa: S608
                "AND session_id IN (SELECT id FROM participant_session "
                "WHERE version_id = :version AND mode <> 'simulated')"
            ),
            {"version": version_id},
        )
