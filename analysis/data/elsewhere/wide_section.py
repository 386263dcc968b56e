"""The `wide` section of a mapping file: how a row of a table holds several answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import yaml

from analysis.data.elsewhere.yaml_entries import Document, Entry, Key, line_of
from analysis.errors import shown

Layout = Literal["raters", "items", "counts", "lists"]

LAYOUTS: tuple[Layout, ...] = ("raters", "items", "counts", "lists")
# What stands in a pattern for the part of a column's name that differs.
SLOT = "{n}"
_KEYS = (*LAYOUTS, "anonymous", "separator")


@dataclass(frozen=True, slots=True)
class Wide:
    """The layout in which a row holds several answers; `line` is its line in the file.

    At most one layout is given. `raters` and `items`: by our name the pattern of their columns, or, listed one by one,
    `names`: the columns of the answers. `counts`: by their column the answer of ours that it counts. `lists`: by our
    name the column of arrays. `anonymous`: answers have no participant. `separator` divides cells of `lists`.
    """

    line: int
    layout: Layout | None
    patterns: Mapping[str, Entry] = field(default_factory=dict)
    names: tuple[Entry, ...] = ()
    counts: Mapping[str, Entry] = field(default_factory=dict)
    lists: Mapping[str, Entry] = field(default_factory=dict)
    anonymous: bool = False
    separator: str | None = None


def read_wide(document: Document, key: Key, answer: str) -> Wide:
    """The section, `answer` being our column that answers stand in. Raises MappingError."""
    keys = document.entries(key.node, "wide")
    document.require_known(keys, _KEYS, "wide")
    layouts = [layout for layout in LAYOUTS if layout in keys]
    anonymous = _is_true(document, keys["anonymous"]) if "anonymous" in keys else False
    if len(layouts) > 1:
        line = keys[layouts[1]].line
        document.refuse(line, f"wide.{layouts[1]}", f"{layouts[0]} is given too", "keep one of the two")
    if not layouts:
        if not anonymous:
            document.refuse(key.line, "wide", "no layout is given", f"give one of: {', '.join(LAYOUTS)}")
        return Wide(key.line, None, anonymous=True)
    [layout] = layouts
    node, place, line = keys[layout].node, f"wide.{layout}", keys[layout].line
    separator = document.text(keys["separator"].node, "wide.separator") if "separator" in keys else None
    if separator is not None and (layout != "lists" or not separator.text):
        document.refuse(
            separator.line, "wide.separator", "it divides cells of `lists`", "give `lists`, or remove it"
        )
    if layout in ("counts", "lists"):
        entries = document.texts(node, place)
        if not entries:
            document.refuse(line, place, "nothing is given", "write `key: value` on a line for each")
        if layout == "counts":
            return Wide(line, layout, counts=entries, anonymous=True)
        divides = separator.text if separator else None
        return Wide(line, layout, lists=entries, anonymous=anonymous, separator=divides)
    if isinstance(node, yaml.SequenceNode):
        return Wide(line, layout, names=_different(document, node, place), anonymous=anonymous)
    if isinstance(node, yaml.ScalarNode):
        return Wide(line, layout, patterns={answer: document.text(node, place)}, anonymous=anonymous)
    return Wide(line, layout, patterns=document.texts(node, place), anonymous=anonymous)


def _different(document: Document, node: yaml.Node, key: str) -> tuple[Entry, ...]:
    entries = document.items(node, key)
    if not entries:
        document.refuse(line_of(node), key, "the list is empty", "name the columns that hold answers")
    for place, entry in enumerate(entries):
        if entry.text in [earlier.text for earlier in entries[:place]]:
            document.refuse(
                entry.line, key, f"{shown(entry.text)} appears twice in the list", "remove one of the two"
            )
    return entries


def _is_true(document: Document, key: Key) -> bool:
    entry = document.text(key.node, "wide.anonymous")
    if entry.text not in ("true", "false"):
        document.refuse(
            entry.line, "wide.anonymous", f"{shown(entry.text)} is not allowed", "allowed: true, false"
        )
    return entry.text == "true"
