"""What can be exported, and how."""

from enum import StrEnum


class What(StrEnum):
    RESPONSES = "responses"
    LABELS = "labels"
    PARTICIPANTS = "participants"
    PLAYBACK = "playback"
    ANSWERS = "answers"
    PREFERENCES = "preferences"
    RATINGS = "ratings"


# What only a study with pairs has rows for.
OF_PAIRS = (What.RESPONSES, What.LABELS, What.PLAYBACK, What.PREFERENCES)


class Format(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
