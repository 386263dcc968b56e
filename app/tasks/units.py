"""Numbers of units in words. It imports no design, so that lists of studies are fast."""

from collections.abc import Mapping
from importlib import import_module

from app.tasks import TASKS


def units_in_words(counts: Mapping[str, int]) -> str:
    """The number of units by task: `2 pairs and 15 items`; `0 pairs` if there are none."""
    return " and ".join(_words(task)[n != 1].format(n) for task, n in (counts or {"pair": 0}).items())


def _words(task: str) -> tuple[str, str]:
    found: tuple[str, str] = import_module(TASKS[task]).UNITS
    return found
