"""The keys of a draft: a study file's keys as edited on pages, complete or not.

Drafts come from forms, JSON and uploads, so they may contain anything. `as_written` converts them to what the YAML
reader would give; `tidied` to the form used by pages and files.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.core.errors import StudyError
from app.core.rowfiles import stands_inline
from app.questions.registry import QUESTIONS, type_of
from app.studies.file.yamlsource import MOST_NODES
from app.tasks.game.terms import read_checks

ORDER: Sequence[str] = (
    "study",
    "title",
    "consent",
    "background",
    "instructions",
    "truth",
    "pairs",
    "sample",
    "scales",
    "trials",
    "blocks",
    "block_order",
    "completion",
)
_CONSENT = ("version", "text", "minimum_age", "play_shown")
_TRUTH = ("source",)
_SAMPLE = ("match", "seed", "use", "conditions", "practice", "drawn")
_TRIALS = ("order", "sides", "watch", "exclude", "questions")
_BLOCK = (
    "id",
    "task",
    "instructions",
    "pairs",
    "sample",
    "items",
    "game",
    "configs",
    "seats",
    "agent",
    "rounds_per_person",
    "matching",
    "deadlines",
    "leaving",
    "messages",
    "comprehension",
    "disclosure",
    "bonus",
    "show_bonus",
    "updates",
    "reasons",
    "goals",
    "starts",
    "walks",
    "practice",
    "limit_s",
    "per_participant",
    "per_item",
    "when_full",
    "self_assessment",
    "self_assessed",
    "order",
    "watch",
    "exclude",
    "trials",
    "questions",
)
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
)
_COMPLETION = ("message", "code", "redirect", "contact", "minutes", "pay", "codes")
_CODES = ("finished", "no_consent", "screened_out", "full", "partial", "failed")
_DEEPEST = 12
_MOST_VALUES = MOST_NODES // 2  # each may have a key
# What pydantic takes off the ends of a text; Python's own `strip` takes off a little more.
_BLANKS = "".join(map(chr, (*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)))) + (
    "\u2028\u2029\u202f\u205f\u3000"
)
# What no page can show and no database keeps: half a character, and none.
_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")
_YES = frozenset({"1", "on", "t", "true", "y", "yes"})
_NO = frozenset({"0", "off", "f", "false", "n", "no"})


class UnwieldyDraft(StudyError):
    """Keys that no study has: nested without end, or unfolding to very many values."""

    status_code = 422
    title = "This is no study"


def as_written(keys: object) -> Any:
    """Mappings, lists, text and None, with line feeds as line ends. Raises UnwieldyDraft."""
    return _Writing().value(keys, 0)


class _Writing:
    def __init__(self) -> None:
        self.n_values = 0

    def value(self, value: object, depth: int) -> object:
        self.n_values += 1
        if depth > _DEEPEST:
            raise UnwieldyDraft(f"the study is nested more than {_DEEPEST} levels deep; it needs five")
        if self.n_values > _MOST_VALUES:
            raise UnwieldyDraft(f"the study holds more than {_MOST_VALUES} values; it needs some hundreds")
        match value:
            case None:
                return None
            case Mapping():
                return {_text(key): self.value(inner, depth + 1) for key, inner in value.items()}
            case list() | tuple():
                return [self.value(inner, depth + 1) for inner in value]
        return _text(value)


def _text(value: object) -> str:
    if isinstance(value, str):
        return _NO_CHARACTER.sub("\ufffd", value.replace("\r\n", "\n").replace("\r", "\n"))
    if isinstance(value, bool):
        return "true" if value else "false"
    if (
        isinstance(value, int) and value.bit_length() > 10_000
    ):  # Python writes no more than 4,300 decimal digits
        return f"{value:#x}"
    return str(value)


def tidied(keys: object) -> dict[str, Any]:
    """The keys as used by pages: in the documented order, without missing ones.

    Whole numbers, numbers and booleans become Python's where a key requires one and the value is one; all else is text.
    Raises UnwieldyDraft.
    """
    written = as_written(keys)
    return _section(written, ORDER, _PARTS) if isinstance(written, dict) else {}


_Tidy = Callable[[Any], Any]


def _section(value: Any, order: Sequence[str], parts: Mapping[str, _Tidy]) -> Any:
    if not isinstance(value, dict):
        return _stripped(value)
    known = [key for key in order if key in value]
    return {
        key: parts.get(key, _stripped)(value[key])
        for key in (*known, *(key for key in value if key not in order))
        if value[key] is not None
    }


def _stripped(value: Any) -> Any:
    match value:
        case str():
            return value.strip(_BLANKS)
        case dict():
            return {key: _stripped(inner) for key, inner in value.items()}
        case list():
            return [_stripped(inner) for inner in value]
    return value


def _whole(value: Any) -> Any:
    value = _stripped(value)
    return int(value) if isinstance(value, str) and re.fullmatch(r"0|-?[1-9][0-9]{0,15}", value) else value


def _number(value: Any) -> Any:
    value = _whole(value)
    is_fraction = isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,16}\.[0-9]{1,16}", value)
    return float(value) if is_fraction else value


def _yes_or_no(value: Any) -> Any:
    value = _stripped(value)
    word = value.lower() if isinstance(value, str) else ""
    return word in _YES if word in _YES | _NO else value


def _counts(value: Any) -> Any:
    return {key: _whole(n) for key, n in value.items()} if isinstance(value, dict) else _stripped(value)


def _questions(value: Any) -> Any:
    if not isinstance(value, list):
        return _stripped(value)
    return [_section(question, _QUESTION, _parts_of(question)) for question in value]


def _parts_of(question: Any) -> Mapping[str, _Tidy]:
    """The conversions for a question's values, by the types of its settings."""
    model = QUESTIONS.get(type_of(question) or "")
    kinds = {key: field.annotation for key, field in model.model_fields.items()} if model else {}
    return {key: tidy for key, kind in kinds.items() for of, tidy in _TIDY.items() if kind in (of, of | None)}


def _blocks(value: Any) -> Any:
    if not isinstance(value, list):
        return _stripped(value)
    return [_section(block, _BLOCK, {**_PARTS, **_BLOCK_PARTS}) for block in value]


def _plain(value: Any) -> Any:
    """The value with numbers and booleans converted, at any depth."""
    match value:
        case dict():
            return {key: _plain(inner) for key, inner in value.items() if inner is not None}
        case list():
            return [_plain(inner) for inner in value]
        case "true" | "false":
            return value == "true"
    return _number(value)


def _as_is(value: Any) -> Any:
    return value


def _checks(value: Any) -> Any:
    """Comprehension questions as a list, parsed from CSV if necessary and possible."""
    if not isinstance(value, str) or not stands_inline(value):
        return value
    found, questions = read_checks("", value, by_row=True)
    return value if found.problems else questions


_TIDY: Mapping[type, _Tidy] = {float: _number, int: _whole, bool: _yes_or_no}
_BLOCK_PARTS: Mapping[str, _Tidy] = {
    "items": _as_is,
    "per_participant": _whole,
    "per_item": _whole,
    "questions": _questions,
    **dict.fromkeys(("rounds_per_person", "goals", "starts", "walks", "practice", "limit_s"), _whole),
    "show_bonus": _yes_or_no,
    "comprehension": lambda value: _section(
        value, ("questions", "tries"), {"tries": _whole, "questions": _checks}
    ),
    **dict.fromkeys(("configs", "matching", "deadlines", "leaving", "messages", "bonus"), _plain),
}
_PARTS: Mapping[str, _Tidy] = {
    "consent": lambda value: _section(value, _CONSENT, {"minimum_age": _whole, "play_shown": _yes_or_no}),
    "background": _questions,
    "truth": lambda value: _section(value, _TRUTH, {}),
    "pairs": _as_is,  # problems name its rows, so that none may be lost
    "sample": lambda value: _section(
        value,
        _SAMPLE,
        {"seed": _whole, "conditions": _counts, "practice": _counts, "drawn": _as_is},
    ),
    "trials": lambda value: _section(value, _TRIALS, {"questions": _questions}),
    "blocks": _blocks,
    "completion": lambda value: _section(
        value,
        _COMPLETION,
        {"minutes": _whole, "codes": lambda codes: _section(codes, _CODES, {})},
    ),
}
