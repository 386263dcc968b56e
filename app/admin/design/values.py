"""Values of a draft's keys and of a form's fields."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from app.admin.design.outline import entries_of
from app.core.problems import Place

Keys = dict[str, Any]
Fields = dict[str, str]
MOST = 100
_SCALE = re.compile(r"scales\.(\d{1,3})\.(name|labels)")


def dotted(place: Place) -> str:
    return ".".join(map(str, place))


def value_at(keys: Any, place: Place) -> Any:
    """The value at a place; None if there is none."""
    for part in place:
        if isinstance(keys, Mapping):
            keys = keys.get(part)
        elif isinstance(keys, (list, tuple)) and isinstance(part, int) and part < len(keys):
            keys = keys[part]
        else:
            return None
    return keys


def entries(keys: Mapping[str, Any], at: Place) -> list[Any]:
    """The entries of a list, as far as it is one."""
    return entries_of(value_at(keys, at))


def scales(keys: Mapping[str, Any]) -> dict[str, Any]:
    """The named scales in the form's order."""
    named = keys.get("scales")
    return {name: named[name] for name in sorted(named)} if isinstance(named, dict) else {}


def shown(value: Any) -> str:
    """A value as text: a list line by line, anything unexpected as JSON."""
    match value:
        case None:
            text = ""
        case str():
            text = value
        case list() | tuple() if not any(map(is_nested, value)):
            text = "\n".join(map(shown, value))
        case _:
            text = json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()


def is_nested(value: Any) -> bool:
    return isinstance(value, (list, tuple, dict))


def cleaned(text: str) -> str:
    """A value as every browser means it."""
    # Forms send line breaks as CR LF (HTML standard), scripts read LF.
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def scale_changes(sent: Mapping[str, str], before: Mapping[str, str]) -> dict[int, dict[str, str]]:
    """Changes of scales, by number."""
    found: dict[int, dict[str, str]] = {}
    for name, text in sent.items():
        if (part := _SCALE.fullmatch(name)) and text != cleaned(before.get(name, "")):
            found.setdefault(int(part[1]), {})[part[2]] = text
    return dict(sorted(found.items()))


def free_name(name: str, taken: Collection[Any], sign: str = "_") -> str:
    """The name, numbered where it is taken."""
    numbered: Sequence[str] = [f"{name}{sign}{n}" for n in range(2, len(taken) + 3)]
    return name if name not in taken else next(each for each in numbered if each not in taken)
