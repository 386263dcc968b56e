"""Pairs in SQL: the member on the left, and the evidence to check an answer against."""

from sqlalchemy import ColumnElement, bindparam, select
from sqlmodel import SQLModel, col

from app.library.tables import Content, Stimulus
from app.trials.tables import Trial, Unit, UnitMember

_trial, _unit, _member, _stimulus, _content = (
    SQLModel.metadata.tables[str(table.__tablename__)]
    for table in (Trial, Unit, UnitMember, Stimulus, Content)
)


def planned_left() -> ColumnElement[str]:
    """The member that a trial's plan has on the left, in SQL: what `PairPlan` reads."""
    left: ColumnElement[str] = col(Trial.plan)["left"].as_string()
    return left


# With what the server knows of the stimuli, to hold the answer against: a row for each slot.
TRIAL_AT = (
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
