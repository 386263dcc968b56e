"""Uploads into the library: looked at, processed by the rules in force, taken up or refused with the reason."""

import logging
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlmodel import Session, col, select

from app.accounts.audit import record
from app.accounts.logins import Who
from app.accounts.tables import Role, User
from app.catalog.rules import hold_library, rules_in_force, settle_size
from app.core.errors import StudyError
from app.library.clips.errors import ClipRefused
from app.library.clips.facts import ClipInfo, differences
from app.library.clips.framing import proposed_frame
from app.library.clips.imported import ImportedClip
from app.library.clips.probe import probe
from app.library.clips.process import frames_left
from app.library.clips.rules import Rules
from app.library.clips.single import Arrived, import_one
from app.library.clips.store import file_sha256
from app.library.contents import add_documents
from app.library.documents import LARGEST_BYTES, Document, ImportedDocument, read_document, read_some
from app.library.drawing import draw
from app.library.kinds import StimulusKind, kind_of
from app.library.media import frame_path, part_path
from app.library.names import free_name
from app.library.stimuli import add_stimuli
from app.library.tables import Stimulus, Upload, UploadStatus
from app.library.uploads import end, upload_in
from app.studies.seeing import seen_by
from app.worker.context import Cancelled, Stopping, Work
from app.worker.tidying import tidy

MOST_TRIES = 3
_log = logging.getLogger("likely-human.worker")
_OUR_FAULT = (
    "could not be processed: something went wrong on our side. "
    "Please send it again, or ask the person who runs this service"
)


def import_clip(work: Work) -> dict[str, Any] | None:
    """`params`: token and suffix of an upload."""
    tidy(work.settings.data_dir, work.database, work.now())
    token = work.params["token"]
    part = part_path(work.settings.data_dir, token)
    with work.database.reading() as session:
        upload = upload_in(session, token)
    # Done before the worker died, or called off while it waited: this may run twice.
    if upload is None or upload.status != UploadStatus.WAITING:
        _forget(part)
        return None
    return _settled(work, upload, part)


def _settled(work: Work, upload: Upload, part: Path) -> dict[str, Any]:
    """The upload taken up or refused. A worker that a file has killed thrice looks at it no more."""
    try:
        if _count_try(part) > MOST_TRIES:
            raise ClipRefused(part, "could not be read: the program that reads it has failed each time")
        return _take_up(work, upload, part)
    except Stopping:
        # An orderly end is not the file's fault, so the tries begin anew.
        _tries(part).unlink(missing_ok=True)
        raise
    except Cancelled:
        _end(work, upload, UploadStatus.CANCELLED, "")
        _forget(part)
        raise
    except ClipRefused as refusal:
        return _refuse(work, upload, part, refusal.reason)
    except OSError as error:
        _log.exception("upload %s", upload.token)
        return _refuse(work, upload, part, f"could not be kept: {error.strerror or error}")
    except Exception:
        _refuse(work, upload, part, _OUR_FAULT)
        raise


def _take_up(work: Work, upload: Upload, part: Path) -> dict[str, Any]:
    work.progress(0, 0, f"Looking at {upload.file_name}")
    if kind_of(upload.file_name) is not StimulusKind.CLIP:
        return _take_up_document(work, upload, part)
    # Before the codec: a file that is there already costs no decoding.
    sha256 = file_sha256(part).sha256
    with work.database.reading() as session:
        _refuse_duplicate(session, _who(session, upload), part, sha256, upload.collection_id)
    # Not to its end: processing decodes all of it.
    info = probe(part, to_end=False)
    picture = frame_path(work.settings.data_dir, sha256)
    added = None
    while added is None:
        with work.database.transaction() as session:
            size = proposed_frame([(info.width, info.height)])
            rules, _ = settle_size(session, size, work.now(), upload.collection_id)
        # Between two transactions, as encoding takes seconds and writers wait for each other; `_add` looks again.
        clip = _processed(work, upload, part, rules, info, None if picture.exists() else picture)
        with work.database.transaction() as session:
            added = _add(session, upload, part, clip, info, work.now())
    _make_sure(work, part, clip, info)
    _forget(part)
    return added


def _take_up_document(work: Work, upload: Upload, part: Path) -> dict[str, Any]:
    kind = kind_of(upload.file_name)
    data = read_some(part, LARGEST_BYTES[kind] + 1)
    try:
        document = read_document(kind, data)
    except StudyError as error:
        raise ClipRefused(part, f"was not taken: {str(error).removesuffix('.')}") from None
    with work.database.transaction() as session:
        row = upload_in(session, upload.token, hold=True)
        if row is None or row.status != UploadStatus.WAITING:
            raise Cancelled
        who = _who(session, row)
        _refuse_same_content(session, who, part, document, row.collection_id)
        name = free_name(row.name, set(session.exec(select(Stimulus.name))))
        new = ImportedDocument(name, row.source, row.attributes, document, row.file_name, len(data))
        add_documents(session, [new], work.now(), uploaded_by=row.user_id, collection=row.collection_id)
        session.flush()
        _settle(session, row, who, name, "", work.now())
    _forget(part)
    return {"stimulus": name}


def _refuse_same_content(session: Session, who: Who, part: Path, document: Document, collection: int) -> None:
    same = select(Stimulus.name).where(
        Stimulus.content_sha256 == document.sha256, Stimulus.collection_id == collection, seen_by(who)
    )
    if name := session.exec(same.limit(1)).first():
        raise ClipRefused(
            part, f"has the same content as the {document.kind} {name}, which is in the library already"
        )


def _processed(
    work: Work, upload: Upload, part: Path, rules: Rules, info: ClipInfo, picture: Path | None
) -> ImportedClip:
    frames_left(part, info.duration_s, rules)
    arrived = Arrived(
        path=part,
        name=upload.name,
        source=upload.source,
        attributes=upload.attributes,
        original_name=upload.file_name,
        suffix=work.params["suffix"],
        seen=info,
    )

    def tell(done: int, total: int) -> None:
        work.progress(done, total, f"Processing {upload.file_name}")

    return import_one(arrived, rules, work.store, on_frame=tell, picture=picture)


def _add(
    session: Session, upload: Upload, part: Path, clip: ImportedClip, info: ClipInfo, now: datetime
) -> dict[str, Any] | None:
    """The stimulus, and the upload done; None where the rules have changed meanwhile. Raises Cancelled, ClipRefused."""
    hold_library(session)
    row = upload_in(session, upload.token, hold=True)
    if row is None or row.status != UploadStatus.WAITING:
        raise Cancelled
    if rules_in_force(session, row.collection_id)[0] != clip.rules:
        return None
    who = _who(session, row)
    # Again under the lock: the same file may have come twice at once.
    _refuse_duplicate(session, who, part, clip.original_sha256, row.collection_id)
    # The name was free when the upload began; an import at the command line may have taken it since.
    name = free_name(row.name, set(session.exec(select(Stimulus.name))))
    add_stimuli(
        session,
        [replace(clip, name=name)],
        now,
        uploaded_by=row.user_id,
        collection=row.collection_id,
    )
    session.flush()
    _settle(session, row, who, name, " ".join(differences(info, clip.rules)), now)
    return {"stimulus": name}


def _settle(session: Session, row: Upload, who: Who, name: str, remarks: str, now: datetime) -> None:
    """The upload is the stimulus `name`."""
    row.stimulus_id = session.exec(select(Stimulus.id).where(Stimulus.name == name)).one()
    row.name = name
    end(session, row, UploadStatus.DONE, remarks, now)
    said = {"name": name, "source": row.source, "attributes": dict(row.attributes), "file": row.file_name}
    record(session, who.actor, "stimulus.add", now=now, subject=name, after=said)


def _who(session: Session, upload: Upload) -> Who:
    user = session.get_one(User, upload.user_id)
    return Who(upload.user_id, user.email, Role(user.role))


def _refuse_duplicate(session: Session, who: Who, part: Path, sha256: str, collection: int) -> None:
    """Another collection may have the same file: its rules may be others."""
    same = select(Stimulus.name).where(
        Stimulus.original_sha256 == sha256,
        col(Stimulus.clip_sha256).is_not(None),
        Stimulus.collection_id == collection,
    )
    if name := session.exec(same.where(seen_by(who)).limit(1)).first():
        raise ClipRefused(part, f"is the same file as the clip {name}, which is in the library already")
    if session.exec(same.limit(1)).first():
        raise ClipRefused(
            part, "is in the library already, in studies that are not shared with you: ask an owner"
        )


def _make_sure(work: Work, part: Path, clip: ImportedClip, info: ClipInfo) -> None:
    """Restore what a concurrent deletion of the same clip may have removed, and add the pictures."""
    data_dir = work.settings.data_dir
    if not (
        work.store.has_original(clip.original_sha256) and work.store.clip_path(clip.clip_sha256).exists()
    ):
        again = Arrived(part, clip.name, clip.source, {}, clip.original_name, work.params["suffix"], info)
        import_one(again, clip.rules, work.store)
    draw(work.store, data_dir, clip.clip_sha256, clip.original_sha256)


def _refuse(work: Work, upload: Upload, part: Path, reason: str) -> dict[str, Any]:
    message = f"{upload.file_name} {reason}."
    _end(work, upload, UploadStatus.REFUSED, message)
    _forget(part)
    return {"refused": message}


def _end(work: Work, upload: Upload, status: UploadStatus, message: str) -> None:
    with work.database.transaction() as session:
        row = upload_in(session, upload.token, hold=True)
        if row is not None and row.status == UploadStatus.WAITING:
            end(session, row, status, message, work.now())


def _count_try(part: Path) -> int:
    with _tries(part).open("ab") as file:
        return file.tell() + file.write(b".")


def _tries(part: Path) -> Path:
    return part.with_suffix(".tries")


def _forget(part: Path) -> None:
    part.unlink(missing_ok=True)
    _tries(part).unlink(missing_ok=True)
