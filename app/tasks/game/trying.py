"""A match of a draft's game against its agents, from one seat: nothing is stored, the moves so far are given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

from app.core.errors import InvalidAnswer
from app.tasks.game.agents.registry import agent_named, is_outside
from app.tasks.game.base import Budget, Event, NoMove, Player, Seat
from app.tasks.game.looking import TrialState
from app.tasks.game.match import Match, stream
from app.tasks.game.posted import move_of
from app.tasks.game.seated import legal_for
from app.tasks.game.settings import ANY, HUMAN, GameDesign, fill_of
from app.tasks.game.tables import EntryStatus, MatchStatus

Form = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Tried:
    """The unit, the state as its player sees it, the forms that were taken, and what was wrong with the last one."""

    unit: str
    state: TrialState
    taken: Sequence[Form]
    errors: Mapping[str, str]


def tried(design: GameDesign, forms: Sequence[Form], now: datetime) -> Tried:
    """The match after one's moves so far; the other seats are played by rule agents."""
    unit = design.units()[0].name
    match = Match(design.rules, design.config(unit), 0)
    _nature(match)
    mine = match.phase.seats[0]
    players = {seat: _player(design, seat) for seat in range(1, len(match.game.seats(match.config)) + 1)}
    chances = {seat: stream(0, f"agent:{seat}") for seat in players}
    waiting, taken, errors = list(forms), [], {}
    while match.outcome is None:
        _nature(match)
        if match.outcome is not None:
            break
        acting = match.phase.seats if match.phase.simultaneous else match.phase.seats[:1]
        phase, events = match.phase.phase_id, []
        if mine in acting:
            if not waiting:
                break
            form = waiting.pop(0)
            try:
                act = move_of(legal_for(design, match.game, match.state, mine), form, design.reason)
            except InvalidAnswer as error:
                errors = dict(error.errors)
                break
            taken.append(form)
            events.append(Event("move", phase, mine, act.move, act.message, reason=act.reason))
        for seat in acting:
            if seat != mine:
                events.append(_move(match, seat, players[seat], chances[seat]))
        for event in events:
            match.append(event)
    return Tried(unit, _state(design, match, mine, now), taken, errors)


def _nature(match: Match) -> None:
    while chance := match.game.nature(match.state):
        drawn = chance.draw(stream(match.seed, f"nature:{match.phase.phase_id}"))
        match.append(Event("nature", match.phase.phase_id, None, drawn))


def _player(design: GameDesign, seat: Seat) -> Player:
    """A rule agent: the one that the design gives the seat, or the game's own."""
    named = design.seat_word(seat)
    text = design.agent if named in (HUMAN, ANY) else named
    return agent_named(design.game, fill_of(design.game, None if is_outside(text) else text, seat)).player()


def _move(match: Match, seat: Seat, player: Player, chance: Any) -> Event:
    phase, legal = match.phase.phase_id, match.game.legal(match.state, seat)
    try:
        act = player.act(match.game.view(match.state, seat), legal, chance, Budget())
    except NoMove as none:
        return Event("move", phase, seat, match.game.default_move(match.state, seat), "", none.auto)
    return Event("move", phase, seat, act.move, act.message, reason=act.reason)


def _state(design: GameDesign, match: Match, mine: Seat, now: datetime) -> TrialState:
    is_over = match.outcome is not None
    payoff = str(match.game.payoffs(match.state)[mine - 1]) if is_over else ""
    seat = SimpleNamespace(
        id=0,
        seat=mine,
        trial_id=0,
        to_seq=len(match.log) if is_over else None,
        away_at=None,
        missed=0,
        payoff=payoff,
        left_reason="finished" if is_over else "",
        lapse_at=None,
    )
    until = now + timedelta(seconds=design.deadlines.seconds(match.phase.name))
    status = MatchStatus.FINISHED if is_over else MatchStatus.RUNNING
    row: Any = SimpleNamespace(status=status, deadline_at=until, due_at=None, end_reason="", id=0)
    return TrialState({"trial_id": 0, "status": EntryStatus.MATCHED}, (seat,), row, match.state)
