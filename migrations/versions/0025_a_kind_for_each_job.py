"""A kind for each job: drawing a study's walks, and pictures of clips, are no imports of uploads

Revision: 0025
Follows: 0024

What happens to collected responses: nothing; jobs of the two new kinds get their names, and the walks' mode stands in
their parameters as `mode`. Going back puts both back.
"""

from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_BEFORE = "'import', 'preview', 'reprocess', 'clues', 'report', 'package', 'judges', 'results', 'training'"


def upgrade() -> None:
    _set_kinds(f"{_BEFORE}, 'walks', 'pictures'")
    _rename(["import"], _own_kind)


def downgrade() -> None:
    _rename(["walks", "pictures"], _as_import)
    _set_kinds(_BEFORE)


def _own_kind(params: dict[str, Any]) -> tuple[str, Mapping[str, Any]]:
    if "walks" in params:
        return "walks", {"slug": params["slug"], "mode": params["walks"]}
    return ("pictures", {}) if "pictures" in params else ("import", params)


def _as_import(params: dict[str, Any]) -> tuple[str, Mapping[str, Any]]:
    walks = {"slug": params["slug"], "walks": params["mode"]} if params else {"pictures": "missing"}
    return "import", walks


def _rename(kinds: list[str], renamed: Callable[[dict[str, Any]], tuple[str, Mapping[str, Any]]]) -> None:
    connection = op.get_bind()
    json = sa.JSON().with_variant(JSONB(), "postgresql")
    job = sa.table("job", sa.column("id"), sa.column("kind"), sa.column("params", json))
    for id_, params in connection.execute(
        sa.select(job.c.id, job.c.params).where(job.c.kind.in_(kinds))
    ).all():
        kind, new = renamed(params)
        connection.execute(sa.update(job).where(job.c.id == id_).values(kind=kind, params=new))


def _set_kinds(allowed: str) -> None:
    """SQLite makes the table anew, with the checks that it finds: the old one has to go by name, and ids stay new."""
    with op.batch_alter_table(
        "job", table_kwargs={"sqlite_autoincrement": True}, reflect_kwargs={"resolve_fks": False}
    ) as job:
        job.drop_constraint(op.f("ck_job_kind"), type_="check")
        job.create_check_constraint(op.f("ck_job_kind"), f"kind IN ({allowed})")
