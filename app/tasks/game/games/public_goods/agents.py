"""Rule agents and simulated people for the public-goods game. The papers have none, so the numbers are our choice; the
types are those in which people are classified ([FGF01] in docs/references.md).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any, ClassVar, Literal

from pydantic import Field

from app.tasks.game.base import Act, Agent, Budget, Player, View
from app.tasks.game.games.public_goods.rules import MOST_POINTS
from app.tasks.game.moves import MoveSchema
from app.tasks.game.ratio import Ratio

Points = Callable[[int, int, int], int]
"""Points from who contributed the first to who contributed the second, of the endowment."""


def _nobody(own: int, other: int, endowment: int) -> int:
    return 0


def _others(contributions: Sequence[int], view: View) -> list[int]:
    return [each for seat, each in enumerate(contributions, 1) if seat != view.viewer]


def _mean_of_others(view: View) -> Fraction | None:
    """The others' mean contribution in the last round; None in the first."""
    if not view.history:
        return None
    theirs = _others(view.history[-1]["contributions"], view)
    return Fraction(sum(theirs), len(theirs))


@dataclass(frozen=True, slots=True)
class _Member:
    """Contributes what `wish` says of the view, and deducts by `points`."""

    wish: Callable[[View], int]
    points: Points = _nobody

    def act(self, view: View, legal: MoveSchema, rng: Random, budget: Budget) -> Act:
        if view.phase == "contribute":
            return Act({"kind": "contribute", "amount": self.wish(view)})
        return Act(_deduct(view, self.points))


def _deduct(view: View, points: Points) -> Mapping[str, Any]:
    made, own = view.facts["contributions"], view.facts["own_contribution"]
    given = {
        f"points_{seat}": points(own, each, view.facts["endowment"])
        for seat, each in enumerate(made, 1)
        if seat != view.viewer
    }
    return {"kind": "deduct", **given}


class FreeRider(Agent):
    """Contributes nothing, and gives no points."""

    name: ClassVar[str] = "free-rider"
    about: ClassVar[str] = "contributes nothing"

    def player(self) -> Player:
        """A fresh player."""
        return _Member(lambda view: 0)


class FullContributor(Agent):
    """Contributes all, and gives no points."""

    name: ClassVar[str] = "full-contributor"
    about: ClassVar[str] = "contributes its whole endowment"

    def player(self) -> Player:
        """A fresh player."""
        return _Member(lambda view: int(view.facts["endowment"]))


def _conditional(view: View, start: Fraction, match: Fraction) -> int:
    mean, endowment = _mean_of_others(view), int(view.facts["endowment"])
    wish = start * endowment if mean is None else match * mean
    return min(endowment, int(wish + Fraction(1, 2)))


class ConditionalCooperator(Agent):
    """Contributes the others' mean of the last round, times `match`; halves rounded up to whole units."""

    name: ClassVar[str] = "conditional-cooperator"
    about: ClassVar[str] = "contributes what the others did on average in the last round"

    start: Ratio = Field(
        default=Fraction(1, 2),
        ge=0,
        le=1,
        title="Share given in round 1",
        description="Share of the endowment in round 1.",
    )
    match: Ratio = Field(
        default=Fraction(1),
        ge=0,
        le=2,
        title="Times the mean of the others",
        description="Times the mean of the others.",
    )

    def player(self) -> Player:
        """A fresh player."""
        return _Member(lambda view: _conditional(view, self.start, self.match))


class Punisher(ConditionalCooperator):
    """Contributes as `conditional-cooperator`, by default all in round 1, and gives those who contributed less than it
    did `severity` points for each tenth of the endowment of the difference, halves rounded up, at most 10.
    """

    name: ClassVar[str] = "punisher"
    about: ClassVar[str] = "cooperates conditionally, and gives points to those who contributed less than it"

    start: Ratio = Field(
        default=Fraction(1),
        ge=0,
        le=1,
        title="Share given in round 1",
        description="Share of the endowment in round 1.",
    )
    severity: Ratio = Field(
        default=Fraction(1, 2),
        ge=0,
        le=10,
        title="Severity",
        description="Points for each tenth of the endowment.",
    )

    def player(self) -> Player:
        """A fresh player."""

        def points(own: int, other: int, endowment: int) -> int:
            short = Fraction(10 * max(0, own - other), endowment)
            return min(MOST_POINTS, int(self.severity * short + Fraction(1, 2)))

        return _Member(lambda view: _conditional(view, self.start, self.match), points)


class _Person:
    """A kind of member, drawn at its first move; errs at the rate `noise`."""

    def __init__(self, noise: float) -> None:
        self._noise, self._kind = noise, ""

    def act(self, view: View, legal: MoveSchema, rng: Random, budget: Budget) -> Act:
        # Not where the player is made: only a move brings the seat's own chance.
        self._kind = self._kind or rng.choices(("conditional", "punisher", "free"), (0.35, 0.35, 0.3))[0]
        if rng.random() < self._noise:
            return Act(legal.sample(rng) if view.phase == "contribute" else _deduct(view, _nobody))
        agent: Agent = FreeRider()
        if self._kind != "free":
            start, match = Fraction(rng.randint(4, 8), 10), Fraction(9, 10)
            kind = Punisher if self._kind == "punisher" else ConditionalCooperator
            agent = kind(start=start, match=match)
        return agent.player().act(view, legal, rng, budget)


class SimulatedAgent(Agent):
    """A simulated person, for testing studies and measures: synthetic, no claim about people.

    Of ten, seven cooperate conditionally (nine tenths of the others' contribution), half of these with points as
    `punisher`, and three free-ride; at the rate `noise` an arbitrary amount is contributed, and no points are given.
    """

    name: ClassVar[str] = "simulated"
    about: ClassVar[str] = (
        "a simulated person: cooperates conditionally, with points or without, or rides free; errs at the rate `noise`"
    )
    occupant: ClassVar[Literal["rule", "model", "simulated"]] = "simulated"

    noise: float = Field(
        default=0.1,
        ge=0,
        le=1,
        title="Share of arbitrary moves",
        description="Share of moves that are arbitrary.",
    )

    def player(self) -> Player:
        """A fresh player."""
        return _Person(self.noise)


AGENTS: tuple[type[Agent], ...] = (
    *(FreeRider, FullContributor, ConditionalCooperator, Punisher),
    SimulatedAgent,
)
