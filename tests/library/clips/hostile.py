"""Small files made to cost much where they are opened."""

import struct
from pathlib import Path

from app.library.clips.mp4 import Box, boxes

from .videos import make_video


def box(name: bytes, payload: bytes = b"") -> bytes:
    return struct.pack(">I4s", 8 + len(payload), name) + payload


def many_tracks(path: Path, tracks: int, samples: int) -> Path:
    """An MP4 of so many tracks, each of which claims so many frames of one byte."""
    plain = make_video(path.with_suffix(".plain.mp4"), seconds=0.1)
    data = plain.read_bytes()
    plain.unlink()
    moov = next(each for each in boxes(data) if each.type == "moov")
    tables = {
        "stts": struct.pack(">IIII", 0, 1, samples, 1),
        "stsc": struct.pack(">IIIII", 0, 1, 1, samples, 1),
        "stsz": struct.pack(">III", 0, 1, samples),
        "stss": b"",
        "ctts": b"",
    }
    head = _rebuilt(data, next(each for each in moov.children if each.type == "mvhd"), {})
    track = _rebuilt(data, next(each for each in moov.children if each.type == "trak"), tables)
    path.write_bytes(data[: moov.offset] + box(b"moov", head + tracks * track))
    return path


def empty_boxes(path: Path, n: int) -> Path:
    """A video after so many boxes with nothing in them."""
    plain = make_video(path.with_suffix(".plain.mp4"), seconds=0.1)
    with path.open("wb") as file:
        file.write(box(b"ftyp", b"isom\0\0\2\0isom"))
        file.write(n * box(b"free"))
        file.write(plain.read_bytes())
    plain.unlink()
    return path


def huge_track_header(path: Path, n_bytes: int) -> Path:
    """An MP4 with a track header of so many bytes, none of which are on the disk."""
    with path.open("wb") as file:
        file.write(box(b"ftyp", b"isom\0\0\2\0isom"))
        for name, size in ((b"moov", n_bytes + 48), (b"trak", n_bytes + 32), (b"tkhd", n_bytes + 16)):
            file.write(struct.pack(">I4sQ", 1, name, size))
        file.truncate(file.tell() + n_bytes)
    return path


def _rebuilt(data: bytes, old: Box, tables: dict[str, bytes]) -> bytes:
    if old.type in tables:
        return box(old.type.encode(), tables[old.type]) if tables[old.type] else b""
    if not old.children:
        return data[old.offset : old.end]
    before = data[old.offset + old.header : old.children[0].offset]
    return box(
        old.type.encode("latin-1"), before + b"".join(_rebuilt(data, each, tables) for each in old.children)
    )
