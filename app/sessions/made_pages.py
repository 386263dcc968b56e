"""Pages made once for all who see the same, but for the texts that are a session's own."""

import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence

from markupsafe import escape

from app.core.templating import html_of, templates_age
from app.trials.pages import Page

MOST = 2_000  # of some 10 kB each
# The pieces between the own texts, and the numbers of these in their order; the least recently made page goes first.
# As bytes: a page is wider than Latin-1 and would be encoded anew for each who sees it.
_made: OrderedDict[tuple[Hashable, float], tuple[Sequence[bytes], Sequence[int]]] = OrderedDict()


def filled(key: Hashable, make: Callable[[Sequence[str]], Page], own: Sequence[str]) -> bytes:
    """The HTML of the page that `key` stands for, with a session's own texts in it.

    `make` makes it at its first use, with other texts in place of the `own`: the page must differ by nothing else.
    """
    at = (key, templates_age())
    cut = _made.get(at)
    if cut is None:
        cut = _made[at] = _cut(make, len(own))
        if len(_made) > MOST:
            _made.popitem(last=False)
    pieces, numbers = cut
    texts = [escape(text).encode() for text in own]
    parts = [b""] * (2 * len(numbers) + 1)
    parts[::2], parts[1::2] = pieces, [texts[number] for number in numbers]
    return b"".join(parts)


def _cut(make: Callable[[Sequence[str]], Page], n: int) -> tuple[Sequence[bytes], Sequence[int]]:
    """The page is cut at marks drawn for it alone, so that nothing that a study file says can be taken for one."""
    marks = [f"m{secrets.token_hex(16)}" for _ in range(n)]
    parts = re.split(f"({'|'.join(marks)})", html_of(make(marks)))
    return [part.encode() for part in parts[::2]], [marks.index(mark) for mark in parts[1::2]]
