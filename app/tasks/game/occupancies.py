"""Occupancies of a match's seats: the people and agents that have been on each, and what each earned there."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from sqlalchemy import Row, bindparam, insert, update
from sqlmodel import Session

from app.tasks.game.files import agent_id
from app.tasks.game.fold import seat_table
from app.tasks.game.logged import Sitter
from app.tasks.game.match import Match

_ADD_SEAT = insert(seat_table).returning(seat_table)
_SET_SEAT = update(seat_table).where(seat_table.c.id == bindparam("seat_id"))


class Occupancies:
    """The occupancies of a match, each a row's columns by name, in the order in which they began."""

    def __init__(self, session: Session, match_id: int, match: Match, seats: Sequence[Row[Any]]) -> None:
        self._session, self._match_id, self._match = session, match_id, match
        self._rows: list[dict[str, Any]] = [dict(seat._mapping) for seat in seats]
        self.are_changed = False

    def __iter__(self) -> Iterator[dict[str, Any]]:
        # Of a copy, as leaving may add an occupancy.
        return iter(list(self._rows))

    def newest(self, seat: int) -> dict[str, Any]:
        """The current, or else the last, occupancy of a seat."""
        return next(row for row in reversed(self._rows) if row["seat"] == seat)

    def mine(self, session_id: int) -> dict[str, Any]:
        """The last occupancy of a session. Raises StopIteration where it has none."""
        return next(row for row in reversed(self._rows) if row["session_id"] == session_id)

    def earned(self, session_id: int) -> Fraction:
        """A session's earnings on all its occupancies so far, in units of the game."""
        # Exact, as the occupancies of a seat must add up to what it earned (decision 0018).
        total = Fraction(0)
        for seat in self._rows:
            if seat["session_id"] == session_id:
                total += Fraction(seat["payoff"]) if seat["to_seq"] is not None else self._since(seat)
        return total

    def _since(self, seat: Mapping[str, Any]) -> Fraction:
        """The growth of a seat's payoff since its current occupancy began."""
        before = sum(
            (
                Fraction(row["payoff"])
                for row in self._rows
                if row["seat"] == seat["seat"] and row["to_seq"] is not None and row["id"] < seat["id"]
            ),
            Fraction(0),
        )
        now: Fraction = self._match.game.payoffs(self._match.state)[seat["seat"] - 1]
        return now - before

    def sit(self, number: int, sitter: Sitter, from_seq: int) -> None:
        """Begin an occupancy of a seat with an event of the log."""
        roles = {role.seat: role.name for role in self._match.game.seats(self._match.config)}
        values = {
            "match_id": self._match_id,
            "seat": number,
            "role": roles[number],
            "occupant": sitter.occupant,
            "session_id": sitter.session_id,
            "trial_id": sitter.trial_id,
            "agent": agent_id(sitter.agent) if sitter.agent else None,
            "settings": sitter.agent.model_dump(mode="json") if sitter.agent else None,
            "from_seq": from_seq,
            "left_reason": "",
            "missed": 0,
            "payoff": "",
        }
        added = self._session.connection().execute(_ADD_SEAT, values).one()
        self._rows.append(dict(added._mapping))
        self.are_changed = True

    def close(self, seat: Mapping[str, Any], reason: str) -> None:
        """End an occupancy with the last event of the log, and store what it earned."""
        values = {"to_seq": len(self._match.log), "left_reason": reason, "payoff": str(self._since(seat))}
        self.change(seat, **values, lapse_at=None)

    def change(self, seat: Mapping[str, Any], **values: Any) -> None:
        """Store columns of an occupancy; nothing is written where they are so already."""
        if all(seat[name] == value for name, value in values.items()):
            return
        statement = _SET_SEAT.values(**values)
        self._session.connection().execute(statement, {"seat_id": seat["id"]})
        next(row for row in self._rows if row["id"] == seat["id"]).update(values)
        self.are_changed = True
