"""The available agents by the name of their game: common ones, and its own."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from app.core.errors import StudyError
from app.core.problems import message_of
from app.core.widgets import named_parts
from app.tasks.game.agents.any_game import RandomAgent, SimulatedAgent
from app.tasks.game.agents.outside import ModelAgent, PullAgent
from app.tasks.game.base import Agent
from app.tasks.game.games import KITS

A = TypeVar("A", bound=Agent)
PROGRAM = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""The name of a program on seats of live matches."""
ANY_GAME: tuple[type[Agent], ...] = (RandomAgent,)
SIMULATED = SimulatedAgent.name
"""The agent of every game that stands for a person, on any seat."""
OUTSIDE: tuple[type[Agent], ...] = (ModelAgent, PullAgent)
"""Those that play every game, but not in this process (`app.tasks.game.outside`)."""


class BadSetting(StudyError):
    """A setting of an agent, by its `key`, that it has not or that cannot have this value."""

    def __init__(self, agent: str, key: str, why: str) -> None:
        super().__init__(f"agent {agent}: {key}: {why}")
        self.key = key


def agents_for(game: str) -> Mapping[str, type[Agent]]:
    """The agents that can play a game in this process, by name."""
    own = KITS[game].agents if game in KITS else ()
    stands_in = () if any(agent.name == SIMULATED for agent in own) else (SimulatedAgent,)
    return {agent.name: agent for agent in (*ANY_GAME, *own, *stands_in)}


def all_agents_for(game: str) -> Mapping[str, type[Agent]]:
    """These, and those outside."""
    return {**agents_for(game), **{agent.name: agent for agent in OUTSIDE}}


def is_model(text: str | None) -> bool:
    """True if an agent, in a study file or in records, is a language model."""
    return text is not None and text.strip().split(":")[0].split("-")[0] == ModelAgent.name


def is_outside(text: str | None) -> bool:
    """True if it is a language model, or a program that fetches its decisions."""
    return text is not None and text.strip().split(":")[0].split("-")[0] in (ModelAgent.name, PullAgent.name)


def outside_named(text: str, settings: Mapping[str, Any]) -> ModelAgent | PullAgent:
    """The language model of a study file's `model[:KEY=VALUE...]`, whose other parameters are `settings`; or the
    program of `pull:label=NAME`.

    Raises StudyError for a parameter that is not valid.
    """
    given = _pairs(text)
    if is_model(text):
        return _validated(ModelAgent, {**settings, **given})
    if set(given) != {"label"} or not PROGRAM.fullmatch(given["label"]):
        raise StudyError(
            f"a program on a seat is pull:label=NAME, of letters, digits, - and _, and no more; not {text!r}"
        )
    return PullAgent(label=given["label"])


@lru_cache(maxsize=1024)
def agent_named(game: str, text: str) -> Agent:
    """The agent of a study file's `NAME[:KEY=VALUE...]`.

    Raises StudyError for an agent that the game has not, and for a parameter that is not valid.
    """
    name = text.strip().split(":")[0]
    known = agents_for(game)
    if is_outside(name):
        raise StudyError(f"the agent {name!r} is asked elsewhere, and cannot take this place")
    if name not in known:
        raise StudyError(f"there is no agent {name!r} for {game}; there are {', '.join(known)}")
    return _validated(known[name], _pairs(text))


def _pairs(text: str) -> dict[str, Any]:
    name, *pairs = named_parts(text)
    given = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise StudyError(f"agent {name}: {pair!r} is not KEY=VALUE")
        if key.strip() in given:
            raise StudyError(f"agent {name}: {key.strip()} is given twice; give it one value")
        given[key.strip()] = value.strip()
    return given


def _validated(kind: type[A], given: Mapping[str, Any]) -> A:
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        found = error.errors()[0]
        # Rules between settings begin with the setting that they are about, as `rules: there is no game`.
        at, why = list(map(str, found["loc"])), why_not(found, kind)
        own, colon, rest = why.partition(": ")
        if not at and colon and own in kind.model_fields:
            at, why = [own], rest
        raise BadSetting(kind.name, ".".join(at) or "it", why) from None


def why_not(found: ErrorDetails, model: type[BaseModel]) -> str:
    """The reason why a parameter is invalid, with its value if that is not a number."""
    if found["type"] == "extra_forbidden":
        return f"no such parameter; there are: {', '.join(model.model_fields) or 'none'}"
    if found["type"] in ("int_parsing", "int_from_float"):
        return f"{found['input']!r} is no whole number"
    return message_of(found)
