"""Counts of how texts were entered: characters pasted and input by keys, as the browser counts them, no content."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from app.trials.evidence import storable
from app.trials.flags import PASTED_FROM, PASTED_SHARE, UNTYPED_FROM, UNTYPED_SHARE, Flag

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
            storable(str(name)[:80]): {key: int(count[key]) for key in _COUNTS}
            for name, count in list(sent.items())[:_MOST_FIELDS]
        }
    # Any client may post here.
    except (ValueError, TypeError, KeyError, ArithmeticError, RecursionError, AttributeError):
        return None
    counts = [n for field in fields.values() for n in field.values()]
    return fields if fields and all(0 <= n <= _BIG for n in counts) else None


def entered_flags(typed: Typed, answers: Mapping[str, Any], page_loads: int | None) -> set[Flag]:
    """Flags of how texts were entered; `answers` has the texts by question.

    What was written before the page was loaded again is kept and not counted: with several loads no text is said to be
    untyped.
    """
    entered = [(len(text), typed[name]) for name, text in _texts(answers) if name in typed]
    flags = set[Flag]()
    if any(n >= PASTED_FROM and each["pasted"] >= PASTED_SHARE * n for n, each in entered):
        flags.add(Flag.PASTED)
    if page_loads == 1 and any(
        n >= UNTYPED_FROM and each["keys"] + each["pasted"] < UNTYPED_SHARE * n for n, each in entered
    ):
        flags.add(Flag.NOT_TYPED)
    return flags


def _texts(answers: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    return ((name, value) for name, value in answers.items() if isinstance(value, str))
