"""The mapping file of `likely-human import game`: the meaning of choices recorded elsewhere (docs/elsewhere.md)."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, Self

import yaml
from pydantic import Field, ValidationError, model_validator

from analysis.files.shallow_yaml import too_long
from app.core.errors import StudyError
from app.core.plain_yaml import PlainLoader
from app.core.problems import message_of
from app.tasks.game.base import Strict
from app.tasks.game.games import GAMES
from app.tasks.game.ratio import Ratio

Plain = bool | int | float | str
ANY = "*"
"""In `when` and `only`: any cell that is not empty."""


class _Loader(PlainLoader):
    """YAML in which `yes` and `no` are texts, as they are in cells; only `true` and `false` are truths."""


_BOOL: Final = "tag:yaml.org,2002:bool"
_Loader.yaml_implicit_resolvers = {
    first: [one for one in known if one[0] != _BOOL]
    for first, known in PlainLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_BOOL, re.compile("true|false"), list("tf"))


class BadMapping(StudyError):
    """A mapping file that cannot be used; the message names the file and the key."""

    status_code = 422


class Cell(Strict):
    """A value from a cell: of `column`, or the seat whose name is in `seat_in`, or an answer by `threshold`.

    A threshold is the least that a player accepts of the standing offer, as their own part or as the price.
    """

    column: str = ""
    seat_in: str = ""
    threshold: str = ""
    values: Mapping[str, Plain] = Field(default_factory=dict)
    times: Ratio = Field(default=1)  # type: ignore[assignment]
    plus: int = 0
    subtract_from: int | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(map(bool, (self.column, self.seat_in, self.threshold))) != 1:
            raise ValueError("give one of column, seat_in, threshold")
        return self

    @property
    def name(self) -> str:
        """The column that it reads."""
        return self.column or self.seat_in or self.threshold


Value = Cell | Plain
Conditions = Mapping[str, Plain | tuple[Plain, ...]]


class Chosen(Strict):
    """A move, or a draw of `nature`, that a row holds `when` its cells are so."""

    when: Conditions = Field(default_factory=dict)
    seat: Value | None = None
    move: Mapping[str, Value] = Field(default_factory=dict)
    nature: Mapping[str, Value] = Field(default_factory=dict)
    message: str = ""
    reason: str = ""
    rt_ms: Value | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if bool(self.move) == bool(self.nature):
            raise ValueError("give either move, with its kind and fields, or nature")
        if self.move and not isinstance(self.move.get("kind"), str):
            raise ValueError("move needs its kind, such as {kind: answer, answer: {column: decision}}")
        if len(self.nature) > 1:
            raise ValueError("nature draws one thing at a time")
        return self


class Sitting(Strict):
    """The occupant of a seat: `person` is the column with the person's identifier, `name` that of a program."""

    occupant: Value = "human"
    person: str = ""
    name: Value = ""


class Deal(Strict):
    """Choices without a partner: each row has both seats' choices, and rows are paired by this seed."""

    seed: int = 1


class GameMapping(Strict):
    """The whole file."""

    kind: Literal["game"]
    game: str
    study: str = ""
    files: str = ""
    rows: str = ""
    beside: str = ""
    match: str = ""
    each: Literal["", "file", "row"] = ""
    deal: Deal | None = None
    only: Conditions = Field(default_factory=dict)
    empty: tuple[str, ...] = ("", "NA", "NaN", "nan", "None", "none", "null")
    round: Value | None = None
    seat: Value | None = None
    seats: Mapping[str, int] | Literal["by-appearance"] = Field(default_factory=dict)
    config: Mapping[str, Value | list[Any]] = Field(default_factory=dict)
    players: Mapping[int, Sitting] | Sitting = Sitting()
    may_show: bool = False
    moves: tuple[Chosen, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.game not in GAMES:
            raise ValueError(f"there is no game {self.game!r}; there are {', '.join(GAMES)}")
        if sum((bool(self.match), bool(self.each), self.deal is not None)) != 1:
            raise ValueError(
                "say which rows are a match: match (a column), each (file, or row), or deal (rows without a partner)"
            )
        return self

    def sitting(self, seat: int) -> Sitting:
        """The occupant of a seat; a person by default."""
        return self.players if isinstance(self.players, Sitting) else self.players.get(seat, Sitting())


def read_mapping(path: Path) -> GameMapping:
    """The mapping file. Raises BadMapping."""
    try:
        text = path.read_text(encoding="utf-8")
        # Before it is parsed: aliases let a few bytes of YAML fill the memory.
        if message := too_long(text):
            raise BadMapping(f"{path}: {message}; is it the data?")
        given = yaml.load(text, _Loader)  # noqa: S506  (a SafeLoader)
    except OSError as error:
        raise BadMapping(f"{path}: cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadMapping(f"{path}: is no YAML in UTF-8 ({error})") from None
    if not isinstance(given, dict) or given.get("kind") != "game":
        raise BadMapping(f"{path}: says nothing of `kind: game`, with which such a mapping begins")
    try:
        return GameMapping.model_validate(_plain(given))
    except ValidationError as error:
        raise BadMapping(f"{path}: {'; '.join(_faults(error)[:5])}") from None


def _plain(value: Any) -> Any:
    """Keys as text: YAML reads 1 and true as a number and a truth, and cells are texts."""
    if isinstance(value, dict):
        return {_key(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value


def _key(key: Any) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)


def _faults(error: ValidationError) -> Sequence[str]:
    """Faults by place, once each: among alternatives, the one about the value given."""
    found: dict[str, str] = {}
    for one in error.errors():
        names = [
            str(part) for part in one["loc"] if part not in ("Cell", "bool", "int", "float", "str", "Sitting")
        ]
        place = ".".join(name for name in names if "[" not in name) or "it"
        unknown = one["type"] == "extra_forbidden"
        said = "no such key" if unknown else message_of(one)
        found.setdefault(place, said)
    return [f"{place}: {said}" for place, said in found.items()]
