"""The one set of processing rules that every clip of a library goes through."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from app.core.plain_yaml import PlainLoader
from app.core.problems import Problem, shown
from app.library.clips.errors import RulesProblems

SMALLEST_SIDE = 16
LARGEST_SIDE = 4096  # what H.264 in a browser can be counted on to play

_DEEPEST = 50
_LARGEST_FILE_BYTES = 100_000
_ROUNDING = 1e-9

_Fraction = Annotated[float, Field(strict=True, ge=0, le=1, description="a fraction of the frame, 0 to 1")]
_Extent = Annotated[
    float, Field(strict=True, gt=0, le=1, description="a fraction of the frame, above 0 and at most 1")
]
_Seconds = Annotated[float, Field(strict=True, ge=0, le=1200, description="seconds, 0 to 1200")]


def _side() -> Any:
    allowed = f"an even number of pixels, {SMALLEST_SIDE} to {LARGEST_SIDE}"
    return Field(None, strict=True, ge=SMALLEST_SIDE, le=LARGEST_SIDE, multiple_of=2, description=allowed)


def _without_default(schema: dict[str, Any]) -> None:
    """Rules that come in take it from the collection; the default is of stored ones, which nobody reads in a schema."""
    schema.pop("default", None)


class Mask(BaseModel):
    """A box filled black, in fractions of the picture as it is seen (upright, before scaling)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    x: _Fraction
    y: _Fraction
    width: _Extent
    height: _Extent

    @model_validator(mode="after")
    def _lies_inside(self) -> Self:
        if self.x + self.width > 1 + _ROUNDING or self.y + self.height > 1 + _ROUNDING:
            raise ValueError("the box reaches beyond the frame; x + width and y + height are at most 1")
        return self


class Rules(BaseModel):
    """Processing rules applied to every clip alike. Sound and metadata are always dropped, so no rule names them.

    `width` and `height` are given together or not at all; without them the smallest clip decides for all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    trim_start_s: _Seconds = 0.0
    trim_end_s: _Seconds = 0.0
    masks: tuple[Mask, ...] = Field(
        default=(), description="a list of boxes, each with x, y, width and height"
    )
    width: int | None = _side()
    height: int | None = _side()
    fps: float = Field(default=30.0, strict=True, ge=1, le=120, description="frames per second, 1 to 120")
    crf: int = Field(
        default=20,
        strict=True,
        ge=1,
        le=40,
        description="x264's quality, 1 (best) to 40 (smallest)",
        json_schema_extra=_without_default,
    )
    preset: Literal["medium", "veryfast"] = Field(
        default="medium",
        description="x264's preset, medium or veryfast",
        json_schema_extra=_without_default,
    )
    """Rules stored before there was a choice name none, and mean `medium`; those that come in are `encoded_like` the
    collection's.
    """

    @model_validator(mode="after")
    def _has_both_sides_or_none(self) -> Self:
        if (self.width is None) != (self.height is None):
            raise ValueError("width and height go together; give both, or neither for the smallest clip's")
        return self

    @property
    def rate(self) -> Fraction:
        """The frame rate as an exact number."""
        # 29.97 is meant as 30000/1001, and not as the binary number next to it.
        return Fraction(self.fps).limit_denominator(1001)

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height, where the rules fix them."""
        return None if self.width is None or self.height is None else (self.width, self.height)

    def encoded_like(self, others: "Rules") -> Self:
        """The same with the quality and preset of others, as far as these name none."""
        unsaid = {"crf", "preset"} - self.model_fields_set
        return self.model_copy(update={name: getattr(others, name) for name in unsaid})

    def canonical(self) -> dict[str, Any]:
        """Every rule with its value, defaults included, as plain JSON values; the preset where it is not `medium`."""
        values = self.model_dump(mode="json")
        # Kept beside clips of before there was a choice, and compared: equal rules have to stay equal.
        if values["preset"] == Rules.model_fields["preset"].default:
            del values["preset"]
        return values

    def sha256(self) -> str:
        """The hash of the canonical form: equal for equal rules, however they were written."""
        text = json.dumps(self.canonical(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read rules from YAML. Raises RulesProblems with file, line and remedy of every problem."""
        root = _parse(path)
        if root is None:
            return cls()
        repeated = list(_repeated_keys(path, root))
        if repeated:
            raise RulesProblems(repeated)
        try:
            values = PlainLoader("").construct_document(root)
        except yaml.YAMLError as error:
            raise RulesProblems([_not_yaml(path, error)]) from None
        except ValueError as error:
            raise RulesProblems([Problem(str(path), _line(root), f"cannot be read: {error}")]) from None
        if not isinstance(values, dict):
            message = "rules are written as `rule: value`, one to a line, for example `trim_start_s: 0.5`"
            raise RulesProblems([Problem(str(path), _line(root), message)])
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            problems = [
                Problem(str(path), _line(_node_at(root, details["loc"])), explained(cls, details))
                for details in error.errors(include_url=False)
            ]
            raise RulesProblems(problems) from None


FIRST_RULES = Rules(crf=19, preset="veryfast")
"""The rules of a collection that has no clips and none of its own.

`veryfast` encodes in 0.4 of the processor time of `medium`, which was two thirds of an upload's; with `crf` 19 it loses
0.3 to 0.8 dB against `medium` with 20 (bench/profile.md). A collection that has clips keeps its preset: two of them are
two looks, which would tell older clips from newer ones.
"""


def _parse(path: Path) -> yaml.Node | None:
    try:
        if path.stat().st_size > _LARGEST_FILE_BYTES:
            raise RulesProblems([Problem(str(path), 0, "is too large for a file of rules (over 100 kB)")])
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = "is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else f"cannot be read ({error})"
        raise RulesProblems([Problem(str(path), 0, reason)]) from None
    try:
        _refuse_aliases_and_depth(path, text)
        return yaml.compose(text, Loader=PlainLoader)
    except yaml.YAMLError as error:
        raise RulesProblems([_not_yaml(path, error)]) from None


def _refuse_aliases_and_depth(path: Path, text: str) -> None:
    depth = 0
    for event in yaml.parse(text):  # as they come: it ends at the first level too many
        if isinstance(event, yaml.AliasEvent):
            line = _mark_line(event.start_mark)
            raise RulesProblems([Problem(str(path), line, "write the value out; rules know no YAML aliases")])
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise RulesProblems([Problem(str(path), 0, "is not a file of rules: nested too deeply")])


def _not_yaml(path: Path, error: yaml.YAMLError) -> Problem:
    problem = getattr(error, "problem", None) or "holds characters that YAML does not allow"
    return Problem(str(path), _mark_line(getattr(error, "problem_mark", None)), f"is not YAML: {problem}")


def _repeated_keys(path: Path, node: yaml.Node) -> Iterator[Problem]:
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _repeated_keys(path, item)
    elif isinstance(node, yaml.MappingNode):
        seen: dict[str, int | None] = {}
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                message = f"{shown(name)} stands in line {seen[name]} already; keep one"
                yield Problem(str(path), _line(key), message)
            seen[name] = _line(key)
            yield from _repeated_keys(path, value)


def _node_at(root: yaml.Node, location: Sequence[int | str]) -> yaml.Node:
    """The deepest node that a validation error's location leads to; for a mapping's entry, its key."""
    node = found = root
    for step in location:
        if isinstance(node, yaml.MappingNode):
            entry = next(((key, value) for key, value in node.value if key.value == step), None)
            if entry is None:
                break
            found, node = entry
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            found = node = node.value[step]
    return found


def _line(node: yaml.Node) -> int:
    return _mark_line(node.start_mark)


def _mark_line(mark: Any) -> int:
    return 0 if mark is None else int(mark.line) + 1


def explained(rules: type[BaseModel], details: Any) -> str:
    """A pydantic error in words: the rule, the value found, the values allowed."""
    location: tuple[int | str, ...] = details["loc"]
    if not location:
        return str(details["ctx"]["error"])
    name = ".".join(str(step) for step in location)
    model: type[BaseModel] = Mask if len(location) == 3 else rules
    field = model.model_fields.get(str(location[-1] if len(location) == 3 else location[0]))
    allowed = field.description if field is not None else None
    match details["type"]:
        case "extra_forbidden":
            return f"there is no rule {shown(name)}; known here: {', '.join(model.model_fields)}"
        case "missing":
            return f"{name} is missing; it is {allowed}"
        case "value_error":
            return f"{name}: {details['ctx']['error']}"
        case _:
            remedy = f"it is {allowed}" if allowed else details["msg"]
            return f"{name} is {shown(str(details['input']))}; {remedy}"
