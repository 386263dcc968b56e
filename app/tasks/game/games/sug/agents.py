"""Agents for the Social Ultimatum Game: the four of the paper that proposed it, and simulated people.

`gt` plays the equilibrium. `dba` and `dbra` draw from distributions over people, `dbra` also returning offers to those
who made it offers. `adaptive` learns what others accept. Choices that the paper leaves open are stated below.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field

from app.tasks.game.base import Act, Agent, Budget, Player, Seat, View
from app.tasks.game.games.sug.habits import SYNTHETIC, Adaptation, Habits
from app.tasks.game.games.sug.rules import ACCEPT, REJECT
from app.tasks.game.moves import Move, MoveSchema

EPSILON = 1e-6
WINDOW = 5
"""Rounds whose offers received count when the adaptive model chooses among equal partners, each partner with 1 more."""


def others_of(view: View) -> list[Seat]:
    """The other seats."""
    return [seat for seat in range(1, view.facts["players"] + 1) if seat != view.viewer]


def offer(to: Seat, amount: int) -> Move:
    """An offer as a move."""
    return {"kind": "offer", "to": to, "amount": amount}


def answer(view: View, accepted: Sequence[bool]) -> Move:
    """The answers to the offers received, in their order."""
    given = zip(view.facts["received"], accepted, strict=True)
    return {"kind": "answer", **{f"offer_{o['from']}": ACCEPT if yes else REJECT for o, yes in given}}


class _Gt:
    def act(self, view: View, legal: MoveSchema, rng: random.Random, budget: Budget) -> Act:
        if view.phase == "offer":
            return Act(offer(rng.choice(others_of(view)), view.facts["step"]))
        return Act(answer(view, [o["amount"] > 0 for o in view.facts["received"]]))


class GtAgent(Agent):
    """Offers the least above 0 to a recipient drawn uniformly (the paper names none); accepts all above it."""

    name: ClassVar[str] = "gt"
    about: ClassVar[str] = "game-theoretic: offers the least, accepts all above 0"

    def player(self) -> Player:
        """A fresh player."""
        return _Gt()


class _Drawing:
    """Draws from the habits of people; its ranking of the others is drawn when it first acts."""

    def __init__(self, habits: Habits, reciprocates: bool) -> None:
        self._habits, self._reciprocates = habits, reciprocates
        self._weights: Mapping[Seat, float] = {}

    def act(self, view: View, legal: MoveSchema, rng: random.Random, budget: Budget) -> Act:
        if not self._weights:
            others = others_of(view)
            rng.shuffle(others)
            self._weights = dict(zip(others, self._habits.ranks_for(len(others)), strict=True))
        if view.phase == "answer":
            e = view.facts["endowment"]
            refused = [self._habits.rejection(o["amount"] / e) for o in view.facts["received"]]
            return Act(answer(view, [rng.random() >= chance for chance in refused]))
        return Act(offer(self._recipient(view, rng), self._amount(view, rng)))

    def _recipient(self, view: View, rng: random.Random) -> Seat:
        senders = [o["from"] for o in view.history[-1]["received"]] if view.history else []
        if self._reciprocates and senders and rng.random() < self._habits.reciprocation:
            return self._one_of(senders, rng)
        return self._one_of(list(self._weights), rng)

    def _one_of(self, seats: Sequence[Seat], rng: random.Random) -> Seat:
        weights = [self._weights[seat] for seat in seats]
        # choices() refuses weights that add up to nothing.
        return rng.choices(seats, weights if sum(weights) else None)[0]

    def _amount(self, view: View, rng: random.Random) -> int:
        weights = self._habits.offers
        drawn: int = rng.choices(range(len(weights)), weights)[0]
        step: int = view.facts["step"]
        n_steps: int = view.facts["endowment"] // step
        return round(drawn / (len(weights) - 1) * n_steps) * step


class DbaAgent(Agent):
    """Draws recipient, amount and answers from people's distributions."""

    name: ClassVar[str] = "dba"
    about: ClassVar[str] = "distribution-based: draws recipient, amount and answers as people do"

    habits: Habits = SYNTHETIC

    def player(self) -> Player:
        """A new player, with its own ranking of the others."""
        return _Drawing(self.habits, reciprocates=False)


class DbraAgent(Agent):
    """Like `dba`, but with the learned chance it makes its offer to a player who made it one in the previous round."""

    name: ClassVar[str] = "dbra"
    about: ClassVar[str] = "distribution-based and reciprocal: as dba, but answers offers with offers"

    habits: Habits = SYNTHETIC

    def player(self) -> Player:
        """A new player, with its own ranking of the others."""
        return _Drawing(self.habits, reciprocates=True)


@dataclass(slots=True)
class _Belief:
    """A partner's acceptable amount: an estimate between two bounds."""

    estimate: float
    low: float
    high: float

    def learn(self, amount: int, accepted: bool, beta: float, endowment: int) -> None:
        """After an offer. The paper leaves out how bounds move: they move to the amount, and one that is passed by the
        other goes back to its end."""
        if accepted:
            self.high = min(self.high, amount)
            self.low = self.low if self.low < self.high else 0.0
            self.estimate = min(beta * self.low + (1 - beta) * self.estimate, self.high)
        else:
            self.low = max(self.low, amount)
            self.high = self.high if self.low < self.high else float(endowment)
            self.estimate = max(beta * self.high + (1 - beta) * self.estimate, self.low + 2 * EPSILON)


def threshold(alpha: float, beta: float, received: Sequence[int]) -> float:
    """The smallest fair amount after a round: offers above 0 pull it to their mean, more so if there are several."""
    positive = [amount for amount in received if amount > 0]
    if not positive:
        return alpha
    kept = (1 - beta) ** len(positive)
    return kept * alpha + (1 - kept) * sum(positive) / len(positive)


class Adaptive:
    """The adaptive model for one seat; `parameters` in units of the game. It reads each round of its history once."""

    def __init__(self, parameters: Adaptation) -> None:
        self._given = parameters
        self._alpha = 0.0
        self._beliefs: dict[Seat, _Belief] = {}
        self._rounds_read = 0

    def act(self, view: View, legal: MoveSchema, rng: random.Random, budget: Budget) -> Act:
        self._read(view)
        if view.phase == "answer":
            least = math.ceil(self._alpha - EPSILON)
            return Act(answer(view, [o["amount"] >= least for o in view.facts["received"]]))
        return Act(self._offer(view, rng))

    def _read(self, view: View) -> None:
        e = view.facts["endowment"]
        if not self._beliefs:
            self._alpha = self._given.alpha * e
            self._beliefs = {n: _Belief(self._alpha, 0.0, float(e)) for n in others_of(view)}
        for past in view.history[self._rounds_read :]:
            made = past["offer"]
            self._beliefs[made["to"]].learn(made["amount"], made["accepted"], self._given.beta, e)
            self._alpha = threshold(self._alpha, self._given.beta, [o["amount"] for o in past["received"]])
        self._rounds_read = len(view.history)

    def _offer(self, view: View, rng: random.Random) -> Move:
        """The smallest amount expected to be accepted by some player, or one step less to any player."""
        step = view.facts["step"]
        asked = {n: _up(belief.estimate, step, view) for n, belief in self._beliefs.items()}
        best = min(asked.values())
        if best > step and rng.random() < self._given.gamma:
            return offer(rng.choice(list(asked)), best - step)
        equal = [n for n, amount in asked.items() if amount == best]
        return offer(rng.choices(equal, _recent(view, equal))[0], best)


def _up(estimate: float, step: int, view: View) -> int:
    """An estimate as the next amount that can be offered."""
    # An estimate of 3.0000000000000004 is 3, and its ceiling would be 4.
    return min(max(math.ceil((estimate - EPSILON) / step) * step, 0), int(view.facts["endowment"]))


def _recent(view: View, seats: Sequence[Seat]) -> list[int]:
    """Offers received from each seat in the last rounds, and 1."""
    senders = [o["from"] for past in view.history[-WINDOW:] for o in past["received"]]
    return [senders.count(seat) + 1 for seat in seats]


class AdaptiveAgent(Agent):
    """Learns what each partner accepts and what is fair; parameters are drawn from those of people unless given."""

    name: ClassVar[str] = "adaptive"
    about: ClassVar[str] = (
        "adaptive: learns what others accept and what is fair, tries lower offers now and then"
    )

    alpha: float | None = Field(
        default=None,
        ge=0,
        le=1,
        title="Least share that it accepts",
        description="Drawn from those of people unless given.",
    )
    beta: float | None = Field(
        default=None,
        ge=0,
        le=1,
        title="Rate of learning",
        description="Drawn from those of people unless given.",
    )
    gamma: float | None = Field(
        default=None,
        ge=0,
        le=1,
        title="Chance of a lower offer",
        description="Drawn from those of people unless given.",
    )
    habits: Habits = SYNTHETIC

    def player(self) -> Player:
        """A fresh player."""
        return _Later(self)


class _Later:
    """Parameters are drawn at the first move, from the seat's own chance."""

    def __init__(self, agent: AdaptiveAgent) -> None:
        self._agent = agent
        self._player: Adaptive | None = None

    def act(self, view: View, legal: MoveSchema, rng: random.Random, budget: Budget) -> Act:
        if self._player is None:
            drawn = rng.choice(self._agent.habits.people)
            given = {name: getattr(self._agent, name) for name in ("alpha", "beta", "gamma")}
            asked = {name: value for name, value in given.items() if value is not None}
            self._player = Adaptive(drawn.model_copy(update=asked))
        return self._player.act(view, legal, rng, budget)


class _Person:
    """The adaptive model with noise: a flipped answer, an amount next to the intended one."""

    def __init__(self, agent: "SimulatedAgent") -> None:
        self._model, self._noise = _Later(agent), agent.noise

    def act(self, view: View, legal: MoveSchema, rng: random.Random, budget: Budget) -> Act:
        meant: dict[str, Any] = dict(self._model.act(view, legal, rng, budget).move)
        for key in meant:
            if key.startswith("offer_") and rng.random() < self._noise:
                meant[key] = REJECT if meant[key] == ACCEPT else ACCEPT
        if view.phase == "offer" and rng.random() < self._noise:
            beside = meant["amount"] + rng.choice((-1, 1)) * view.facts["step"]
            meant["amount"] = min(max(beside, 0), view.facts["endowment"])
        return Act(meant)


class SimulatedAgent(AdaptiveAgent):
    """A simulated person, for trying studies and metrics: no claim about people."""

    name: ClassVar[str] = "simulated"
    about: ClassVar[str] = (
        "a simulated person: adaptive, and wrong by one step or one answer at the rate `noise`"
    )
    occupant: ClassVar[Literal["rule", "model", "simulated"]] = "simulated"

    noise: float = Field(
        default=0.05,
        ge=0,
        le=1,
        title="Share of wrong moves",
        description="By one step, or the other answer.",
    )

    def player(self) -> Player:
        """A fresh player."""
        return _Person(self)


def as_person(agent: Agent, person: int) -> Agent:
    """The adaptive agent with parameters fitted to one person; given parameters are kept."""
    if not isinstance(agent, AdaptiveAgent):
        return agent
    own = agent.habits.people[person].model_dump()
    return agent.model_copy(
        update={name: value for name, value in own.items() if getattr(agent, name) is None}
    )


AGENTS: tuple[type[Agent], ...] = (GtAgent, DbaAgent, DbraAgent, AdaptiveAgent, SimulatedAgent)
