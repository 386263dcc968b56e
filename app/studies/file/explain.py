"""Pydantic's errors in a study file, in words for its author."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from app.core.problems import Fault, Place, counted, message_of, nearest, quoted
from app.questions.base import ID_PATTERN
from app.questions.checked import INSTRUCTED
from app.questions.registry import QUESTIONS
from app.studies.file.arms import Arm
from app.studies.file.checks import CHECKED_TYPES, Comprehension
from app.studies.file.devices import Devices
from app.studies.file.exclusion import MODELS as RULES
from app.studies.file.hypotheses import Hypothesis
from app.studies.file.languages import TAG_PATTERN
from app.studies.file.model import (
    SCALE_PATTERN,
    SLUG_PATTERN,
    Codes,
    Completion,
    Consent,
    StudyFile,
    Truth,
)
from app.studies.file.recruitment import NAME_PATTERN, LinkParameters, Recruitment
from app.studies.file.retention import Retention
from app.studies.file.stopping import StopWhen
from app.tasks.registry import BLOCKS
from app.trials.attention import Attention
from app.trials.parts import BLOCK_PATTERN

MOST_FAULTS = 100
_SECTIONS: Mapping[str, type[BaseModel]] = {
    "consent": Consent,
    "truth": Truth,
    "devices": Devices,
    "comprehension": Comprehension,
    "attention": Attention,
    "completion": Completion,
    "codes": Codes,
    "arms": Arm,
    "recruitment": Recruitment,
    "parameters": LinkParameters,
    "hypotheses": Hypothesis,
    "retention": Retention,
    "stop_when": StopWhen,
}
_PATTERNS = {
    SLUG_PATTERN: "use lower-case letters, digits and -, at most 64",
    ID_PATTERN: "use lower-case letters, digits and _, beginning with a letter",
    BLOCK_PATTERN: "use lower-case letters, digits and -, beginning with a letter, at most 40",
    TAG_PATTERN: "write a language's tag, such as `de`, `pt-BR` or `zh-Hant`",
    SCALE_PATTERN: "use lower-case letters, digits, - and _, beginning with a letter, at most 40",
    NAME_PATTERN: "use letters, digits, `_`, `.` and -, beginning with a letter, at most 64",
    "^[A-Z]{3}$": "use the three capital letters of a currency, such as GBP",
}


@dataclass(frozen=True, slots=True)
class _Bad:
    """One value that does not hold: where, what, and what pydantic says of it."""

    place: Place
    value: Any
    context: Mapping[str, Any]
    known: tuple[str, ...]

    @property
    def name(self) -> str:
        return _named(self.place)

    @property
    def key(self) -> str:
        return str(self.place[-1])

    @property
    def shown(self) -> str:
        if isinstance(self.value, dict):
            return "a mapping"
        if self.value is None:
            return "nothing"
        return "a list" if isinstance(self.value, (list, tuple)) else quoted(str(self.value))

    @property
    def is_not(self) -> str:
        what = "the name" if self.place[-1:] == ("[key]",) else f"{self.name}:"
        return f"{what} {self.shown} is not"

    def must_be(self, kind: str) -> str:
        wrong = "is empty; it must be" if self.value is None else "must be"
        return f"{self.name} {wrong} {kind}" + ("" if self.value is None else f", not {self.shown}")


def _named(place: Place) -> str:
    """The last key, or which entry of it."""
    keys = [part for part in place if isinstance(part, str) and part != "[key]"]
    if not keys:
        return "the file"
    name = keys[-1] if keys[-1].isprintable() and len(keys[-1]) <= 60 else quoted(keys[-1])
    return f"entry {place[-1] + 1} of {name}" if isinstance(place[-1], int) else name


def faults_of(error: ValidationError) -> list[Fault]:
    """One fault for each thing that pydantic names, up to `MOST_FAULTS`, and one that says how many more there are."""
    named = [details for details in error.errors(include_url=False) if not _echoes(details)]
    faults = [_fault(details) for details in named[:MOST_FAULTS]]
    if more := len(named) - len(faults):
        faults.append(
            Fault((), f"{more} more faults are not named", "correct those that are, and check again")
        )
    return faults


def _echoes(details: Any) -> bool:
    """True if a list is called too short only because its invalid entries, already reported, were dropped."""
    if details["type"] != "too_short":
        return False
    return int(details["ctx"]["min_length"]) <= len(details["input"])


def _fault(details: Any) -> Fault:
    loc, context = details["loc"], details.get("ctx", {})
    bad = _Bad(_without_tags(loc), details["input"], context, _keys_at(loc))
    if details["type"] == "study_rule":
        return Fault(bad.place, context["message"], context["remedy"])
    if details["type"] not in _EXPLAIN:
        return Fault(bad.place, f"{bad.name}: {message_of(details)}", "see the help page Study file")
    return Fault(bad.place, *_EXPLAIN[details["type"]](bad))


def _without_tags(loc: Place) -> Place:
    """The place in the file: pydantic also names the question's type or the block's task, after its index."""
    tags = {*QUESTIONS, *BLOCKS, *RULES}
    return tuple(
        part for i, part in enumerate(loc) if not (i and isinstance(loc[i - 1], int) and part in tags)
    )


def _keys_at(loc: Place) -> tuple[str, ...]:
    """The valid keys at `loc`: those of the innermost section."""
    sections = dict(_SECTIONS)
    for model in BLOCKS.values():
        sections |= model.sections
    sections |= {**BLOCKS, **QUESTIONS}
    sections |= RULES if loc[:1] == ("exclude",) else {}
    for task, model in BLOCKS.items():
        sections |= model.question_types if task in loc else {}
    sections |= {**INSTRUCTED} if "attention" in loc else {}
    for place, models in CHECKED_TYPES.items():
        sections |= models if loc[: len(place)] == place else {}
    section = next((sections[str(part)] for part in reversed(loc[:-1]) if part in sections), StudyFile)
    return tuple(section.model_fields)


_Explanation = Callable[[_Bad], tuple[str, str]]


def _missing(bad: _Bad) -> tuple[str, str]:
    where = f" in {_named(bad.place[:-1])}" if bad.place[:-1] else ""
    return f"{bad.key} is missing{where}", f"add `{bad.key}:`"


def _unknown(bad: _Bad) -> tuple[str, str]:
    remedy = nearest(bad.key, bad.known, f"known here: {', '.join(bad.known)}")
    return f"unknown key {quoted(bad.key)}", remedy


def _untyped(bad: _Bad) -> tuple[str, str]:
    if bad.place[:-1] == ("blocks",):
        if not isinstance(bad.value, dict):
            return bad.must_be("a mapping"), "write `{id: ..., task: ...}`"
        return f"{bad.name} has no task", f"add `task:`, one of {', '.join(BLOCKS)}"
    if bad.place[:-1] == ("exclude",):
        if not isinstance(bad.value, dict):
            return bad.must_be("a mapping, or `default`"), "write `{rule: ...}`"
        return f"{bad.name} has no rule", f"add `rule:`, one of {', '.join(RULES)}"
    if not isinstance(bad.value, dict):
        return bad.must_be("a mapping"), "write `{id: ..., type: ..., ask: ...}`"
    return f"{bad.name} has no type", f"add `type:`, one of {', '.join(QUESTIONS)}"


def _unknown_type(bad: _Bad) -> tuple[str, str]:
    tag, allowed = bad.context["tag"], bad.context["expected_tags"]
    if bad.place[:-1] == ("blocks",):
        return f"task: {quoted(tag)} is no task", f"use {allowed}"
    if bad.place[:-1] == ("exclude",):
        return f"rule: {quoted(tag)} is no exclusion rule", nearest(
            tag, RULES, f"use one of {', '.join(RULES)}"
        )
    return f"type: {quoted(tag)} is no type of question here", f"use {allowed}"


def _limit(value: Any) -> str:
    return str(value).removesuffix(".0")


def _too_large(bad: _Bad) -> tuple[str, str]:
    limit = (
        f"{_limit(bad.context['le'])} or less" if "le" in bad.context else f"less than {bad.context['lt']}"
    )
    return f"{bad.name}: {bad.shown} is too large", f"use {limit}"


def _entries(bad: _Bad) -> str:
    return f"{bad.name} has {counted(len(bad.value), 'entry', 'entries')}"


def _whole(bad: _Bad) -> tuple[str, str]:
    return f"{bad.is_not} a whole number", "write digits alone"


def _number(bad: _Bad) -> tuple[str, str]:
    return f"{bad.is_not} a number", "write digits, with a point for fractions"


def _mapping(bad: _Bad) -> tuple[str, str]:
    return bad.must_be("a mapping"), "write keys and values, as in `key: value`"


_EXPLAIN: Mapping[str, _Explanation] = {
    "missing": _missing,
    "extra_forbidden": _unknown,
    "union_tag_not_found": _untyped,
    "union_tag_invalid": _unknown_type,
    "literal_error": lambda bad: (f"{bad.is_not} allowed", f"use {bad.context['expected']}"),
    "string_pattern_mismatch": lambda bad: (f"{bad.is_not} allowed", _PATTERNS[bad.context["pattern"]]),
    "string_type": lambda bad: (bad.must_be("a text"), "write a text"),
    "string_too_short": lambda bad: (f"{bad.name} is empty", "write something, or remove the key"),
    "string_too_long": lambda bad: (
        f"{bad.name} has {len(bad.value)} characters",
        f"use at most {bad.context['max_length']}",
    ),
    "string_unicode": lambda bad: (
        f"{bad.name} holds half a character",
        "write the character itself",
    ),
    "int_type": _whole,
    "int_parsing": _whole,
    "int_parsing_size": _whole,
    "float_type": _number,
    "float_parsing": _number,
    "finite_number": _number,
    "bool_type": lambda bad: (f"{bad.is_not} true or false", "use true or false"),
    "bool_parsing": lambda bad: (f"{bad.is_not} true or false", "use true or false"),
    "greater_than_equal": lambda bad: (
        f"{bad.name}: {bad.shown} is too small",
        f"use {_limit(bad.context['ge'])} or more",
    ),
    "greater_than": lambda bad: (
        f"{bad.name}: {bad.shown} is too small",
        f"use more than {bad.context['gt']}",
    ),
    "less_than_equal": _too_large,
    "less_than": _too_large,
    "dict_type": _mapping,
    "model_type": _mapping,
    "model_attributes_type": _untyped,
    "tuple_type": lambda bad: (
        bad.must_be("a list"),
        "write `[..., ...]`, or a line with `- ` for each entry",
    ),
    "too_short": lambda bad: (_entries(bad), f"give at least {bad.context['min_length']}"),
    "too_long": lambda bad: (_entries(bad), f"give at most {bad.context['max_length']}"),
}
