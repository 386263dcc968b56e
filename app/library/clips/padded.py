"""A clip as served: its bytes, then padding up to the size shared by all clips of a study.

The padding is never on disk: it is generated while reading. It lies in the last box, that of the pictures (`mdat`),
whose declared size is raised: a separate box would begin where the clip ends, and reveal its length.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from app.library.clips.errors import ClipChanged, RangeNotSatisfiable
from app.library.clips.mp4 import SMALLEST_BOX, free_box_header, last_header

# More digits than any file has bytes; int() itself refuses thousands of them.
_RANGE = re.compile(r"bytes\s*=\s*([0-9]{0,32})\s*-\s*([0-9]{0,32})", re.ASCII | re.IGNORECASE)


class ByteRange(NamedTuple):
    """`length` bytes from `start` on."""

    start: int
    length: int

    def content_range(self, size: int) -> str:
        """The value of the `Content-Range` header."""
        return f"bytes {self.start}-{self.start + self.length - 1}/{size}"


@dataclass(frozen=True, slots=True)
class PaddedClip:
    """A clip of `clip_bytes` at `path`, read as if it had `padded_bytes`."""

    path: Path
    clip_bytes: int
    padded_bytes: int

    def __post_init__(self) -> None:
        if not 0 <= self.clip_bytes <= self.padded_bytes:
            raise ValueError(f"{self.clip_bytes} bytes cannot be padded to {self.padded_bytes}")
        if 0 < self.padded_bytes - self.clip_bytes < SMALLEST_BOX:
            raise ValueError(f"no room for a box between {self.clip_bytes} and {self.padded_bytes} bytes")

    def read(self, start: int, length: int) -> bytes:
        """Up to `length` bytes from `start`, fewer at the end. Raises ClipChanged if the file was truncated."""
        if start < 0 or length < 0:
            raise ValueError(f"{length} bytes from {start}")
        stop = min(start + length, self.padded_bytes)
        if start >= stop:
            return b""
        if stop <= self.clip_bytes:
            return self._stretched(start, self._from_file(start, stop - start))
        padding = self._from_padding(max(start - self.clip_bytes, 0), stop - self.clip_bytes)
        if start >= self.clip_bytes:
            return padding
        return self._stretched(start, self._from_file(start, self.clip_bytes - start)) + padding

    @property
    def _header(self) -> tuple[int, bytes] | None:
        """The offset of the last box's size, and that size including the padding; None if it cannot be padded so."""
        if self.padded_bytes == self.clip_bytes:
            return None
        return last_header(self.path, self.padded_bytes - self.clip_bytes)

    def _stretched(self, start: int, data: bytes) -> bytes:
        """A part of the file from byte `start` on, with the size of the last box as it is with the padding."""
        if (header := self._header) is None:
            return data
        at, size = header
        first, last = max(at, start), min(at + len(size), start + len(data))
        if first >= last:
            return data
        return data[: first - start] + size[first - at : last - at] + data[last - start :]

    def _from_file(self, start: int, length: int) -> bytes:
        descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            data = os.pread(descriptor, length, start)
        finally:
            os.close(descriptor)
        if len(data) != length:
            raise ClipChanged(f"{self.path} has fewer than {self.clip_bytes} bytes; import the clip again")
        return data

    def _from_padding(self, start: int, stop: int) -> bytes:
        if self._header is not None:
            return bytes(stop - start)
        # A file whose last box cannot grow gets a `free` box, which tells its exact length.
        header = free_box_header(self.padded_bytes - self.clip_bytes)
        if start >= len(header):
            return bytes(stop - start)
        return header[start:stop] + bytes(max(stop - len(header), 0))


def parse_range(header: str | None, size: int) -> ByteRange | None:
    """The one range that a `Range` header asks for, or None for the whole.

    As RFC 9110 allows, a header that is malformed or names several ranges is ignored. Raises
    RangeNotSatisfiable where the range holds none of the `size` bytes.
    """
    match = _RANGE.fullmatch(header.strip()) if header is not None else None
    if match is None or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if not first:
        length = min(int(last), size)
        # `bytes=-0` is well-formed and cannot be satisfied (RFC 9110, 14.1.2).
        if not length:
            raise RangeNotSatisfiable(size)
        return ByteRange(size - length, length)
    start = int(first)
    stop = int(last) + 1 if last else size
    # A range that ends before it begins is invalid (RFC 9110, 14.1.1), and so ignored.
    if stop <= start and last:
        return None
    if start >= size:
        raise RangeNotSatisfiable(size)
    return ByteRange(start, min(stop, size) - start)
