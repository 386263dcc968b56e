"""The pictures of a clip and of its original, drawn into the data folder."""

from pathlib import Path

from app.library.clips.single import make_pictures
from app.library.clips.store import ClipStore
from app.library.media import frame_path, poster_path


def draw(store: ClipStore, data_dir: Path, clip: str, original: str) -> int:
    """Make the pictures that are not there, by the hashes of both files; returns how many were made."""
    return make_pictures(store, clip, poster_path(data_dir, clip), original, frame_path(data_dir, original))
