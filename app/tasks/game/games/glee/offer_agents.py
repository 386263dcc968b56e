"""Rule agents and simulated people for GLEE's bargaining and negotiation; its own players are language models, so the
rules are our choice.

Each has a gain that it asks for and a least gain that it accepts, both in shares of the surplus: all of the money when
bargaining, the buyer's value less the seller's when negotiating. An unknown value of the other player is assumed to be
the mean of the published factors, 1.125 M, and an unknown discount to equal the agent's own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from random import Random
from typing import Any, ClassVar, Literal

from pydantic import Field

from app.tasks.game.base import Act, Agent, Budget, Player, View
from app.tasks.game.games.glee.offers import ALICE, FACTORS
from app.tasks.game.moves import MoveSchema, Number
from app.tasks.game.ratio import Ratio


@dataclass(frozen=True, slots=True)
class Stake:
    """The value of an amount to one seat: `sign` x (amount - `zero`). `surplus` is the most both can gain together, and
    -1 if they know that there is nothing to gain.
    """

    sign: int
    zero: int
    surplus: int

    def gain(self, amount: int) -> int:
        """The seat's gain from an amount."""
        return self.sign * (amount - self.zero)

    def amount(self, gain: int) -> int:
        """The amount with that gain; none is below 0."""
        return max(0, self.zero + self.sign * gain)


def stake_of(view: View) -> Stake:
    """The viewer's stake in a bargaining or a negotiation."""
    money, first = view.facts["money"], view.viewer == ALICE
    if "values" not in view.facts:
        return Stake(1, 0, money) if first else Stake(-1, money, money)
    seller, buyer = view.facts["values"]
    certain = seller is not None and buyer is not None
    guess = floor(sum(FACTORS) / len(FACTORS) * money)
    seller, buyer = guess if seller is None else seller, guess if buyer is None else buyer
    surplus = max(0, buyer - seller)
    hopeless = certain and buyer < seller
    return Stake(1 if first else -1, seller if first else buyer, -1 if hopeless else surplus)


Targets = Callable[[View, Stake], tuple[int, int]]
"""The gain to ask for and the least to accept."""


@dataclass(frozen=True, slots=True)
class _Player:
    targets: Targets

    def act(self, view: View, legal: MoveSchema, rng: Random, budget: Budget) -> Act:
        stake, (kind,) = stake_of(view), legal.kinds
        ask, least = self.targets(view, stake)
        (field,) = kind.fields
        if kind.kind == "propose":
            return Act({"kind": "propose", field.name: stake.amount(max(0, ask))})
        standing = view.facts["standing"]
        amount = standing["price"] if "price" in standing else standing["alice_gain"]
        if stake.gain(amount) >= max(0, least):
            return Act({"kind": "answer", "answer": "accept"})
        leaves = stake.surplus < 0
        return Act({"kind": "answer", "answer": "outside" if leaves else "reject"})


class EqualSplit(Agent):
    """Asks for half of the surplus and accepts no less."""

    name: ClassVar[str] = "equal-split"
    about: ClassVar[str] = "asks for half of the surplus, accepts no less"

    def player(self) -> Player:
        """A fresh player."""
        return _Player(lambda view, stake: ((stake.surplus + 1) // 2, stake.surplus // 2))


class Threshold(Agent):
    """Asks for `share` of the surplus in every round and accepts no less."""

    name: ClassVar[str] = "threshold"
    about: ClassVar[str] = "asks for a fixed share of the surplus, accepts no less"

    share: Ratio = Field(
        default=Fraction("0.6"),
        ge=0,
        le=1,
        title="Share of the surplus",
        description="The share of the surplus.",
    )

    def player(self) -> Player:
        """A fresh player."""
        return _Player(lambda view, stake: (ceil(self.share * stake.surplus),) * 2)


class Conceder(Agent):
    """Lowers its demand from `start` to `end` by the deadline, as in [FSJ98].

    The demand in round t of T is start - (start - end) x ((t - 1) / (T - 1))^(1 / beta): a `beta` above 1 concedes
    early, below 1 late. Where T is not shown it is `patience`.
    """

    name: ClassVar[str] = "conceder"
    about: ClassVar[str] = "lowers its demand as the deadline comes near"

    start: Ratio = Field(
        default=Fraction(1),
        ge=0,
        le=1,
        title="Share asked for at first",
        description="Share asked for in round 1.",
    )
    end: Ratio = Field(
        default=Fraction("0.4"),
        ge=0,
        le=1,
        title="Share asked for at last",
        description="Share asked for at the deadline.",
    )
    beta: float = Field(
        default=1,
        gt=0,
        le=100,
        title="How early it concedes",
        description="Above 1 concedes early, below 1 late.",
    )
    patience: int = Field(
        default=10,
        ge=2,
        le=1000,
        title="Rounds that it expects",
        description="The deadline where the horizon is not shown.",
    )

    def player(self) -> Player:
        """A fresh player."""
        return _Player(self._targets)

    def _targets(self, view: View, stake: Stake) -> tuple[int, int]:
        last = (view.rounds or self.patience) - 1
        progress = min(1.0, (view.round - 1) / last) if last else 1.0
        share = float(self.start) - float(self.start - self.end) * progress ** (1 / self.beta)
        return (round(share * stake.surplus),) * 2


def proposer_share(proposer: Fraction, other: Fraction, left: int | None) -> Fraction:
    """The share that a proposer keeps in equilibrium [Rub82], of money that is worth 1 now.

    `proposer` and `other` are the two discounts, and `left` the rounds including this one, None for no known end. Two
    players who lose nothing by waiting without end split evenly, where theory says nothing.
    """
    if left is None:
        return Fraction(1, 2) if proposer == other == 1 else (1 - other) / (1 - proposer * other)
    share, now, then = Fraction(1), (proposer, other), left - 1
    # The last proposer keeps all; before, each leaves the other what waiting would be worth to them.
    for after in range(1, then + 1):
        share = 1 - now[(then - after + 1) % 2] * share
    return share


class Equilibrium(Agent):
    """Bargains by backward induction over the shown rounds, or as Rubinstein's game without end.

    When negotiating, where waiting costs nothing, who proposes in the last shown round asks for all of the surplus from
    the start, and the other gives it; without a known end both want half.
    """

    name: ClassVar[str] = "equilibrium"
    about: ClassVar[str] = "the subgame-perfect equilibrium of the game that it sees"

    def player(self) -> Player:
        """A fresh player."""
        return _Player(lambda view, stake: (_bargain if "discounts" in view.facts else _trade)(view, stake))


def _bargain(view: View, stake: Stake) -> tuple[int, int]:
    known = [discount and Fraction(discount) for discount in view.facts["discounts"]]
    first = view.viewer == ALICE
    own, other = known if first else known[::-1]
    other = own if other is None else other
    left = view.rounds and view.rounds - view.round + 1
    ask = floor(proposer_share(own, other, left) * stake.surplus)
    if left == 1:
        return ask, 0
    # After a rejection this seat proposes, and what it then keeps is worth `own` times as much now.
    later = proposer_share(own, other, left and left - 1)
    return ask, ceil(own * later * stake.surplus)


def _trade(view: View, stake: Stake) -> tuple[int, int]:
    if view.rounds is None:
        return (stake.surplus // 2,) * 2
    last = 1 if view.rounds % 2 else 2
    return (stake.surplus if view.viewer == last else 0,) * 2


class _Person:
    """A conceder whose parameters are drawn at its first move, with noise."""

    def __init__(self, agent: "SimulatedAgent") -> None:
        self._noise, self._spread = agent.noise, agent.spread
        self._habit: Player | None = None

    def act(self, view: View, legal: MoveSchema, rng: Random, budget: Budget) -> Act:
        if self._habit is None:
            start, end = (Fraction(rng.randint(*limits), 100) for limits in ((50, 90), (30, 50)))
            self._habit = Conceder(start=start, end=end, beta=rng.uniform(0.5, 2)).player()
        meant: dict[str, Any] = dict(self._habit.act(view, legal, rng, budget).move)
        (field,) = legal.kinds[0].fields
        if isinstance(field, Number):
            beside = meant[field.name] + round(rng.gauss(0, self._spread) * view.facts["money"])
            meant[field.name] = max(field.minimum, min(beside, field.maximum or beside))
        elif rng.random() < self._noise:
            meant["answer"] = "reject" if meant["answer"] == "accept" else "accept"
        return Act(meant)


class SimulatedAgent(Agent):
    """A simulated person, for trying studies and measures: synthetic, no claim about people.

    For each match it draws a conceder: `start` from 0.5 to 0.9, `end` from 0.3 to 0.5, `beta` from 0.5 to 2, uniform.
    An answer is turned round at the rate `noise`; amounts are off by a normal error of `spread` times the money.
    """

    name: ClassVar[str] = "simulated"
    about: ClassVar[str] = (
        "a simulated person: a conceder of its own, with errors in amounts (`spread`) and answers (`noise`)"
    )
    occupant: ClassVar[Literal["rule", "model", "simulated"]] = "simulated"

    noise: float = Field(
        default=0.05,
        ge=0,
        le=1,
        title="Share of wrong answers",
        description="Share of answers that are turned round.",
    )
    spread: float = Field(
        default=0.03,
        ge=0,
        le=1,
        title="Errors in amounts, standard deviation",
        description="SD of errors in amounts, in shares of the money.",
    )

    def player(self) -> Player:
        """A fresh player."""
        return _Person(self)


AGENTS: tuple[type[Agent], ...] = (EqualSplit, Threshold, Conceder, Equilibrium, SimulatedAgent)
