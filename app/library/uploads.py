"""Files on their way in: asked for, received in pieces, handed to the worker, taken up or refused."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from sqlmodel import Session, col, func, select

from app.accounts.audit import record
from app.accounts.logins import Who
from app.core.errors import Conflict, NotFound, StudyError
from app.jobs import queue
from app.jobs.tables import Job, JobStatus, Kind
from app.library.documents import LARGEST_BYTES
from app.library.kinds import kind_of
from app.library.media import TOKEN
from app.library.names import (
    LONGEST_KEY,
    LONGEST_VALUE,
    MOST_ATTRIBUTES,
    checked_attributes,
    checked_name,
    checked_source,
    label_of,
    name_from,
    suffix_of,
)
from app.library.tables import LIBRARY, Stimulus, Upload, UploadStatus

LARGEST_FILE_BYTES = 4_000_000_000
MOST_UNFINISHED = 100  # files of one user of which not all has come
MOST_UNFINISHED_BYTES = 40_000_000_000  # of one user, those waiting for the worker included
MOST_SHOWN = 1000  # of one user, the newest
STALE_AFTER = timedelta(days=7)
STANDING = (UploadStatus.RECEIVING, UploadStatus.WAITING)


class UploadRefused(StudyError):
    """This file is not taken."""

    status_code = 422


class TooManyUploads(StudyError):
    """Too many uploads are under way; one has to end first."""

    status_code = 429


class NewUpload(BaseModel):
    """A file about to be sent. Its name is a label, and the basis of the stimulus's `name` if none is given."""

    model_config = ConfigDict(extra="forbid", strict=True)

    file_name: Annotated[str, Field(max_length=20_000)]
    # JavaScript's numbers are whole up to 2**53 only.
    bytes: Annotated[int, Field(ge=0, lt=2**53, description="how long the file is")]
    source: Annotated[str, Field(max_length=200, description="human, hybrid, symbolic, ...")]
    attributes: Annotated[
        dict[Annotated[str, Field(max_length=LONGEST_KEY)], Annotated[str, Field(max_length=LONGEST_VALUE)]],
        Field(max_length=MOST_ATTRIBUTES),
    ] = {}
    name: Annotated[str, Field(max_length=200)] | None = None
    collection: Annotated[
        str, Field(max_length=100, description="the name of a collection; `library` unless said")
    ] = ""


@dataclass(frozen=True, slots=True)
class UploadView:
    """An upload as shown to pages and programs.

    `name` is the stimulus's, `message` why it was refused or what is unusual about it. During processing, `done` of
    `total` steps are done and `doing` names the current one.
    """

    token: str
    file_name: str
    bytes: int
    status: UploadStatus
    name: str
    source: str
    message: str
    created_at: datetime
    ended_at: datetime | None
    doing: str = ""
    done: int = 0
    total: int = 0

    @property
    def is_over(self) -> bool:
        return self.status not in STANDING


def begin_upload(
    session: Session, who: Who, new: NewUpload, token: str, now: datetime, collection: int = LIBRARY
) -> UploadView:
    """Note a file about to come. Raises UploadRefused, TooManyUploads, BadStimulus, or Conflict for a taken name."""
    check_length(new.file_name, new.bytes)
    source, attributes = checked_source(new.source), checked_attributes(new.attributes)
    _check_room(session, who, new.bytes)
    taken = names_taken(session)
    name = name_from(new.file_name, taken) if not (new.name or "").strip() else checked_name(new.name or "")
    if name in taken:
        raise Conflict(f"There is a clip, record or text called {name} already; give this one another name.")
    upload = Upload(
        token=token,
        user_id=who.user_id,
        file_name=label_of(new.file_name),
        bytes=new.bytes,
        name=name,
        source=source,
        attributes=attributes,
        created_at=now,
        collection_id=collection,
    )
    session.add(upload)
    session.flush()
    return _view(upload, None)


def new_token() -> str:
    return secrets.token_urlsafe(24)


def check_length(file_name: str, n_bytes: int) -> None:
    """Raises UploadRefused for a file that is empty or too large."""
    label = label_of(file_name)
    if n_bytes == 0:
        raise UploadRefused(f"{label} is empty.")
    most = LARGEST_BYTES.get(kind_of(file_name))
    if most is not None and n_bytes > most:
        raise UploadRefused(
            f"{label} has {n_bytes / 1000:.0f} kB; a {kind_of(file_name)} has at most {most // 1000}."
        )
    if n_bytes > LARGEST_FILE_BYTES:
        limit = f"{LARGEST_FILE_BYTES / 10**9:g} GB"
        raise UploadRefused(f"{label} has {n_bytes / 10**9:.1f} GB; at most {limit} are taken. Cut it first.")


def _check_room(session: Session, who: Who, n_bytes: int) -> None:
    mine = (
        select(Upload.status, func.count(), func.coalesce(func.sum(Upload.bytes), 0))
        .where(Upload.user_id == who.user_id, col(Upload.status).in_(STANDING))
        .group_by(Upload.status)
    )
    standing = {status: (count, int(total)) for status, count, total in session.exec(mine)}
    if standing.get(UploadStatus.RECEIVING, (0, 0))[0] >= MOST_UNFINISHED:
        raise TooManyUploads(
            f"{MOST_UNFINISHED} of your uploads are not finished. Let them finish, or discard them, and try again."
        )
    if sum(total for _, total in standing.values()) + n_bytes > MOST_UNFINISHED_BYTES:
        limit = f"{MOST_UNFINISHED_BYTES / 10**9:g} GB"
        raise TooManyUploads(f"More than {limit} of yours are uploading; wait until some are processed.")


def unfinished_bytes(session: Session) -> int:
    """The most bytes that all uploads under way can need."""
    total = select(func.coalesce(func.sum(Upload.bytes), 0)).where(col(Upload.status).in_(STANDING))
    return int(session.exec(total).one())


def names_taken(session: Session) -> set[str]:
    """Names of stimuli, and those promised to files that are on their way."""
    coming = select(Upload.name).where(col(Upload.status).in_(STANDING))
    return {*session.exec(select(Stimulus.name)), *session.exec(coming)}


def upload_for(session: Session, who: Who, token: str) -> UploadView:
    """One of the user's own uploads. Raises NotFound."""
    upload = _mine(session, who, token)
    return _view(upload, session.get(Job, upload.job_id) if upload.job_id else None)


def uploads_of(session: Session, who: Who, *, limit: int = MOST_SHOWN) -> Sequence[UploadView]:
    """The user's uploads, the newest first."""
    mine = select(Upload, Job).outerjoin(Job, col(Job.id) == col(Upload.job_id))
    mine = mine.where(Upload.user_id == who.user_id).order_by(col(Upload.id).desc()).limit(limit)
    return [_view(upload, job) for upload, job in session.exec(mine)]


def hand_over(session: Session, who: Who, token: str, now: datetime) -> UploadView:
    """All has come: the worker's turn. Asked again, nothing changes."""
    upload = _mine(session, who, token, hold=True)
    if upload.status == UploadStatus.RECEIVING:
        # The queue holds it back while this collection is processed anew.
        params = {
            "token": token,
            "suffix": suffix_of(upload.file_name),
            "collection": upload.collection_id,
        }
        upload.job_id = queue.ask(session, Kind.IMPORT, params, now=now, asked_by=who.user_id)
        upload.status = UploadStatus.WAITING
        session.add(upload)
        session.flush()
        said = {"name": upload.name, "source": upload.source, "bytes": upload.bytes}
        record(session, who.actor, "upload.send", now=now, subject=upload.file_name, after=said)
    return _view(upload, session.get(Job, upload.job_id) if upload.job_id else None)


def call_off(session: Session, who: Who, token: str, now: datetime) -> None:
    """The user no longer wants it. Raises Conflict for an upload that is over."""
    upload = _mine(session, who, token, hold=True)
    if upload.status not in STANDING:
        raise Conflict(f"{upload.file_name} is no longer uploading; it is {upload.status}.")
    job = session.get(Job, upload.job_id) if upload.job_id else None
    if job is not None and job.status in queue.STANDING:
        queue.cancel(session, job.id or 0, now)
    end(session, upload, UploadStatus.CANCELLED, "", now)


def end(session: Session, upload: Upload, status: UploadStatus, message: str, now: datetime) -> None:
    upload.status, upload.message, upload.ended_at = status, message, now
    session.add(upload)


def upload_in(session: Session, token: str, *, hold: bool = False) -> Upload | None:
    """The row of an upload; `hold` keeps others from changing it meanwhile."""
    wanted = select(Upload).where(Upload.token == token)
    return session.exec(wanted.with_for_update() if hold else wanted).first()


def _mine(session: Session, who: Who, token: str, *, hold: bool = False) -> Upload:
    upload = upload_in(session, token, hold=hold) if TOKEN.fullmatch(token) else None
    if upload is None or upload.user_id != who.user_id:
        raise NotFound("There is no such upload.")
    return upload


def _view(upload: Upload, job: Job | None) -> UploadView:
    is_at_work = job is not None and job.status == JobStatus.RUNNING
    status, message = UploadStatus(upload.status), upload.message
    if status is UploadStatus.WAITING and job is not None and job.status not in queue.STANDING:
        # Its job was called off, or died, without a word to the upload.
        failed = job.status == JobStatus.FAILED
        status, message = (UploadStatus.REFUSED if failed else UploadStatus.CANCELLED), job.message
    return UploadView(
        token=upload.token,
        file_name=upload.file_name,
        bytes=upload.bytes,
        status=status,
        name=upload.name,
        source=upload.source,
        message=message,
        created_at=upload.created_at,
        ended_at=upload.ended_at,
        doing=job.doing if job is not None and is_at_work else "",
        done=job.done if job is not None and is_at_work else 0,
        total=job.total if job is not None and is_at_work else 0,
    )
