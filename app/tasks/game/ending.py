"""The outcome of a session's matches: complete ones, those left, and earnings."""

from typing import Any

from sqlalchemy import bindparam, select
from sqlmodel import Session, SQLModel

from app.tasks.game.fold import seat_table
from app.tasks.game.settings import GameDesign
from app.trials.design import BlockPart
from app.trials.ending import BlockEnd, Earned, Shortfall
from app.trials.responses import Response
from app.trials.tables import Trial

_trial = SQLModel.metadata.tables[str(Trial.__tablename__)]
_response = SQLModel.metadata.tables[str(Response.__tablename__)]
_HERE = (_trial.c.session_id == bindparam("session_id")) & _trial.c.position.between(
    bindparam("first"), bindparam("last")
)
_ANSWERS = (
    select(_trial.c.id, _response.c.answers)
    .join(_trial, _trial.c.id == _response.c.trial_id)
    .where(_HERE)
    .order_by(_trial.c.position)
)
_SEATS = (
    select(seat_table.c.trial_id, seat_table.c.left_reason, seat_table.c.away_at)
    .join(_trial, _trial.c.id == seat_table.c.trial_id)
    .where(_HERE)
    .order_by(seat_table.c.id)
)
_WHOLE = ("", "finished")


def block_end(session: Session, session_id: int, design: GameDesign, part: BlockPart) -> BlockEnd:
    """The outcome of a block of matches. Amounts are those on each match's own last page."""
    named = {"session_id": session_id, "first": part.first, "last": part.last}
    connection = session.connection()
    # Who came back has a later row of the same seat, and it is the last one that counts.
    left = {row.trial_id: _is_left(row) for row in connection.execute(_SEATS, named)}
    answers = {row.id: row.answers for row in connection.execute(_ANSWERS, named)}
    shortfalls = [short for trial, given in answers.items() if (short := _shortfall(given, left.get(trial)))]
    return BlockEnd(len(answers) - len(shortfalls), tuple(shortfalls), _earned(design, answers.values()))


def _is_left(seat: Any) -> bool:
    return seat.away_at is not None or seat.left_reason not in _WHOLE


def _shortfall(answers: Any, left: bool | None) -> Shortfall | None:
    if left:
        return "left"
    reason: Shortfall | None = answers.get("no_match")
    return reason


def _earned(design: GameDesign, answers: Any) -> Earned | None:
    if design.bonus is None and not design.matching.wait_pay_minor_per_min:
        return None
    given = list(answers)
    bonus = sum(each.get("bonus_minor") or 0 for each in given) if design.bonus else 0
    return Earned(design.currency, bonus, sum(each.get("wait_pay_minor") or 0 for each in given))
