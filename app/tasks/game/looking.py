"""Builds a trial's page from a participant's state, in the queue or on a seat of a match."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

from sqlalchemy import Row

from app.core.language import gettext as _
from app.core.language import noop
from app.core.money import money
from app.questions.base import Question
from app.questions.registry import views
from app.tasks.game.base import AnyGame, Event, GameConfig, View
from app.tasks.game.live import BY_HAND
from app.tasks.game.match import Match, stream
from app.tasks.game.matching import IN_POOL, ready_s, wait_s, waited
from app.tasks.game.pages import (
    Body,
    LeftMatch,
    Questions,
    Ready,
    Result,
    playing,
    result,
    unmatched,
    waiting,
)
from app.tasks.game.parts import Bonus, Clock, Entered
from app.tasks.game.presenters.base import player, plural
from app.tasks.game.seated import legal_for
from app.tasks.game.settings import ALL_PEOPLE, NAMED, GameDesign, can_fill, programs_of
from app.tasks.game.tables import EntryStatus, MatchStatus
from app.trials.here import TrialSeen
from app.trials.places import Place
from app.trials.runs import BlockRun

ABOUT_OTHERS = {
    "some-may-be-programs": noop("The other players may be people or computer programs."),
    "all-people": noop("All other players are people."),
}


@dataclass(frozen=True, slots=True)
class TrialState:
    """A participant's state on one trial: in the queue, or on a seat of a match.

    `sitting` has each seat with its agent, None for a person, if the study discloses the other players.
    """

    entry: Mapping[str, Any] | None = None
    seats: tuple[Any, ...] = ()
    match: Row[Any] | None = None
    state: Any = None
    switches: tuple[Any, ...] = ()
    sitting: tuple[tuple[int, str | None], ...] = ()

    @property
    def mine(self) -> list[Any]:
        """The person's own occupancies of the seat; `seats` has those of all its occupants."""
        return [seat for seat in self.seats if self.entry and seat.trial_id == self.entry["trial_id"]]

    @property
    def seat(self) -> Any:
        """The person's last occupancy; None without a match."""
        mine = self.mine
        return mine[-1] if mine else None

    @property
    def is_playing(self) -> bool:
        """True if they have a seat of a match under way."""
        seat = self.seat
        return seat is not None and seat.to_seq is None and seat.away_at is None


@dataclass(frozen=True, slots=True)
class MatchTrialPage:
    """A trial's page in the making: nothing of a match but one seat's view goes into it."""

    design: GameDesign
    here: TrialState
    config: GameConfig
    view: View | None
    place: Place
    entered: Entered = field(default_factory=Entered)

    @property
    def now(self) -> datetime:
        now = self.place.now
        assert now is not None
        return now

    def others(self) -> str:
        """The other players, as far as the study discloses them."""
        if self.design.disclosure != NAMED:
            # Programs are spoken of only where one can take a seat.
            return _(ABOUT_OTHERS[self.design.disclosure if programs_of(self.design) else ALL_PEOPLE])
        if self.here.seat is None:
            return _("You will be told for each player whether it is a person or a computer program.")
        return self._named()

    def _named(self) -> str:
        """The current occupant of each other seat; an agent is named."""
        mine = self.here.seat.seat if self.here.seat else 0
        said = []
        for seat, agent in self.here.sitting:
            if seat != mine:
                name = seat_name(self.design.rules, self.config, seat)
                if agent:
                    program = agent.rpartition("-")[0]
                    said.append(
                        _("{name} is a computer program ({program}).").format(name=name, program=program)
                    )
                else:
                    said.append(_("{name} is a person.").format(name=name))
        return " ".join(said)

    def notices(self) -> list[str]:
        """Players who left or came back, by seat, and the consequence."""
        mine = self.here.seat.seat if self.here.seat else 0
        said = []
        last = {seat: kind for kind, seat in self.here.switches if kind != "replaced"}
        for seat, kind in last.items():
            name = seat_name(self.design.rules, self.config, seat)
            if seat == mine:
                continue
            if kind == "returned":
                said.append(_("{name} has come back.").format(name=name))
            else:
                then = {
                    "agent": _("A computer program plays on in that place."),
                    "default": _("The system plays default moves for this player."),
                    "end": "",
                }[self.design.leaving.then]
                left = _("{name} has left.").format(name=name)
                said.append(" ".join(filter(None, (left, then, _("What you have earned stays yours.")))))
        if self.here.seat is not None and self.here.seat.missed and self.here.is_playing:
            said.append(
                _(
                    "Your time was over, so a move was made for you. If that happens again, you have "
                    "left the match."
                )
            )
        return said[-4:]

    def clock(self) -> Clock | None:
        """The time until an action is required, by the server's clock."""
        here, design = self.here, self.design
        warn_ms = design.deadlines.warn_at_s * 1000
        if here.match is not None:
            if not runs(here.match) or here.match.deadline_at is None or not here.is_playing:
                return None
            total = design.deadlines.seconds(self.view.phase if self.view else "")
            mine = bool(self.view and self.view.acting)
            return Clock(self._left(here.match.deadline_at), total * 1000, warn_ms, mine)
        entry = here.entry
        if entry is None or entry["status"] not in IN_POOL:
            return None
        if entry["status"] == EntryStatus.WAITING:
            return Clock(self._left(entry["until"]), wait_s(design, entry["mode"]) * 1000, 0, mine=False)
        return Clock(self._left(entry["ask_until"]), design.matching.ready_s * 1000, 5_000)

    def _left(self, until: datetime) -> int:
        return max(0, round((until - self.now).total_seconds() * 1000))

    def body(self) -> Body:
        here = self.here
        if here.seat is not None and here.match is not None and self.view is not None:
            return self._in_match(here.seat, here.match, self.view)
        entry = here.entry
        status = entry["status"] if entry else EntryStatus.WAITING
        if entry is None or status in (EntryStatus.WAITING, EntryStatus.BOUND):
            return self._waiting(entry, asks=status == EntryStatus.BOUND)
        if status == EntryStatus.QUESTIONS:
            return self._questions(entry)
        if status in (EntryStatus.ASKED, EntryStatus.READY):
            return Ready(said=status == EntryStatus.READY)
        if status == EntryStatus.AWAY:
            lines = (_("You did not press the button in time, so no match began for you."),)
            return LeftMatch(
                _("You were asked whether you are ready"),
                lines,
                may_return=True,
                back=_("Wait for others again"),
            )
        return self._unmatched(entry)

    def _unmatched(self, entry: Mapping[str, Any]) -> Body:
        matching = self.design.matching
        pay = matching.wait_pay_minor_per_min * entry["waited_s"] // 60
        why = {
            "questions": _(
                "Your answers to the questions about the rules were not correct, so you play no match."
            ),
            "withdrew": _("You have chosen not to wait."),
        }
        return unmatched(pay, self.design.currency, why.get(entry["reason"], ""))

    def _waiting(self, entry: Mapping[str, Any] | None, *, asks: bool) -> Body:
        matching, now = self.design.matching, self.now
        so_far = waited(entry, now) if entry else 0
        again = bool(entry and entry["extended"])
        pay = matching.wait_pay_minor_per_min
        return waiting(
            wait_s(self.design, entry["mode"] if entry else ""),
            so_far,
            pay,
            self.design.currency,
            matching.at_bound if can_fill(self.design) or matching.at_bound != "agents" else "paid-exit",
            again=again,
            asks=asks,
            is_asked=ready_s(self.design, entry["mode"] if entry else "") > 0,
        )

    def _questions(self, entry: Mapping[str, Any]) -> Body:
        test, place = self.design.comprehension, self.place
        again = dict.fromkeys(
            entry["reason"].split(), _("That was not right. Please look at the rules again.")
        )
        questions = [
            Question(id=q.id, type="choice", ask=q.ask, required=True, options=q.options)
            for q in test.questions
        ]
        asked = views(questions, place.form, {**again, **place.errors})
        return Questions(asked, test.tries - entry["tries"], test.tries)

    def _in_match(self, seat: Row[Any], match: Row[Any], view: View) -> Body:
        design, bonus = self.design, self._bonus(seat)
        if not runs(match) and (match.status == MatchStatus.FINISHED and seat.left_reason == "finished"):
            return result(design.game, view, bonus=bonus)
        if match.status == MatchStatus.FINISHED:
            return result(design.game, view, bonus=bonus, lines=(self._why_stopped(match, seat),))
        if not runs(match):
            return Result(
                _("The match has ended"), (self._why_stopped(match, seat), self._so_far(bonus)), None, bonus
            )
        if not self.here.is_playing:
            return self._left_page(bonus)
        legal = legal_for(design, design.rules, self.here.state, seat.seat) if view.acting else None
        then = {
            "agent": _("A computer program then plays on in your place."),
            "default": _("The system then plays default moves for you."),
            "end": _("The match then ends for all players."),
        }[design.leaving.then]
        entered = Entered(self.place.form, self.place.errors)
        return playing(
            design.game, view, legal, bonus=bonus, leaving=then, entered=entered, reason=design.reason
        )

    def _why_stopped(self, match: Row[Any], seat: Row[Any]) -> str:
        if match.status == MatchStatus.FINISHED:
            return _("You had left the match before its end; it was played on in your place.")
        if match.end_reason == "left":
            if seat.left_reason != "finished":
                return _(
                    "You had left, so the match has ended for all players. You keep what you have earned."
                )
            return _("A player has left, so the match has ended. What you have earned so far stays yours.")
        if match.end_reason == BY_HAND:
            return _(
                "The people who run this study have ended the match early. It is not your fault, and "
                "what you have earned so far stays yours."
            )
        return _("The match was ended before its last round. What you have earned so far stays yours.")

    def _so_far(self, bonus: Bonus | None) -> str:
        """The viewer's earnings in a stopped match."""
        points = plural(_sum(self.here.mine), "point")
        return (
            _("You earned {points}: {money}.").format(points=points, money=money(bonus.minor, bonus.currency))
            if bonus
            else _("You earned {points}.").format(points=points)
        )

    def _left_page(self, bonus: Bonus | None) -> Body:
        lines = [_("You have left the match; it continues without you.")]
        if bonus is not None:
            lines.append(
                _("What you had earned until then stays yours: {money}.").format(
                    money=money(bonus.minor, bonus.currency)
                )
            )
        return LeftMatch(_("You have left the match"), tuple(lines), self.design.leaving.may_return)

    def _bonus(self, seat: Row[Any]) -> Bonus | None:
        """The viewer's earnings; on a current seat, including the growth of its payoff."""
        pays, match = self.design.bonus, self.here.match
        if pays is None or match is None or not (self.design.show_bonus or not runs(match)):
            return None
        total = _sum(self.here.mine)
        if seat.to_seq is None:
            # The seat's payoff so far, less what its occupancies that have ended were paid.
            total += self.design.rules.payoffs(self.here.state)[seat.seat - 1] - _sum(self.here.seats)
        minor = pays.minor(total)
        return Bonus(minor, pays.currency, full=pays.cap_minor is not None and minor >= pays.cap_minor)


def first_look(design: GameDesign, now: datetime) -> tuple[str, TrialState]:
    """A new match of a design's first configuration, seen from the seat that moves first: for previewing a draft. It is
    not played.
    """
    unit = design.units()[0].name
    match = Match(design.rules, design.config(unit), 0)
    while chance := match.game.nature(match.state):
        drawn = chance.draw(stream(match.seed, f"nature:{match.phase.phase_id}"))
        match.append(Event("nature", match.phase.phase_id, None, drawn))
    seat = match.phase.seats[0]
    sitting = SimpleNamespace(
        id=0,
        seat=seat,
        trial_id=0,
        to_seq=None,
        away_at=None,
        missed=0,
        payoff="",
        left_reason="",
        lapse_at=None,
    )
    until = now + timedelta(seconds=design.deadlines.seconds(match.phase.name))
    row: Any = SimpleNamespace(
        status=MatchStatus.RUNNING, deadline_at=until, due_at=None, end_reason="", id=0
    )
    return unit, TrialState({"trial_id": 0, "status": EntryStatus.MATCHED}, (sitting,), row, match.state)


def _sum(seats: Iterable[Any]) -> Fraction:
    """The earnings on finished occupancies."""
    return sum((Fraction(seat.payoff) for seat in seats if seat.to_seq is not None), Fraction(0))


def seat_name(game: AnyGame, config: GameConfig, seat: int) -> str:
    """The name of another seat on a page."""
    roles = game.seats(config)
    if len(roles) == 2:
        return _("The other player")
    role = roles[seat - 1].name
    return role if role != "player" else player(seat)


def runs(match: Row[Any]) -> bool:
    return bool(match.status == MatchStatus.RUNNING)


def design_of(block: BlockRun) -> GameDesign:
    """The design of a block of matches."""
    return cast(GameDesign, block.design)


def here_of(trial: TrialSeen | None) -> TrialState:
    """The participant's state on a trial."""
    return trial.own if trial is not None and isinstance(trial.own, TrialState) else TrialState()
