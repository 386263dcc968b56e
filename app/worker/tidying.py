"""Removal of leftovers in the data folder: unfinished uploads, partial imports, old previews."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlmodel import col, select

from app.core.database import Database
from app.jobs.queue import STANDING as JOBS_STANDING
from app.jobs.tables import Job, Kind
from app.library.media import reprocess_folder, uploads_folder
from app.library.tables import Upload, UploadStatus
from app.library.uploads import STALE_AFTER, STANDING, end
from app.studies.deleting import FOLDERS, remove_outputs

EVERY = timedelta(hours=1)
SCRATCH_FOR = timedelta(days=2)
PREVIEWS_FOR = timedelta(days=7)
EXPORTS_FOR = timedelta(
    hours=2
)  # downloads are deleted when sent; these were left by a service that was killed


def tidy(data_dir: Path, database: Database, now: datetime) -> None:
    """Remove stale files; at most once an hour, however often it is called."""
    mark = data_dir / "incoming" / ".tidied"
    if mark.exists() and now.timestamp() - mark.stat().st_mtime < EVERY.total_seconds():
        return
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    _end_stale_uploads(data_dir, database, now)
    _remove_parts(data_dir, database, now)
    _remove_old(_scratch(data_dir, database), now - SCRATCH_FOR)
    _remove_old(list((data_dir / "previews").glob("*")), now - PREVIEWS_FOR)
    _remove_outputs_of_deleted(data_dir, database)
    _remove_old(list((data_dir / "exports").glob("*")), now - EXPORTS_FOR)


def _end_stale_uploads(data_dir: Path, database: Database, now: datetime) -> None:
    with database.transaction() as session:
        old = select(Upload).where(
            Upload.status == UploadStatus.RECEIVING, col(Upload.created_at) < now - STALE_AFTER
        )
        abandoned = (
            select(Upload)
            .join(Job, col(Job.id) == col(Upload.job_id))
            .where(Upload.status == UploadStatus.WAITING, col(Job.status).not_in(JOBS_STANDING))
        )
        for upload in session.exec(abandoned):
            end(session, upload, UploadStatus.CANCELLED, "", now)
        for upload in session.exec(old):
            if _touched_at(uploads_folder(data_dir) / f"{upload.token}.part") < now - STALE_AFTER:
                days = f"It was not finished within {STALE_AFTER.days} days."
                end(session, upload, UploadStatus.CANCELLED, days, now)


def _remove_parts(data_dir: Path, database: Database, now: datetime) -> None:
    with database.reading() as session:
        coming = set(session.exec(select(Upload.token).where(col(Upload.status).in_(STANDING))))
    left = [path for path in uploads_folder(data_dir).glob("*") if path.stem not in coming]
    _remove_old(left, now - STALE_AFTER)


def _remove_outputs_of_deleted(data_dir: Path, database: Database) -> None:
    """Remove output that a study's deletion left because the service ended."""
    folders = {path.parent for path in (folder(data_dir, 0) for folder in FOLDERS)}
    # Folders before rows: a job that is asked for in between is known, and loses nothing.
    found = {int(path.name) for folder in folders for path in folder.glob("*") if path.name.isdecimal()}
    with database.reading() as session:
        known = set(session.exec(select(Job.id)))
    for job_id in found - known:
        remove_outputs(data_dir, job_id)


def _scratch(data_dir: Path, database: Database) -> list[Path]:
    """All files in `incoming` but uploads and those of unfinished jobs."""
    with database.reading() as session:
        jobs = select(Job.id).where(Job.kind == Kind.REPROCESS, col(Job.status).in_(JOBS_STANDING))
        busy = {reprocess_folder(data_dir, job_id or 0) for job_id in session.exec(jobs)}
    kept = {uploads_folder(data_dir), data_dir / "incoming" / ".tidied", *busy}
    return [path for path in (data_dir / "incoming").glob("*") if path not in kept]


def _remove_old(paths: list[Path], before: datetime) -> None:
    for path in paths:
        if _touched_at(path) < before:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _touched_at(path: Path) -> datetime:
    """The time a file, or the newest in a folder, was last written; the epoch if there is none."""
    found = [0.0]
    for each in (path, *path.rglob("*")):
        try:
            found.append(each.stat().st_mtime)
        except OSError:
            continue
    return datetime.fromtimestamp(max(found), UTC)
