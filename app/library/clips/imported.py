"""One clip whose files are in the store, as it goes into SQL."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.library.clips.facts import ClipInfo
from app.library.clips.rules import Rules


@dataclass(frozen=True, slots=True)
class ImportedClip:
    """One stimulus whose files are in the store; `rules` are those applied, frame size included."""

    name: str
    source: str
    attributes: Mapping[str, str]
    original_sha256: str
    original_name: str
    original_bytes: int
    clip_sha256: str
    clip_bytes: int
    duration_s: float
    width: int
    height: int
    fps: float
    frames: int
    rules: Rules
    positions_sha256: str | None
    original_video: ClipInfo
