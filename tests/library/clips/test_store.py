import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.library.clips.errors import ClipError
from app.library.clips.store import ClipStore, Stored, file_sha256


@pytest.fixture
def store(tmp_path: Path) -> ClipStore:
    return ClipStore(tmp_path / "data" / "clips")


def make(path: Path, content: bytes) -> tuple[Path, str]:
    path.write_bytes(content)
    return path, hashlib.sha256(content).hexdigest()


def files(store: ClipStore) -> list[str]:
    return sorted(str(path.relative_to(store.root)) for path in store.root.rglob("*") if path.is_file())


def test_files_are_kept_by_what_is_in_them(store: ClipStore, tmp_path: Path) -> None:
    path, sha256 = make(tmp_path / "Human Walk.MOV", b"x" * 3_000_000)
    assert store.keep_original(path) == Stored(sha256, 3_000_000) == file_sha256(path)
    assert store.keep_clip(path) == Stored(sha256, 3_000_000)
    assert store.keep_positions(path) == Stored(sha256, 3_000_000)
    assert files(store) == [
        f"clips/{sha256[:2]}/{sha256}.mp4",
        f"originals/{sha256[:2]}/{sha256}.mov",
        f"positions/{sha256}.csv",
    ]
    for kept in (store.original_path(sha256), store.clip_path(sha256), store.positions_path(sha256)):
        assert kept.read_bytes() == path.read_bytes()


def test_identical_files_are_stored_once_whatever_they_are_called(store: ClipStore, tmp_path: Path) -> None:
    for name in ("a.mp4", "b.webm", "noend", "c.<script>", "d." + "x" * 200):
        path, _ = make(tmp_path / name, b"same")
        store.keep_original(path)
    assert len(files(store)) == 1
    assert files(store)[0].endswith(".mp4")


def test_a_suffix_that_is_none_is_left_out(store: ClipStore, tmp_path: Path) -> None:
    path, sha256 = make(tmp_path / "a.mp4 (copy)", b"x")
    store.keep_original(path)
    assert store.original_path(sha256).name == sha256


def test_many_at_once_keep_one_whole_file(store: ClipStore, tmp_path: Path) -> None:
    path, sha256 = make(tmp_path / "a.mp4", os.urandom(500_000))
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(store.keep_clip, [path] * 16)) == {Stored(sha256, 500_000)}
    assert len(files(store)) == 1


def test_a_file_that_lost_its_end_is_put_right(store: ClipStore, tmp_path: Path) -> None:
    path, sha256 = make(tmp_path / "a.mp4", b"whole")
    store.keep_clip(path)
    store.clip_path(sha256).write_bytes(b"who")
    store.keep_clip(path)
    assert store.clip_path(sha256).read_bytes() == b"whole"


def test_a_copy_that_fails_leaves_nothing(
    store: ClipStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = make(tmp_path / "a.mp4", b"x")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        store.keep_clip(path)
    assert files(store) == []


def test_an_original_that_is_not_kept_is_an_error(store: ClipStore) -> None:
    with pytest.raises(ClipError, match="no original"):
        store.original_path("0" * 64)


@pytest.mark.parametrize("sha256", ["", "../../etc/passwd", "0" * 63, "A" * 64, "0" * 64 + "/.."])
def test_only_a_hash_names_a_file(store: ClipStore, sha256: str) -> None:
    for path_of in (store.original_path, store.clip_path, store.positions_path):
        with pytest.raises(ValueError, match="not a SHA-256"):
            path_of(sha256)


def test_scratch_is_gone_afterwards_whatever_happens(store: ClipStore) -> None:
    def interrupted() -> None:
        with store.scratch() as scratch:
            (scratch / "a").write_bytes(b"x")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert files(store) == []
