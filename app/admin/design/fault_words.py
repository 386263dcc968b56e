"""Faults in the form's words: keys and values of the study file that a message names become labels and choices.

The command line names keys, which authors of study files know; a form has labels in their place.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from app.admin.design.nodes import Leaf
from app.admin.design.outline import ONE_PER_LINE, every_field
from app.core.problems import Fault, Place, listed
from app.studies.file.model import StudyFile
from app.studies.file.yamlsource import read_yaml
from app.tasks.game.games import GAMES
from app.tasks.game.sampling import Sample

_CODE = re.compile(r"`([^`]+)`(?P<of_block> (?:of a|in the) block| in it)?")
# A key that no sentence has as a word: `wait_max_s`, `leaving.agent`.
_PATH = re.compile(r"\b[a-z][a-z0-9]*(?:[_.][a-z][a-z0-9]*)+\b")
_FIRST = re.compile(r"^([a-z][a-z0-9_.]*)(?=:| is | has | are | sends | [a-z]+-[a-z]+)")
# Values that no field has as choices of its own.
_VALUES = {
    "all": "all main trials",
    "any": "“A person, or an agent if nobody comes”",
    "chance": "chance, one half",
    "default": "the default rules",
    "grid": "“All that are published”",
    "human": "“A person”",
    "preference": "“Preference”",
}
_UNLIKE_WORDS = re.compile(r"\b(2afc|likert|mann-whitney|wilcoxon|some-may-be-programs|all-people)\b")
_BLOCKS = ("blocks",)
_OPEN = "..."
_TAGS = {"task": "Task", "rule": "Rule"}


@dataclass(frozen=True, slots=True)
class _Known:
    """A key of the study file by its path without numbers, its label, and the words of its values."""

    path: tuple[str, ...]
    label: str
    words: Mapping[str, str]


def in_form_words(fault: Fault) -> Fault:
    """A fault with labels for keys, where it is told on another page than the form."""
    message = plain(message_in_words(fault.message, fault.place))
    return replace(fault, message=message, remedy=plain(in_words(fault.remedy, fault.place)))


def plain(text: str) -> str:
    """Words without the marks that Markdown has for code."""
    return text.replace("`", "")


def message_in_words(text: str, place: Place, label: str = "") -> str:
    """A message with labels for keys; `label` is that of the field at its place, which may stand first."""
    rest = _without_own(text, place)
    if label and rest != text:
        return f"“{label}”: {in_words(rest, place)}"
    first = _FIRST.match(rest)
    if first and (known := _find(first[1], _near(place))):
        joint = "" if rest[first.end() :].startswith((":", " is ", " has ", " are ", " sends ")) else ":"
        return f"“{known.label}”{joint}{in_words(rest[first.end() :], place)}"
    return in_words(rest, place)


def in_words(text: str, place: Place) -> str:
    """A sentence with labels for keys and choices for values; those near a `place` are meant."""
    near = _near(place)
    text = _CODE.sub(
        lambda found: (
            _code_in_words(found[1], _BLOCKS if found["of_block"] else near) + (found["of_block"] or "")
        ),
        text,
    )
    text = _PATH.sub(lambda found: _quoted(found[0], near) or found[0], text)
    return _UNLIKE_WORDS.sub(lambda found: _value(found[1], near) or found[0], text)


def _near(place: Place) -> tuple[str, ...]:
    return tuple(part for part in place if isinstance(part, str))


def _without_own(text: str, place: Place) -> str:
    """The message without the keys before it that are its place: `configs: rounds: ...`."""
    while (key := text.partition(": ")[0]) in place and key != text:
        text = text.partition(": ")[2]
    # `agent adaptive: beta: ...` is said of the setting `beta`.
    agent, _, rest = text.partition(": ")
    if agent.startswith("agent ") and place and rest.startswith(f"{place[-1]}: "):
        return rest.partition(": ")[2].removeprefix("Input ")
    return text


def _code_in_words(code: str, near: tuple[str, ...]) -> str:
    """A key, a key with its value, or a value."""
    if found := _quoted(code.removesuffix(":"), near) or _value(code, near):
        return found
    if ":" in code:
        data = read_yaml(code).data
        if isinstance(data, Mapping):
            return listed((_pair(key, value, near) for key, value in data.items()), "and")
    return _VALUES.get(code, code)


def _pair(key: object, value: Any, near: tuple[str, ...]) -> str:
    """`“Calls, at most” 2000`."""
    label = _quoted(str(key), near) or f"“{key}”"
    inner = (*near, str(key))
    if isinstance(value, Mapping) and value:
        return f"{label} with {listed((_pair(each, held, inner) for each, held in value.items()), 'and')}"
    if value in (None, _OPEN) or isinstance(value, list):
        return label
    return f"{label}: {_value(str(value), inner) or value}"


def _quoted(path: str, near: tuple[str, ...]) -> str:
    known = _find(path, near)
    return f"“{known.label}”" if known else ""


def _value(text: str, near: tuple[str, ...]) -> str:
    """The words of a choice's value: of the key itself, or of one near it."""
    having = [each for each in _all() if text in each.words]
    best = max(having, key=lambda each: _nearness(each.path, near), default=None)
    return f"“{best.words[text].strip('“”')}”" if best and best.words[text] else ""


def _find(path: str, near: tuple[str, ...]) -> _Known | None:
    names = tuple(path.split("."))
    having = [each for each in _all() if each.path[-len(names) :] == names]
    return max(having, key=lambda each: _nearness(each.path, near), default=None)


def _nearness(path: Sequence[str], near: Sequence[str]) -> tuple[int, int]:
    """The number of keys that two places share from the top, and then the nearer to the top."""
    shared = 0
    for one, other in zip(path, near, strict=False):
        if one != other:
            break
        shared += 1
    return shared, -len(path)


def _label(key: str, leaf: Leaf) -> str:
    if leaf.kind == "tag":
        return _TAGS.get(key, "Type of answer")
    return leaf.label.removesuffix(ONE_PER_LINE)


@cache
def _all() -> Sequence[_Known]:
    known = [*every_field(StudyFile)]
    for game in GAMES.values():
        known += every_field(game.Config, ("blocks", "configs"))
    known += every_field(Sample, ("blocks", "configs"))
    return [_Known(path, _label(path[-1], leaf), leaf.options) for path, leaf in known]
