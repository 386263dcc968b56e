"""Clues measured on real MP4s whose pictures are known."""

import statistics
import struct
from pathlib import Path

import numpy as np
import pytest

from app.library.clips.clues import CLUES, STILL_BELOW, measure_clues
from app.library.clips.errors import NotAVideo
from app.library.clips.mp4 import walk
from app.library.clips.probe import probe
from app.library.clips.process import process
from app.library.clips.rules import Rules

from .videos import Paint, Pixels, make_video

pytestmark = pytest.mark.slow

SIZE = (96, 64)
EXACT = {"crf": "0"}
TEXTURE = np.random.default_rng(1).integers(60, 200, (64, 96, 1), np.uint8)


def measured(folder: Path, paint: Paint, *, seconds: float = 3.0) -> dict[str, float]:
    """The clues of a painted video after the same processing as every clip's."""
    source = make_video(
        folder / "a.mp4", paint=paint, seconds=seconds, width=SIZE[0], height=SIZE[1], options=EXACT
    )
    target = folder / "clip.mp4"
    process(source, target, Rules(), size=SIZE)
    return measure_clues(target)


def exact(folder: Path, paint: Paint, *, width: int = 96, height: int = 64) -> dict[str, float]:
    """The clues of a video coded without loss, whose values are known by arithmetic."""
    path = make_video(folder / "a.mp4", paint=paint, width=width, height=height, options=EXACT)
    return measure_clues(path)


def walking(start: int = 0, stop: int = 10**6) -> Paint:
    """A texture that moves on from frame `start` to frame `stop`, and stands still before and after."""

    def paint(number: int, width: int, height: int) -> Pixels:
        moved = np.roll(TEXTURE, 3 * (min(max(number, start), stop) - start), axis=1)
        return np.broadcast_to(moved, (height, width, 3)).astype(np.uint8)

    return paint


def grey(value: int) -> Paint:
    return lambda number, width, height: np.full((height, width, 3), value, np.uint8)


def test_the_clues_come_in_their_order_and_agree_with_the_probe(tmp_path: Path) -> None:
    clues = measured(tmp_path, walking())
    info = probe(tmp_path / "clip.mp4")
    assert tuple(clues) == CLUES
    assert (clues["duration_s"], clues["fps"]) == (3.0, 30.0)
    assert (clues["width"], clues["height"], clues["bytes"]) == (info.width, info.height, info.bytes)
    assert clues["bitrate_kbps"] == pytest.approx(info.bytes * 8 / 3000, abs=0.001)
    assert all(type(value) is float for value in clues.values())


def test_standing_still_at_the_end_is_measured_to_the_frame(tmp_path: Path) -> None:
    clues = measured(tmp_path, walking(stop=59))
    assert clues["still_end_s"] == pytest.approx(1.0, abs=0.07)
    assert clues["still_start_s"] == 0


def test_standing_still_at_the_start_is_measured_to_the_frame(tmp_path: Path) -> None:
    clues = measured(tmp_path, walking(start=45))
    assert clues["still_start_s"] == pytest.approx(1.5, abs=0.07)
    assert clues["still_end_s"] == 0


def test_key_frames_do_not_end_a_standstill(tmp_path: Path) -> None:
    """Two of them fall into these 2.5 s, and each draws the texture anew, a little differently."""
    clues = measured(tmp_path, walking(stop=14))
    assert clues["still_end_s"] == pytest.approx(2.5, abs=0.07)


def test_a_clip_without_any_motion_stands_still_from_end_to_end(tmp_path: Path) -> None:
    clues = measured(tmp_path, walking(stop=0))
    assert clues["still_start_s"] == clues["still_end_s"] == pytest.approx(3.0 - 1 / 30, abs=0.001)
    assert clues["motion"] < STILL_BELOW


def test_a_clip_of_key_frames_alone_is_measured_by_them(tmp_path: Path) -> None:
    path = make_video(
        tmp_path / "a.mp4", paint=walking(stop=14), width=96, height=64, options={"g": "1", "crf": "0"}
    )
    clues = measure_clues(path)
    assert clues["motion"] > 10
    assert clues["still_end_s"] == pytest.approx(0.5, abs=0.07)


@pytest.mark.parametrize("value", [0, 85, 170, 255])
def test_brightness_is_that_of_the_picture_on_the_full_scale(tmp_path: Path, value: int) -> None:
    """By arithmetic: these greys fall on whole luma levels, 16 + 219 / 255 * grey."""
    clues = exact(tmp_path, grey(value))
    assert clues["brightness"] == pytest.approx(value, abs=0.01)
    assert (clues["contrast"], clues["sharpness"], clues["motion"]) == (0, 0, 0)


def test_motion_is_the_mean_change_from_picture_to_picture(tmp_path: Path) -> None:
    """By arithmetic: every pixel changes by 85 each time."""
    clues = exact(tmp_path, lambda n, w, h: np.full((h, w, 3), 85 + 85 * (n % 2), np.uint8))
    assert clues["motion"] == pytest.approx(85, abs=0.01)
    assert clues["brightness"] == pytest.approx(127.5, abs=0.01)


def test_sharpness_is_the_variance_of_the_laplacian(tmp_path: Path) -> None:
    """By arithmetic: on a chessboard of single pixels of 85 and 170 the Laplacian is 4 * 85 either way."""
    board = (np.indices((64, 96)).sum(axis=0) % 2 * 85 + 85).astype(np.uint8)
    clues = exact(tmp_path, lambda n, w, h: np.repeat(board[:, :, None], 3, axis=2))
    assert clues["sharpness"] == pytest.approx((4 * 85) ** 2, rel=1e-3)
    assert clues["contrast"] == pytest.approx(42.5, abs=0.01)


def test_a_large_picture_is_measured_on_fewer_pixels_with_the_same_result(tmp_path: Path) -> None:
    def halves(number: int, width: int, height: int) -> Pixels:
        picture = np.full((height, width, 3), 85, np.uint8)
        picture[:, width // 2 :] = 170
        return picture

    clues = exact(tmp_path, halves, width=1200, height=64)
    assert clues["brightness"] == pytest.approx(127.5, abs=0.01)
    assert clues["contrast"] == pytest.approx(42.5, abs=0.01)


def test_what_looks_more_so_measures_more_so(tmp_path: Path) -> None:
    def blurred(number: int, width: int, height: int) -> Pixels:
        sharp = walking()(number, width, height)
        shifted = [np.roll(sharp, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
        return np.asarray(np.mean(shifted, axis=0), np.uint8)

    def dim(number: int, width: int, height: int) -> Pixels:
        return walking()(number, width, height) // 2

    def slow(number: int, width: int, height: int) -> Pixels:
        return walking()(number // 4, width, height)

    folders = [tmp_path / name for name in ("usual", "blurred", "dim", "slow")]
    usual, soft, dark, calm = (
        measured(folder, paint, seconds=1)
        for folder, paint in zip(folders, (walking(), blurred, dim, slow), strict=True)
    )
    assert usual["sharpness"] > 2 * soft["sharpness"]
    assert usual["brightness"] > 1.5 * dark["brightness"]
    assert usual["contrast"] > 1.5 * dark["contrast"]
    assert usual["motion"] > 2 * calm["motion"]
    assert usual["bytes"] > calm["bytes"]


def test_the_same_clip_gives_the_same_clues(tmp_path: Path) -> None:
    first = measured(tmp_path, walking(), seconds=1)
    assert measure_clues(tmp_path / "clip.mp4") == first


def test_what_is_no_video_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    path.write_text("not a video")
    with pytest.raises(NotAVideo, match=r"a\.mp4 is text"):
        measure_clues(path)


def test_the_sizes_of_frames_are_those_of_the_files_own_table(tmp_path: Path) -> None:
    """Read by hand: the box `stsz` lists the bytes of every frame, `stss` which of them are key frames."""
    clues = measured(tmp_path, walking())
    data = (tmp_path / "clip.mp4").read_bytes()
    tables = {box.type: data[box.offset + box.header : box.end] for box in walk(data)}
    n = int.from_bytes(tables["stsz"][8:12])
    sizes = struct.unpack_from(f">{n}I", tables["stsz"], 12)
    n_keys = int.from_bytes(tables["stss"][4:8])
    keys = {number - 1 for number in struct.unpack_from(f">{n_keys}I", tables["stss"], 8)}
    others = [size for number, size in enumerate(sizes) if number not in keys]
    assert (n, n_keys) == (90, 3)
    assert clues["key_frame_bytes"] == statistics.median(sizes[number] for number in keys)
    assert clues["frame_bytes"] == statistics.median(others)
    spread = statistics.pstdev(others) / statistics.fmean(others)
    assert clues["frame_bytes_spread"] == pytest.approx(spread, abs=0.001)


def test_a_clip_of_key_frames_alone_has_no_other_frames(tmp_path: Path) -> None:
    path = make_video(tmp_path / "a.mp4", paint=walking(), width=96, height=64, options={"g": "1"})
    clues = measure_clues(path)
    assert clues["key_frame_bytes"] > 0
    assert (clues["frame_bytes"], clues["frame_bytes_spread"]) == (0, 0)
