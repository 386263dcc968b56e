"""Deletion of a study with all its data. Clips stay in the library."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Table, or_
from sqlalchemy import delete as delete_from
from sqlalchemy import select as select_columns
from sqlmodel import Session, SQLModel, col, func, select, update

from app.accounts.audit import Actor, record
from app.accounts.tables import AuditEntry
from app.core.errors import StudyError
from app.jobs.tables import Job
from app.library.media import TOKEN
from app.library.places import judging_folder, package_folder, report_folder, results_folder, sent_verdicts
from app.library.tables import Collection, LibraryRules, Stimulus, StudyCollection, Upload
from app.studies.access import StudyHere
from app.studies.archiving import refuse_open
from app.studies.launch import hold
from app.trials.tables import Mode, ParticipantSession, Study, StudyVersion

FOLDERS = (report_folder, package_folder, judging_folder, results_folder)


class WrongName(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class Deleted:
    """Files of a deleted study in the data folder: folders by job, files of verdicts by token."""

    jobs: Sequence[int]
    verdicts: Sequence[str]


def delete_study(session: Session, by: Actor, study: StudyHere, name: str, now: datetime) -> Deleted:
    """Delete every row that belongs to the study; `name` is typed to confirm it. The caller removes the files.

    The audit log keeps the deletion. Earlier entries keep who did what and when, but no longer refer to this study:
    another one may take its name. Raises WrongName, Conflict while it takes participants, NotFound if it is already
    deleted.
    """
    if name.strip() != study.slug:
        raise WrongName(f"To delete this study for ever, type its name, {study.slug}.")
    row = hold(session, study)
    refuse_open(row, "deleted")
    _hold_sessions(session, study.id)
    n_sessions = session.exec(_sessions(func.count(), study.id)).one()
    jobs = session.exec(select(Job).where(Job.study_id == study.id)).all()
    files = [str(job.params.get("file") or "") for job in jobs]
    deleted = Deleted([job.id or 0 for job in jobs], [token for token in files if TOKEN.fullmatch(token)])
    own = row.collection_id
    session.expunge_all()
    # Rows that refer to others go first, as the foreign keys demand.
    for table in reversed(SQLModel.metadata.sorted_tables):
        if (belongs := belonging(table, study.id)) is not None:
            session.execute(delete_from(table).where(belongs))
    if own is not None:
        _forget_empty(session, own)
    _forget_in_log(session, study.slug)
    after = {"sessions": n_sessions}
    record(session, by, "study.delete", now=now, subject=study.slug, after=after)
    return deleted


def _forget_empty(session: Session, collection: int) -> None:
    """Delete a collection that holds nothing; one with stimuli stays, and is shared from then on."""
    of_it = [each.collection_id == collection for each in (Stimulus, Upload)]
    if any(session.exec(select(func.count()).where(each)).one() for each in of_it):
        return
    for table in (LibraryRules, StudyCollection):
        session.execute(delete_from(table).where(col(table.collection_id) == collection))
    session.execute(delete_from(Collection).where(col(Collection.id) == collection))


def belonging(table: Table, study_id: int) -> ColumnElement[bool] | None:
    """The condition for a table's rows of the study, by every reference to a table that has some; None if none."""
    if table.name == Study.__tablename__:
        return table.c.id == study_id
    parts = []
    for key in table.foreign_keys:
        owner = key.column.table
        if owner is not table and (theirs := belonging(owner, study_id)) is not None:
            parts.append(key.parent.in_(select_columns(key.column).where(theirs)))
    return or_(*parts) if parts else None


def _sessions(what: Any, study_id: int) -> Any:
    return (
        select(what)
        .select_from(ParticipantSession)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .where(StudyVersion.study_id == study_id, ParticipantSession.mode != Mode.PREVIEW)
    )


def _hold_sessions(session: Session, study_id: int) -> None:
    """Lock the study's sessions: new sessions and answers wait while all are deleted, and then find none."""
    # In one order everywhere, so that two deletions cannot wait for each other's rows.
    versions = select(StudyVersion.id).where(StudyVersion.study_id == study_id).order_by(col(StudyVersion.id))
    ids = session.exec(versions.with_for_update()).all()
    theirs = select(ParticipantSession.id).where(col(ParticipantSession.version_id).in_(ids))
    session.exec(theirs.order_by(col(ParticipantSession.id)).with_for_update()).all()


def _forget_in_log(session: Session, slug: str) -> None:
    """Remove details from the log: they hold reasons, notes, participants' ids and the study's texts."""
    earlier = update(AuditEntry).where(col(AuditEntry.study) == slug)
    session.execute(earlier.values(study=None, subject=slug, before=None, after=None))


def remove_files(data_dir: Path, deleted: Deleted) -> None:
    """Remove the files of a deleted study; files left by a crash are removed when the worker next tidies up."""
    for job in deleted.jobs:
        remove_outputs(data_dir, job)
    for token in deleted.verdicts:
        sent_verdicts(data_dir, token).unlink(missing_ok=True)


def remove_outputs(data_dir: Path, job_id: int) -> None:
    """Remove a job's output."""
    for folder in FOLDERS:
        shutil.rmtree(folder(data_dir, job_id), ignore_errors=True)
