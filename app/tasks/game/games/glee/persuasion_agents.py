"""Agents for GLEE's persuasion: sellers who recommend by rule, buyers who follow as far as it pays, simulated people.

GLEE's own players are language models, so the rules are our choice. Sellers write one of two sentences where messages
are texts; buyers take a text for a recommendation unless it is empty or has a word such as "not" or "bad".
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any, ClassVar, Literal

from pydantic import Field

from app.tasks.game.base import Act, Agent, Budget, Player, Seat, View
from app.tasks.game.games.glee.offers import ALICE, BOB
from app.tasks.game.moves import MoveSchema
from app.tasks.game.ratio import Ratio

YES, NO = "I recommend buying this product.", "I do not recommend buying this product."
_AGAINST = re.compile(r"\b(no|not|never|avoid|bad|low|poor)\b|n['’]t\b", re.IGNORECASE)


def recommended(product: Mapping[str, Any]) -> bool:
    """True if the seller recommended a product, in an entry of a view."""
    if product["recommended"] is not None:
        return bool(product["recommended"])
    return bool(product["message"].strip()) and not _AGAINST.search(product["message"])


@dataclass(frozen=True, slots=True)
class _Seller:
    """Recommends every good product, and a bad one with the chance that `lies` gives."""

    lies: Callable[[View], Fraction]

    def act(self, view: View, legal: MoveSchema, rng: Random, budget: Budget) -> Act:
        lies = self.lies(view)
        # In whole numbers the chance is exact.
        yes = view.facts["current"]["good"] or rng.randrange(lies.denominator) < lies.numerator
        return _say(legal, yes)


@dataclass(frozen=True, slots=True)
class _Buyer:
    buys: Callable[[View], bool]

    def act(self, view: View, legal: MoveSchema, rng: Random, budget: Budget) -> Act:
        return Act({"kind": "answer", "buy": self.buys(view)})


def _say(legal: MoveSchema, yes: bool) -> Act:
    if legal.kinds[0].kind == "message":
        return Act({"kind": "message"}, YES if yes else NO)
    return Act({"kind": "recommend", "buy": yes})


class Truthful(Agent):
    """A seller who recommends good products alone."""

    name: ClassVar[str] = "truthful"
    about: ClassVar[str] = "sells; recommends good products alone"
    takes: ClassVar[tuple[Seat, ...]] = (ALICE,)

    def player(self) -> Player:
        """A fresh player."""
        return _Seller(lambda view: Fraction(0))


class AlwaysRecommend(Agent):
    """A seller who recommends every product."""

    name: ClassVar[str] = "always-recommend"
    about: ClassVar[str] = "sells; recommends every product"
    takes: ClassVar[tuple[Seat, ...]] = (ALICE,)

    def player(self) -> Player:
        """A fresh player."""
        return _Seller(lambda view: Fraction(1))


def commitment_chance(chance_high: Fraction, value: Fraction) -> Fraction:
    """The rate at which a seller who could commit recommends a bad product: min(p(v - 1) / (1 - p), 1) [SMR24]."""
    return min(chance_high * (value - 1) / (1 - chance_high), Fraction(1))


class Commitment(Agent):
    """A seller who recommends good products, and bad ones with chance `q`.

    Without `q`, as often as still makes it worth while to follow; an unknown v is taken to be 1.2, the least published.
    """

    name: ClassVar[str] = "commitment"
    about: ClassVar[str] = "sells; recommends bad products as often as a buyer who knows it bears"
    takes: ClassVar[tuple[Seat, ...]] = (ALICE,)

    q: Ratio | None = Field(
        default=None,
        ge=0,
        le=1,
        title="Chance of recommending a bad product",
        description="Chance of recommending a bad product.",
    )

    def player(self) -> Player:
        """A fresh player."""
        return _Seller(self._lies)

    def _lies(self, view: View) -> Fraction:
        if self.q is not None:
            return self.q
        return commitment_chance(Fraction(view.facts["chance_high"]), Fraction(view.facts["value"] or "1.2"))


class Copier(Agent):
    """A buyer who buys every recommended product."""

    name: ClassVar[str] = "copier"
    about: ClassVar[str] = "buys; what is recommended"
    takes: ClassVar[tuple[Seat, ...]] = (BOB,)

    def player(self) -> Player:
        """A fresh player."""
        return _Buyer(lambda view: recommended(view.facts["current"]))


class BayesBuyer(Agent):
    """A buyer who learns how often bad products are recommended and buys while a recommendation is worth the price.

    That chance has a uniform prior and the posterior mean (1 + lies) / (2 + bad products). A myopic buyer, who sees
    statistics alone, takes the bad products bought for the lies, and (1 - p) x rounds for the bad products.
    """

    name: ClassVar[str] = "bayes-buyer"
    about: ClassVar[str] = "buys; follows recommendations as far as they proved true"
    takes: ClassVar[tuple[Seat, ...]] = (BOB,)

    def player(self) -> Player:
        """A fresh player."""
        return _Buyer(_worth_the_price)


def _lies_seen(view: View) -> Fraction:
    if view.facts["buyer"] == "myopic":
        seen = view.facts["statistics"]
        bad = (1 - Fraction(view.facts["chance_high"])) * int(seen["rounds"])
        lied = 1 + int(seen["bought"] - seen["bought_good"])
        return min(Fraction(1), lied / (2 + bad))
    lies = [recommended(product) for product in view.history if not product["good"]]
    return Fraction(1 + sum(lies), 2 + len(lies))


def _worth_the_price(view: View) -> bool:
    p, value = Fraction(view.facts["chance_high"]), Fraction(view.facts["value"])
    good = p / (p + (1 - p) * _lies_seen(view))
    return recommended(view.facts["current"]) and good * value >= 1


class _Babbling:
    def act(self, view: View, legal: MoveSchema, rng: Random, budget: Budget) -> Act:
        if view.viewer == ALICE:
            return _say(legal, True)
        worth = Fraction(view.facts["chance_high"]) * Fraction(view.facts["value"]) >= 1
        return Act({"kind": "answer", "buy": worth})


class Babbling(Agent):
    """The only equilibrium of one round: the message says nothing, and the buyer buys iff p x v >= 1. Both seats."""

    name: ClassVar[str] = "equilibrium"
    about: ClassVar[str] = (
        "recommends everything; buys everything, or nothing, by what products are worth on average"
    )

    def player(self) -> Player:
        """A fresh player."""
        return _Babbling()


class _Person:
    """Sells or buys by its seat. How often it lies as a seller is drawn at its first move."""

    def __init__(self, noise: float) -> None:
        self._noise = noise
        self._lies: float | None = None

    def act(self, view: View, legal: MoveSchema, rng: Random, budget: Budget) -> Act:
        if self._lies is None:
            self._lies = rng.random()
        if view.viewer == ALICE:
            means = view.facts["current"]["good"] or rng.random() < self._lies
            return _say(legal, means != (rng.random() < self._noise))
        return Act({"kind": "answer", "buy": _worth_the_price(view) != (rng.random() < self._noise)})


class SimulatedAgent(Agent):
    """A simulated person, for trying studies and measures: synthetic, no claim about people.

    A seller draws for each match how often it recommends bad products, uniform from 0 to 1; a buyer buys as
    `bayes-buyer`. At the rate `noise` it says or does the opposite.
    """

    name: ClassVar[str] = "simulated"
    about: ClassVar[str] = "a simulated person of either seat, who does the opposite at the rate `noise`"
    occupant: ClassVar[Literal["rule", "model", "simulated"]] = "simulated"

    noise: float = Field(
        default=0.05,
        ge=0,
        le=1,
        title="Share of wrong moves",
        description="Share of moves that are turned round.",
    )

    def player(self) -> Player:
        """A fresh player."""
        return _Person(self.noise)


AGENTS: tuple[type[Agent], ...] = (
    *(Truthful, AlwaysRecommend, Commitment, Copier, BayesBuyer, Babbling),
    SimulatedAgent,
)
