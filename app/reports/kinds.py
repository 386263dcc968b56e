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
    MOVES = "moves"
    SEATS_PLAYED = "seats_played"
    WALKS = "walks"
    POSITIONS = "positions"


# What only a study with pairs has rows for.
OF_PAIRS = (What.RESPONSES, What.LABELS, What.PLAYBACK, What.PREFERENCES)
# What only a study with matches has.
OF_GAMES = (What.MOVES, What.SEATS_PLAYED)
# What only a study with walks has.
OF_WALKS = (What.WALKS, What.POSITIONS)


class Format(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
