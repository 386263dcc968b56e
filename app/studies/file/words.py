"""The words in texts for participants that stand for numbers of the design."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from app.core.problems import Place

WORDS = ("pairs", "trials", "minutes", "pay")
WORD = re.compile(r"\{(" + "|".join(WORDS) + r")\}")
# Not labels, options and statements: they name answers in the data.
TEXTS = frozenset({"text", "instructions", "message", "ask", "self_assessment", "title"})
# Lists of what is judged, and what no page shows.
NO_TEXTS = frozenset(
    {"pairs", "items", "sample", "exclude", "hypotheses", "recruitment", "translations", "arms"}
)


def texts_in(keys: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """The texts in which numbers are filled in, with their places."""
    if isinstance(keys, Mapping):
        for key, value in keys.items():
            if key in TEXTS and isinstance(value, str):
                yield (*place, key), value
            elif key not in NO_TEXTS:
                yield from texts_in(value, (*place, key))
    elif isinstance(keys, list):
        for index, each in enumerate(keys):
            yield from texts_in(each, (*place, index))


def words_in_text(text: str) -> Iterator[str]:
    """The words for numbers that a text has."""
    yield from (found[1] for found in WORD.finditer(text))
