"""Common parts of GLEE's families: exact factors, grids of configurations, and alternating offers.

Rules and levels are those of GLEE [SMR24], section 2 and table 1. The printed levels give 384 + 576 + 360 = 1,320
configurations; the paper says 1,344, counting 384 for persuasion, too.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, reduce
from itertools import product
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar

from pydantic import Field

from app.core.widgets import Widget
from app.tasks.game.base import Event, GameConfig, Outcome, Phase, Role, Seat, View, Viewer, require_legal
from app.tasks.game.moves import Choice, IllegalMove, Move, MoveKind, MoveSchema, Number

ALICE, BOB = 1, 2
MONEY = (100, 10_000, 1_000_000)
# From texts, as Fraction(0.8) is the nearest double and not four fifths.
FACTORS = tuple(map(Fraction, ("0.8", "1", "1.2", "1.5")))
BOTH = (True, False)
# The paper's infinite horizon is one that no player is told.
SHOWN_UP_TO = 20

Rounds = Annotated[
    int,
    Widget(unit="rounds"),
    Field(
        ge=1,
        le=1000,
        title="Length of a match, at most",
        description=f"Rounds at most (T); more than {SHOWN_UP_TO} are not shown to the players.",
    ),
]


class GleeConfig(GameConfig):
    """One configuration of a family; `levels` are the published values of each factor."""

    levels: ClassVar[Mapping[str, Sequence[Any]]]
    titles: ClassVar[Mapping[str, str]] = {"human-study": "As in the paper’s study with people"}

    money: Annotated[int, Widget(unit="dollars")] = Field(
        default=10_000,
        ge=1,
        title="Money at stake",
        description="The money at stake, or a product's price (M).",
    )
    rounds: Rounds = 20
    complete_information: bool = Field(
        default=True,
        title="Tell players what the other’s payoff depends on",
        description="Whether players know what the other's payoff depends on.",
    )
    max_length: Annotated[int, Widget(unit="characters")] = Field(
        default=400, ge=1, le=4000, title="Longest message", description="Longest message, in characters."
    )

    @classmethod
    @cache
    def grid(cls) -> Sequence[Self]:
        """Every combination of the published levels, the default first."""
        main = cls()
        combinations = product(*cls.levels.values())
        grid = [cls(**dict(zip(cls.levels, levels, strict=True))) for levels in combinations]
        # sorted() is stable: the default goes first, and the others stay in the order of the levels.
        return tuple(sorted(grid, key=lambda config: config != main))

    @property
    def shown_rounds(self) -> int | None:
        """The number of rounds where players know it."""
        return self.rounds if self.rounds <= SHOWN_UP_TO else None

    def times_money(self, factor: Fraction, what: str) -> int:
        """`factor` x M. Raises ValueError where that is no whole number."""
        amount = factor * self.money
        if amount.denominator != 1:
            raise ValueError(
                f"{what} is {factor} x {self.money}, which is no whole number: change one of them"
            )
        return amount.numerator


def known(values: Sequence[Any], viewer: Viewer, public: bool) -> list[Any]:
    """Each seat's value if the viewer may know it, else None; fractions as text."""
    return [
        (str(value) if isinstance(value, Fraction) else value)
        if public or viewer in (seat, "observer")
        else None
        for seat, value in enumerate(values, 1)
    ]


class OffersConfig(GleeConfig):
    """A configuration of the two families in which the players make offers in turn."""

    messages: bool = Field(
        default=True,
        title="A text may go with an offer",
        description="Whether a text may go with an offer.",
    )


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer, and its answer: None while it stands."""

    proposer: Seat
    amount: int
    message: str
    answer: str | None = None


C = TypeVar("C", bound=OffersConfig)


@dataclass(frozen=True, slots=True)
class OffersState(Generic[C]):
    """The offers so far, oldest first; one a round."""

    config: C
    offers: tuple[Offer, ...] = ()

    @property
    def standing(self) -> Offer | None:
        """The offer that waits for its answer."""
        return self.offers[-1] if self.offers and self.offers[-1].answer is None else None

    @property
    def answered(self) -> tuple[Offer, ...]:
        """The offers that were answered."""
        return self.offers[:-1] if self.standing else self.offers

    @property
    def deal(self) -> Offer | None:
        """The offer that was accepted."""
        return self.offers[-1] if self.offers and self.offers[-1].answer == "accept" else None


class OffersGame(ABC, Generic[C]):
    """Alice makes an offer in odd rounds and Bob in even ones; the other answers, and an acceptance ends the game."""

    name: str
    version: str = "1"
    shares: frozenset[str]
    Config: type[C]
    roles: ClassVar[tuple[str, str]]
    amount_name: ClassVar[str]
    answers: ClassVar[tuple[str, ...]]

    @abstractmethod
    def amount(self, c: C) -> Number:
        """The amounts that may be offered."""

    @abstractmethod
    def default_amount(self, c: C, seat: Seat) -> int:
        """The default offer of a proposer who ran out of time."""

    @abstractmethod
    def private(self, c: C) -> tuple[str, tuple[Any, Any]]:
        """The name of what each seat alone knows unless information is complete, and its two values."""

    @abstractmethod
    def payoffs(self, s: OffersState[C]) -> tuple[Fraction, ...]:
        """Each seat's earnings in units of money; nothing without a deal."""

    @abstractmethod
    def measures(self, s: OffersState[C]) -> Mapping[str, Fraction]:
        """Efficiency and fairness of a finished match."""

    def seats(self, c: C) -> Sequence[Role]:
        """Alice, who offers first, and Bob."""
        return two_roles(*self.roles)

    def initial(self, c: C) -> OffersState[C]:
        """No offer yet."""
        return OffersState(c)

    def nature(self, s: OffersState[C]) -> None:
        """None: nothing is drawn."""
        return

    def to_move(self, s: OffersState[C]) -> Phase:
        """`propose` for one seat, then `answer` for the other."""
        number = len(s.answered) + 1
        if self.done(s):
            return Phase("done", len(s.offers), "done", ())
        proposer = ALICE if number % 2 else BOB
        if s.standing:
            return Phase(f"{number}-answer", number, "answer", (ALICE + BOB - proposer,))
        return Phase(f"{number}-propose", number, "propose", (proposer,))

    def legal(self, s: OffersState[C], seat: Seat) -> MoveSchema:
        """An amount, with a text where the configuration has messages; or an answer, without."""
        if seat not in self.to_move(s).seats:
            raise IllegalMove(f"seat {seat} may not act now")
        if s.standing:
            return MoveSchema((MoveKind("answer", (Choice("answer", self.answers),)),))
        kind = MoveKind("propose", (self.amount(s.config),), s.config.messages)
        return MoveSchema((kind,), s.config.max_length)

    def apply(self, s: OffersState[C], event: Event) -> OffersState[C]:
        """The state after a proposal or an answer."""
        if event.kind not in ("nature", "move"):
            return s
        require_legal(self, s, event)
        if s.standing:
            answered = replace(s.standing, answer=event.move["answer"])
            return replace(s, offers=(*s.answered, answered))
        offer = Offer(event.seat or 0, event.move[self.amount_name], event.message)
        return replace(s, offers=(*s.offers, offer))

    def default_move(self, s: OffersState[C], seat: Seat) -> Move:
        """Reject; a proposer offers an amount that favours nobody."""
        kind = self.legal(s, seat).kinds[0].kind
        if kind == "answer":
            return {"kind": kind, "answer": "reject"}
        return {"kind": kind, self.amount_name: self.default_amount(s.config, seat)}

    def done(self, s: OffersState[C]) -> Outcome | None:
        """`accepted`, `outside`, or `no-deal` after the last round."""
        last = s.answered[-1].answer if s.answered else "reject"
        if last == "reject" and len(s.answered) < s.config.rounds:
            return None
        reason = {"accept": "accepted", "outside": "outside", "reject": "no-deal"}[last or "reject"]
        return Outcome(reason, self.payoffs(s))

    def view(self, s: OffersState[C], viewer: Viewer) -> View:
        """Facts: `money`, the two private values (None where unknown), `standing` (an entry of the history, or None)
        and, once the game is over, `payoffs` where known. History: the offers that were answered."""
        c, phase = s.config, self.to_move(s)
        name, values = self.private(c)
        facts = {
            "money": c.money,
            name: known(values, viewer, c.complete_information),
            "standing": self._entry(phase.round, s.standing) if s.standing else None,
            "payoffs": known(self.payoffs(s), viewer, c.complete_information) if self.done(s) else None,
        }
        rounds = c.rounds if viewer == "observer" else c.shown_rounds
        history = tuple(self._entry(number, offer) for number, offer in enumerate(s.answered, 1))
        return View(
            viewer, phase.round, phase.name, phase.phase_id, rounds, viewer in phase.seats, facts, history
        )

    def metrics(self, c: C, events: Sequence[Event]) -> Mapping[Seat, Mapping[str, Fraction | float | None]]:
        """`gain` (own payoff in shares of M), `efficiency`, `fairness` as the paper defines them, `rounds` played."""
        s = reduce(self.apply, events, self.initial(c))
        shared = {**self.measures(s), "rounds": Fraction(len(s.answered))}
        return {seat: {"gain": gain / c.money, **shared} for seat, gain in enumerate(self.payoffs(s), 1)}

    def _entry(self, number: int, offer: Offer) -> Mapping[str, Any]:
        return {
            "round": number,
            "proposer": offer.proposer,
            self.amount_name: offer.amount,
            "message": offer.message,
            "answer": offer.answer,
        }


def two_roles(first: str, second: str) -> tuple[Role, Role]:
    """The two seats."""
    return Role(ALICE, first), Role(BOB, second)
