import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.library.clips import importing
from app.library.clips.errors import ClipError, ManifestProblems, SizeConflict
from app.library.clips.facts import ClipInfo
from app.library.clips.imported import ImportedClip
from app.library.clips.importing import import_clips
from app.library.clips.manifest import read_manifest
from app.library.clips.probe import probe
from app.library.clips.process import process
from app.library.clips.rules import Rules
from app.library.clips.store import ClipStore

from .videos import make_video, noise, write_manifest

pytestmark = pytest.mark.videos

Row = Mapping[str, str]
SIZE = (64, 48)


@pytest.fixture
def store(tmp_path: Path) -> ClipStore:
    return ClipStore(tmp_path / "store")


def row(file: str, name: str, source: str = "human", **attributes: str) -> Row:
    return {"file": file, "name": name, "source": source, **attributes}


def run(
    tmp_path: Path,
    store: ClipStore,
    *rows: Row,
    rules: Rules | None = None,
    size: tuple[int, int] | None = None,
) -> list[ImportedClip]:
    manifest = read_manifest(write_manifest(tmp_path / "manifest.csv", rows))
    return import_clips(manifest, rules or Rules(), store, workers=2, size=size)


def kept(store: ClipStore) -> list[str]:
    return sorted(path.name for path in store.root.rglob("*") if path.is_file())


def test_a_manifest_becomes_clips_that_are_alike_and_originals_that_are_untouched(
    tmp_path: Path, store: ClipStore
) -> None:
    make_video(tmp_path / "a.mp4", width=96, height=64, audio=True)
    make_video(tmp_path / "b.webm", codec="libvpx-vp9", width=64, height=48, fps=25)
    first, second = run(
        tmp_path, store, row("a.mp4", "h-1", goal="tree"), row("b.webm", "s-1", "symbolic", goal="rock")
    )
    assert (first.name, first.source, first.attributes) == ("h-1", "human", {"goal": "tree"})
    assert (second.name, second.source, second.attributes) == ("s-1", "symbolic", {"goal": "rock"})
    for clip, name in ((first, "a.mp4"), (second, "b.webm")):
        original = (tmp_path / name).read_bytes()
        assert (clip.original_name, clip.original_bytes) == (name, len(original))
        assert store.original_path(clip.original_sha256).read_bytes() == original
        processed = store.clip_path(clip.clip_sha256)
        assert hashlib.sha256(processed.read_bytes()).hexdigest() == clip.clip_sha256
        assert processed.stat().st_size == clip.clip_bytes
        info = probe(processed)
        assert (info.width, info.height, info.fps, info.frames) == (*SIZE, 30.0, 30)
        assert (clip.width, clip.height, clip.fps, clip.frames, clip.duration_s) == (*SIZE, 30.0, 30, 1.0)
        assert clip.rules == Rules(width=64, height=48)
        assert clip.positions_sha256 is None
    assert len(kept(store)) == 4


def test_one_bad_file_keeps_the_good_ones_out_and_every_bad_row_is_named(
    tmp_path: Path, store: ClipStore
) -> None:
    make_video(tmp_path / "good.mp4")
    (tmp_path / "text.mp4").write_text("hello")
    (tmp_path / "empty.mp4").write_bytes(b"")
    rows = [row("good.mp4", "a"), row("text.mp4", "b"), row("empty.mp4", "c"), row("text.mp4", "d")]
    with pytest.raises(ManifestProblems) as caught:
        run(tmp_path, store, *rows)
    assert [line.partition("manifest.csv, ")[2] for line in str(caught.value).splitlines()] == [
        "row 3, column file, value 'text.mp4': is text, not a video",
        "row 4, column file, value 'empty.mp4': is empty",
        "row 5, column file, value 'text.mp4': is text, not a video",
    ]
    assert kept(store) == []


def test_damage_in_the_middle_keeps_everything_out_too(tmp_path: Path, store: ClipStore) -> None:
    make_video(tmp_path / "good.mp4")
    damaged = make_video(tmp_path / "damaged.mp4", seconds=3, paint=noise, options={"g": "10"})
    data = bytearray(damaged.read_bytes())
    middle = data.index(b"mdat") + len(data) // 3
    data[middle : middle + len(data) // 5] = bytes(len(data) // 5)
    damaged.write_bytes(data)
    assert probe(damaged).frames == 90
    with pytest.raises(ManifestProblems, match=r"row 3, column file, value 'damaged\.mp4': is damaged"):
        run(tmp_path, store, row("good.mp4", "a"), row("damaged.mp4", "b"))
    assert kept(store) == []


def test_clips_that_trimming_would_use_up_are_named_before_anything_is_processed(
    tmp_path: Path, store: ClipStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_video(tmp_path / "long.mp4", seconds=2)
    make_video(tmp_path / "short.mp4", seconds=0.5)
    monkeypatch.delattr(importing, "process")
    with pytest.raises(ManifestProblems, match=r"row 3, .*'short\.mp4': lasts 0\.50 s; the rules cut 1 s"):
        run(tmp_path, store, row("long.mp4", "a"), row("short.mp4", "b"), rules=Rules(trim_start_s=1.0))


def test_identical_files_are_processed_and_stored_once(tmp_path: Path, store: ClipStore) -> None:
    original = make_video(tmp_path / "a.mp4")
    (tmp_path / "copy.mp4").write_bytes(original.read_bytes())
    told: list[str] = []
    manifest = read_manifest(
        write_manifest(
            tmp_path / "manifest.csv", [row("a.mp4", "a"), row("copy.mp4", "b"), row("a.mp4", "c", "hybrid")]
        )
    )
    clips = import_clips(manifest, Rules(), store, workers=2, on_progress=lambda *step: told.append(step[2]))
    assert len({(clip.original_sha256, clip.clip_sha256) for clip in clips}) == 1
    assert [(clip.name, clip.original_name) for clip in clips] == [
        ("a", "a.mp4"),
        ("b", "copy.mp4"),
        ("c", "a.mp4"),
    ]
    assert len(kept(store)) == 2
    assert sorted(step.split()[0] for step in told) == ["checked", "checked", "kept", "processed"]


def test_importing_again_changes_nothing(tmp_path: Path, store: ClipStore) -> None:
    make_video(tmp_path / "a.mp4", paint=noise)
    first = run(tmp_path, store, row("a.mp4", "a"))
    before = kept(store)
    assert run(tmp_path, store, row("a.mp4", "a")) == first
    assert kept(store) == before


def test_progress_counts_up_to_the_whole(tmp_path: Path, store: ClipStore) -> None:
    for name in ("a.mp4", "b.mp4"):
        make_video(tmp_path / name, colour=(len(name), ord(name[0]), 90))
    steps: list[tuple[int, int, str]] = []
    manifest = read_manifest(write_manifest(tmp_path / "m.csv", [row("a.mp4", "a"), row("b.mp4", "b")]))
    import_clips(manifest, Rules(), store, workers=2, on_progress=lambda *step: steps.append(step))
    assert [(done, total) for done, total, _ in steps] == [(number, 6) for number in range(1, 7)]
    assert sorted(what for _, _, what in steps) == [
        f"{done} {name}" for done in ("checked", "kept", "processed") for name in ("a.mp4", "b.mp4")
    ]


def test_the_smallest_clip_decides_the_size_unless_something_else_does(
    tmp_path: Path, store: ClipStore
) -> None:
    make_video(tmp_path / "wide.mp4", width=128, height=48)
    make_video(tmp_path / "odd.webm", codec="libvpx-vp9", width=65, height=51)
    rows = (row("wide.mp4", "a"), row("odd.webm", "b"))
    assert {(clip.width, clip.height) for clip in run(tmp_path, store, *rows)} == {(64, 50)}
    ruled = run(tmp_path, store, *rows, rules=Rules(width=96, height=64))
    assert {(clip.width, clip.height) for clip in ruled} == {(96, 64)}
    joining = run(tmp_path, store, *rows, size=(80, 60))
    assert {(clip.width, clip.height, clip.rules.size) for clip in joining} == {(80, 60, (80, 60))}


def test_rules_may_not_give_later_clips_another_size(tmp_path: Path, store: ClipStore) -> None:
    make_video(tmp_path / "a.mp4")
    with pytest.raises(SizeConflict, match=r"the rules ask for 96 x 64 px, .* have 80 x 60"):
        run(tmp_path, store, row("a.mp4", "a"), rules=Rules(width=96, height=64), size=(80, 60))
    assert kept(store) == []


def test_positions_are_stored_with_the_clip(tmp_path: Path, store: ClipStore) -> None:
    make_video(tmp_path / "a.mp4")
    (tmp_path / "a.csv").write_text("t_s,x_m\n0,1\n")
    with_positions, without = run(
        tmp_path, store, row("a.mp4", "a", positions="a.csv"), row("a.mp4", "b", positions="")
    )
    assert with_positions.positions_sha256 is not None
    assert store.positions_path(with_positions.positions_sha256).read_text() == "t_s,x_m\n0,1\n"
    assert with_positions.attributes == {"positions": "a.csv"}
    assert without.positions_sha256 is None


def test_an_original_that_changes_under_the_import_is_refused(
    tmp_path: Path, store: ClipStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_video(tmp_path / "a.mp4")

    def meddled(source: Path, target: Path, rules: Rules, *, size: tuple[int, int]) -> ClipInfo:
        info = process(source, target, rules, size=size)
        path.write_bytes(path.read_bytes() + bytes(8))
        return info

    monkeypatch.setattr(importing, "process", meddled)
    with pytest.raises(ManifestProblems, match="was changed while it was being imported"):
        run(tmp_path, store, row("a.mp4", "a"))


def test_a_full_disk_is_one_clear_line(
    tmp_path: Path, store: ClipStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    make_video(tmp_path / "a.mp4")
    monkeypatch.setattr(store, "keep_original", full)
    with pytest.raises(ClipError, match=r"stopped: No space left on device; nothing was imported"):
        run(tmp_path, store, row("a.mp4", "a"))


def test_an_error_of_ours_stops_the_work_that_has_not_begun(tmp_path: Path, store: ClipStore) -> None:
    names = [f"{number}.mp4" for number in range(6)]
    for number, name in enumerate(names):
        make_video(tmp_path / name, colour=(number, 0, 0), seconds=0.2)
    manifest = read_manifest(write_manifest(tmp_path / "m.csv", [row(name, name) for name in names]))
    told = []

    def stop(done: int, total: int, what: str) -> None:
        told.append(what)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_clips(manifest, Rules(), store, workers=1, on_progress=stop)
    assert len(told) == 1
    assert kept(store) == []
