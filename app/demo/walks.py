"""The demo's clips: files in the folder `walks`, made by tools/demo_clips.py, which go into the library as they are."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from app.core.errors import StudyError
from app.library.clips.facts import ClipInfo
from app.library.clips.imported import ImportedClip
from app.library.clips.rules import Rules
from app.library.clips.store import ClipStore

FOLDER = Path(__file__).parent / "walks"
LIST = "clips.json"


def clip_file(name: str) -> str:
    return f"clips/{name}.mp4"


def positions_file(name: str) -> str:
    return f"positions/{name}.csv"


def written(clips: Sequence[ImportedClip]) -> str:
    """The list of clips of one set of rules, as `listed` reads it."""
    [rules] = {clip.rules for clip in clips}
    rows = [{key: value for key, value in asdict(clip).items() if key != "rules"} for clip in clips]
    return json.dumps({"rules": rules.canonical(), "clips": rows}, indent=1) + "\n"


def listed(folder: Path = FOLDER) -> list[ImportedClip]:
    """Each clip as the list has it."""
    found = json.loads((folder / LIST).read_text(encoding="utf-8"))
    rules = Rules.model_validate({**found["rules"], "masks": tuple(found["rules"]["masks"])})
    return [
        ImportedClip(**{**row, "rules": rules, "original_video": ClipInfo.of(row["original_video"])})
        for row in found["clips"]
    ]


def keep_walks(store: ClipStore, folder: Path = FOLDER) -> list[ImportedClip]:
    """Copy every clip and its positions into the store. Raises StudyError for a file that is not as the list says."""
    clips = listed(folder)
    for clip in clips:
        shown, positions = folder / clip_file(clip.name), folder / positions_file(clip.name)
        for path, kept, sha256 in (
            (shown, store.keep_original(shown), clip.original_sha256),
            (shown, store.keep_clip(shown), clip.clip_sha256),
            (positions, store.keep_positions(positions), clip.positions_sha256),
        ):
            if kept.sha256 != sha256:
                raise StudyError(f"{path} is not the file that {folder / LIST} lists; get the project anew")
    return clips
