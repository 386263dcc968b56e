"""Valid names for seats in a study file, and the faults of others."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from app.core.errors import StudyError
from app.core.problems import quoted
from app.questions.base import rule_error
from app.tasks.game.agents.outside import check_one_persona
from app.tasks.game.agents.registry import agent_named, is_model, outside_named
from app.tasks.game.base import Agent, GameConfig
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


def check_outside(text: str, models: Models | None, configs: Sequence[GameConfig]) -> None:
    """Raises a rule error for a language model or program that cannot take a seat of these configurations as it is
    written."""
    if is_model(text) and models is None:
        raise rule_error(
            "a language model has a seat, and nothing says what it may cost",
            "write `models: {calls: 2000, tokens: 2000000}` in the block",
        )
    try:
        agent = outside_named(text, models.settings if models else {})
        check_one_persona([agent], configs)
    except StudyError as error:
        raise rule_error(str(error), "see language models and programs on the help page Games") from None


def check_agent(game: str, text: str, seat: int | None) -> Agent:
    """An agent by its text. Raises a rule error where the game has none such, or none for that seat."""
    try:
        agent = agent_named(game, text)
    except StudyError as error:
        raise rule_error(str(error), "see the agents of the game on the help page Games") from None
    if seat is not None and agent.takes and seat not in agent.takes:
        raise rule_error(
            f"the agent {quoted(agent.name)} cannot take seat {seat}", "give that seat another agent"
        )
    return agent
