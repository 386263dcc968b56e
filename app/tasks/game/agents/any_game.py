"""Agents that can play every game."""

import random
from typing import ClassVar, Literal

from app.tasks.game.base import Act, Agent, Budget, View
from app.tasks.game.moves import MoveSchema


class _RandomPlayer:
    def act(self, view: View, legal: MoveSchema, rng: random.Random, budget: Budget) -> Act:
        return Act(legal.sample(rng))


class RandomAgent(Agent):
    """Plays a legal move drawn uniformly, without a message."""

    name: ClassVar[str] = "random"
    about: ClassVar[str] = "a legal move drawn uniformly"

    def player(self) -> _RandomPlayer:
        """A fresh player."""
        return _RandomPlayer()


class SimulatedAgent(RandomAgent):
    """A simulated person for games without their own: synthetic, no claim about people."""

    name: ClassVar[str] = "simulated"
    about: ClassVar[str] = "a simulated person: a legal move drawn uniformly"
    occupant: ClassVar[Literal["rule", "model", "simulated"]] = "simulated"
