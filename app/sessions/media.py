"""Clips over HTTP: ranges of the padded file, headers that reveal nothing, and a record of bytes sent."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from fastapi import Response
from fastapi.responses import StreamingResponse
from sqlalchemy import bindparam, select, update
from sqlmodel import Session, SQLModel
from starlette.types import Message, Receive, Scope, Send

from app.core.errors import StudyError
from app.core.language import gettext as _
from app.core.language import noop
from app.library.clips.errors import RangeNotSatisfiable
from app.library.clips.padded import ByteRange, PaddedClip, parse_range
from app.sessions.clips import ServedClip
from app.trials.evidence import Ranges
from app.trials.tables import Trial

CHUNK_BYTES = 1 << 20
# A media element asks for a few ranges; whoever asks for more of them has nothing to be held against.
MOST_RANGES = 200
_trial = SQLModel.metadata.tables[str(Trial.__tablename__)]
# What was sent of a trial's clips; whoever holds the trial's row adds to it.
SENT = select(_trial.c.sent).where(_trial.c.id == bindparam("trial_id")).with_for_update()
NOTE_SENT = update(_trial).where(_trial.c.id == bindparam("trial_id")).values(sent=bindparam("now_sent"))


class ClipMissing(StudyError):
    """The file of a shown clip is missing on the server; not the client's fault."""

    status_code = 503
    title = noop("A video is missing")

    def __init__(self) -> None:
        super().__init__(_("The server of this study cannot send this video: its file is missing there."))


class _Counted(StreamingResponse):
    """A clip or part of it, from byte `start`; reports the range sent when it ends or is cut off."""

    def __init__(self, *args: Any, start: int, on_sent: Callable[[int, int], None]) -> None:
        super().__init__(*args)
        self._start, self._on_sent = start, on_sent

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent = 0

        async def counting(message: Message) -> None:
            nonlocal sent
            await send(message)
            sent += len(message.get("body", b""))

        try:
            await super().__call__(scope, receive, counting)
        # A browser that has enough closes the connection; what it was sent until then counts, too.
        finally:
            if sent and scope["method"] != "HEAD":
                self._on_sent(self._start, self._start + sent)


def clip_response(
    path: Path, served: ServedClip, range_header: str | None, on_sent: Callable[[int, int], None]
) -> Response:
    """Answer a whole or partial request. Sends no ETag and no date: they would be the same for everyone who sees the
    clip.

    `on_sent` is called once, with the first byte sent and the position after the last.
    """
    clip = PaddedClip(path, served.clip_bytes, served.padded_bytes)
    size = served.padded_bytes
    # ETags, dates and sizes have all given sources away (docs/decisions/0005).
    headers = {"Accept-Ranges": "bytes", "Cache-Control": "private, max-age=86400, immutable"}
    try:
        wanted = parse_range(range_header, size)
    except RangeNotSatisfiable:
        return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{size}"})
    start, length = part = wanted or ByteRange(0, size)
    headers["Content-Length"] = str(length)
    if wanted:
        headers["Content-Range"] = part.content_range(size)
    chunks = _chunks(clip, start, start + length)
    return _Counted(chunks, 206 if wanted else 200, headers, "video/mp4", start=start, on_sent=on_sent)


async def _chunks(clip: PaddedClip, start: int, stop: int) -> AsyncIterator[bytes]:
    for offset in range(start, stop, CHUNK_BYTES):
        # In a thread: reading a file blocks, and the event loop serves all participants.
        yield await anyio.to_thread.run_sync(clip.read, offset, min(CHUNK_BYTES, stop - offset))


async def is_there(path: Path, n_bytes: int) -> bool:
    """The file is at `path`, with as many bytes as were imported."""
    try:
        return (await anyio.Path(path).stat()).st_size == n_bytes
    except OSError:
        return False


def note_missing(session: Session, trial_id: int, place: str) -> None:
    """Record that the bytes sent of a missing clip are unknown from now on, so that no flag is raised."""
    row = session.connection().execute(SENT, {"trial_id": trial_id}).first()
    if row is not None and row.sent is not None:
        values = {"trial_id": trial_id, "now_sent": {**row.sent, place: None}}
        session.connection().execute(NOTE_SENT, values)


def note_sent(session: Session, trial_id: int, place: str, start: int, stop: int) -> None:
    """Add the bytes from `start` up to `stop` of a clip to those sent."""
    row = session.connection().execute(SENT, {"trial_id": trial_id}).first()
    if row is None:
        return  # a preview whose design was saved anew
    before: Ranges | None = (row.sent or {}).get(place)
    if before is None or stop <= start:
        return
    sent = with_range(before, start, stop)
    if sent != before and len(sent) <= MOST_RANGES:
        values = {"trial_id": trial_id, "now_sent": {**row.sent, place: sent}}
        session.connection().execute(NOTE_SENT, values)


def with_range(ranges: Ranges, start: int, stop: int) -> Ranges:
    """Ranges in order, none touching another, with one more."""
    merged: Ranges = []
    for first, last in sorted([*ranges, [start, stop]]):
        if merged and first <= merged[-1][1]:
            merged[-1] = [merged[-1][0], max(merged[-1][1], last)]
        else:
            merged.append([first, last])
    return merged
