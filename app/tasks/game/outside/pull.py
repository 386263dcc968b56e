"""A program on a seat: it fetches its next decision and posts its move; nothing of ours calls it."""

import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from app.core.errors import Conflict, InvalidAnswer, StudyError
from app.core.exchanges import Keep
from app.tasks.game.agents.outside import PullAgent
from app.tasks.game.base import Act, Budget, NoMove, View
from app.tasks.game.moves import IllegalMove, MoveSchema
from app.tasks.game.outside.kept import Tally
from app.tasks.game.outside.prompts import checked, form, json_schema, situation

MOST_INVALID = 3
"""Answers to one decision that are not legal; after so many the default move is played."""
MOST_MISSED = 2
"""Decisions in a row without a call of the program; after so many it has left, until it calls again."""


class Posted(BaseModel):
    """A move as posted by a program; `match` and `phase_id` are those of the decision that it answers.

    `move`, `message` and `reason` must match its `legal`. Sending the same `submit_id` again changes nothing.
    """

    model_config = ConfigDict(extra="forbid")

    submit_id: str = Field(min_length=1, max_length=100)
    match: str = Field(max_length=100)
    phase_id: str = Field(max_length=100)
    move: Any
    message: Any = ""
    reason: Any = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """The last match that ended: the reason, the seat's payoff in units of the game, and its final view."""

    match: str
    reason: str
    payoff: float
    view: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Decision:
    """A pending decision, with the seat's view.

    `legal` is a JSON Schema of what may be posted as `move`, `message` and `reason`; `text` is the view and the form of
    an answer for a reader; the default move is played in `remaining_ms`.
    """

    match: str
    phase_id: str
    remaining_ms: int
    view: Mapping[str, Any]
    legal: Mapping[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class SeatState:
    """All that a program may know. `seq` grows with each change; `over`: nothing more will come."""

    seq: int
    game: str
    seat: int
    rules: str
    decision: Decision | None = None
    ended: Ended | None = None
    over: bool = False


@dataclass(slots=True)
class _Open:
    """A decision under way."""

    legal: MoveSchema
    end: float
    invalid: int = 0
    act: Act | None = None
    called: bool = False

    @property
    def settled(self) -> bool:
        return self.act is not None or self.invalid >= MOST_INVALID


class PullSeat:
    """A seat for all matches of a run: a match asks it for moves in one thread, a program calls in others."""

    def __init__(self, agent: PullAgent, game: str, seat: int, rules: str, keep: Keep) -> None:
        self.agent, self.tally = agent, Tally()
        self._keep = keep
        self._state = SeatState(0, game, seat, rules)
        self._open: _Open | None = None
        self._changed = threading.Condition()
        self._taken: set[str] = set()
        self._fetched = self._missed = 0
        self._called = self._closed = False

    def act_in(self, match: str, view: View, legal: MoveSchema) -> Act:
        """Wait for the program's move. Raises NoMove without one, and StudyError where no program ever calls."""
        with self._changed:
            self._await_program()
            self.tally.add(decisions=1)
            if self._missed >= MOST_MISSED:
                self.tally.add(defaults=1)
                raise NoMove("dropout")
            # Not the wall clock, which may be set while a decision is open.
            now = _Open(legal, time.monotonic() + self.agent.seconds)
            self._open = now
            text = f"{situation(view)}\n\n{form(legal)}"
            shown = Decision(match, view.phase_id, 0, asdict(view), json_schema(legal), text)
            self._show(decision=shown)
            self._changed.wait_for(lambda: now.settled or self._closed, self.agent.seconds)
            self._open = None
            self._show(decision=None)
            self._still_open()
            self._missed = 0 if now.called else self._missed + 1
            if now.act is None:
                self.tally.add(defaults=1)
                raise NoMove("invalid" if now.settled else "timeout")
            return now.act

    def ended(self, match: str, reason: str, payoff: Fraction, view: View) -> None:
        """Show how a match ended."""
        with self._changed:
            number = int(payoff) if payoff.denominator == 1 else float(payoff)
            self._show(ended=Ended(match, reason, number, asdict(view)))

    def over(self, wait: float) -> None:
        """Show that nothing more comes; a program that has called has `wait` seconds to see it."""
        with self._changed:
            self._show(over=True)
            if self._called and self._missed < MOST_MISSED:
                self._changed.wait_for(lambda: self._fetched == self._state.seq, wait)

    def close(self) -> None:
        """Release all waiting calls."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def fetch(self, after: int, wait: float) -> SeatState | None:
        """The program's state once it is newer than `after`; None if that does not happen within `wait` seconds."""
        with self._changed:
            self._hear()
            if not self._changed.wait_for(lambda: self._state.seq > after or self._closed, wait):
                return None
            self._hear()
            self._fetched = self._state.seq
            self._changed.notify_all()
            return self._now()

    def post(self, posted: Posted) -> SeatState:
        """Take a move. Raises Conflict for one that nothing waits for, InvalidAnswer for one that is not legal."""
        with self._changed:
            self._hear()
            # A repeated post, as when its reply was lost.
            if posted.submit_id in self._taken:
                return self._now()
            now, shown = self._open, self._state.decision
            if not now or not shown or (posted.match, posted.phase_id) != (shown.match, shown.phase_id):
                raise Conflict("nothing waits for this move; fetch what is to be decided now")
            try:
                self._take(posted, now, shown)
            finally:
                if now.settled:
                    self._open = None
                    self._show(decision=None)
            return self._now()

    def _take(self, posted: Posted, now: _Open, shown: Decision) -> None:
        given = {"move": posted.move, "message": posted.message, "reason": posted.reason}
        try:
            now.act = checked(given, now.legal)
        except IllegalMove as error:
            now.invalid += 1
            self._keep(self._line(shown, given, "invalid", str(error)))
            raise InvalidAnswer({"move": str(error)}) from None
        self._taken.add(posted.submit_id)
        self._keep(self._line(shown, given, "taken"))

    def _line(
        self, shown: Decision, given: Mapping[str, Any], result: str, why: str = ""
    ) -> Mapping[str, Any]:
        line = {"match": shown.match, "seat": self._state.seat, "phase_id": shown.phase_id, "result": result}
        return {**line, **given, **({"why": why} if why else {})}

    def _await_program(self) -> None:
        if not self._changed.wait_for(lambda: self._called or self._closed, self.agent.start):
            raise StudyError(f"no program took seat {self._state.seat} within {self.agent.start:g} seconds")
        self._still_open()

    def _still_open(self) -> None:
        if self._closed:
            raise StudyError("the run was stopped")

    def _hear(self) -> None:
        self._called, self._missed = True, 0
        if self._open:
            self._open.called = True
        self._changed.notify_all()

    def _show(self, **changes: Any) -> None:
        if any(getattr(self._state, name) != value for name, value in changes.items()):
            self._state = replace(self._state, seq=self._state.seq + 1, **changes)
            self._changed.notify_all()

    def _now(self) -> SeatState:
        if not self._open or not self._state.decision:
            return self._state
        left = max(0, round((self._open.end - time.monotonic()) * 1000))
        return replace(self._state, decision=replace(self._state.decision, remaining_ms=left))


@dataclass(frozen=True, slots=True)
class PullPlayer:
    """A seat in one match."""

    seat: PullSeat
    match: str

    def act(self, view: View, legal: MoveSchema, rng: Random, budget: Budget) -> Act:
        """The program's move."""
        return self.seat.act_in(self.match, view, legal)
