"""The configurations that a block of matches is played in: parameters, a list of them, a preset, or a sample."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, cast

from pydantic import BaseModel, PlainValidator, ValidationError, WithJsonSchema, create_model
from pydantic.fields import FieldInfo
from pydantic_core import InitErrorDetails

from app.core.errors import StudyError
from app.core.problems import counted, listed, quoted
from app.questions.base import rule_error
from app.tasks.game.base import GameConfig
from app.tasks.game.games import GAMES
from app.tasks.game.match import config_hash
from app.tasks.game.sampling import Sample, presets, sampled

SAMPLE, ONE, LIST, PRESET, START = "sample", "one", "list", "preset ", "start "


def _as_configs(value: Any) -> Any:
    """Parameters, a list of them, the name of a preset, or a sample; anything else is refused with its parameters."""
    if isinstance(value, Mapping) and SAMPLE in value:
        try:
            return Sample.model_validate(dict(value))
        except ValidationError as error:
            raise refused(error, Sample.model_fields, ()) from None
    if isinstance(value, Sample | str):
        return value
    listed_ = [value] if isinstance(value, Mapping) else value
    if isinstance(listed_, list | tuple) and all(isinstance(each, Mapping) for each in listed_):
        return tuple(dict(each) for each in listed_)
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
            ours = rule_error(f"there is no preset {quoted(given)}", f"use {listed(presets_of(game))}")
            raise ValidationError.from_exception_data(
                "configs", [InitErrorDetails(type=ours, loc=("configs",), input=given)]
            )
        return presets_of(game)[given]
    if isinstance(given, Sample):
        return _sampled(model, given)
    if not given:
        raise rule_error("configs is empty", "write `{}` for the game's defaults, or remove the key")
    at = [("configs",)] if len(given) == 1 else [("configs", number) for number in range(len(given))]
    configs = tuple(_config(model, one, place) for one, place in zip(given, at, strict=True))
    if len({config_hash(config) for config in configs}) < len(configs):
        raise rule_error(
            "two configurations are the same", "keep one of them: matches are balanced over them"
        )
    return configs


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
    given = Sample.model_fields
    parameters: Any = (GAMES[game].Config, FieldInfo(default={}, title="The main configuration"))
    fields: dict[str, Any] = {name: (info.annotation, info) for name, info in given.items()}
    return create_model("SampleOfGame", **{**fields, "main": parameters})


def _sampled(model: type[GameConfig], sample: Sample) -> tuple[GameConfig, ...]:
    try:
        return tuple(sampled(model, sample))
    except ValidationError as error:
        raise refused(error, model.model_fields, ("configs", "main")) from None
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
            said = found["msg"].removeprefix("Value error, ").removeprefix("Input ")
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
