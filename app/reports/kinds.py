"""Kinds and formats of exports, and the modes that they count: names alone, without the code for the rows."""

from enum import StrEnum

from app.tasks.listed import TASKS

# In the order in which they have always stood; others follow in the order of their tasks.
_FIRST = ("responses", "labels", "participants", "playback", "answers", "preferences")


def table_names() -> tuple[str, ...]:
    """The names of all tables: those of every study, `participants` and `answers`, and those of tasks."""
    return tuple(dict.fromkeys((*_FIRST, *(name for task in TASKS.values() for name in task.tables))))


What = StrEnum("What", {name.upper(): name for name in table_names()})  # type: ignore[misc]
"""A table as commands and addresses name it."""

COUNTED_MODES = ("live", "simulated", "pilot")
"""In the order in which the first one that has anything is taken, unless one is asked for."""


class Format(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
