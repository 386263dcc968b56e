"""Records: what one player or one group saw and did in a game, as JSON of lines, tables and small charts.

A record is frozen like a clip: `canonical_json` writes the same bytes for the same content, and `sha256` is their hash.
It does not tell who played (human or not); its source is stored in the library.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Annotated, Any, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    ValidationError,
    model_validator,
)

from app.core.errors import StudyError
from app.core.problems import one_line, shown

LARGEST_BYTES: Final = 2_000_000
LONGEST_TITLE, LONGEST_TEXT, LONGEST_CELL, LONGEST_UNIT = 300, 20_000, 2_000, 40
MOST_PARTS, MOST_ROUNDS, MOST_PLAYERS, MOST_COLUMNS, MOST_ROWS, MOST_VALUES = 200, 500, 100, 50, 1_000, 2_000
LARGEST_NUMBER: Final = 1e15  # whole numbers up to here are exact wherever JSON is read
_MOST_PROBLEMS = 5
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_KINDS = {"text": "line", "columns": "table", "values": "chart"}
_ONE_OF = {
    "players": "player",
    "parts": "part",
    "rounds": "round",
    "columns": "column",
    "rows": "row",
    "values": "value",
}


class BadRecord(StudyError):
    """A record that cannot be read; each of `problems` names the place and what to do there."""

    status_code = 422
    title = "The record has errors"

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        more = len(self.problems) - _MOST_PROBLEMS
        said = "; ".join(self.problems[:_MOST_PROBLEMS]) + (f"; and {more} more" if more > 0 else "")
        super().__init__(f"not a record: {said}")


def printable(text: str) -> str:
    """The text with one kind of line break. Raises ValueError for what no screen or database takes."""
    if found := _CONTROL.search(text):
        raise ValueError(f"holds the control character {found[0]!a}; take it out")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty; write what people should read")
    return text


def _cell(value: object) -> str | int | float | bool | None:
    match value:
        case None | bool():
            return value
        case int() | float():
            return _number(value)
        case str() if len(value) <= LONGEST_CELL:
            return printable(value)
        case str():
            raise ValueError(f"has {len(value)} characters; a cell takes {LONGEST_CELL}")
    raise ValueError("is neither text, a number, true, false nor null; write one of these")


def _number(value: float) -> float:
    # Not `>`: NaN compares false with every number, and is to be refused, too.
    if not abs(value) <= LARGEST_NUMBER:
        raise ValueError(f"is not a number between -{LARGEST_NUMBER:g} and {LARGEST_NUMBER:g}")
    return value


_Printable = AfterValidator(printable)
_Filled = AfterValidator(_filled)
Title = Annotated[str, Field(max_length=LONGEST_TITLE), _Printable, _Filled]
Text = Annotated[str, Field(max_length=LONGEST_TEXT), _Printable]
_Heading = Annotated[str, Field(max_length=LONGEST_TITLE), _Printable]
Cell = Annotated[str | int | float | bool | None, PlainValidator(_cell)]
Value = Annotated[float, AfterValidator(_number)]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Line(_Frozen):
    """A paragraph of plain text; line breaks in it are kept."""

    text: Annotated[Text, _Filled]


class Table(_Frozen):
    """Rows under named columns; a cell is text, a number, yes or no, or empty (null)."""

    columns: Annotated[tuple[_Heading, ...], Field(min_length=1, max_length=MOST_COLUMNS)]
    rows: Annotated[tuple[tuple[Cell, ...], ...], Field(max_length=MOST_ROWS)]

    @model_validator(mode="after")
    def _rows_fit(self) -> "Table":
        for number, row in enumerate(self.rows, 1):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"row {number} has {len(row)} cells and the table {len(self.columns)} columns;"
                    " write null for an empty cell"
                )
        return self


class Chart(_Frozen):
    """A small line of numbers in order (a sparkline), such as a balance by round; null is a gap."""

    label: Title
    values: Annotated[tuple[Value | None, ...], Field(min_length=1, max_length=MOST_VALUES)]
    unit: Annotated[Text, Field(max_length=LONGEST_UNIT)] = ""


def _kind(part: object) -> str | None:
    keys = part if isinstance(part, dict) else getattr(type(part), "model_fields", {})
    return next((kind for key, kind in _KINDS.items() if key in keys), None)


Part = Annotated[
    Annotated[Line, Tag("line")] | Annotated[Table, Tag("table")] | Annotated[Chart, Tag("chart")],
    Discriminator(
        _kind,
        custom_error_type="part",
        custom_error_message="is no line, table or chart; give it text, or columns and rows, or label and values",
    ),
]
Parts = Annotated[tuple[Part, ...], Field(max_length=MOST_PARTS)]


class Round(_Frozen):
    """One round of play, in the order in which it was seen and done."""

    title: Title
    parts: Parts


class Player(_Frozen):
    """A player in the game, under the record's name for them; `about` is what was known of them."""

    name: Title
    about: Text = ""


class Record(_Frozen):
    """A whole record: who played, what stood at the beginning (`parts`), then round by round."""

    title: Title
    players: Annotated[tuple[Player, ...], Field(max_length=MOST_PLAYERS)] = ()
    parts: Parts = ()
    rounds: Annotated[tuple[Round, ...], Field(max_length=MOST_ROUNDS)] = ()

    @model_validator(mode="after")
    def _shows_something(self) -> "Record":
        if not self.parts and not self.rounds:
            raise ValueError("has neither parts nor rounds; there is nothing to read in it")
        return self


def parse_record(content: bytes | str) -> Record:
    """Read a record from JSON (UTF-8). Raises BadRecord."""
    text = _decoded(content)
    _check_json(text)
    try:
        return Record.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise BadRecord(_fault_text(fault) for fault in error.errors(include_url=False)) from None


def canonical_json(record: Record) -> str:
    """The one serialization in which a record is stored and hashed: keys sorted, no spaces, defaults left out."""
    plain = record.model_dump(mode="json", exclude_defaults=True)
    return json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def sha256(record: Record) -> str:
    """SHA-256 of the record's canonical JSON in UTF-8, in hexadecimal."""
    return hashlib.sha256(canonical_json(record).encode()).hexdigest()


def _decoded(content: bytes | str) -> str:
    if len(content) > LARGEST_BYTES:
        raise BadRecord([f"it is larger than {LARGEST_BYTES // 10**6} MB; split it"])
    try:
        return content if isinstance(content, str) else content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BadRecord([f"line {line} is not UTF-8; save the file as UTF-8"]) from None


def _check_json(text: str) -> None:
    """Reject invalid JSON, and duplicate keys, of which one would be dropped silently."""
    try:
        json.loads(text, object_pairs_hook=_once, parse_int=float)
    except json.JSONDecodeError as error:
        raise BadRecord([f"line {error.lineno}, column {error.colno} is not JSON ({error.msg})"]) from None
    except RecursionError:
        raise BadRecord(["its brackets are nested too deeply; a record has four levels"]) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys: set[str] = set()
    for key, _ in pairs:
        if key in keys:
            raise BadRecord([f"the key {shown(key)} stands twice in the same place; leave one"])
        keys.add(key)
    return dict(pairs)


def _fault_text(fault: Any) -> str:
    match fault["type"]:
        case "extra_forbidden":
            message = "is not a key that a record has here; take it out or correct its name"
        case "missing":
            message = "is missing; add it"
        case "value_error":
            message = str(fault["ctx"]["error"])
        case _:
            message = fault["msg"][:1].lower() + fault["msg"][1:]
    return f"{_place(fault['loc'])}: {message}"


def _steps(loc: Iterable[int | str]) -> list[int | str]:
    return [step for step in loc if step not in _KINDS.values()]


def _place(loc: Iterable[int | str]) -> str:
    """A position in words, counting from 1: `round 2, part 1, row 3`."""
    words: list[str] = []
    above = ""
    for step in _steps(loc):
        if isinstance(step, int):
            words[-1:] = [
                f"{_ONE_OF[above]} {step + 1}" if above in _ONE_OF else f"{words[-1]}, cell {step + 1}"
            ]
            above = ""
        else:
            words.append(one_line(step)[:80])
            above = step
    return ", ".join(words) or "the record"
