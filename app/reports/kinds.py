"""Kinds and formats of exports."""

from enum import StrEnum
from importlib import import_module

from app.tasks import TASKS


class What(StrEnum):
    RESPONSES = "responses"
    LABELS = "labels"
    PARTICIPANTS = "participants"
    PLAYBACK = "playback"
    ANSWERS = "answers"
    PREFERENCES = "preferences"
    RATINGS = "ratings"
    MOVES = "moves"
    SEATS_PLAYED = "seats_played"
    WALKS = "walks"
    POSITIONS = "positions"


class Format(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"


def exported_names(task: str) -> tuple[str, ...]:
    """The names of the tables that a task has, without loading what makes their rows; none where it has none."""
    return getattr(import_module(TASKS[task]), "EXPORTS", ())
