"""The kinds of stimuli there are. Every table knows them, so this imports nothing of what reads files."""

from enum import StrEnum
from pathlib import PurePath


class StimulusKind(StrEnum):
    """The kind of a stimulus: a video, the record of a game, or a text in Markdown."""

    CLIP = "clip"
    RECORD = "record"
    TEXT = "text"


_KIND_OF_SUFFIX = {".json": StimulusKind.RECORD, ".md": StimulusKind.TEXT, ".txt": StimulusKind.TEXT}


def kind_of(file_name: str) -> StimulusKind:
    """The kind by file name: `.json` is a record, `.md` and `.txt` are texts, anything else is a clip."""
    return _KIND_OF_SUFFIX.get(PurePath(file_name).suffix.lower(), StimulusKind.CLIP)
