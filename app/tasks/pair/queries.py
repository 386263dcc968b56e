"""Pairs in SQL: the member on the left, and the evidence to check an answer against."""

from collections import Counter

from sqlalchemy import ColumnElement, bindparam, exists, func, not_, select
from sqlmodel import Session, SQLModel, col

from app.core.statements import Hot
from app.library.tables import Content, Stimulus
from app.questions.sides import Side
from app.tasks.pair.design import Member, chosen_by
from app.trials.design import Kind
from app.trials.responses import Response
from app.trials.tables import Exclusion, ParticipantSession, SessionVerdict, Trial, Unit, UnitMember

_trial, _unit, _member, _stimulus, _content, _response, _session, _exclusion, _verdict = (
    SQLModel.metadata.tables[str(table.__tablename__)]
    for table in (
        Trial,
        Unit,
        UnitMember,
        Stimulus,
        Content,
        Response,
        ParticipantSession,
        Exclusion,
        SessionVerdict,
    )
)


def planned_left() -> ColumnElement[str]:
    """The member that a trial's plan has on the left, in SQL: what `PairPlan` reads."""
    left: ColumnElement[str] = col(Trial.plan)["left"].as_string()
    return left


# With what the server knows of the stimuli, to hold the answer against: a row for each slot.
TRIAL_AT = Hot(
    select(
        _trial.c.id,
        _trial.c.plan,
        _trial.c.sent,
        _unit.c.kind,
        _unit.c.truth,
        _member.c.slot,
        _member.c.bytes,
        _member.c.duration_s,
    )
    .select_from(
        _trial.join(_unit, _unit.c.id == _trial.c.unit_id).join(_member, _member.c.unit_id == _unit.c.id)
    )
    .where(_trial.c.session_id == bindparam("session_id"), _trial.c.position == bindparam("position"))
)
# What is read of the records or texts of a trial: a row for each slot.
CONTENTS_AT = (
    select(
        _trial.c.plan,
        _unit.c.kind,
        _unit.c.truth,
        _member.c.slot,
        _stimulus.c.kind.label("stimulus_kind"),
        _content.c.content,
    )
    .select_from(
        _trial.join(_unit, _unit.c.id == _trial.c.unit_id)
        .join(_member, _member.c.unit_id == _unit.c.id)
        .join(_stimulus, _stimulus.c.id == _member.c.stimulus_id)
        .outerjoin(_content, _content.c.sha256 == _member.c.sha256)
    )
    .where(_trial.c.session_id == bindparam("session_id"), _trial.c.position == bindparam("position"))
)
# The choices that count, of sessions that are not excluded: by unit, the member on the left, and the side pressed.
_EACH = (
    select(_trial.c.unit_id, planned_left().label("left"), _response.c.side)
    .select_from(
        _response.join(_trial, _trial.c.id == _response.c.trial_id)
        .join(_unit, _unit.c.id == _trial.c.unit_id)
        .join(_session, _session.c.id == _trial.c.session_id)
    )
    .where(
        _unit.c.version_id == bindparam("version_id"),
        _unit.c.block == bindparam("block"),
        _unit.c.kind == Kind.MAIN,
        _session.c.mode == bindparam("mode"),
        _session.c.arm == bindparam("arm"),
        _response.c.side.in_([*Side]),
        _response.c.unplayable.is_(False),
        _response.c.unwatched.is_(False),
        _response.c.study_rule.is_(None),
        not_(exists().where(_exclusion.c.session_id == _session.c.id, _exclusion.c.lifted_at.is_(None))),
        not_(exists().where(_verdict.c.session_id == _session.c.id, _verdict.c.use.is_(False))),
    )
    .subquery()
)
# Grouped outside: to PostgreSQL the member on the left, written twice with a parameter each, is two things.
_CHOICES = select(*_EACH.c, func.count().label("n")).group_by(*_EACH.c)


def choices_of(
    session: Session, version_id: int, mode: str, block: str, arm: str = "main"
) -> Counter[tuple[int, Member]]:
    """The number of answers so far to main pairs of a block, by pair and the member chosen; ties are none."""
    asked = {"version_id": version_id, "mode": mode, "arm": arm, "block": block}
    counts: Counter[tuple[int, Member]] = Counter()
    for row in session.connection().execute(_CHOICES, asked):
        counts[row.unit_id, Member(chosen_by(row.side, Member(row.left)))] += row.n
    return counts
