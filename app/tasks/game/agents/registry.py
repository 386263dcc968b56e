"""The agents there are, by the name of their game. A new one is a class, and its name below."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from app.core.errors import StudyError
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


@lru_cache(maxsize=1024)
def agent_named(game: str, text: str) -> Agent:
    """The agent of a study file's `NAME[:KEY=VALUE...]`.

    Raises StudyError for an agent that the game has not, and for a parameter that is not valid.
    """
    name, *pairs = text.strip().split(":")
    known = agents_for(game)
    if name in {agent.name for agent in OUTSIDE}:
        raise StudyError(
            f"the agent {name!r} plays by `likely-human game play` alone for now, not with people"
        )
    if name not in known:
        raise StudyError(f"there is no agent {name!r} for {game}; there are {', '.join(known)}")
    given = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise StudyError(f"agent {name}: {pair!r} is not KEY=VALUE")
        given[key.strip()] = value.strip()
    try:
        return known[name].model_validate(given)
    except ValidationError as error:
        found = error.errors()[0]
        where = ".".join(map(str, found["loc"])) or "it"
        raise StudyError(f"agent {name}: {where}: {found['msg']}") from None
