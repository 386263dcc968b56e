"""Files that mean harm."""

import struct
from pathlib import Path

from app.library.clips.mp4 import Box, boxes


def claim_frames(path: Path, n: int) -> Path:
    """Rewrite an MP4's sample tables to claim `n` frames of a byte each, in one chunk."""

    def box(kind: bytes, payload: bytes) -> bytes:
        return struct.pack(">I4s", 8 + len(payload), kind) + payload

    claims = {
        "stts": box(b"stts", struct.pack(">IIII", 0, 1, n, 1)),
        "stsc": box(b"stsc", struct.pack(">IIIII", 0, 1, 1, n, 1)),
        "stsz": box(b"stsz", struct.pack(">III", 0, 0, n) + b"\0\0\0\1" * n),
        "ctts": b"",
        "stss": b"",
    }
    data = path.read_bytes()

    def rewritten(found: Box) -> bytes:
        if found.type in claims:
            return claims[found.type]
        if not found.children:
            return data[found.offset : found.end]
        head = data[found.offset + 8 : found.children[0].offset]
        return box(found.type.encode(), head + b"".join(map(rewritten, found.children)))

    whole = b"".join(map(rewritten, boxes(path)))
    path.write_bytes(whole + bytes(n))  # so that there is a byte for each frame
    return path
