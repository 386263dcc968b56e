"""The repeated prisoner's dilemma: both choose at once, in every round, to cooperate or to defect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from pydantic import Field

from app.tasks.game.any_game.page import AnyPage
from app.tasks.game.base import Event, GameConfig, Outcome, Phase, Role, Seat, View, Viewer, require_turn
from app.tasks.game.kit import Kit
from app.tasks.game.moves import ChanceSpec, Choice, IllegalMove, Move, MoveKind, MoveSchema

COOPERATE, DEFECT = CHOICES = ("cooperate", "defect")
PAYS = {(COOPERATE, COOPERATE): 3, (COOPERATE, DEFECT): 0, (DEFECT, COOPERATE): 5, (DEFECT, DEFECT): 1}


class Parameters(GameConfig):
    rounds: int = Field(default=10, ge=1, le=100, description="Rounds of a match.")


@dataclass(frozen=True, slots=True)
class State:
    config: Parameters
    chosen: tuple[str | None, ...] = (None, None)
    past: tuple[tuple[str, ...], ...] = ()

    @property
    def round(self) -> int:
        return min(len(self.past) + 1, self.config.rounds)

    @property
    def is_over(self) -> bool:
        return len(self.past) == self.config.rounds


class Prisoners:
    name = "prisoners"
    version = "1"
    shares = frozenset({"cooperates"})
    Config = Parameters

    def seats(self, c: Parameters) -> Sequence[Role]:
        return [Role(1, "player"), Role(2, "player")]

    def initial(self, c: Parameters) -> State:
        return State(c)

    def nature(self, s: State) -> ChanceSpec | None:
        return None

    def to_move(self, s: State) -> Phase:
        waited = () if s.is_over else tuple(seat for seat in (1, 2) if s.chosen[seat - 1] is None)
        return Phase(f"{s.round}-choose" if not s.is_over else "end", s.round, "choose", waited, True)

    def legal(self, s: State, seat: Seat) -> MoveSchema:
        if seat not in self.to_move(s).seats:
            raise IllegalMove(f"seat {seat} may not act now")
        return MoveSchema((MoveKind("choose", (Choice("choice", CHOICES),)),))

    def apply(self, s: State, event: Event) -> State:
        if event.kind != "move" or event.seat is None:
            return s
        require_turn(self.to_move(s), event)
        self.legal(s, event.seat).check(event.move, event.message)
        chosen = tuple(
            str(event.move["choice"]) if seat == event.seat else s.chosen[seat - 1] for seat in (1, 2)
        )
        done = tuple(each for each in chosen if each is not None)
        if len(done) < 2:
            return replace(s, chosen=chosen)
        return replace(s, chosen=(None, None), past=(*s.past, done))

    def default_move(self, s: State, seat: Seat) -> Move:
        return {"kind": "choose", "choice": DEFECT}

    def payoffs(self, s: State) -> tuple[Fraction, ...]:
        paid = [(PAYS[a, b], PAYS[b, a]) for a, b in s.past]
        return tuple(Fraction(sum(each[seat] for each in paid)) for seat in (0, 1))

    def done(self, s: State) -> Outcome | None:
        return Outcome("rounds", self.payoffs(s)) if s.is_over else None

    def view(self, s: State, viewer: Viewer) -> View:
        history = [{"round": i, "choices": list(chosen)} for i, chosen in enumerate(s.past, 1)]
        facts: dict[str, object] = {"players": 2}
        phase = self.to_move(s)
        if isinstance(viewer, int):
            facts["earned"] = str(self.payoffs(s)[viewer - 1])
        if viewer == "observer":
            facts["chosen"] = list(s.chosen)
        at = (viewer, s.round, phase.name, phase.phase_id, s.config.rounds, viewer in phase.seats)
        return View(*at, facts, tuple(history))

    def metrics(self, c: Parameters, events: Sequence[Event]) -> Mapping[Seat, Mapping[str, Fraction]]:
        s = self.initial(c)
        for event in events:
            s = self.apply(s, event)
        own = {seat: [chosen[seat - 1] == COOPERATE for chosen in s.past] for seat in (1, 2)}
        return {seat: {"cooperates": Fraction(sum(each), len(each))} for seat, each in own.items()}


KIT = Kit(
    game=Prisoners(),
    title="Prisoner's dilemma",
    page=AnyPage(
        "Two players",
        (
            "In every round both choose at once, and see both choices after it.",
            "If both cooperate, each gets 3 points; if both defect, each gets 1.",
            "If only one defects, that one gets 5 points and the other nothing.",
        ),
    ),
    phases={"choose": "a choice"},
)
