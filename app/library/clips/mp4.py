"""MP4 boxes: reading them, blanking one out, and the `free` box that pads a file to a common size."""

import os
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from app.library.clips.errors import MalformedMp4, TooManyBoxes

PADDING_STEP = 4096
SMALLEST_BOX = 8

# Box type to how many bytes stand between its header and its first child.
_CONTAINERS = {
    "moov": 0, "trak": 0, "edts": 0, "mdia": 0, "minf": 0, "dinf": 0, "stbl": 0, "udta": 0,
    "mvex": 0, "dref": 8, "stsd": 8, "avc1": 78,
}  # fmt: skip
_DEEPEST = 16
_MOST_BOXES = 100_000
_TRACK_SIZE_AT = {b"\0": 76, b"\1": 88}  # by the version of a track header
_TRACK_HEADER_BYTES = 96
_SAMPLE_COUNT_AT = 8
_LARGEST_32_BIT = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Box:
    """One box: `offset` and `size` cover its header, `header` is the header's length."""

    type: str
    offset: int
    size: int
    header: int
    children: tuple["Box", ...] = ()

    @property
    def end(self) -> int:
        return self.offset + self.size

    def walk(self) -> Iterator["Box"]:
        """This box and all those within, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()


def boxes(source: bytes | Path) -> list[Box]:
    """The top-level boxes with their children. Raises MalformedMp4 where sizes do not add up."""
    if isinstance(source, bytes):
        return _Reader(lambda at, n: source[at : at + n]).boxes(0, len(source), 0)
    with source.open("rb") as file:
        length = os.fstat(file.fileno()).st_size
        return _Reader(lambda at, n: os.pread(file.fileno(), n, at)).boxes(0, length, 0)


def walk(source: bytes | Path) -> Iterator[Box]:
    """Every box at every depth, in the order of the file."""
    for box in boxes(source):
        yield from box.walk()


def blank(path: Path, box_type: str) -> int:
    """Turn every box of that type into a `free` box full of zeros, sizes kept; returns how many."""
    found = [box for box in walk(path) if box.type == box_type]
    with path.open("r+b") as file:
        for box in found:
            # Nothing moves: the tables of chunk offsets (`stco`) count from the start of the file.
            file.seek(box.offset + 4)
            file.write(b"free")
            file.seek(box.offset + box.header)
            file.write(bytes(box.size - box.header))
    return len(found)


@dataclass(frozen=True, slots=True)
class Claims:
    """An MP4's declared tracks: width and height of each, in whole pixels, and the number of samples."""

    sizes: tuple[tuple[int, int], ...]
    tracks: int
    samples: int


def claims(path: Path) -> Claims:
    """Read with as little of the file as it takes. Raises MalformedMp4, TooManyBoxes among it."""
    found = list(walk(path))
    with path.open("rb") as file:
        sizes = [_track_size(file, box) for box in found if box.type == "tkhd"]
        samples = sum(_sample_count(file, box) for box in found if box.type == "stsz")
    tracks = sum(box.type == "trak" for box in found)
    return Claims(tuple(size for size in sizes if size is not None), tracks, samples)


def free_box_header(n_bytes: int) -> bytes:
    """The header of a `free` box of `n_bytes` in all: 8 bytes, or 16 from 4 GiB on."""
    if n_bytes < SMALLEST_BOX:
        raise ValueError(f"a box has at least {SMALLEST_BOX} bytes, not {n_bytes}")
    if n_bytes <= _LARGEST_32_BIT:
        return struct.pack(">I4s", n_bytes, b"free")
    return struct.pack(">I4sQ", 1, b"free", n_bytes)


@lru_cache(maxsize=4096)
def last_header(path: Path, more: int) -> tuple[int, bytes] | None:
    """The offset of the size of a file's last box, and the bytes for that size with `more` bytes in the box.

    None if that box is not the pictures' (`mdat`), or cannot hold such a size. Clips are stored by content, so a result
    stays valid as long as the file exists.
    """
    try:
        last = boxes(path)[-1]
    except (MalformedMp4, IndexError):
        return None
    size = last.size + more
    if last.type != "mdat" or (last.header == SMALLEST_BOX and size > _LARGEST_32_BIT):
        return None
    if last.header == SMALLEST_BOX:
        return last.offset, struct.pack(">I", size)
    return last.offset + SMALLEST_BOX, struct.pack(">Q", size)


def common_size(sizes: Iterable[int]) -> int:
    """The length that files of these sizes are padded to: the least multiple of 4096 that fits them all.

    A file fits if it has that length already or leaves room for a box.
    """
    present = set(sizes)
    if not present or min(present) < 0:
        raise ValueError("the common size of no files, or of a negative one")
    size = -(-max(present) // PADDING_STEP) * PADDING_STEP
    # A gap of fewer than 8 bytes cannot be filled: the header of a box alone takes as many.
    while any(size - SMALLEST_BOX < length < size for length in present):
        size += PADDING_STEP
    return size


class _Reader:
    """Reads boxes, and gives up on a file that is made of nothing but boxes."""

    def __init__(self, read: Callable[[int, int], bytes]) -> None:
        self._read = read
        self._left = _MOST_BOXES

    def boxes(self, start: int, end: int, depth: int) -> list[Box]:
        if depth > _DEEPEST:
            raise MalformedMp4(f"boxes nested more than {_DEEPEST} deep")
        found = []
        while start < end:
            # QuickTime ends a list of user data with four zero bytes.
            if depth and end - start < SMALLEST_BOX and not any(self._read(start, end - start)):
                break
            found.append(self._box(start, end, depth))
            start = found[-1].end
        return found

    def _box(self, offset: int, end: int, depth: int) -> Box:
        self._left -= 1
        if not self._left:
            raise TooManyBoxes(f"more than {_MOST_BOXES} boxes, too many to be read")
        if end - offset < SMALLEST_BOX:
            raise MalformedMp4(f"{end - offset} bytes at {offset} are too few for a box")
        size, raw_type = struct.unpack(">I4s", self._read(offset, SMALLEST_BOX))
        header = SMALLEST_BOX
        # Size 1 says that one of 64 bits follows (ISO/IEC 14496-12).
        if size == 1 and end - offset >= 16:
            header = 16
            (size,) = struct.unpack(">Q", self._read(offset + SMALLEST_BOX, 8))
        # Size 0 means up to the end of the file (ISO/IEC 14496-12), so it is legal at the top level alone.
        elif size == 0 and not depth:
            size = end - offset
        if size < header or offset + size > end:
            raise MalformedMp4(f"the box at {offset} says it has {size} bytes; {end - offset} are there")
        name = raw_type.decode("latin-1")
        inside = _CONTAINERS.get(name)
        children: list[Box] = []
        if inside is not None and size - header >= inside:
            children = self.boxes(offset + header + inside, offset + size, depth + 1)
        return Box(name, offset, size, header, tuple(children))


def _track_size(file: BinaryIO, header: Box) -> tuple[int, int] | None:
    payload = _payload(file, header, _TRACK_HEADER_BYTES)
    at = _TRACK_SIZE_AT.get(payload[:1])
    if at is None or len(payload) < at + 8:
        return None
    width, height = struct.unpack_from(">II", payload, at)  # 16.16 fixed point
    return width >> 16, height >> 16


def _sample_count(file: BinaryIO, table: Box) -> int:
    payload = _payload(file, table, _SAMPLE_COUNT_AT + 4)
    return int.from_bytes(payload[_SAMPLE_COUNT_AT:])


def _payload(file: BinaryIO, box: Box, most: int) -> bytes:
    file.seek(box.offset + box.header)
    return file.read(min(box.size - box.header, most))
