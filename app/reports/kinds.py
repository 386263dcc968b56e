"""What can be exported, and how."""

from enum import StrEnum


class What(StrEnum):
    RESPONSES = "responses"
    LABELS = "labels"
    PARTICIPANTS = "participants"
    PLAYBACK = "playback"
    ANSWERS = "answers"
    PREFERENCES = "preferences"


class Format(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
