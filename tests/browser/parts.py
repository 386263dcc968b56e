"""Which pages to look at so that each kind of element is seen once."""

import re
from collections.abc import Mapping, Sequence

from app.core.templating import render

from .rig import Shown

TAG = re.compile(r"<[a-z][^>]*>")
# What an element looks like and is for; what its field is called is neither. The parts of a match have the number of
# their round in their names.
KIND = re.compile(r'^<\w+|(?:class|type|role)="[^"]*"|data-part="[^"\d]*')


def each_part_once(pages: Mapping[str, Shown]) -> Sequence[str]:
    """Names of pages that together have every kind of element of all, the richest first."""
    kinds = {name: _kinds(bytes(render(page).body).decode()) for name, page in pages.items()}
    seen: set[str] = set()
    chosen = []
    while True:
        richest = max(kinds, key=lambda name: len(kinds[name] - seen))
        if kinds[richest] <= seen:
            break
        chosen.append(richest)
        seen |= kinds[richest]
    return chosen


def _kinds(html: str) -> set[str]:
    return {" ".join(KIND.findall(tag)) for tag in TAG.findall(html)}
