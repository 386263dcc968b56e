import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.library.clips.errors import MalformedMp4
from app.library.clips.mp4 import (
    PADDING_STEP,
    Claims,
    blank,
    boxes,
    claims,
    common_size,
    free_box_header,
    walk,
)

from .hostile import box, huge_track_header
from .videos import claim_size, make_video


def test_boxes_cover_the_file_and_nest(tmp_path: Path) -> None:
    path = make_video(tmp_path / "a.mp4")
    top = boxes(path)
    assert [each.type for each in top] == ["ftyp", "free", "mdat", "moov"]
    assert [each.offset for each in top[1:]] == [each.end for each in top[:-1]]
    assert top[-1].end == path.stat().st_size
    assert top == boxes(path.read_bytes())
    within = [each.type for each in top[-1].walk()]
    assert {"mvhd", "trak", "tkhd", "mdia", "stbl", "stsd", "avc1", "avcC", "udta"} <= set(within)


def test_a_box_may_have_a_long_size_or_run_to_the_end() -> None:
    long = struct.pack(">I4sQ", 1, b"mdat", 20) + b"abcd"
    last = struct.pack(">I4s", 0, b"mdat") + b"to the end"
    first, second = boxes(long + last)
    assert (first.size, first.header) == (20, 16)
    assert (second.size, second.header) == (18, 8)


@pytest.mark.parametrize(
    "data",
    [
        b"\0\0\0",
        struct.pack(">I4s", 4, b"mdat"),
        struct.pack(">I4s", 9, b"mdat"),
        struct.pack(">I4sQ", 1, b"mdat", 2**60),
        box(b"moov", struct.pack(">I4s", 100, b"trak")),
        box(b"moov", b"\1\2\3"),
    ],
    ids=[
        "too short",
        "smaller than its header",
        "past the end",
        "long past the end",
        "child",
        "child too short",
    ],
)
def test_sizes_that_do_not_add_up_are_refused(data: bytes) -> None:
    with pytest.raises(MalformedMp4):
        boxes(data)


def test_endless_nesting_is_refused() -> None:
    data = b""
    for _ in range(200):
        data = box(b"moov", data)
    with pytest.raises(MalformedMp4, match="deep"):
        boxes(data)


def test_a_file_of_nothing_but_boxes_is_given_up() -> None:
    with pytest.raises(MalformedMp4, match="too many"):
        boxes(box(b"free") * 300_000)


def test_zero_bytes_may_end_a_list_of_user_data_as_quicktime_writes_it() -> None:
    (user_data,) = boxes(box(b"udta", box(b"name", b"x") + bytes(4)))
    assert [child.type for child in user_data.children] == ["name"]


def test_blanking_leaves_a_free_box_of_zeros_and_every_size_as_it_was(tmp_path: Path) -> None:
    path = make_video(tmp_path / "a.mp4", metadata={"title": "a secret title"})
    before = [(each.offset, each.size) for each in boxes(path)]
    assert b"a secret title" in path.read_bytes()
    assert blank(path, "udta") == 1
    assert b"a secret title" not in path.read_bytes()
    assert [(each.offset, each.size) for each in boxes(path)] == before
    assert "udta" not in {each.type for each in walk(path)}


def test_claims_are_those_of_the_track_headers_and_tables(tmp_path: Path) -> None:
    path = make_video(tmp_path / "a.mp4", width=96, height=64)
    assert claims(path) == Claims(sizes=((96, 64),), tracks=1, samples=30)
    assert claims(claim_size(path, 30_000, 20_000)).sizes == ((30_000, 20_000),)
    path.write_bytes(path.read_bytes().replace(b"tkhd\0", b"tkhd\2"))
    assert claims(path).sizes == ()


def test_of_a_long_track_header_no_more_is_read_than_it_takes(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    size = struct.pack(">II", 640 << 16, 360 << 16)
    path.write_bytes(box(b"moov", box(b"trak", box(b"tkhd", b"\1" + bytes(87) + size))))
    assert claims(path).sizes == ((640, 360),)
    huge_track_header(path, 64 * 2**30)  # of which nothing is on the disk; reading it whole ends this process
    assert claims(path).sizes == ((0, 0),)


@pytest.mark.parametrize("size", [8, 9, 4096, 2**32 - 1, 2**32, 2**40])
def test_the_header_of_a_free_box_tells_its_size(size: int) -> None:
    header = free_box_header(size)
    short, name = struct.unpack_from(">I4s", header)
    assert name == b"free"
    assert (short if len(header) == 8 else struct.unpack_from(">Q", header, 8)[0]) == size


def test_no_box_is_smaller_than_its_header() -> None:
    with pytest.raises(ValueError, match="at least 8"):
        free_box_header(7)


sizes = st.lists(st.integers(0, 5 * PADDING_STEP), min_size=1)


@settings(deadline=None)  # the machine may be busy
@given(sizes)
def test_the_common_size_is_the_least_that_leaves_every_file_room_for_a_box(lengths: list[int]) -> None:
    def fits(size: int) -> bool:
        return all(length == size or length + 8 <= size for length in lengths)

    size = common_size(lengths)
    assert size % PADDING_STEP == 0
    assert fits(size)
    assert not any(fits(smaller) for smaller in range(PADDING_STEP, size, PADDING_STEP))


def test_files_of_one_full_size_need_no_padding() -> None:
    assert common_size([4096, 4096]) == 4096
    assert common_size([4096, 4089]) == 8192


def test_no_files_have_no_common_size() -> None:
    with pytest.raises(ValueError, match="no files"):
        common_size([])
