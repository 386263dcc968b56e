"""Precision targets: participants' shares so far, and whether their interval is as narrow as the study wants it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, exists, func, not_, null, select
from sqlmodel import Session, SQLModel, col

from analysis.precision import Width, is_narrow, looks_at, width_of
from app.sessions.runs import run_of
from app.studies.file.stopping import DesignStopWhen
from app.tasks.registry import DESIGNS
from app.trials.design import Kind
from app.trials.responses import Response
from app.trials.tables import (
    Exclusion,
    Mode,
    ParticipantSession,
    SessionVerdict,
    Status,
    StudyVersion,
    Trial,
    Unit,
)

_tables = SQLModel.metadata.tables
_session, _version, _trial, _unit, _response, _exclusion, _verdict = (
    _tables[str(table.__tablename__)]
    for table in (ParticipantSession, StudyVersion, Trial, Unit, Response, Exclusion, SessionVerdict)
)
_KEYS = dict.fromkeys(design.slot_key for design in DESIGNS.values() if design.slot_key)
_FIRST = func.coalesce(*(col(Trial.plan)[key].as_string() for key in _KEYS), null())
_SIDES = {side: at for design in DESIGNS.values() for at, side in enumerate(design.sides)}
# Choices of main pairs that count, of finished live sessions that count, in the order in which these finished.
_CHOICES = (
    select(_session.c.id, _session.c.ended_at, _unit.c.version_id, _unit.c.name, _FIRST, _response.c.side)
    .select_from(
        _response.join(_trial, _trial.c.id == _response.c.trial_id)
        .join(_unit, _unit.c.id == _trial.c.unit_id)
        .join(_session, _session.c.id == _trial.c.session_id)
    )
    .where(
        _session.c.version_id.in_(
            select(_version.c.id).where(_version.c.study_id == bindparam("study_id")).scalar_subquery()
        ),
        _session.c.mode == Mode.LIVE,
        _session.c.status == Status.COMPLETED,
        _session.c.released_at.is_(None),
        not_(exists().where(_exclusion.c.session_id == _session.c.id, _exclusion.c.lifted_at.is_(None))),
        not_(exists().where(_verdict.c.session_id == _session.c.id, _verdict.c.use.is_(False))),
        _unit.c.kind == Kind.MAIN,
        _response.c.side.in_(list(_SIDES)),
        _response.c.unplayable.is_(False),
        _response.c.unwatched.is_(False),
        _response.c.study_rule.is_(None),
    )
    .order_by(_session.c.ended_at, _session.c.id)
)
_VERSIONS = select(_version.c.id, _version.c.sha256).where(_version.c.study_id == bindparam("study_id"))


@dataclass(frozen=True, slots=True)
class Shares:
    """A share of each participant who finished and answered such pairs, in order, and when they finished.

    `answers` are those of a participant, on average."""

    values: Sequence[float]
    ended: Sequence[datetime]
    answers: float

    def width(self, n: int | None = None) -> Width:
        """The width over the first `n` participants, or all."""
        return width_of(self.values[:n], self.answers)


def shares_of(session: Session, study_id: int, stop: DesignStopWhen) -> Shares:
    """Shares of finished live participants, as the analysis has them: pairs with a right answer, or with the source and
    another; ties and blanks are none.
    """
    wanted: dict[int, Mapping[str, str]] = {}
    connection = session.connection()
    for version_id, sha256 in connection.execute(_VERSIONS, {"study_id": study_id}).all():
        wanted[version_id] = _slots(session, version_id, sha256, stop)
    chosen: defaultdict[int, list[bool]] = defaultdict(list)
    ended: dict[int, datetime] = {}
    for id_, at, version_id, name, first, side in connection.execute(_CHOICES, {"study_id": study_id}):
        slot = wanted[version_id].get(name)
        if slot is not None:
            # The slot on the first side, and the side pressed: the first of the two or the second.
            chosen[id_].append((_SIDES[side] == 0) == (first == slot))
            ended[id_] = at
    n = sum(map(len, chosen.values()))
    return Shares(
        [sum(right) / len(right) for right in chosen.values()],
        [ended[id_] for id_ in chosen],
        n / len(chosen) if chosen else 0.0,
    )


def _slots(session: Session, version_id: int, sha256: str, stop: DesignStopWhen) -> Mapping[str, str]:
    """By the name of a unit: the slot of the member whose choice counts."""
    found = {}
    for block in run_of(session, version_id, sha256).blocks:
        for unit in block.design.units():
            slots = list(unit.members)
            if stop.measure == "accuracy":
                slot = unit.truth
            else:
                of_source = [
                    at for at, source in zip(slots, unit.sources, strict=False) if source == stop.source
                ]
                slot = of_source[0] if len(of_source) == 1 else None
            if slot is not None and len(slots) == 2:
                found[unit.name] = str(slot)
    return found


def is_precise(session: Session, study_id: int, stop: DesignStopWhen) -> Width | None:
    """The width at which the study stops; None while it goes on."""
    shares = shares_of(session, study_id, stop)
    width = shares.width()
    if not looks_at(width.n) or not is_narrow(width, stop.narrower_than, stop.at_least):
        return None
    return width
