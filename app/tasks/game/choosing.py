"""The configurations that a block of matches is played in: parameters, a list of them, a preset, or a sample."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, PlainValidator, TypeAdapter, ValidationError, WithJsonSchema, create_model
from pydantic.fields import FieldInfo
from pydantic_core import InitErrorDetails

from app.core.errors import StudyError
from app.core.problems import Place, counted, listed, message_of, quoted
from app.core.widgets import Widget, widget_of
from app.questions.base import rule_error
from app.tasks.game.base import GameConfig
from app.tasks.game.games import GAMES
from app.tasks.game.match import config_hash
from app.tasks.game.sampling import NoLevel, Sample, presets, sampled, values_of

SAMPLE, ONE, LIST, PRESET, START = "sample", "one", "list", "preset ", "start "


class Alone(tuple[dict[str, Any], ...]):
    """Parameters that stand in a study file by themselves, and not in a list of one."""


def _as_configs(value: Any) -> Any:
    """Parameters, a list of them, the name of a preset, or a sample; anything else is refused with its parameters."""
    if isinstance(value, Mapping) and SAMPLE in value:
        try:
            return Sample.model_validate(dict(value))
        except ValidationError as error:
            raise refused(error, Sample.model_fields, ()) from None
    if isinstance(value, Sample | str):
        return value
    if isinstance(value, Mapping):
        return Alone((dict(value),))
    if isinstance(value, list | tuple) and all(isinstance(each, Mapping) for each in value):
        return tuple(dict(each) for each in value)
    raise rule_error(
        "configs is neither parameters, nor a list of them, nor the name of a preset",
        "write `{rounds: 10}`, `[{rounds: 10}, {rounds: 20}]` or `grid`",
    )


Configs = Annotated[
    tuple[dict[str, Any], ...] | Sample | str,
    PlainValidator(_as_configs),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1},
                {"type": "object"},
                {"type": "array", "items": {"type": "object"}, "minItems": 1},
            ]
        }
    ),
]


def configs_of(game: str, given: Any) -> tuple[GameConfig, ...]:
    """A block's configurations. Raises a rule error for one that the game does not have."""
    model: type[GameConfig] = GAMES[game].Config
    if isinstance(given, str):
        if given not in presets_of(game):
            raise fault_at(
                ("configs",), f"there is no preset {quoted(given)}", f"use {listed(presets_of(game))}"
            )
        return presets_of(game)[given]
    if isinstance(given, Sample):
        return _sampled(model, given)
    if not given:
        raise rule_error("configs is empty", "write `{}` for the game's defaults, or remove the key")
    places: list[Place] = [("configs", number) for number in range(len(given))]
    if isinstance(given, Alone):
        places = [("configs",)]
    configs = tuple(_config(model, one, place) for one, place in zip(given, places, strict=True))
    hashes = [config_hash(config) for config in configs]
    twice = next((at for at, each in enumerate(hashes) if each in hashes[:at]), None)
    if twice is not None:
        raise fault_at(
            places[twice],
            "two configurations are the same",
            "keep one of them: matches are balanced over them",
        )
    return configs


def fault_at(place: Place, message: str, remedy: str) -> ValidationError:
    """A broken rule at a place of the block."""
    line = InitErrorDetails(type=rule_error(message, remedy), loc=place, input=None)
    return ValidationError.from_exception_data("game", [line])


@cache
def presets_of(game: str) -> Mapping[str, tuple[GameConfig, ...]]:
    """Named lists of published configurations; `grid` is all of them."""
    return {name: tuple(configs) for name, configs in presets(GAMES[game].Config).items()}


@cache
def sizes_of(game: str) -> Mapping[str, str]:
    """The same, with how many there are in each, in words."""
    return {name: counted(len(configs), "configuration") for name, configs in presets_of(game).items()}


@cache
def sample_of(game: str) -> type[BaseModel]:
    """The settings of a sample with the parameters of one game."""
    given, config = Sample.model_fields, GAMES[game].Config
    main: Any = (config, FieldInfo(default={}, title="The main configuration"))
    kept = given["only"]
    only = FieldInfo(default=None, title=kept.title, description=kept.description)
    fields: dict[str, Any] = {name: (info.annotation, info) for name, info in given.items()}
    return create_model("SampleOfGame", **{**fields, "main": main, "only": (_levels_model(config), only)})


def _levels_model(config: type[GameConfig]) -> type[BaseModel]:
    """A box for each published level of the parameters that have several."""
    fields: dict[str, Any] = {
        name: (_list_of(levels), _level_boxes(config.model_fields[name], levels))
        for name, levels in values_of(config).items()
    }
    return create_model("LevelsOfGame", **fields)


def _list_of(words: Iterable[str]) -> Any:
    """The type of a list of these words."""
    literal: Any = Literal
    container: Any = tuple
    return container[literal[tuple(words)], ...]


def _level_boxes(info: FieldInfo, levels: Mapping[str, Any]) -> Any:
    whole: Any = Annotated[(info.annotation, *info.metadata, info.title)]
    parameter: TypeAdapter[Any] = TypeAdapter(whole)
    said = widget_of(info.metadata)

    def name_of(value: Any) -> str:
        try:
            return str(parameter.dump_python(parameter.validate_python(value), mode="json"))
        except ValidationError:
            return str(value)

    words = {
        level: said.words.get(level)
        or ({True: "Yes", False: "No"}[value] if isinstance(value, bool) else level)
        for level, value in levels.items()
    }
    if said.unit:
        words = {level: f"{word} {said.unit}" for level, word in words.items()}
    found = FieldInfo(default=(), title=info.title)
    found.metadata = [Widget(is_boxes=True, words=words, values=levels, name_of=name_of)]
    return found


def _sampled(model: type[GameConfig], sample: Sample) -> tuple[GameConfig, ...]:
    try:
        return tuple(sampled(model, sample))
    except ValidationError as error:
        raise refused(error, model.model_fields, ("configs", "main")) from None
    except NoLevel as error:
        raise fault_at(
            ("configs", "only", error.name), f"configs: {error}", "see the help page Games"
        ) from None
    except StudyError as error:
        raise rule_error(f"configs: {error}", "see the help page Games") from None


def _config(model: type[GameConfig], given: Mapping[str, Any], place: tuple[str | int, ...]) -> GameConfig:
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise refused(error, model.model_fields, place) from None


def refused(error: ValidationError, known: Iterable[str], place: tuple[str | int, ...]) -> ValidationError:
    """The faults of the parameters at a place, each at its own."""
    lines = []
    for found in error.errors():
        name = ".".join(map(str, found["loc"]))
        if found["type"] == "extra_forbidden":
            ours = rule_error(f"the game has no parameter {quoted(name)}", f"use {listed(known)}")
        else:
            said = message_of(found).removeprefix("Input ")
            if found["type"] == "string_pattern_mismatch":
                said = "write main, variants and random, those that are wanted, joined by +"
            ours = rule_error(
                f"configs: {name}: {said}" if name else f"configs: {said}", "see the help page Games"
            )
        lines.append(InitErrorDetails(type=ours, loc=(*place, *found["loc"]), input=found["input"]))
    return ValidationError.from_exception_data(error.title, lines)


_by_unit: dict[tuple[str, str, str], Mapping[str, GameConfig]] = {}
MOST_KEPT = 64


def configs_by_unit(block: str, game: str, configs: Sequence[Mapping[str, Any]]) -> Mapping[str, GameConfig]:
    """The configurations by the names of their units, `block:hash`; kept, as 1,320 take a while to validate."""
    key = (block, game, str(configs))
    if key not in _by_unit:
        if len(_by_unit) >= MOST_KEPT:
            _by_unit.clear()
        read = (cast(GameConfig, GAMES[game].Config.model_validate(one)) for one in configs)
        _by_unit[key] = {f"{block}:{config_hash(config)}": config for config in read}
    return _by_unit[key]


def config_words(config: GameConfig) -> str:
    """Parameters that differ from the game's defaults, such as `rounds 12, messages no`; `defaults` without any."""
    given, usual = config.model_dump(mode="json"), type(config)().model_dump(mode="json")
    words: Sequence[str] = [
        f"{name.replace('_', ' ')} {_word(value)}"
        for name, value in given.items()
        if value != usual.get(name)
    ]
    return ", ".join(words) or "the game's defaults"


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{len(value)} of them" if isinstance(value, (list, tuple)) else str(value)
