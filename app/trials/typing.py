"""How participants entered texts: characters pasted and input by keys, as the browser counts them. No content."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from app.trials.flags import PASTED_FROM, PASTED_SHARE

_MOST_TEXT = 4_000
_MOST_FIELDS = 50
_BIG = 2**31 - 1
_COUNTS = ("keys", "pasted")

Typed = dict[str, dict[str, int]]


def read_typed(text: str) -> Typed | None:
    """Parse the form's `typed` field leniently; None where nothing was reported, or nothing that can be read."""
    if not 0 < len(text) <= _MOST_TEXT:
        return None
    try:
        sent = json.loads(text)
        fields = {
            str(name)[:80]: {key: int(count[key]) for key in _COUNTS}
            for name, count in list(sent.items())[:_MOST_FIELDS]
        }
    # Any client may post here.
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError, AttributeError):
        return None
    counts = [n for field in fields.values() for n in field.values()]
    return fields if fields and all(0 <= n <= _BIG for n in counts) else None


def is_pasted(typed: Typed | None, answers: Mapping[str, Any]) -> bool:
    """True if most of a text's characters were pasted; `answers` has the texts by question."""
    return any(
        len(text) >= PASTED_FROM and typed[name]["pasted"] >= PASTED_SHARE * len(text)
        for name, text in _texts(answers)
        if typed and name in typed
    )


def _texts(answers: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    return ((name, value) for name, value in answers.items() if isinstance(value, str))
