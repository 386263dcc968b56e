"""The agents there are, by the name of their game. A new one is a class, and its name below."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.tasks.game.agents import glee_offers, glee_persuasion, sug, sug_habits, wac
from app.tasks.game.agents.any_game import RandomAgent
from app.tasks.game.agents.outside import ModelAgent, PullAgent
from app.tasks.game.base import Agent, Seat, Strict

ANY_GAME: tuple[type[Agent], ...] = (RandomAgent,)
BY_GAME: Mapping[str, tuple[type[Agent], ...]] = {
    "sug": sug.AGENTS,
    "glee-bargaining": glee_offers.AGENTS,
    "glee-negotiation": glee_offers.AGENTS,
    "glee-persuasion": glee_persuasion.AGENTS,
    "wac": wac.AGENTS,
}
OUTSIDE: tuple[type[Agent], ...] = (ModelAgent, PullAgent)
"""Those that play every game, but not in this process (`app.tasks.game.outside`)."""
LEARNERS: Mapping[str, Callable[[Sequence[tuple[Any, Seat]], str], Strict]] = {
    "sug": sug_habits.learned,
}
"""What fits the `habits` of a game's agents to people: last states and seats, and a name for where they are from."""


def agents_for(game: str) -> Mapping[str, type[Agent]]:
    """The agents that can play a game in this process, by name."""
    return {agent.name: agent for agent in (*ANY_GAME, *BY_GAME.get(game, ()))}


def all_agents_for(game: str) -> Mapping[str, type[Agent]]:
    """These, and those outside."""
    return {**agents_for(game), **{agent.name: agent for agent in OUTSIDE}}
