"""Places of sessions: the arm of one that begins, and places given back by the idle and taken again on their return.

Decided while the study's row is locked, so that sessions that start at the same instant are counted one by one.
"""

import random
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import bindparam, func, or_, select, update
from sqlmodel import Session, SQLModel

from app.core.errors import Closed
from app.core.language import gettext as _
from app.core.language import noop
from app.sessions.here import StudyWhere
from app.sessions.places import (
    HOLD_STUDY,
    Places,
    close_if_complete,
    has_places,
    idle_after,
    idle_sessions,
    places_of,
)
from app.sessions.planning import Full
from app.sessions.runs import StudyRun, run_of
from app.sessions.where import hold, locate
from app.trials.loads import loads_of
from app.trials.tables import Mode, ParticipantSession, State, Status, Study, StudyVersion, Trial

ENDED = noop("This study has ended and takes no more answers.")
_session, _trial, _study, _version = (
    SQLModel.metadata.tables[str(table.__tablename__)]
    for table in (ParticipantSession, Trial, Study, StudyVersion)
)
_RELEASE = (
    update(_session)
    .where(_session.c.id.in_(bindparam("ids", expanding=True)))
    .values(released_at=bindparam("now"))
)
_TAKE = (
    update(_session)
    .where(_session.c.id == bindparam("session_id"))
    .values(released_at=None, seen_at=bindparam("now"))
)
_SEE = (
    update(_session)
    .where(_session.c.id == bindparam("session_id"), _session.c.status == Status.ACTIVE)
    .values(seen_at=bindparam("now"))
)
_newest = (
    select(func.max(_version.c.number))
    .where(_version.c.study_id == _study.c.id)
    .correlate(_study)
    .scalar_subquery()
)
_LIVE_STUDIES = (
    select(
        _study.c.id,
        _version.c.id,
        _version.c.sha256,
        or_(_study.c.target.is_not(None), _study.c.ends_at.is_not(None)),
    )
    .join(_version, (_version.c.study_id == _study.c.id) & (_version.c.number == _newest))
    .where(_study.c.state == State.LIVE, _study.c.archived_at.is_(None))
    .order_by(_study.c.id)
)
_UNITS_TO_COME = select(_trial.c.unit_id).where(
    _trial.c.session_id == bindparam("session_id"), _trial.c.position >= bindparam("position")
)


def arms_for(session: Session, where: StudyWhere, now: datetime, rng: random.Random) -> Sequence[str]:
    """The arms that may take a session that begins: first the one with the smallest share of its target, counting who
    has completed and who is under way, and by chance among equals. Raises Full, Closed.
    """
    is_live = where.mode == Mode.LIVE
    if not is_live and not where.design.arms:
        return (where.arm,)
    if is_live:
        places = _places_now(session, where, now)
        if places.state is State.CLOSED or (places.ends_at is not None and now >= places.ends_at):
            raise Closed(_(ENDED))
    else:
        places = places_of(session, where.study_id, where.design, now, where.mode, hold=True)
    # Targets are of live sessions: others are balanced among themselves.
    arms = places.open_arms() if is_live else places.arms
    if not arms:
        raise Full(where.design.study, is_paused=is_live and places.closed_because(now) == "paused")
    if len(arms) == 1:
        return (arms[0].arm,)
    return [arm.arm for arm in sorted(arms, key=lambda arm: (arm.filled, rng.random()))]


def run_in(session: Session, where: StudyWhere, arm: str) -> StudyRun:
    """The run of a session's version in an arm."""
    return run_of(session, where.version_id, where.run.version_sha256, arm)


def _places_now(session: Session, where: StudyWhere, now: datetime) -> Places:
    """The places of a study whose row is locked from here on, those of the idle given back."""
    HOLD_STUDY.all(session, {"study_id": where.study_id})
    if has_places(where.design) or where.has_target:
        release(session, where.study_id, now, since=now - idle_after(where.design))
    return places_of(session, where.study_id, where.design, now, released=True)


def release(session: Session, study_id: int, now: datetime, since: datetime) -> int:
    """Give back the places of live sessions not seen since, and not in a match or waiting for one; returns how many."""
    idle = idle_sessions(session, study_id, since, lock=True)
    if idle:
        session.connection().execute(_RELEASE, {"ids": sorted(idle), "now": now})
    return len(idle)


def take_again(session: Session, where: StudyWhere, now: datetime) -> bool:
    """Take a place again for a session whose own was given back; False, and nothing changes, where there is none.

    The session's row is locked.
    """
    places = _places_now(session, where, now)
    is_there = where.arm in [arm.arm for arm in places.open_arms()]
    if not is_there or not _has_units(session, where, now):
        return False
    session.connection().execute(_TAKE, {"session_id": where.session_id, "now": now})
    return True


def return_to_place(session: Session, token: str, now: datetime) -> bool:
    """Take a place again for who returns to the page; False where there is no room."""
    hold(session, token)
    where = locate(session, token)
    return not where.has_lost_its_place or take_again(session, where, now)


def _has_units(session: Session, where: StudyWhere, now: datetime) -> bool:
    """False if an item still to come has all the participants that it should have."""
    since = now - idle_after(where.design)
    position = where.page.position if where.page.kind == "trial" else 0
    named = {"session_id": where.session_id, "position": position}
    to_come: set[int] | None = None
    for block in where.run.blocks:
        wanted = block.design.wanted_per_unit
        if not wanted:
            continue
        if to_come is None:
            to_come = set(session.connection().execute(_UNITS_TO_COME, named).scalars())
        loads = loads_of(session, where.version_id, where.mode, block.id, since, where.arm)
        if any(
            loads.get(unit.id, 0) >= wanted
            for unit in block.units
            if unit.id in to_come and unit.kind == "main"
        ):
            return False
    return True


def settle_places(session: Session, now: datetime) -> None:
    """Give back the places of the idle in every live study that has places, and close those whose last day is over."""
    for study_id, version_id, sha256, is_changed in session.connection().execute(_LIVE_STUDIES).all():
        design = run_of(session, version_id, sha256).design
        if has_places(design) or design.ends or is_changed:
            HOLD_STUDY.all(session, {"study_id": study_id})
            release(session, study_id, now, since=now - idle_after(design))
            close_if_complete(session, study_id, design, now)


def note_seen(session: Session, session_id: int, now: datetime) -> None:
    """Record a sign of life of a session that has shown its page before."""
    session.connection().execute(_SEE, {"session_id": session_id, "now": now})


def note_completed(session: Session, where: StudyWhere, now: datetime) -> None:
    """Close the study if this was the last live session that it waited for."""
    waits = has_places(where.design) or where.has_target or where.design.stop_when
    if where.mode == Mode.LIVE and waits:
        close_if_complete(session, where.study_id, where.design, now)
