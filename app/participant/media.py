"""Clips over HTTP: ranges of the padded file, and headers that tell nothing of the clip."""

from collections.abc import AsyncIterator
from pathlib import Path

import anyio.to_thread
from fastapi import Response
from fastapi.responses import StreamingResponse

from app.clips.errors import RangeNotSatisfiable
from app.clips.padded import ByteRange, PaddedClip, parse_range
from app.study.shown import ServedClip

CHUNK_BYTES = 1 << 20


def clip_response(path: Path, served: ServedClip, range_header: str | None) -> Response:
    """Answer a whole or partial request. No ETag and no date: they would be the clip's, whoever it is shown to."""
    clip = PaddedClip(path, served.clip_bytes, served.padded_bytes)
    size = served.padded_bytes
    headers = {"Accept-Ranges": "bytes", "Cache-Control": "private, max-age=86400, immutable"}
    try:
        wanted = parse_range(range_header, size)
    except RangeNotSatisfiable:
        return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{size}"})
    start, length = part = wanted or ByteRange(0, size)
    headers["Content-Length"] = str(length)
    if wanted:
        headers["Content-Range"] = part.content_range(size)
    return StreamingResponse(
        _chunks(clip, start, start + length), 206 if wanted else 200, headers, "video/mp4"
    )


async def _chunks(clip: PaddedClip, start: int, stop: int) -> AsyncIterator[bytes]:
    for offset in range(start, stop, CHUNK_BYTES):
        yield await anyio.to_thread.run_sync(clip.read, offset, min(CHUNK_BYTES, stop - offset))
