"""A match locked by one write: its row, seats and occupants, earnings, and this write's additions."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

from sqlalchemy import Row, bindparam, insert, select, update
from sqlmodel import Session

from app.tasks.game.agents.registry import is_model, is_outside
from app.tasks.game.base import AnyGame
from app.tasks.game.files import agent_id
from app.tasks.game.fold import Folded, decision_table, event_table, keep_fold, match_table, seat_table
from app.tasks.game.logged import By, Sitter, event_row
from app.tasks.game.match import SWITCHES, Logged, Match
from app.tasks.game.moves import MoveSchema
from app.tasks.game.settings import GameDesign
from app.tasks.game.tables import DecisionStatus, MatchStatus
from app.trials.news import changed, number_of

_ADD_SEAT = insert(seat_table).returning(seat_table)
_SET_SEAT = update(seat_table).where(seat_table.c.id == bindparam("seat_id"))
_ADD_EVENTS = insert(event_table)
_KEPT = ("status", "end_reason", "ended_at", "opened_at", "deadline_at", "due_at", "last_seq", "last_hash")
_SET_MATCH = (
    update(match_table)
    .where(match_table.c.id == bindparam("match_id"))
    .values({name: bindparam(name) for name in _KEPT})
)
_d = decision_table.c
_DECISION = select(decision_table).where(
    _d.match_id == bindparam("match_id"), _d.phase_id == bindparam("phase_id"), _d.seat == bindparam("seat")
)
_ADD_DECISION = insert(decision_table).returning(decision_table)
_CLOSE_DECISIONS = (
    update(decision_table)
    .where(_d.match_id == bindparam("of_match"), _d.program.is_not(None), _d.status != DecisionStatus.MADE)
    .values(status=DecisionStatus.MADE, auto="timeout")
)


class HeldMatch:
    """A match's row, seats and fold, and the events that this write adds."""

    def __init__(
        self, session: Session, design: GameDesign, row: Any, seats: Sequence[Row[Any]], folded: Folded
    ) -> None:
        self._session, self.design, self.folded = session, design, folded
        self.row: dict[str, Any] = dict(row)
        self.seats: list[dict[str, Any]] = [dict(seat._mapping) for seat in seats]
        self._n_stored = len(folded.match.log) if seats else 0
        self._meta: dict[int, dict[str, Any]] = {}
        self._changed = False
        self._decisions: dict[tuple[str, int], Mapping[Any, Any]] = {}
        self._before = folded.match.state
        self._for_all = not seats

    @property
    def match(self) -> Match:
        return self.folded.match

    @property
    def is_running(self) -> bool:
        return bool(self.row["status"] == MatchStatus.RUNNING)

    @property
    def deadline_at(self) -> datetime:
        """The phase's deadline; only called for a phase in which someone acts."""
        deadline: datetime = self.row["deadline_at"]
        return deadline

    def is_asked(self, seat: int, phase_id: str) -> bool:
        """True if a language model or a program on a seat is to move in that phase."""
        phase = self.match.phase
        is_current = self.is_running and phase.phase_id == phase_id and seat in phase.seats
        return is_current and asks(self.occupancy(seat))

    def occupancy(self, seat: int) -> dict[str, Any]:
        """The current, or else the last, occupancy of a seat."""
        return next(row for row in reversed(self.seats) if row["seat"] == seat)

    def mine(self, session_id: int) -> dict[str, Any]:
        """The last occupancy of a session. Raises StopIteration where it has none."""
        return next(row for row in reversed(self.seats) if row["session_id"] == session_id)

    def store(self) -> None:
        """Write the additions."""
        if not self._changed:
            return
        new = self.match.log[self._n_stored :]
        if new:
            rows = [event_row(self.row["id"], line, self._meta[line.seq]) for line in new]
            self._session.connection().execute(_ADD_EVENTS, rows)
        self.row["last_seq"], self.row["last_hash"] = self.folded.key
        values = {name: self.row[name] for name in _KEPT}
        self._session.connection().execute(_SET_MATCH, {"match_id": self.row["id"], **values})
        self._n_stored = len(self.match.log)
        keep_fold(self._session, self.row["id"], self.folded)
        changed(self._session, self._who_see_it(new))
        self._before, self._for_all = self.match.state, False

    def _who_see_it(self, new: Sequence[Logged]) -> Iterator[int]:
        """Sessions whose pages change after these events: most moves of a phase are visible only to their player."""
        match = self.match
        switched = any(line.event.kind in SWITCHES for line in new)
        for_all = self._for_all or switched or not self.is_running
        made = {line.event.seat for line in new}
        for row in self.seats:
            if row["session_id"] is None:
                continue
            seat = row["seat"]
            if for_all or seat in made or self._looks_new(match, seat):
                yield row["session_id"]

    def _looks_new(self, match: Match, seat: int) -> bool:
        return match.game.view(self._before, seat) != match.game.view(match.state, seat)

    def _decision(self, number: int) -> Mapping[Any, Any]:
        """The decision for a seat in this phase, made outside; it is requested if it was not before."""
        key = self.match.phase.phase_id, number
        if key not in self._decisions:
            connection = self._session.connection()
            named = {"match_id": self.row["id"], "phase_id": key[0], "seat": number}
            found = connection.execute(_DECISION, named).first()
            if found is None:
                nothing = {"status": DecisionStatus.OPEN, "message": "", "reason": "", "auto": ""}
                program = program_of(self.occupancy(number))
                values = {**named, **nothing, "calls": 0, "tokens": 0, "program": program}
                found = connection.execute(_ADD_DECISION, values).one()
                if program is not None:
                    changed(self._session, [number_of(program)])
            self._decisions[key] = found._mapping
        return self._decisions[key]

    def _ask_no_more(self) -> None:
        """Close the open decisions of programs; they see that, and the end of a match."""
        programs = {name for seat in self.seats if (name := program_of(seat)) is not None}
        if programs:
            self._session.connection().execute(_CLOSE_DECISIONS, {"of_match": self.row["id"]})
            changed(self._session, map(number_of, programs))

    def _note(self, now: datetime, by: By) -> None:
        """Record metadata of the log's events that have none yet."""
        deadline = self.row["deadline_at"]
        for line in self.match.log[max(self._n_stored, max(self._meta, default=0)) :]:
            self._meta[line.seq] = {
                "received_at": now,
                "deadline_at": deadline if line.event.kind == "move" else None,
                "by": by if line.event.kind == "move" else By(),
                "occupancy": None if line.event.seat is None else self.occupancy(line.event.seat),
            }
        self._changed = True

    def earned(self, session_id: int) -> Fraction:
        """A session's earnings on all its occupancies so far, in units of the game."""
        total = Fraction(0)
        for seat in self.seats:
            if seat["session_id"] == session_id:
                total += Fraction(seat["payoff"]) if seat["to_seq"] is not None else self._since(seat)
        return total

    def bonus_of(self, session_id: int) -> int:
        """The same in minor units; 0 where the study pays none."""
        bonus = self.design.bonus
        return bonus.minor(self.earned(session_id)) if bonus else 0

    def _since(self, seat: Mapping[str, Any]) -> Fraction:
        """The growth of a seat's payoff since its current occupancy began."""
        before = sum(
            (
                Fraction(row["payoff"])
                for row in self.seats
                if row["seat"] == seat["seat"] and row["to_seq"] is not None and row["id"] < seat["id"]
            ),
            Fraction(0),
        )
        now: Fraction = self.match.game.payoffs(self.match.state)[seat["seat"] - 1]
        return now - before

    # Seats

    def _close(self, seat: Mapping[str, Any], reason: str) -> None:
        values = {"to_seq": len(self.match.log), "left_reason": reason, "payoff": str(self._since(seat))}
        self._set(seat, **values, lapse_at=None)

    def _set(self, seat: Mapping[str, Any], **values: Any) -> None:
        if all(seat[name] == value for name, value in values.items()):
            return
        statement = _SET_SEAT.values(**values)
        self._session.connection().execute(statement, {"seat_id": seat["id"]})
        next(row for row in self.seats if row["id"] == seat["id"]).update(values)
        self._changed = True

    def _sit(self, number: int, sitter: Sitter, from_seq: int) -> None:
        roles = {role.seat: role.name for role in self.match.game.seats(self.match.config)}
        values = {
            "match_id": self.row["id"],
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
        self.seats.append(dict(added._mapping))
        self._changed = True


def legal_for(design: GameDesign, game: AnyGame, state: Any, seat: int) -> MoveSchema:
    """The legal moves, with messages no longer than the study allows."""
    legal = game.legal(state, seat)
    longest = min(legal.max_length, design.messages.max_chars)
    return legal if longest == legal.max_length else MoveSchema(legal.kinds, longest)


def asks(seat: Mapping[str, Any]) -> bool:
    """True if a language model or a program, which decides outside, is on a seat."""
    return is_outside(seat["agent"]) and seat["away_at"] is None


def program_of(seat: Mapping[str, Any]) -> str | None:
    """The name of the program that has a seat."""
    is_program = asks(seat) and not is_model(seat["agent"])
    return str(seat["settings"]["label"]) if is_program else None
