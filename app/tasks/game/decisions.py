"""Decisions for seats that are made outside of a match, by language models and programs: requested, read and closed."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import bindparam, insert, select, update
from sqlmodel import Session

from app.tasks.game.fold import decision_table
from app.tasks.game.seated import program_of
from app.tasks.game.tables import DecisionStatus
from app.trials.news import changed, number_of

_d = decision_table.c
_DECISION = select(decision_table).where(
    _d.match_id == bindparam("match_id"), _d.phase_id == bindparam("phase_id"), _d.seat == bindparam("seat")
)
_ADD_DECISION = insert(decision_table).returning(decision_table)
_CLOSE_DECISIONS = (
    update(decision_table)
    # In an UPDATE, SQLAlchemy keeps the names of columns for the values that are set.
    .where(_d.match_id == bindparam("of_match"), _d.program.is_not(None), _d.status != DecisionStatus.MADE)
    .values(status=DecisionStatus.MADE, auto="timeout")
)


class Decisions:
    """The decisions of one match, each read once in a write."""

    def __init__(self, session: Session, match_id: int) -> None:
        self._session, self._match_id = session, match_id
        self._found: dict[tuple[str, int], Mapping[Any, Any]] = {}

    def have(self, phase_id: str, seat: Mapping[str, Any]) -> Mapping[Any, Any]:
        """The columns of the decision for a seat in a phase; it is requested if it was not before."""
        key = phase_id, int(seat["seat"])
        if key not in self._found:
            connection = self._session.connection()
            named = {"match_id": self._match_id, "phase_id": key[0], "seat": key[1]}
            found = connection.execute(_DECISION, named).first()
            if found is None:
                nothing = {"status": DecisionStatus.OPEN, "message": "", "reason": "", "auto": ""}
                program = program_of(seat)
                values = {**named, **nothing, "calls": 0, "tokens": 0, "program": program}
                found = connection.execute(_ADD_DECISION, values).one()
                if program is not None:
                    changed(self._session, [number_of(program)])
            self._found[key] = found._mapping
        return self._found[key]

    def close(self, seats: Iterable[Mapping[str, Any]]) -> None:
        """Close the open decisions of programs on these seats; they see that, and the end of a match."""
        programs = {name for seat in seats if (name := program_of(seat)) is not None}
        if programs:
            self._session.connection().execute(_CLOSE_DECISIONS, {"of_match": self._match_id})
            changed(self._session, map(number_of, programs))
