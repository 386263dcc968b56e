"""The number of sessions per unit, by which the units of a new session are chosen.

Read while the version's row is locked (`HOLD_VERSION`): sessions that start at the same instant read one after the
other, each seeing what the previous one planned.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy import and_, bindparam, column, exists, func, not_, or_, select, table
from sqlmodel import Session, SQLModel

from app.core.statements import Hot
from app.trials.responses import Response
from app.trials.tables import Exclusion, ParticipantSession, SessionVerdict, Status, Trial, Unit

# Of the version's row this floor needs the id alone; its table is the studies'.
_version = table("study_version", column("id"))
HOLD_VERSION = Hot(
    select(_version.c.id).where(_version.c.id == bindparam("version_id")).with_for_update(key_share=True)
)

# Who was not seen for so long has left, as far as those who come are concerned.
# A plan drawn up beforehand would be undone by dropouts (docs/decisions/0015).
LEFT_AFTER = timedelta(minutes=30)

_tables = SQLModel.metadata.tables
_session, _trial, _response, _exclusion, _verdict, _unit = (
    _tables[str(table.__tablename__)]
    for table in (ParticipantSession, Trial, Response, Exclusion, SessionVerdict, Unit)
)

_last_answer = (
    select(func.max(_response.c.answered_at)).where(_response.c.session_id == _session.c.id).scalar_subquery()
)
# Of sessions of before 0.5: when the current page was first served, or the one before was answered.
_last_seen = func.coalesce(_session.c.seen_at, _session.c.page_shown_at, _last_answer, _session.c.arrived_at)
_has_not_left = or_(
    _session.c.status == Status.COMPLETED,
    and_(
        _session.c.status == Status.ACTIVE,
        _session.c.released_at.is_(None),
        _last_seen >= bindparam("active_since"),
    ),
)
_is_excluded = exists().where(_exclusion.c.session_id == _session.c.id, _exclusion.c.lifted_at.is_(None))
_is_unused = exists().where(_verdict.c.session_id == _session.c.id, _verdict.c.use.is_(False))
_counts = and_(
    _session.c.mode == bindparam("mode"),
    _session.c.arm == bindparam("arm"),
    _has_not_left,
    not_(_is_excluded),
    not_(_is_unused),
)

# All trials less those of sessions that do not count: those are few, and the others are counted in an index alone.
_of_block = select(_unit.c.id).where(
    _unit.c.version_id == bindparam("version_id"), _unit.c.block == bindparam("block")
)
_all = (
    select(_trial.c.unit_id, func.count().label("n"))
    .where(_trial.c.unit_id.in_(_of_block))
    .group_by(_trial.c.unit_id)
    .subquery("planned")
)
_not_counted = (
    select(_trial.c.unit_id, func.count().label("n"))
    .join(_session, _session.c.id == _trial.c.session_id)
    .where(_session.c.version_id == bindparam("version_id"), not_(_counts))
    .group_by(_trial.c.unit_id)
    .subquery("not_counted")
)
# Among 10,000 rating sessions this takes a start 21 ms on SQLite, for which answers wait (bench/README.md).
LOADS = select(_all.c.unit_id, (_all.c.n - func.coalesce(_not_counted.c.n, 0)).label("n")).select_from(
    _all.outerjoin(_not_counted, _not_counted.c.unit_id == _all.c.unit_id)
)


def loads_of(
    session: Session, version_id: int, mode: str, block: str, active_since: datetime, arm: str = "main"
) -> Mapping[int, int]:
    """Sessions per unit of a block, by unit id, for a version, mode and arm; a unit without sessions is absent.

    A session counts if it is completed, or active and last seen at `active_since` or later (a page was served first, or
    an answer came), unless it is excluded or not to be used, or its place was given back. An active session not seen
    since counts as a dropout until it is seen again. A trial of a counted session counts whatever the answer, even if
    its clip would not play.
    """
    asked = {
        "version_id": version_id,
        "mode": mode,
        "arm": arm,
        "block": block,
        "active_since": active_since,
    }
    rows = session.connection().execute(LOADS, asked)
    return {row.unit_id: row.n for row in rows}
