"""Valid names for seats in a study file, and the faults of others."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError, WithJsonSchema

from app.core.errors import StudyError
from app.core.problems import Place, quoted
from app.questions.base import rule_error
from app.tasks.game.agents.outside import check_one_persona
from app.tasks.game.agents.registry import BadSetting, agent_named, is_model, outside_named
from app.tasks.game.base import Agent, GameConfig
from app.tasks.game.choosing import fault_at
from app.tasks.game.terms import Models, Text


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str | Mapping) else value


Seats = Annotated[
    tuple[Text, ...],
    BeforeValidator(_as_list),
    Field(min_length=1, max_length=20),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1},
                {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1, "maxItems": 20},
            ]
        }
    ),
]


def check_outside(text: str, models: Models | None, configs: Sequence[GameConfig], place: Place) -> None:
    """Raises the fault of a language model or program that cannot take a seat of these configurations as it is
    written; `place` is that of its text in the block."""
    if is_model(text) and models is None:
        raise rule_error(
            "a language model has a seat, and nothing says what it may cost",
            "write `models: {calls: 2000, tokens: 2000000}` in the block",
        )
    settings = models.settings if models else {}
    try:
        agent = outside_named(text, settings)
        check_one_persona([agent], configs)
    except BadSetting as error:
        is_own = f":{error.key.partition('.')[0]}=" in text.replace(" ", "")
        at = place if is_own or error.key not in settings else ("models", "settings")
        raise _of_setting(error, at, "see language models and programs on the help page Games") from None
    except StudyError as error:
        raise rule_error(str(error), "see language models and programs on the help page Games") from None


def check_agent(game: str, text: str, seat: int | None, place: Place) -> Agent:
    """An agent by its text, which stands at a `place` in the block. Raises the fault of one that the game has not, or
    not for that seat."""
    try:
        agent = agent_named(game, text)
    except BadSetting as error:
        raise _of_setting(error, place, "see the agents of the game on the help page Games") from None
    except StudyError as error:
        raise fault_at(place, str(error), "see the agents of the game on the help page Games") from None
    if seat is not None and agent.takes and seat not in agent.takes:
        raise fault_at(
            place, f"the agent {quoted(agent.name)} cannot take seat {seat}", "give that seat another agent"
        )
    return agent


def _of_setting(error: BadSetting, place: Place, remedy: str) -> ValidationError:
    """The fault of a setting, at its own place below the agent's text."""
    return fault_at((*place, *error.key.split(".")), str(error), remedy)
