"""One match under way, locked by one write: moves, deadlines, leaving and returning. The caller passes the time.

Everything that happens is an event; its consequences (draws of nature, agents' moves, default moves, the end) are
appended in the same write. Nothing here waits: `due_at` is when the match has to be checked again.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, bindparam, insert, select, update
from sqlmodel import Session

from app.tasks.game.base import Act, Budget, Event
from app.tasks.game.decisions import Decisions
from app.tasks.game.files import agent_id
from app.tasks.game.fold import (
    Folded,
    event_table,
    keep_fold,
    match_table,
    player_of,
    seat_table,
    take_fold,
)
from app.tasks.game.games import GAMES
from app.tasks.game.logged import By, Sitter, event_row
from app.tasks.game.match import SWITCHES, Logged, Match, config_hash, stream
from app.tasks.game.occupancies import Occupancies
from app.tasks.game.seated import asks
from app.tasks.game.settings import GameDesign
from app.tasks.game.tables import DecisionStatus, MatchStatus, Occupant
from app.tasks.game.timing import delay_of
from app.trials.news import changed

MISSES = 2
"""So many automatic moves in a row count as leaving."""
DROPOUT, TIMEOUT = "dropout", "timeout"
BY_HAND = "by-hand"
"""Why a match ended that an experimenter stopped."""

_MATCH = select(match_table).where(match_table.c.id == bindparam("match_id"))
# Without its key, so that rows that refer to the match can be added by others meanwhile (decision 0018).
HOLD_MATCH = _MATCH.with_for_update(key_share=True)
_SEATS = select(seat_table).where(seat_table.c.match_id == bindparam("match_id")).order_by(seat_table.c.id)
_ADD_MATCH = insert(match_table).returning(match_table.c.id)
_ADD_EVENTS = insert(event_table)
_KEPT = ("status", "end_reason", "ended_at", "opened_at", "deadline_at", "due_at", "last_seq", "last_hash")
_SET_MATCH = (
    update(match_table)
    .where(match_table.c.id == bindparam("match_id"))
    .values({name: bindparam(name) for name in _KEPT})
)


class Live:
    """A match: its row, seats and fold, its operations, and the events that this write adds."""

    def __init__(
        self, session: Session, design: GameDesign, row: Any, seats: Sequence[Row[Any]], folded: Folded
    ) -> None:
        self._session, self.design, self.folded = session, design, folded
        self.row: dict[str, Any] = dict(row)
        self.seats = Occupancies(session, self.row["id"], folded.match, seats)
        self._decisions = Decisions(session, self.row["id"])
        self._n_stored = len(folded.match.log) if seats else 0
        self._meta: dict[int, dict[str, Any]] = {}
        self._changed = False
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
        return is_current and asks(self.seats.newest(seat))

    def store(self) -> None:
        """Write the additions."""
        if not (self._changed or self.seats.are_changed):
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
        # Waking a page that may not know of a move would tell that another player has moved (decision 0018).
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

    def _note(self, now: datetime, by: By) -> None:
        """Record metadata of the log's events that have none yet."""
        deadline = self.row["deadline_at"]
        for line in self.match.log[max(self._n_stored, max(self._meta, default=0)) :]:
            self._meta[line.seq] = {
                "received_at": now,
                "deadline_at": deadline if line.event.kind == "move" else None,
                "by": by if line.event.kind == "move" else By(),
                "occupancy": None if line.event.seat is None else self.seats.newest(line.event.seat),
            }
        self._changed = True

    def bonus_of(self, session_id: int) -> int:
        """A session's earnings so far in minor units; 0 where the study pays none."""
        bonus = self.design.bonus
        return bonus.minor(self.seats.earned(session_id)) if bonus else 0

    # What people do

    def may_play(self, seat: Mapping[str, Any], phase_id: str) -> bool:
        """True if the occupant of a seat may still move in that phase."""
        phase = self.match.phase
        is_theirs = seat["to_seq"] is None and seat["away_at"] is None and seat["seat"] in phase.seats
        return self.is_running and is_theirs and phase.phase_id == phase_id

    def play(self, seat: Mapping[str, Any], phase_id: str, act: Act, by: By, now: datetime) -> None:
        """A person's move, where `may_play` says so."""
        self.seats.change(seat, missed=0)
        self._append(Event("move", phase_id, seat["seat"], act.move, act.message, reason=act.reason), now, by)
        self.advance(now)

    def leave(self, seat: Mapping[str, Any], reason: str, now: datetime) -> None:
        """A person leaves: what then happens to the seat is the study's choice."""
        if not self.is_running or seat["to_seq"] is not None or seat["away_at"] is not None:
            return
        then, number = self.design.leaving.then, int(seat["seat"])
        self._append(Event("left", self.match.phase.phase_id, number, {"reason": reason}), now)
        if then != "default":
            self.seats.close(seat, reason)
        if then == "agent":
            agent = self.design.successor(number)
            self._append(
                Event("replaced", self.match.phase.phase_id, number, {"agent": agent_id(agent)}), now
            )
            self.seats.sit(
                number, Sitter(occupant=Occupant(agent.occupant), agent=agent), len(self.match.log)
            )
        elif then == "default":
            self.seats.change(seat, away_at=now, lapse_at=None)
        else:
            self.stop("left", now)
        self.advance(now)

    def come_back(self, seat: Mapping[str, Any], now: datetime) -> bool:
        """A person who left takes the seat again; False where that is not to be had."""
        if not self.is_running or not self.design.leaving.may_return:
            return False
        holder, number = self.seats.newest(seat["seat"]), int(seat["seat"])
        if holder["session_id"] not in (None, seat["session_id"]):
            return False
        if holder["id"] == seat["id"] and seat["away_at"] is None:
            return False
        self._append(Event("returned", self.match.phase.phase_id, number, {}), now)
        if holder["id"] == seat["id"]:
            self.seats.change(seat, away_at=None, missed=0)
        else:
            self.seats.close(holder, "replaced")
            again = Sitter(seat["session_id"], seat["trial_id"], Occupant(seat["occupant"]))
            self.seats.sit(number, again, len(self.match.log))
        self.advance(now)
        return True

    def stop(self, reason: str, now: datetime) -> None:
        """End the match before its rules do."""
        if self.is_running:
            self.match.stop(reason)
            self._note(now, By())
            self._finish(now)

    # What follows

    def advance(self, now: datetime) -> None:
        """Do everything that is due: nature's draws, agents' moves, and default moves once a deadline has passed."""
        while self.is_running:
            if self.match.is_over:
                self._finish(now)
                return
            chance = self.match.game.nature(self.match.state)
            if chance is not None:
                phase_id = self.match.phase.phase_id
                # A stream for each phase gives the same draw wherever the match is folded again.
                drawn = chance.draw(stream(self.match.seed, f"nature:{phase_id}"))
                self._append(Event("nature", phase_id, None, drawn), now)
                continue
            # By time alone: where times are equal, a sort of the pairs would compare dictionaries and fail.
            waiting = sorted(self._automatic(), key=lambda each: each[0])
            if waiting and waiting[0][0] <= now:
                self._play_for(waiting[0][1], now)
            elif (late := self._late(now)) is not None:
                self._miss(late, now)
            else:
                times = [at for at, _ in waiting]
                deadline = self.row["deadline_at"] if len(waiting) < len(self.match.phase.seats) else None
                due = min([*times, *([deadline] if deadline else [])], default=None)
                self._changed = self._changed or due != self.row["due_at"]
                self.row["due_at"] = due
                return

    def lapse(self, now: datetime) -> None:
        """People whose browser has been silent for too long have left."""
        for seat in self.seats:
            if seat["to_seq"] is None and seat["lapse_at"] is not None and seat["lapse_at"] <= now:
                self.leave(seat, "closed", now)

    def _automatic(self) -> Iterator[tuple[datetime, dict[str, Any]]]:
        """Seats that may act without a person to decide when, with the time at which each moves.

        A language model or a program decides outside, and moves then, no sooner than another agent would.
        """
        phase = self.match.phase
        seconds = self.design.deadlines.seconds(phase.name)
        for number in phase.seats:
            seat = self.seats.newest(number)
            if seat["agent"] is None and seat["away_at"] is None:
                continue
            # From match, phase and seat alone, so that every process comes to the same time (decision 0018).
            delay = delay_of(self.match.seed, phase.phase_id, number, seconds, self.row["mode"])
            at = self.row["opened_at"] + delay
            if asks(seat):
                decision = self._decisions.have(phase.phase_id, seat)
                if decision["status"] != DecisionStatus.MADE:
                    continue
                at = max(at, decision["move_at"])
            yield at, seat

    def _late(self, now: datetime) -> dict[str, Any] | None:
        """The seat of a player who decides themselves and has run out of time, if any."""
        if self.row["deadline_at"] is None or self.row["deadline_at"] > now:
            return None
        seats = (self.seats.newest(number) for number in self.match.phase.seats)
        return next(
            (seat for seat in seats if (seat["agent"] is None and seat["away_at"] is None) or asks(seat)),
            None,
        )

    def _play_for(self, seat: dict[str, Any], now: datetime) -> None:
        """Make an agent's move, or the default one of an absent player."""
        match, number = self.match, seat["seat"]
        by = By(delay=now - self.row["opened_at"])
        if asks(seat):
            decision = self._decisions.have(match.phase.phase_id, seat)
            if decision["move"] is None:
                self._miss(seat, now, decision["auto"])
                return
            self.seats.change(seat, missed=0)
            said = {"message": decision["message"], "reason": decision["reason"]}
            event = Event("move", match.phase.phase_id, number, decision["move"], **said)
        elif seat["away_at"] is not None:
            move = match.game.default_move(match.state, number)
            event = Event("move", match.phase.phase_id, number, move, auto=DROPOUT)
        else:
            player, rng = player_of(self.folded, _Named(seat))
            legal = match.game.legal(match.state, number)
            act = player.act(match.game.view(match.state, number), legal, rng, Budget())
            event = Event("move", match.phase.phase_id, number, act.move, act.message, reason=act.reason)
        self._append(event, now, by)

    def _miss(self, seat: dict[str, Any], now: datetime, auto: str = TIMEOUT) -> None:
        """The default move where time is over, or a model has none; the second in a row is leaving."""
        match, number = self.match, seat["seat"]
        move = match.game.default_move(match.state, number)
        self._append(Event("move", match.phase.phase_id, number, move, auto=auto), now)
        self.seats.change(seat, missed=seat["missed"] + 1)
        if seat["missed"] >= MISSES and not match.is_over:
            self.leave(seat, TIMEOUT, now)

    def _append(self, event: Event, now: datetime, by: By | None = None) -> None:
        before = self.match.phase.phase_id
        self.match.append(event)
        self._note(now, by or By())
        if self.match.phase.phase_id != before:
            self.open_phase(now)

    def open_phase(self, now: datetime) -> None:
        """A phase begins: its deadline is set for good."""
        phase = self.match.phase
        seconds = self.design.deadlines.seconds(phase.name)
        self._decisions.close(self.seats)
        self.row["opened_at"] = now
        self.row["deadline_at"] = now + timedelta(seconds=seconds) if phase.seats else None

    def _finish(self, now: datetime) -> None:
        match = self.match
        outcome = match.outcome
        self.row |= {
            "status": MatchStatus.FINISHED if outcome else MatchStatus.STOPPED,
            "end_reason": outcome.reason if outcome else match.stopped,
            "ended_at": now,
            "deadline_at": None,
            "due_at": None,
        }
        self._changed = True
        self._decisions.close(self.seats)
        for seat in self.seats:
            if seat["to_seq"] is None:
                self.seats.close(seat, "finished" if seat["away_at"] is None else DROPOUT)
        # On the last occupancy alone, so that a sum over rows counts a person's bonus once.
        for session_id in {seat["session_id"] for seat in self.seats if seat["session_id"] is not None}:
            self.seats.change(self.seats.mine(session_id), bonus_minor=self.bonus_of(session_id))

    # Beginning

    @classmethod
    def hold(cls, session: Session, design: GameDesign, match_id: int) -> "Live":
        """The match, held until the write is over."""
        connection = session.connection()
        row = connection.execute(HOLD_MATCH, {"match_id": match_id}).one()
        seats = connection.execute(_SEATS, {"match_id": match_id}).all()
        return cls(session, design, row._mapping, seats, take_fold(session, row, seats))

    @classmethod
    def begin(
        cls,
        session: Session,
        design: GameDesign,
        of: Mapping[str, Any],
        unit: str,
        sitters: Sequence[Sitter],
        seed: int,
        now: datetime,
    ) -> "Live":
        """A new match with everybody on their seats. `of` has version, mode, arm, block and unit."""
        game, config = GAMES[design.game], design.config(unit)
        match = Match(game, config, seed)
        row = {
            **of,
            "game": game.name,
            "game_version": game.version,
            "config": config.model_dump(mode="json"),
            "config_hash": config_hash(config),
            "seed": str(seed),
            "status": MatchStatus.RUNNING,
            "end_reason": "",
            "formed_at": now,
            "opened_at": now,
            "last_seq": 0,
            "last_hash": "",
        }
        id_ = session.connection().execute(_ADD_MATCH, row).scalar_one()
        nothing_yet = {"ended_at": None, "deadline_at": None, "due_at": None}
        live = cls(session, design, {"id": id_, **nothing_yet, **row}, (), Folded(match))
        for number, sitter in enumerate(sitters, start=1):
            live.seats.sit(number, sitter, 1)
        live._note(now, By())
        live.open_phase(now)
        live.advance(now)
        live.store()
        return live


class _Named:
    """A seat's columns as attributes, as rows have them."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.__dict__.update(columns)
