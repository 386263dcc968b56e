"""The agents there are, by the name of their game. A new one is a class, and its name below."""

from collections.abc import Mapping

from app.tasks.game.agents import sug
from app.tasks.game.agents.any_game import RandomAgent
from app.tasks.game.base import Agent

ANY_GAME: tuple[type[Agent], ...] = (RandomAgent,)
BY_GAME: Mapping[str, tuple[type[Agent], ...]] = {
    "sug": sug.AGENTS,
}


def agents_for(game: str) -> Mapping[str, type[Agent]]:
    """The agents that can play a game, by name."""
    return {agent.name: agent for agent in (*ANY_GAME, *BY_GAME.get(game, ()))}
