"""One clip into the store by itself, and what its pictures show."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.library.clips.errors import ClipError
from app.library.clips.facts import ClipInfo
from app.library.clips.imported import ImportedClip
from app.library.clips.pictures import AT_S, FRAME_SIDE, POSTER_SIDE, make_picture
from app.library.clips.process import OnFrame, process
from app.library.clips.rules import Rules
from app.library.clips.store import ClipStore


@dataclass(frozen=True, slots=True)
class Arrived:
    """A file that is to become a stimulus, as `probe` saw it; `original_name` and `suffix` are those of the upload."""

    path: Path
    name: str
    source: str
    attributes: Mapping[str, str]
    original_name: str
    suffix: str
    seen: ClipInfo


def import_one(
    arrived: Arrived,
    rules: Rules,
    store: ClipStore,
    *,
    on_frame: OnFrame | None = None,
    picture: Path | None = None,
) -> ImportedClip:
    """Process a file by rules that fix the frame's size, and keep it with its original, whose frame is drawn at
    `picture`. Raises ClipRefused.
    """
    size = rules.size
    assert size is not None
    with store.scratch() as scratch:
        target = scratch / "clip.mp4"
        info = process(arrived.path, target, rules, size=size, on_frame=on_frame, picture=picture)
        original = store.keep_original(arrived.path, suffix=arrived.suffix)
        clip = store.keep_clip(target)
    return ImportedClip(
        name=arrived.name,
        source=arrived.source,
        attributes=arrived.attributes,
        original_sha256=original.sha256,
        original_name=arrived.original_name,
        original_bytes=original.bytes,
        clip_sha256=clip.sha256,
        clip_bytes=clip.bytes,
        duration_s=info.duration_s,
        width=info.width,
        height=info.height,
        fps=info.fps,
        frames=info.frames,
        rules=rules,
        positions_sha256=None,
        original_video=arrived.seen,
    )


def make_pictures(store: ClipStore, clip_sha256: str, poster: Path, original_sha256: str, frame: Path) -> int:
    """Draw the poster of a clip and the frame of its original, if missing; returns how many were made.

    If none can be made, an empty file marks that, and it is not tried again.
    """
    made = 0
    for target, side in ((poster, POSTER_SIDE), (frame, FRAME_SIDE)):
        if target.exists():
            continue
        try:
            is_poster = target is poster
            source = store.clip_path(clip_sha256) if is_poster else store.original_path(original_sha256)
            make_picture(source, target, at_s=AT_S, side=side)
            made += 1
        except ClipError:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
    return made
