"""The keys of a draft as pages and files have them: numbers and booleans where a key asks for one, all else text.

Drafts may hold anything, so that each conversion leaves alone what it does not know.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.questions.registry import QUESTIONS, type_of

Tidy = Callable[[Any], Any]
_QUESTION = (
    "id",
    "type",
    "ask",
    "scale",
    "labels",
    "options",
    "minimum",
    "maximum",
    "max_length",
    "required",
    "allow_tie",
    "yes_no",
    "anchors",
    "when",
    "accept",
    "answer",
    "expect",
)
# What pydantic takes off the ends of a text; Python's own `strip` takes off a little more.
_BLANKS = "".join(map(chr, (*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)))) + (
    "\u2028\u2029\u202f\u205f\u3000"
)
_YES = frozenset({"1", "on", "t", "true", "y", "yes"})
_NO = frozenset({"0", "off", "f", "false", "n", "no"})


def section(value: Any, order: Sequence[str], parts: Mapping[str, Tidy]) -> Any:
    if not isinstance(value, dict):
        return stripped(value)
    known = [key for key in order if key in value]
    return {
        key: parts.get(key, stripped)(value[key])
        for key in (*known, *(key for key in value if key not in order))
        if value[key] is not None
    }


def stripped(value: Any) -> Any:
    match value:
        case str():
            return value.strip(_BLANKS)
        case dict():
            return {key: stripped(inner) for key, inner in value.items()}
        case list():
            return [stripped(inner) for inner in value]
    return value


def whole(value: Any) -> Any:
    value = stripped(value)
    # What begins with zeros stays as it is written: as a number it would lose them.
    return int(value) if isinstance(value, str) and re.fullmatch(r"0|-?[1-9][0-9]{0,15}", value) else value


def number(value: Any) -> Any:
    value = whole(value)
    is_fraction = isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,16}\.[0-9]{1,16}", value)
    return float(value) if is_fraction else value


def yes_or_no(value: Any) -> Any:
    value = stripped(value)
    word = value.lower() if isinstance(value, str) else ""
    return word in _YES if word in _YES | _NO else value


def counts(value: Any) -> Any:
    return {key: whole(n) for key, n in value.items()} if isinstance(value, dict) else stripped(value)


def questions(value: Any) -> Any:
    if not isinstance(value, list):
        return stripped(value)
    return [section(question, _QUESTION, _parts_of(question)) for question in value]


def _parts_of(question: Any) -> Mapping[str, Tidy]:
    """The conversions for a question's values, by the types of its settings."""
    model = QUESTIONS.get(type_of(question) or "")
    kinds = {key: field.annotation for key, field in model.model_fields.items()} if model else {}
    return {key: tidy for key, kind in kinds.items() for of, tidy in _TIDY.items() if kind in (of, of | None)}


def plain(value: Any) -> Any:
    """The value with numbers and booleans converted, at any depth."""
    match value:
        case dict():
            return {key: plain(inner) for key, inner in value.items() if inner is not None}
        case list():
            return [plain(inner) for inner in value]
        case "true" | "false":
            return value == "true"
    return number(value)


def as_is(value: Any) -> Any:
    return value


_TIDY: Mapping[type, Tidy] = {float: number, int: whole, bool: yes_or_no}
