"""The bytes of an upload: streamed to a partial file, never gathered in memory.

The offset is the length of the partial file. Each piece is appended under a lock and only at its position, so that two
connections sending the same file at once, one perhaps abandoned by its browser, cannot corrupt it: the slower one is
told where to continue.
"""

import fcntl
import os
import shutil
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio.to_thread
from sqlmodel import Session
from starlette.requests import ClientDisconnect, Request

from app.accounts.logins import Who
from app.core.database import Database
from app.core.ending import ENDS, is_ending
from app.core.errors import Conflict, NotFound, StudyError
from app.core.storage import is_full
from app.library import queued, uploads
from app.library.media import part_path
from app.library.names import checked_attributes, checked_source
from app.library.queued import Place
from app.library.tables import UploadStatus
from app.library.uploads import NewUpload, UploadView

PIECE_BYTES = 1 << 20
DISK_RESERVE_BYTES = 1_000_000_000
# The id of the collection that a file goes into, found in the transaction that notes the file.
Into = Callable[[Session], int]


class WrongOffset(Conflict):
    """Bytes for another position than the current end; `offset` is where to continue."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"{offset} bytes have arrived; continue from there.")
        self.offset = offset

    @property
    def details(self) -> Mapping[str, object]:
        return {"offset": self.offset}


class Interrupted(WrongOffset):
    """The service ended before a whole request arrived; the received part is kept, and `offset` continues it."""

    status_code = 503

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.args = (f"{ENDS} {offset} bytes have arrived and are kept; continue from there.",)


class TooManyBytes(StudyError):
    status_code = 413


class StorageFull(StudyError):
    status_code = 507
    title = "Storage is full"


@dataclass(frozen=True, slots=True)
class Received:
    """An upload and how much of it has come; `place` says where it is in the queue, while it waits there, and `queue`
    about how long all of the user's files take.
    """

    upload: UploadView
    offset: int
    place: str = ""
    queue: str = ""

    def to_dict(self) -> dict[str, Any]:
        view = self.upload
        return {
            "token": view.token,
            "file_name": view.file_name,
            "name": view.name,
            "source": view.source,
            "bytes": view.bytes,
            "offset": self.offset,
            "status": view.status,
            "message": view.message,
            "doing": view.doing,
            "done": view.done,
            "total": view.total,
            "place": self.place,
            "queue": self.queue,
        }


async def begin(
    database: Database,
    data_dir: Path,
    who: Who,
    new: NewUpload,
    now: datetime,
    into: Into,
) -> Received:
    """Make ready for a file of a collection. Raises what `begin_upload` and `into` do, and StorageFull."""
    uploads.check_length(new.file_name, new.bytes)
    expected = await database.read(uploads.unfinished_bytes)
    token = uploads.new_token()
    part = part_path(data_dir, token)
    # Outside the write: jobs touch rows alone, as a slow one delays every answer (decision 0001).
    await anyio.to_thread.run_sync(make_room, part, expected + new.bytes)
    try:
        view = await database.write(_begin, who, new, token, now, into)
    except BaseException:
        # Also for a cancelled request: CancelledError is no Exception.
        part.unlink(missing_ok=True)
        raise
    return Received(view, 0)


def _begin(session: Session, who: Who, new: NewUpload, token: str, now: datetime, into: Into) -> UploadView:
    return uploads.begin_upload(session, who, new, token, now, into(session))


async def receive(
    database: Database, data_dir: Path, who: Who, token: str, offset: int, request: Request, now: datetime
) -> Received:
    """Append a request's bytes, from `offset` on; at the file's end it is queued for the worker.

    Raises WrongOffset, Interrupted, TooManyBytes, StorageFull, NotFound.
    """
    view = await database.peek(uploads.upload_for, who, token)
    if view.status is not UploadStatus.RECEIVING:
        return _nothing_more(view, offset)
    at = await append_body(part_path(data_dir, token), offset, view.file_name, view.bytes, request)
    if at == view.bytes:
        view = await database.write(uploads.hand_over, who, token, now)
    return Received(view, at)


async def append_body(part: Path, offset: int, label: str, n_bytes: int, request: Request) -> int:
    """Append a request's bytes to a file that was announced with `n_bytes`; returns where its end is now.

    A whole file is on disk when this returns: after a power cut nothing must promise bytes that are gone. Raises
    WrongOffset, Interrupted, TooManyBytes, StorageFull, NotFound.
    """
    _check_announced(request, label, n_bytes, offset)
    at = offset
    async for piece in _pieces(request):
        if at + len(piece) > n_bytes:
            raise TooManyBytes(_too_many(label, n_bytes))
        at = await anyio.to_thread.run_sync(append, part, at, piece)
    if is_ending() and at < n_bytes:
        await anyio.to_thread.run_sync(_sync, part)
        raise Interrupted(at)
    if at == offset and (there := await anyio.to_thread.run_sync(length_of, part)) != offset:
        raise WrongOffset(there)
    if at == n_bytes:
        await anyio.to_thread.run_sync(_sync, part)
    return at


async def state(database: Database, data_dir: Path, who: Who, token: str) -> Received:
    """The progress of an upload."""
    view = await database.peek(uploads.upload_for, who, token)
    is_waiting = view.status is UploadStatus.WAITING
    line = await database.read(_line, who) if is_waiting else _Line({}, "")
    return await anyio.to_thread.run_sync(_received, data_dir, view, line)


async def states(database: Database, data_dir: Path, who: Who) -> Sequence[Received]:
    """The progress of each of the user's newest uploads."""
    views = await database.read(uploads.uploads_of, who)
    line = await database.read(_line, who)
    return await anyio.to_thread.run_sync(lambda: [_received(data_dir, view, line) for view in views])


@dataclass(frozen=True, slots=True)
class _Line:
    """The queue as a user sees it: where each file is, and about how long all of theirs take, in words."""

    places: Mapping[str, Place]
    says: str


def _line(session: Session, who: Who) -> _Line:
    return _Line(queued.places(session), estimate_text(session, who))


def estimate_text(session: Session, who: Who) -> str:
    """About how long the user's files in the queue take, in words; empty while it cannot be said."""
    estimate = queued.estimate(session, who)
    return estimate.says if estimate else ""


async def cancel(database: Database, data_dir: Path, who: Who, token: str, now: datetime) -> None:
    """Cancel an upload and delete what was received."""
    await database.write(uploads.call_off, who, token, now)
    await anyio.to_thread.run_sync(lambda: part_path(data_dir, token).unlink(missing_ok=True))


async def cancel_all(database: Database, data_dir: Path, who: Who, now: datetime) -> int:
    """Call off all of the user's uploads that are not over; returns how many."""
    tokens = await database.write(queued.cancel_all, who, now)
    for token in tokens:
        await anyio.to_thread.run_sync(lambda path: path.unlink(missing_ok=True), part_path(data_dir, token))
    return len(tokens)


async def take_whole(
    database: Database,
    data_dir: Path,
    who: Who,
    new: NewUpload,
    data: bytes,
    now: datetime,
    into: Into,
) -> Received:
    """A small file that came with a form."""
    begun = await begin(database, data_dir, who, new, now, into)
    part = part_path(data_dir, begun.upload.token)
    await anyio.to_thread.run_sync(append, part, 0, data)
    await anyio.to_thread.run_sync(_sync, part)
    return Received(await database.write(uploads.hand_over, who, begun.upload.token, now), len(data))


async def take_form(
    database: Database,
    data_dir: Path,
    who: Who,
    files: Sequence[tuple[str, bytes]],
    source: str,
    attributes: Mapping[str, str],
    now: datetime,
    into: Into,
) -> list[str]:
    """Small files that came with one form; returns why those were refused that were, and the others go on.

    Raises StudyError where nothing can be taken: no files, or a source or attributes that cannot be.
    """
    check_form(files, source, attributes)
    faults: list[str] = []
    for name, data in files:
        new = NewUpload(file_name=name, bytes=len(data), source=source, attributes=dict(attributes))
        try:
            await take_whole(database, data_dir, who, new, data, now, into)
        except StudyError as error:
            faults.append(str(error))
    return faults


def check_form(files: Sequence[tuple[str, bytes]], source: str, attributes: Mapping[str, str]) -> None:
    """Raises StudyError where a form has no files, or a source or attributes that cannot be."""
    checked_source(source)
    checked_attributes(attributes)
    if not files:
        raise StudyError("Choose at least one file.")


def append(part: Path, at: int, data: bytes) -> int:
    """Add bytes to the end of a part file, which has to be at `at`; returns where the end is now."""
    try:
        # Append mode would ignore the position, and make a deleted file anew.
        with part.open("r+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            end = file.seek(0, os.SEEK_END)
            if end != at:
                raise WrongOffset(end)
            view = memoryview(data)
            # An unbuffered write may take fewer bytes than it was given.
            while view:
                view = view[file.write(view) :]
    except FileNotFoundError:
        raise NotFound("The received part of this file is gone; send it from the beginning.") from None
    except OSError as error:
        if is_full(error):
            raise StorageFull(_FULL) from None
        raise
    return at + len(data)


def length_of(part: Path) -> int:
    try:
        return part.stat().st_size
    except FileNotFoundError:
        return 0


_FULL = (
    "The service has no space left for this file; ask the person who runs it to free some. "
    "What has been received is kept."
)


def make_room(part: Path, expected: int) -> None:
    """Make the file that so many bytes are to come into. Raises StorageFull where the disk has no room for them."""
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(part.parent).free < expected + DISK_RESERVE_BYTES:
            raise StorageFull(_FULL)
        part.touch(exist_ok=False)
    except OSError as error:
        if is_full(error):
            raise StorageFull(_FULL) from None
        raise


def _sync(part: Path) -> None:
    with part.open("rb") as file:
        os.fsync(file.fileno())


async def _pieces(request: Request) -> AsyncIterator[bytes]:
    """The body in pieces worth a write; what came before a lost connection too."""
    gathered = bytearray()
    try:
        async for chunk in request.stream():
            gathered += chunk
            if len(gathered) >= PIECE_BYTES:
                yield bytes(gathered)
                gathered.clear()
    except ClientDisconnect:
        pass
    if gathered:
        yield bytes(gathered)


def _check_announced(request: Request, label: str, n_bytes: int, offset: int) -> None:
    announced = request.headers.get("content-length", "")
    # int() raises for more than 4,300 digits.
    if announced.isdecimal() and offset + int(announced[:20]) > n_bytes:
        raise TooManyBytes(_too_many(label, n_bytes))


def _too_many(label: str, n_bytes: int) -> str:
    return f"{label} was announced with {n_bytes} bytes, but more arrived; send it from the beginning."


def _nothing_more(view: UploadView, offset: int) -> Received:
    if view.status in (UploadStatus.WAITING, UploadStatus.DONE) and offset == view.bytes:
        return Received(view, view.bytes)
    raise Conflict(f"{view.file_name} takes no more bytes; it is {view.status}.")


def _received(data_dir: Path, view: UploadView, line: _Line) -> Received:
    if view.status is not UploadStatus.RECEIVING:
        place = line.places.get(view.token)
        is_waiting = view.status is UploadStatus.WAITING
        return Received(view, view.bytes, place.says if place else "", line.says if is_waiting else "")
    return Received(view, length_of(part_path(data_dir, view.token)))
