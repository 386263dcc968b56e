"""Which pages to look at so that each kind of element is seen once."""

import re
from collections.abc import Mapping, Sequence

from app.core.templating import render

from .rig import Shown

TAG = re.compile(r"<[a-z][^>]*>")
# What an element looks like and is for. The parts of a match have the number of their round in their names.
KIND = re.compile(r'^<\w+|(?:class|type|name|role)="[^"]*"|data-part="[^"\d]*')


def each_part_once(pages: Mapping[str, Shown]) -> Sequence[str]:
    """Names of pages that together have every kind of element of all, the richest first."""
    kinds = {name: _kinds(bytes(render(page).body).decode()) for name, page in pages.items()}
    seen: set[str] = set()
    chosen = []
    for name in sorted(kinds, key=lambda name: -len(kinds[name])):
        if kinds[name] - seen:
            chosen.append(name)
            seen |= kinds[name]
    return chosen


def _kinds(html: str) -> set[str]:
    return {" ".join(KIND.findall(tag)) for tag in TAG.findall(html)}
