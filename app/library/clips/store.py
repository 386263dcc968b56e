"""Files stored by content hash: originals, processed clips, positions."""

import hashlib
import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.library.clips.errors import ClipError

_CHUNK_BYTES = 1 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SUFFIX = re.compile(r"\.[a-z0-9]{1,8}")


@dataclass(frozen=True, slots=True)
class Stored:
    sha256: str
    bytes: int


class ClipStore:
    """A folder of immutable files. Each is stored once, complete and synced to disk, or not at all."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def keep_original(self, path: Path, *, suffix: str | None = None) -> Stored:
        """Store a file unchanged, under its own suffix or the given one (the first it came with)."""
        suffix = (path.suffix if suffix is None else suffix).lower()
        return self._keep(path, self.root / "originals", suffix if _SUFFIX.fullmatch(suffix) else "")

    def keep_clip(self, path: Path) -> Stored:
        """Keep a processed clip."""
        return self._keep(path, self.root / "clips", ".mp4")

    def keep_positions(self, path: Path) -> Stored:
        """Keep a file of positions."""
        return self._keep(path, self.root / "positions", ".csv", sharded=False)

    def original_path(self, sha256: str) -> Path:
        """The path of an original. Raises ClipError if it is not stored."""
        found = _existing(self.root / "originals" / _checked(sha256)[:2], sha256)
        if found is None:
            raise ClipError(f"no original {sha256} is kept in {self.root}")
        return found

    def has_original(self, sha256: str) -> bool:
        return _existing(self.root / "originals" / _checked(sha256)[:2], sha256) is not None

    def clip_path(self, sha256: str) -> Path:
        """The path of a clip with that hash, once stored."""
        return self.root / "clips" / _checked(sha256)[:2] / f"{sha256}.mp4"

    def positions_path(self, sha256: str) -> Path:
        """The path of positions with that hash, once stored."""
        return self.root / "positions" / f"{_checked(sha256)}.csv"

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A temporary folder inside the store, deleted afterwards with its contents."""
        with tempfile.TemporaryDirectory(dir=self._incoming(), prefix="scratch-") as folder:
            yield Path(folder)

    def _incoming(self) -> Path:
        folder = self.root / "incoming"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _keep(self, path: Path, folder: Path, suffix: str, *, sharded: bool = True) -> Stored:
        temporary = self._incoming() / secrets.token_hex(8)
        try:
            stored = _copy_synced(path, temporary)
            home = folder / stored.sha256[:2] if sharded else folder
            home.mkdir(parents=True, exist_ok=True)
            # The same content may have come before with another ending.
            target = _existing(home, stored.sha256) or home / f"{stored.sha256}{suffix}"
            # A stored file of another length was damaged since; the new copy takes its place.
            if not target.exists() or target.stat().st_size != stored.bytes:
                temporary.replace(target)
                _sync_folders(home, upto=self.root)
        finally:
            temporary.unlink(missing_ok=True)
        return stored


def file_sha256(path: Path) -> Stored:
    """The hash and length of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        return Stored(digest.hexdigest(), file.tell())


def _copy_synced(source: Path, target: Path) -> Stored:
    digest, copied = hashlib.sha256(), 0
    with source.open("rb") as reading, target.open("xb") as writing:
        while chunk := reading.read(_CHUNK_BYTES):
            digest.update(chunk)
            copied += writing.write(chunk)
        writing.flush()
        os.fsync(writing.fileno())
    return Stored(digest.hexdigest(), copied)


def _sync_folders(folder: Path, *, upto: Path) -> None:
    """Make a rename survive a power cut: sync the folder and those above it, which may be new too."""
    for each in (folder, *folder.parents):
        descriptor = os.open(each, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if each == upto:
            return


def _existing(folder: Path, sha256: str) -> Path | None:
    return next(iter(sorted(folder.glob(f"{sha256}*"))), None)


def _checked(sha256: str) -> str:
    if not _SHA256.fullmatch(sha256):
        raise ValueError(f"not a SHA-256 in lower-case hexadecimal: {sha256!r}")
    return sha256
