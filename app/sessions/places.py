"""Places in a study: how many sessions count in each arm, who has room, and when the study closes by itself.

A live session counts if it is completed, or active and its place was not given back (`released_at`); not if it is
excluded or its verdict is not to be used. Pilot, preview and simulated sessions are balanced among themselves, and no
target holds for them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Literal

from sqlalchemy import bindparam, case, exists, func, not_, select, update
from sqlmodel import Session, SQLModel

from app.accounts.audit import SERVICE
from app.core.statements import Hot
from app.sessions.precision import is_precise
from app.studies.closing import DEFAULT_CLOSING, DEFAULT_GRACE_MIN
from app.studies.file.design import StudyDesign
from app.studies.versions import set_state
from app.tasks.running import live_tasks
from app.trials.loads import LEFT_AFTER
from app.trials.tables import (
    Exclusion,
    Mode,
    ParticipantSession,
    SessionVerdict,
    State,
    Status,
    Study,
    StudyArm,
    StudyVersion,
)

_tables = SQLModel.metadata.tables
_session, _version, _study, _arm, _exclusion, _verdict = (
    _tables[str(table.__tablename__)]
    for table in (ParticipantSession, StudyVersion, Study, StudyArm, Exclusion, SessionVerdict)
)

_IS_EXCLUDED = exists().where(_exclusion.c.session_id == _session.c.id, _exclusion.c.lifted_at.is_(None))
_IS_UNUSED = exists().where(_verdict.c.session_id == _session.c.id, _verdict.c.use.is_(False))
_COUNTED = (_session.c.released_at.is_(None), not_(_IS_EXCLUDED), not_(_IS_UNUSED))
_SEEN = func.coalesce(_session.c.seen_at, _session.c.consented_at, _session.c.arrived_at)
_COUNTS = (
    select(
        _session.c.arm,
        func.sum(case((_session.c.status == Status.COMPLETED, 1), else_=0)),
        func.sum(case((_session.c.status == Status.ACTIVE, 1), else_=0)),
    )
    .join(_version, _version.c.id == _session.c.version_id)
    .where(
        _version.c.study_id == bindparam("study_id"),
        _session.c.mode == bindparam("mode"),
        _session.c.status.in_((Status.COMPLETED, Status.ACTIVE)),
        *_COUNTED,
    )
    .group_by(_session.c.arm)
)
_COMPLETED = (
    select(func.count())
    .select_from(_session.join(_version, _version.c.id == _session.c.version_id))
    .where(
        _version.c.study_id == bindparam("study_id"),
        _session.c.mode == bindparam("mode"),
        _session.c.status == Status.COMPLETED,
    )
)
_IDLE = (
    select(_session.c.id, _session.c.arm)
    .join(_version, _version.c.id == _session.c.version_id)
    .where(
        _version.c.study_id == bindparam("study_id"),
        _session.c.mode == Mode.LIVE,
        _session.c.status == Status.ACTIVE,
        bindparam("since", type_=_session.c.seen_at.type) > _SEEN,  # on the left it takes no type of its own
        *_COUNTED,
    )
)
# Whoever answers at this instant has its row locked, is seen by it, and keeps the place.
_FREE_IDLE = _IDLE.with_for_update(of=_session, key_share=True, skip_locked=True)
_VERSIONS = select(_version.c.id).where(_version.c.study_id == bindparam("study_id"))
_STUDY = Hot(
    select(_study.c.state, _study.c.archived_at, _study.c.target, _study.c.opens_at, _study.c.ends_at).where(
        _study.c.id == bindparam("study_id")
    )
)
HOLD_STUDY = Hot(
    select(_study.c.id).where(_study.c.id == bindparam("study_id")).with_for_update(key_share=True, of=_study)
)
_ARMS = Hot(
    select(_arm.c.arm, _arm.c.target, _arm.c.paused_at).where(_arm.c.study_id == bindparam("study_id"))
)

_SLUG = select(_study.c.slug).where(_study.c.id == bindparam("study_id"))
_CLOSE = (
    update(_study)
    .where(_study.c.id == bindparam("this_study"))
    .values(closes_at=bindparam("closes_at"), closing=bindparam("closing"))
)

Why = Literal["full", "paused", "ended", "not-yet"]


@dataclass(frozen=True, slots=True)
class ArmPlaces:
    """An arm with its target, if any, and the sessions that count: completed, and under way."""

    arm: str
    target: int | None
    is_paused: bool = False
    completed: int = 0
    active: int = 0

    @property
    def held(self) -> int:
        return self.completed + self.active

    @property
    def has_room(self) -> bool:
        return not self.is_paused and (self.target is None or self.held < self.target)

    @property
    def is_complete(self) -> bool:
        return self.target is not None and self.completed >= self.target

    @property
    def in_words(self) -> str:
        """`23 of 30, 4 active`."""
        of = f" of {self.target:,}" if self.target is not None else ""
        return f"{self.completed:,}{of}, {self.active:,} active"

    @property
    def filled(self) -> Fraction:
        """The share of its target, or the number of sessions where arms have no targets."""
        return Fraction(self.held, self.target or 1)


@dataclass(frozen=True, slots=True)
class Places:
    """A study's places at a time, with what was changed since it was launched.

    `uncounted` are the completed sessions that fill no place; they are counted where that is asked for.
    """

    state: State
    target: int | None
    opens_at: datetime | None
    ends_at: datetime | None
    arms: tuple[ArmPlaces, ...]
    uncounted: int = 0

    @property
    def completed(self) -> int:
        return sum(arm.completed for arm in self.arms)

    @property
    def held(self) -> int:
        return sum(arm.held for arm in self.arms)

    @property
    def are_limited(self) -> bool:
        return self.target is not None or any(arm.target is not None for arm in self.arms)

    @property
    def closes_by_itself(self) -> bool:
        return self.target is not None or all(arm.target is not None for arm in self.arms)

    @property
    def is_complete(self) -> bool:
        """True if the sessions that were wanted are there."""
        if self.target is not None and self.completed >= self.target:
            return True
        return bool(self.arms) and all(arm.is_complete for arm in self.arms)

    def closes_at_once(self, now: datetime) -> str:
        """Reason for which the service would close the study as soon as it is open; empty where there is none."""
        if self.ends_at is not None and now >= self.ends_at:
            return "its last day is over"
        return "its target is reached" if self.is_complete else ""

    @property
    def most(self) -> int:
        """The sessions of the arm that has most."""
        return max((arm.held for arm in self.arms), default=0)

    @property
    def in_words(self) -> str:
        """`46 of 60 completed, 7 under way.`"""
        wanted = [arm.target for arm in self.arms if arm.target is not None]
        target = self.target or (sum(wanted) if len(wanted) == len(self.arms) else None)
        of = f" of {target:,}" if target is not None else ""
        return f"{self.completed:,}{of} completed, {self.held - self.completed:,} under way."

    @property
    def uncounted_in_words(self) -> str:
        """`2 more are completed and fill no place: ...`; nothing where there are none."""
        if not self.uncounted:
            return ""
        are = "is" if self.uncounted == 1 else "are"
        fill = "fills" if self.uncounted == 1 else "fill"
        why = (
            "excluded, not to be used by a rule, finished without a place, or of no arm that the study has now (of an "
            "earlier one, or of before it had arms)"
        )
        return f"{self.uncounted:,} more {are} completed and {fill} no place: {why}."

    def open_arms(self) -> tuple[ArmPlaces, ...]:
        """The arms that take one more session, by how little of them is filled."""
        if self.target is not None and self.held >= self.target:
            return ()
        return tuple(sorted((arm for arm in self.arms if arm.has_room), key=lambda arm: arm.filled))

    def closed_because(self, now: datetime) -> Why | None:
        """Reason for which nobody may begin now; None where there is room."""
        if self.state is State.CLOSED or (self.ends_at is not None and now >= self.ends_at):
            return "ended"
        if self.state is not State.LIVE:
            return "paused"
        if self.opens_at is not None and now < self.opens_at:
            return "not-yet"
        if self.open_arms():
            return None
        is_full = self.target is not None and self.held >= self.target
        waits = not is_full and any(arm.is_paused and not arm.is_complete for arm in self.arms)
        return "paused" if waits else "full"


def idle_after(design: StudyDesign) -> timedelta:
    """Time after which a session without a sign of life loses its place."""
    return timedelta(minutes=design.idle_minutes) if design.idle_minutes else LEFT_AFTER


def has_places(design: StudyDesign) -> bool:
    """True where the study file speaks of places: only then are they given back."""
    return bool(design.arms or design.target or design.idle_minutes)


def places_of(
    session: Session,
    study_id: int,
    design: StudyDesign,
    now: datetime,
    mode: str = Mode.LIVE,
    *,
    hold: bool = False,
    count: bool = False,
    released: bool = False,
) -> Places:
    """The places of a study whose newest design this is. With `hold` its row is locked, so that nobody else counts.

    Without `count` sessions are counted only where that decides something, and those that fill no place are not. The
    idle do not count, unless `released` says that their places have been given back already.
    """
    named = {"study_id": study_id}
    if hold:
        HOLD_STUDY.all(session, named)
    state, archived_at, target, opens_at, ends_at = _STUDY.first(session, named)
    changed = {arm: (own, paused_at) for arm, own, paused_at in _ARMS.all(session, named)}
    counts: Mapping[str, Sequence[int]] = {}
    idle = Counter[str]()
    # A start in a study without places need not wait for its sessions to be counted.
    if count or target is not None or changed or has_places(design):
        counts = {arm: n for arm, *n in session.connection().execute(_COUNTS, {**named, "mode": mode})}
        if mode == Mode.LIVE and not released:
            idle.update(idle_sessions(session, study_id, now - idle_after(design)).values())
    is_live = mode == Mode.LIVE
    wanted = {arm.id: arm.target for arm in design.arms}
    arms = []
    for arm in design.arm_ids:
        own, paused_at = changed.get(arm, (None, None))
        completed, active = counts.get(arm, (0, 0))
        # Sessions of before the study had arms are of the arm `main`, which has no place among these.
        arms.append(
            ArmPlaces(
                arm,
                (own or wanted.get(arm)) if is_live else wanted.get(arm),
                is_live and paused_at is not None,
                int(completed),
                int(active) - idle[arm],
            )
        )
    return Places(
        State.CLOSED if archived_at is not None else State(state),
        (target or design.target) if is_live else None,
        opens_at or design.opens_at if is_live else None,
        ends_at or design.ends_at if is_live else None,
        tuple(arms),
        _completed(session, study_id, mode) - sum(arm.completed for arm in arms) if count else 0,
    )


def _completed(session: Session, study_id: int, mode: str) -> int:
    n: int = session.connection().execute(_COMPLETED, {"study_id": study_id, "mode": mode}).scalar_one()
    return n


def idle_sessions(
    session: Session, study_id: int, since: datetime, *, lock: bool = False
) -> Mapping[int, str]:
    """The live sessions that hold a place and were not seen since, each with its arm. Who is in a match or waits for
    one is there.
    """
    connection = session.connection()
    asked = {"study_id": study_id, "since": since}
    rows = connection.execute(_FREE_IDLE if lock else _IDLE, asked)
    idle = {row.id: row.arm for row in rows}
    if not idle:
        return idle
    versions = connection.execute(_VERSIONS, {"study_id": study_id}).scalars().all()
    present = frozenset[int]().union(*(task.present(session, versions) for task in live_tasks()))
    return {id_: arm for id_, arm in idle.items() if id_ not in present}


def close_if_complete(session: Session, study_id: int, design: StudyDesign, now: datetime) -> bool:
    """Close a live study that has all sessions that it wanted, or whose last day is over. Its row is locked first."""
    places = places_of(session, study_id, design, now, hold=True)
    if places.state is not State.LIVE:
        return False
    is_over = places.ends_at is not None and now >= places.ends_at
    precise = None
    if not is_over and not places.is_complete:
        precise = is_precise(session, study_id, design.stop_when) if design.stop_when else None
        if precise is None:
            return False
    begins = places.ends_at if is_over and places.ends_at is not None else now
    why = "its last day is over" if is_over else f"its target is reached ({places.completed} completed)"
    if precise is not None and design.stop_when and precise.decisive is not None:
        stop = design.stop_when
        why = (
            f"its interval is narrow enough ({stop.span * precise.decisive:.3f} of {stop.narrower_than:g} wanted, over "
            f"{precise.n} participants)"
        )
    noted = {"because": why, "grace_min": DEFAULT_GRACE_MIN}
    slug = session.connection().execute(_SLUG, {"study_id": study_id}).scalar_one()
    set_state(session, slug, State.CLOSED, by=SERVICE, now=now, noted=noted)
    closes = {"closes_at": begins + timedelta(minutes=DEFAULT_GRACE_MIN), "closing": DEFAULT_CLOSING}
    session.connection().execute(_CLOSE, {"this_study": study_id, **closes})
    return True
