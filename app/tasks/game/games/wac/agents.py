"""Rule agents and simulated people for the water auction; the paper has none, so the rules are our choice.

Random affordable bids are made by the agent `random` of every game.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any, ClassVar, Literal

from pydantic import Field

from app.tasks.game.base import Act, Agent, Budget, Player, View
from app.tasks.game.moves import MoveSchema
from app.tasks.game.ratio import Ratio

Own = Mapping[str, Any]
TENS = 10


@dataclass(frozen=True, slots=True)
class _Bidder:
    """Bids the result of `wish` for the view and the player's own entry in it, up to the balance."""

    wish: Callable[[View, Own], int]

    def act(self, view: View, legal: MoveSchema, rng: Random, budget: Budget) -> Act:
        own = view.facts["residents"][int(view.viewer) - 1]
        return Act({"kind": "bid", "amount": min(own["balance"], self.wish(view, own))})


class SalaryShare(Agent):
    """Bids the same share of its salary every day."""

    name: ClassVar[str] = "salary-share"
    about: ClassVar[str] = "bids a share of its salary every day"

    share: Ratio = Field(
        default=Fraction(1), ge=0, le=100, title="Share of the salary", description="The bid, in salaries."
    )

    def player(self) -> Player:
        """A fresh player."""
        return _Bidder(lambda view, own: int(self.share * own["salary"]))


def _urgent(view: View, own: Own) -> int:
    return int(own["balance"] * min(own["next_loss"], own["health"]) // own["health"])


class HealthUrgency(Agent):
    """Bids the share of its balance that a day without water would take of its health, at most all."""

    name: ClassVar[str] = "health-urgency"
    about: ClassVar[str] = "bids more of its balance the more of its health is at stake"

    def player(self) -> Player:
        """A fresh player."""
        return _Bidder(_urgent)


class Outbid(Agent):
    """Bids 1 more than the second-highest bid that won in the last `window` days; its salary until two have won."""

    name: ClassVar[str] = "outbid"
    about: ClassVar[str] = "bids one more than the second-highest bid that won lately"

    window: int = Field(default=3, ge=1, le=365, title="Days that count", description="Days that count.")

    def player(self) -> Player:
        """A fresh player."""
        return _Bidder(self._wish)

    def _wish(self, view: View, own: Own) -> int:
        days = view.history[-self.window :]
        won = sorted(day["bids"][seat - 1] for day in days for seat in day["winners"])
        return int(won[-2]) + 1 if len(won) > 1 else int(own["salary"])


class Saver(Agent):
    """Bids nothing while a day without water leaves more than `reserve` health, and otherwise its whole balance."""

    name: ClassVar[str] = "saver"
    about: ClassVar[str] = "bids nothing until its life is at stake, then everything"

    reserve: int = Field(
        default=0,
        ge=0,
        le=100,
        title="Least health",
        description="Health below which it does not let itself fall.",
    )

    def player(self) -> Player:
        """A fresh player."""
        return _Bidder(
            lambda view, own: own["balance"] if own["health"] - own["next_loss"] <= self.reserve else 0
        )


class _Person:
    """Bids as `health-urgency` times a factor of its own, drawn at its first move, in tens, with noise."""

    def __init__(self, noise: float) -> None:
        self._noise, self._boldness = noise, 0.0

    def act(self, view: View, legal: MoveSchema, rng: Random, budget: Budget) -> Act:
        # Not where the player is made: only a move brings the seat's own chance.
        self._boldness = self._boldness or rng.uniform(0.5, 2)
        own = view.facts["residents"][int(view.viewer) - 1]
        amount = round(self._boldness * _urgent(view, own) / TENS) * TENS
        if rng.random() < self._noise:
            amount = rng.randint(0, own["balance"])
        return Act({"kind": "bid", "amount": min(own["balance"], amount)})


class SimulatedAgent(Agent):
    """A simulated person, for trying studies and measures: synthetic, no claim about people.

    It bids as `health-urgency`, times a factor drawn for each match from 0.5 to 2, in tens of dollars, as are 83 in 100
    of the released bids; at the rate `noise` it bids anything that it can afford.
    """

    name: ClassVar[str] = "simulated"
    about: ClassVar[str] = (
        "a simulated person: bids by its health in tens, anything that it can afford at the rate `noise`"
    )
    occupant: ClassVar[Literal["rule", "model", "simulated"]] = "simulated"

    noise: float = Field(
        default=0.1,
        ge=0,
        le=1,
        title="Share of arbitrary bids",
        description="Share of bids that are arbitrary.",
    )

    def player(self) -> Player:
        """A fresh player."""
        return _Person(self.noise)


AGENTS: tuple[type[Agent], ...] = (SalaryShare, HealthUrgency, Outbid, Saver, SimulatedAgent)
