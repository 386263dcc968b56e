"""Agents that play outside this process: their settings; `app.tasks.game.outside` calls them."""

from collections.abc import Iterable, Mapping
from functools import cache
from string import Template
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, create_model, model_validator
from pydantic.fields import FieldInfo

from app.core.errors import StudyError
from app.core.widgets import Widget
from app.tasks.game.base import Agent, Player
from app.tasks.game.games import TITLES
from app.tasks.game.outside.prompts import presets


def _texts(value: object) -> object:
    return tuple(value.items()) if isinstance(value, dict) else value


def _placeholders(*names: str) -> AfterValidator:
    def check(text: str) -> str:
        template = Template(text)
        if not template.is_valid():
            raise ValueError("a $ that begins no name is written $$")
        if unknown := set(template.get_identifiers()) - set(names):
            raise ValueError(
                f"there is no ${min(unknown)}; there are {', '.join(f'${name}' for name in names)}"
            )
        return text

    return AfterValidator(check)


Texts = Annotated[tuple[tuple[str, str], ...], BeforeValidator(_texts)]
"""Texts by name; a mapping in a file."""


class Outside(Agent):
    """An agent whose moves come from elsewhere; `opened` in `app.tasks.game.outside` makes its players."""

    occupant: ClassVar[Literal["rule", "model", "simulated"]] = "model"

    def player(self) -> Player:
        """Raises StudyError: it cannot play by itself."""
        raise StudyError(f"the agent {self.name} decides outside of this process")


def check_one_persona(agents: Iterable[Agent], configs: Iterable[Any]) -> None:
    """Raises StudyError if a language model would get two personas: its own and its seat's."""
    two = any(isinstance(agent, ModelAgent) and agent.persona for agent in agents)
    if two and any(getattr(config, "personas", False) for config in configs):
        raise StudyError(
            "a language model has a persona, and so has its seat, as `personas` is true: two in one prompt. Take the "
            "model's `persona` out, or set `personas` to false"
        )


class ModelAgent(Outside):
    """A language model. How it is reached and how long it may take is no part of who it is, so not of its hash."""

    name: ClassVar[str] = "model"
    about: ClassVar[str] = "a language model behind a server of the chat-completions protocol"

    model: str = Field(
        default="",
        max_length=200,
        title="Model",
        description="Its name at the server; LIKELY_HUMAN_MODEL unless given.",
    )
    persona: Annotated[str, Widget(rows=2)] = Field(
        default="", max_length=4000, title="Persona", description="Who it is: a persona's name, or a text."
    )
    personas: Annotated[Texts, Widget(is_rare=True)] = Field(
        default=(),
        exclude=True,
        title="Personas of your own",
        description="Texts of personas by name, beside the ready ones.",
    )
    temperature: Annotated[
        float | None, Widget(words={"": "Leave the temperature to the server"}, unit="from 0 to 2")
    ] = Field(
        default=0.7, ge=0, le=2, title="Temperature", description="Of sampling; null leaves it to the server."
    )
    top_p: Annotated[float | None, Widget(is_rare=True, unit="of the probability")] = Field(
        default=None,
        gt=0,
        le=1,
        title="Sample from the likeliest tokens (top-p)",
        description="Of sampling; null leaves it to the server.",
    )
    max_tokens: Annotated[int, Widget(is_rare=True, unit="tokens")] = Field(
        default=800, ge=1, le=1_000_000, title="Longest reply", description="Of one reply, at most."
    )
    max_tokens_name: Annotated[
        Literal["max_tokens", "max_completion_tokens"],
        Widget(
            words={
                "max_tokens": "Most servers: “max tokens”",
                "max_completion_tokens": "Some newer ones: “max completion tokens”",
            },
            is_rare=True,
        ),
    ] = Field(
        default="max_tokens",
        exclude=True,
        title="The server’s word for the longest reply",
        description="What the server calls that bound.",
    )
    response_format: Annotated[
        Literal["text", "json_object", "json_schema"],
        Widget(
            words={
                "text": "Any text",
                "json_object": "A JSON object",
                "json_schema": "A JSON object of the form of a move (JSON Schema)",
            },
            is_rare=True,
        ),
    ] = Field(
        default="text",
        title="Form of a reply",
        description="What the server is asked to hold replies to; not all can.",
    )
    asks: Annotated[int, Widget(is_rare=True, unit="times")] = Field(
        default=3,
        ge=1,
        le=20,
        title="Asked for one decision, at most",
        description="Asked for one decision at most; then the default move.",
    )
    system: Annotated[
        str,
        _placeholders("seat", "names", "persona", "rules", "page_rules"),
        Widget(rows=6, is_rare=True),
    ] = Field(
        default_factory=lambda: presets().system,
        title="First message",
        description="The first message: $seat, $names, $persona, $rules, or $page_rules as people read them.",
    )
    turn: Annotated[str, _placeholders("situation", "form"), Widget(rows=4, is_rare=True)] = Field(
        default_factory=lambda: presets().turn,
        title="Question for a move",
        description="The question: $situation, $form.",
    )
    again: Annotated[str, _placeholders("why", "form"), Widget(rows=3, is_rare=True)] = Field(
        default_factory=lambda: presets().again,
        title="After an answer that cannot be taken",
        description="After a bad answer: $why, $form.",
    )
    rules: Annotated[Texts, Widget(is_rare=True)] = Field(
        default=(),
        title="Rules that it reads",
        description="Texts of rules by game, in place of the ready ones.",
    )
    timeout: Annotated[float, Widget(is_rare=True, unit="seconds")] = Field(
        default=60,
        gt=0,
        le=3600,
        exclude=True,
        title="Wait for a reply, at most",
        description="Seconds for a whole reply.",
    )
    retries: Annotated[int, Widget(is_rare=True, unit="times")] = Field(
        default=3,
        ge=0,
        le=20,
        exclude=True,
        title="Tries again",
        description="After a fault of server or network.",
    )
    backoff: Annotated[float, Widget(is_rare=True, unit="seconds")] = Field(
        default=1,
        ge=0,
        le=60,
        exclude=True,
        title="Wait before the first of them",
        description="Seconds before the first retry, then twice as long.",
    )

    @model_validator(mode="before")
    @classmethod
    def _who(cls, given: Any) -> Any:
        """The persona's text in place of its name."""
        if not isinstance(given, Mapping) or not isinstance(name := given.get("persona", ""), str):
            return given
        own = given.get("personas") or {}
        known = {**presets().personas, **(own if isinstance(own, Mapping) else dict(own))}
        if name and name not in known and " " not in name.strip():
            raise ValueError(
                f"persona: there is no persona {name!r}; there are {', '.join(known)}, or a sentence of yours"
            )
        return {**given, "persona": known.get(name, name)}

    @model_validator(mode="after")
    def _of_games(self) -> Self:
        if unknown := {name for name, _ in self.rules} - set(presets().rules):
            raise ValueError(
                f"rules: there is no game {min(unknown)!r}; there are {', '.join(presets().rules)}"
            )
        return self

    def rules_of(self, game: str) -> str:
        """The rules that it reads."""
        return dict(self.rules).get(game, presets().rules[game])


@cache
def settings_of(game: str) -> type[BaseModel]:
    """The settings of the language models that play one game, which read the rules of this game alone."""
    rules = FieldInfo(
        annotation=str,
        default="",
        title=f"Rules of “{TITLES[game]}”",
        description="In place of the ready ones.",
    )
    rules.metadata = [Widget(rows=4)]
    own: dict[str, Any] = {game: (str, rules)}
    group = create_model("RulesOfGame", **own)
    fields: dict[str, Any] = {name: (info.annotation, info) for name, info in ModelAgent.model_fields.items()}
    return create_model("SettingsOfModels", **{**fields, "rules": (group, ModelAgent.model_fields["rules"])})


class PullAgent(Outside):
    """Any program that fetches its decisions over HTTP and posts its moves."""

    name: ClassVar[str] = "pull"
    about: ClassVar[str] = "any program that fetches its decisions over HTTP and posts its moves"

    label: str = Field(
        default="",
        max_length=100,
        title="Name of the program",
        description="Which program it is, for the records.",
    )
    seconds: float = Field(
        default=60, gt=0, le=86_400, exclude=True, description="For one decision; then the default move."
    )
    start: float = Field(
        default=600, gt=0, le=86_400, exclude=True, description="Seconds until the program first calls."
    )
