"""Summary lines of all studies. Tables and columns are declared here again: a command that lists studies starts in half
a second, and importing the models of all tables would add half of that, the ORM a fifth.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, TableClause, and_, column, func, select, table

from app.tasks.listed import SHORT_TASK
from app.trials.design import BLOCK

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

# A design without blocks is short for one.
_ONE_BLOCK = ({"id": BLOCK, "task": SHORT_TASK},)


def _table(name: str, *columns: str) -> TableClause:
    return table(name, *(column(each) for each in columns))


_STUDY = _table("study", "id", "slug", "state", "archived_at")
_VERSION = _table("study_version", "id", "study_id", "number", "design")
_SESSION = _table("participant_session", "version_id", "mode", "status")
_UNIT = _table("unit", "version_id", "block")


@dataclass(frozen=True, slots=True)
class StudySummary:
    """One study for a list: units are counted by task, and sessions per status, over all modes and versions."""

    slug: str
    state: str
    version: int
    units: Mapping[str, int]
    sessions: Mapping[tuple[str, str], int]
    is_archived: bool


def summaries(session: "Connection | Session") -> list[StudySummary]:
    """Every study with its newest version and sessions by (mode, status); previews are not counted."""
    study, version, run, later = _STUDY.c, _VERSION.c, _SESSION.c, _VERSION.alias().c
    is_newest = (
        ~select(later.id).where(later.study_id == version.study_id, later.number > version.number).exists()
    )
    studies = (
        select(study.id, study.slug, study.state, study.archived_at, version.number, version.id)
        .select_from(_STUDY.outerjoin(_VERSION, and_(version.study_id == study.id, is_newest)))
        .order_by(study.slug)
    )
    counts = (
        select(version.study_id, run.mode, run.status, func.count())
        .join_from(_SESSION, _VERSION, version.id == run.version_id)
        .where(run.mode != "preview")
        .group_by(version.study_id, run.mode, run.status)
    )
    sessions: dict[int, dict[tuple[str, str], int]] = {}
    for of, mode, status, n in session.execute(counts):
        sessions.setdefault(of, {})[mode, status] = n
    found: Sequence[Any] = session.execute(studies).all()
    units = units_of(session, [newest for *_, newest in found if newest is not None])
    return [
        StudySummary(
            slug,
            state,
            number or 0,
            units.get(newest or 0, {}),
            sessions.get(of, {}),
            archived_at is not None,
        )
        for of, slug, state, archived_at, number, newest in found
    ]


def units_of(session: "Connection | Session", versions: Sequence[int]) -> dict[int, dict[str, int]]:
    """The number of units of each version, by task, in the order of its blocks."""
    version = _VERSION.c
    designs = session.execute(select(version.id, version.design).where(version.id.in_(versions)))
    return units_in(session, {row.id: json.loads(row.design) for row in designs})


def units_in(
    session: "Connection | Session", designs: Mapping[int, Mapping[str, Any]]
) -> dict[int, dict[str, int]]:
    """Numbers of units as `units_of` gives them, from designs by version, so that none is read again."""
    unit = _UNIT.c
    counts = (
        select(unit.version_id, unit.block, func.count())
        .where(unit.version_id.in_(list(designs)))
        .group_by(unit.version_id, unit.block)
    )
    found: dict[int, dict[str, int]] = {of: {} for of in designs}
    for of, block, n in session.execute(counts):
        found[of][block] = n
    return {of: by_task(design, found[of]) for of, design in designs.items()}


def by_task(design: Mapping[str, Any], by_block: Mapping[str, int]) -> dict[str, int]:
    """The number of units of each task of a design, from those of its blocks."""
    found: dict[str, int] = {}
    for each in design.get("blocks", _ONE_BLOCK):
        found[each["task"]] = found.get(each["task"], 0) + by_block.get(each["id"], 0)
    return found
