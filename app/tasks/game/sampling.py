"""Selection of a game's configurations: a main one, its variants, and a random share of the others.

GLEE's [SMR24] choice for people, appendix C.2. Its rules give the numbers of its table 5 for each role: 1, 20 and 18 in
bargaining; 1, 11 and 18 in negotiation without single rounds; 1, 10 and 8 in persuasion with either buyer.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from pydantic import Field, ValidationError

from app.core.errors import StudyError
from app.core.problems import message_of
from app.tasks.game.base import GameConfig, Strict

GRID = "grid"
PARTS = ("main", "variants", "random")
EXPRESSION = re.compile(rf"({'|'.join(PARTS)})(\+({'|'.join(PARTS)}))*")


class NoLevel(StudyError):
    """A value in `only` that its parameter cannot have, or a parameter that the game has not."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"only: {name}: {why}")
        self.name = name


class Sample(Strict):
    """A selection of a game's published configurations."""

    sample: str = Field(
        default="main+variants+random",
        title="Configurations that are taken",
        pattern=f"^{EXPRESSION.pattern}$",
        description="What is taken: main, variants and random, joined by +.",
    )
    main: Mapping[str, Any] = Field(
        default={},
        title="The main configuration",
        description="Parameters of the main configuration; the default where left out.",
    )
    only: Mapping[str, tuple[Any, ...]] = Field(
        default={},
        title="Kept to these values",
        description="Values to which a parameter of variants and random ones is confined.",
    )
    random_share: float = Field(
        default=0.05,
        ge=0,
        le=1,
        title="Share of the others",
        description="Share of the other configurations, rounded down.",
    )
    seed: int = Field(default=1, ge=0, title="Seed of the draw", description="Of the random ones.")


def sampled(config: type[GameConfig], sample: Sample) -> list[GameConfig]:
    """The configurations, the main one first. Raises ValidationError, or StudyError for an unknown name."""
    grid = config.grid()
    main = config.model_validate(dict(sample.main))
    allowed = _allowed(config, sample.only)
    variants = [
        varied
        for factor in _factors(grid)
        for values in dict.fromkeys(_values(one, factor) for one in grid)
        if (varied := _with(main, factor, values)) != main and allowed(varied)
    ]
    taken = {main, *variants}
    others = [one for one in grid if one not in taken and allowed(one)]
    # 0.29 of 100 is 28.999999999999996 as a float, and would be cut to 28.
    n = int(sample.random_share * len(others) + 1e-9)
    drawn = random.Random(sample.seed).sample(range(len(others)), n)
    found = {"main": [main], "variants": variants, "random": [others[i] for i in sorted(drawn)]}
    return [one for part in PARTS if part in sample.sample.split("+") for one in found[part]]


def levels_of(config: type[GameConfig]) -> Mapping[str, list[str]]:
    """The published levels of each parameter that has several, as text; numbers by size."""
    return {name: list(levels) for name, levels in values_of(config).items()}


def values_of(config: type[GameConfig]) -> Mapping[str, Mapping[str, Any]]:
    """The same, with the value that a study file has for each level."""
    dumped = [one.model_dump(mode="json") for one in config.grid()]
    found = {name: {str(one[name]): one[name] for one in dumped} for name in config.model_fields}
    return {
        name: {level: levels[level] for level in _by_size([*levels])}
        for name, levels in found.items()
        if len(levels) > 1
    }


def _by_size(levels: Sequence[str]) -> list[str]:
    try:
        return sorted(levels, key=Fraction)
    except ValueError:
        return list(levels)


def presets(config: type[GameConfig]) -> Mapping[str, list[GameConfig]]:
    """Named lists of published configurations; `grid` is all of them."""
    samples = {
        name: [one for each in given for one in sampled(config, Sample.model_validate(each))]
        for name, given in config.samples.items()
    }
    return {GRID: list(config.grid()), **config.named(), **samples}


def _factors(grid: Sequence[GameConfig]) -> list[tuple[str, ...]]:
    """The parameters in which the grid differs, those that change together as one."""
    together = {name: group for group in type(grid[0]).together for name in group}
    varied = [name for name in type(grid[0]).model_fields if len({getattr(one, name) for one in grid}) > 1]
    return list(dict.fromkeys(together.get(name, (name,)) for name in varied))


def _values(config: GameConfig, factor: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(getattr(config, name) for name in factor)


def _with(config: GameConfig, factor: tuple[str, ...], values: tuple[Any, ...]) -> GameConfig:
    return type(config).model_validate({**config.model_dump(), **dict(zip(factor, values, strict=True))})


def _allowed(config: type[GameConfig], only: Mapping[str, Sequence[Any]]) -> Callable[[GameConfig], bool]:
    """A test for the values in `only`, which are parsed as the parameters are."""
    if unknown := [name for name in only if name not in config.model_fields]:
        raise NoLevel(unknown[0], f"no such parameter; there are: {', '.join(config.model_fields)}")
    values = {name: {_level(config, name, value) for value in given} for name, given in only.items()}
    return lambda one: all(getattr(one, name) in allowed for name, allowed in values.items())


def _level(config: type[GameConfig], name: str, value: Any) -> Any:
    """A value of a parameter as the configurations have it. Raises NoLevel."""
    try:
        return getattr(config.model_validate({name: value}), name)
    except ValidationError as error:
        raise NoLevel(name, message_of(error.errors()[0])) from None
