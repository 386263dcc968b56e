"""The kinds of stimuli there are. Every table knows them, so this imports nothing of what reads files."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import PurePath

from app.core.problems import counted, listed


class StimulusKind(StrEnum):
    """The kind of a stimulus: a video, the record of a game, or a text in Markdown."""

    CLIP = "clip"
    RECORD = "record"
    TEXT = "text"


_KIND_OF_SUFFIX = {".json": StimulusKind.RECORD, ".md": StimulusKind.TEXT, ".txt": StimulusKind.TEXT}


def kind_of(file_name: str) -> StimulusKind:
    """The kind by file name: `.json` is a record, `.md` and `.txt` are texts, anything else is a clip."""
    return _KIND_OF_SUFFIX.get(PurePath(file_name).suffix.lower(), StimulusKind.CLIP)


def kinds_in_words(kinds: Mapping[str, int]) -> str:
    """`16 clips and 5 records`, of the number of each kind; `0 clips` where there are none."""
    return listed([counted(n, kind) for kind, n in sorted(kinds.items())] or ["0 clips"], "and")
