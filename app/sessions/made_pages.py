"""Pages made once for all who see the same, but for the texts that are a session's own."""

import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence

from markupsafe import escape

from app.core.templating import html_of, templates_age
from app.trials.pages import Page

MOST = 2_000  # of some 10 kB each
# The pieces between the own texts, and the number of a text, by turns; the least recently made page goes first.
_made: OrderedDict[tuple[Hashable, float], tuple[str, ...]] = OrderedDict()


def filled(key: Hashable, make: Callable[[Sequence[str]], Page], own: Sequence[str]) -> str:
    """The HTML of the page that `key` stands for, with a session's own texts in it.

    `make` makes it at its first use, with other texts in place of the `own`: the page must differ by nothing else.
    """
    at = (key, templates_age())
    pieces = _made.get(at)
    if pieces is None:
        pieces = _made[at] = _pieces(make, len(own))
        if len(_made) > MOST:
            _made.popitem(last=False)
    escaped = [str(escape(text)) for text in own]
    return "".join([piece if at % 2 == 0 else escaped[int(piece)] for at, piece in enumerate(pieces)])


def _pieces(make: Callable[[Sequence[str]], Page], n: int) -> tuple[str, ...]:
    """The page is cut at marks drawn for it alone, so that nothing that a study file says can be taken for one."""
    marks = [f"m{secrets.token_hex(16)}" for _ in range(n)]
    parts = re.split(f"({'|'.join(marks)})", html_of(make(marks)))
    return tuple(part if at % 2 == 0 else str(marks.index(part)) for at, part in enumerate(parts))
