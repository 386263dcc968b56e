"""The audit log in sentences: their words are in sentences.yaml."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

_FILE = Path(__file__).with_name("sentences.yaml")
_FIELD = re.compile(r"\{([a-z_.]+)\}")
_LONGEST = 120


@dataclass(frozen=True, slots=True)
class ActionWords:
    """The words of one kind of entry; `says` by the value that `by` names, `to` the page that it leads to."""

    kind: str
    says: Mapping[str, str]
    by: str = ""
    to: str = ""


@cache
def kinds() -> Mapping[str, str]:
    """The kinds of entries by which the log is filtered, with their labels."""
    return dict(_read()["kinds"])


@cache
def actions() -> Mapping[str, ActionWords]:
    """The words of every action."""
    return {
        name: ActionWords(
            kind=given["kind"],
            says={"else": given["says"]} if isinstance(given["says"], str) else given["says"],
            by=given.get("by", ""),
            to=given.get("to", ""),
        )
        for name, given in _read()["actions"].items()
    }


def actions_of(kind: str) -> frozenset[str]:
    return frozenset(name for name, words in actions().items() if words.kind == kind)


@cache
def _read() -> Any:
    return yaml.safe_load(_FILE.read_text(encoding="utf-8"))


def sentence(who: str, action: str, study: str, subject: str, before: Any, after: Any) -> str:
    """One entry as a sentence without its time: `Ana Ruiz closed the study Corridors`.

    `study` is the study's title. An action of an earlier release that has no words is named as it is stored.
    """
    values = {"study": study or "that is deleted", "subject": subject, "before": before, "after": after}
    words = actions().get(action)
    if words is None:
        said = " ".join(part for part in (action, subject) if part)
    else:
        chosen = _value(values, words.by) if words.by else ""
        says = words.says.get(chosen or "none", "") or words.says["else"]
        said = _FIELD.sub(lambda found: _value(values, found[1]), says)
    said = " ".join(f"{who} {said}".split())
    # An email address stays as it is.
    return said if "@" in said.partition(" ")[0] else said[:1].upper() + said[1:]


def _value(values: Mapping[str, Any], path: str) -> str:
    """A value as text, shortened; empty where there is none."""
    found: Any = values
    for key in path.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    text = "" if found is None else ", ".join(map(str, found)) if isinstance(found, list) else str(found)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def address(action: str, slug: str | None) -> str:
    """The page that an entry leads to; empty if there is none."""
    words = actions().get(action)
    if words is None or not words.to or (words.to.startswith(".") and not slug):
        return ""
    return f"/admin/studies/{slug}{words.to[1:]}" if words.to.startswith(".") else words.to
