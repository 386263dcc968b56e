"""Paths of clips' pictures and previews in the data folder, outside the store."""

import re
from pathlib import Path

from app.core.errors import NotFound

PREVIEW_FILES = ("before.mp4", "after.mp4")
TOKEN = re.compile(r"[A-Za-z0-9_-]{20,64}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_VIDEO_TYPES = {
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".mov": "video/mp4",  # the same boxes; browsers play it under this name alone
    ".webm": "video/webm",
    ".mkv": "video/webm",
    ".ogv": "video/ogg",
}


def uploads_folder(data_dir: Path) -> Path:
    return data_dir / "incoming" / "uploads"


def part_path(data_dir: Path, token: str) -> Path:
    """The path of an upload's partial file; its token is ours, never a name that was sent."""
    if not TOKEN.fullmatch(token):
        raise NotFound("There is no such upload.")
    return uploads_folder(data_dir) / f"{token}.part"


def poster_path(data_dir: Path, clip_sha256: str) -> Path:
    """A picture of a processed clip."""
    return data_dir / "posters" / f"{_checked(clip_sha256)}.jpg"


def frame_path(data_dir: Path, original_sha256: str) -> Path:
    """A picture of an original, to draw masks on."""
    return data_dir / "posters" / f"original-{_checked(original_sha256)}.jpg"


def preview_folder(data_dir: Path, job_id: int) -> Path:
    return data_dir / "previews" / str(job_id)


def reprocess_folder(data_dir: Path, job_id: int) -> Path:
    """Clips processed anew, until all are and the library changes over; outlives a restart."""
    return data_dir / "incoming" / f"reprocess-{job_id}"


def clues_path(data_dir: Path, clip_sha256: str) -> Path:
    """The path of a clip's measured clues."""
    return data_dir / "clues" / f"{_checked(clip_sha256)}.json"


def video_type(path: Path) -> str:
    return _VIDEO_TYPES.get(path.suffix, "application/octet-stream")


def _checked(sha256: str) -> str:
    if not _SHA256.fullmatch(sha256):
        raise NotFound("There is no such file.")
    return sha256
