import tempfile
from collections.abc import Iterator
from pathlib import Path

import av
import pytest
from av.packet import Packet
from av.video.stream import VideoStream
from hypothesis import given, settings
from hypothesis import strategies as st

from app.library.clips.errors import ClipChanged, RangeNotSatisfiable
from app.library.clips.mp4 import boxes, free_box_header
from app.library.clips.padded import ByteRange, PaddedClip, parse_range
from app.library.clips.process import process
from app.library.clips.rules import Rules

from .videos import make_video

CLIP = bytes(range(1, 201))


@pytest.fixture(scope="module")
def clip_file() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip"
        path.write_bytes(CLIP)
        yield path


def whole(padded: int) -> bytes:
    missing = padded - len(CLIP)
    return CLIP + (free_box_header(missing).ljust(missing, b"\0") if missing else b"")


@settings(deadline=None)  # the machine may be busy
@given(st.sampled_from([200, 208, 209, 256, 1000]), st.integers(0, 1100), st.integers(0, 1100))
def test_reading_equals_slicing_the_whole(clip_file: Path, padded: int, start: int, length: int) -> None:
    clip = PaddedClip(clip_file, len(CLIP), padded)
    assert clip.read(start, length) == whole(padded)[start : start + length]


@settings(deadline=None)  # the machine may be busy
@given(st.integers(1, 300))
def test_pieces_of_any_length_make_up_the_whole(clip_file: Path, piece: int) -> None:
    clip = PaddedClip(clip_file, len(CLIP), 1000)
    assert b"".join(clip.read(start, piece) for start in range(0, 1000, piece)) == whole(1000)


def test_padding_of_gigabytes_costs_nothing_and_has_a_long_header(clip_file: Path) -> None:
    clip = PaddedClip(clip_file, len(CLIP), 2**33)
    assert clip.read(len(CLIP), 20) == free_box_header(2**33 - len(CLIP)) + bytes(4)
    assert clip.read(2**33 - 5, 100) == bytes(5)


def test_a_padded_clip_is_an_mp4_of_the_common_size(tmp_path: Path) -> None:
    path = processed(tmp_path, 1)
    length = path.stat().st_size
    padded = PaddedClip(path, length, length + 5000).read(0, length + 5000)
    assert len(padded) == length + 5000
    assert boxes(padded)[:-1] == boxes(path)[:-1]
    last, before = boxes(padded)[-1], boxes(path)[-1]
    assert (last.type, last.offset, last.size) == ("mdat", before.offset, before.size + 5000)


def test_no_box_but_those_that_a_player_needs_tells_how_long_the_clip_is(tmp_path: Path) -> None:
    short, long = processed(tmp_path, 1), processed(tmp_path, 2)
    common = max(path.stat().st_size for path in (short, long)) + 5000
    served = [PaddedClip(path, path.stat().st_size, common).read(0, common) for path in (short, long)]
    outside = [[(box.type, box.end) for box in boxes(data) if box.type != "moov"][-1] for data in served]
    assert outside == [("mdat", common)] * 2
    assert not any(data.endswith(b"free") or b"free" in data[path.stat().st_size :] for data, path in
                   zip(served, (short, long), strict=True))  # fmt: skip


def test_a_padded_clip_plays_as_the_clip_does(tmp_path: Path) -> None:
    path = processed(tmp_path, 1)
    length = path.stat().st_size
    target = tmp_path / "padded.mp4"
    pieces = PaddedClip(path, length, length + 5000)
    target.write_bytes(b"".join(pieces.read(at, 7) for at in range(0, length + 5000, 7)))
    assert [bytes(packet) for packet in packets(target)] == [bytes(packet) for packet in packets(path)]


def processed(folder: Path, seconds: float) -> Path:
    target = folder / f"{seconds}.mp4"
    process(make_video(folder / "given.mp4", seconds=seconds), target, Rules(), size=(64, 48))
    return target


def packets(path: Path) -> "list[Packet[VideoStream]]":
    with av.open(str(path)) as container:
        return [packet for packet in container.demux(video=0) if packet.size]


def test_a_clip_that_was_cut_short_on_disk_is_not_served(clip_file: Path) -> None:
    with pytest.raises(ClipChanged, match="import the clip again"):
        PaddedClip(clip_file, len(CLIP) + 1, 400).read(0, 400)


@pytest.mark.parametrize(("clip_bytes", "padded_bytes"), [(200, 199), (200, 201), (200, 207), (-1, 50)])
def test_a_padding_too_small_for_a_box_is_refused(clip_bytes: int, padded_bytes: int) -> None:
    with pytest.raises(ValueError, match="bytes"):
        PaddedClip(Path("clip"), clip_bytes, padded_bytes)


@pytest.mark.parametrize(("start", "length"), [(-1, 5), (0, -1)])
def test_reading_backwards_is_refused(clip_file: Path, start: int, length: int) -> None:
    with pytest.raises(ValueError, match="bytes from"):
        PaddedClip(clip_file, len(CLIP), 200).read(start, length)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("bytes=0-0", (0, 1)),
        ("bytes=0-", (0, 100)),
        ("bytes=10-19", (10, 10)),
        ("bytes=10-1000", (10, 90)),
        ("bytes=99-99", (99, 1)),
        ("bytes=-1", (99, 1)),
        ("bytes=-1000", (0, 100)),
        ("BYTES=5-6", (5, 2)),
        (" bytes=5-6 ", (5, 2)),
        ("bytes= 5-6", (5, 2)),
    ],
)
def test_a_range_is_start_and_length_within_the_file(header: str, expected: tuple[int, int]) -> None:
    assert parse_range(header, 100) == expected


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "bytes",
        "bytes=",
        "bytes=-",
        "bytes=5",
        "bytes=9-5",
        "bytes=a-b",
        "bytes=1-2,4-5",
        "items=0-5",
        "bytes=--5",
        "bytes=0x1-5",
        "bytes=+1-5",
        "bytes=٣-٥",
        "bytes=" + "9" * 5000 + "-",
    ],
)
def test_a_missing_malformed_or_manifold_range_means_the_whole(header: str | None) -> None:
    assert parse_range(header, 100) is None


@pytest.mark.parametrize(
    ("header", "size"),
    [("bytes=100-", 100), ("bytes=100-200", 100), ("bytes=-0", 100), ("bytes=0-", 0), ("bytes=-5", 0)],
)
def test_a_range_beyond_the_end_cannot_be_satisfied(header: str, size: int) -> None:
    with pytest.raises(RangeNotSatisfiable) as caught:
        parse_range(header, size)
    assert caught.value.size == size


@settings(deadline=None)  # the machine may be busy
@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 50))
def test_any_range_is_refused_ignored_or_as_slicing_says(first: int, last: int, size: int) -> None:
    content = bytes(range(size))
    if last < first:
        assert parse_range(f"bytes={first}-{last}", size) is None
    elif first >= size:
        with pytest.raises(RangeNotSatisfiable):
            parse_range(f"bytes={first}-{last}", size)
    else:
        found = parse_range(f"bytes={first}-{last}", size)
        assert found is not None
        assert content[found.start : found.start + found.length] == content[first : last + 1]


@settings(deadline=None)  # the machine may be busy
@given(st.integers(1, 80), st.integers(1, 50))
def test_a_suffix_range_is_the_last_bytes(wanted: int, size: int) -> None:
    content = bytes(range(size))
    found = parse_range(f"bytes=-{wanted}", size)
    assert found is not None
    assert content[found.start : found.start + found.length] == content[-wanted:]


def test_content_range_names_first_and_last_byte() -> None:
    assert ByteRange(10, 5).content_range(100) == "bytes 10-14/100"
