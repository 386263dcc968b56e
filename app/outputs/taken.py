"""Live answers that were taken out of the service: tables and packages that were downloaded."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, or_, select
from sqlmodel import Session, SQLModel

from app.accounts.tables import AuditEntry
from app.core.statements import Hot
from app.jobs.queue import jobs_of
from app.jobs.tables import JobStatus, Kind
from app.outputs.outputs import last_response, package_subject
from app.studies.access import StudyHere
from app.tasks.listed import SHORT_TASK, TASKS
from app.trials.tables import Mode

_EXPORT, _DOWNLOAD, _WRITE = "data.export", "package.download", "package.write"
_audit = SQLModel.metadata.tables[str(AuditEntry.__tablename__)]
_NOTED = Hot(
    select(_audit.c.action, _audit.c.subject, _audit.c.at)
    .where(
        _audit.c.study == bindparam("slug"),
        or_(*(_audit.c.action == action for action in (_EXPORT, _DOWNLOAD, _WRITE))),
    )
    .order_by(_audit.c.at)
)


@dataclass(frozen=True, slots=True)
class Taken:
    """`at`: until when all live answers were downloaded; `answered`: the last one. Each None where there is none.

    `missing` are the tables of answers that were not downloaded, where others were.
    """

    at: datetime | None
    answered: datetime | None
    missing: Sequence[str] = ()

    @property
    def is_all(self) -> bool:
        """True if nothing is left to download: every live answer is older than the last download, or there is none."""
        return self.answered is None or (self.at is not None and self.at >= self.answered)


def downloads_of(session: Session, study: StudyHere, tasks: Iterable[str] = (SHORT_TASK,)) -> Taken:
    """The time until which all live answers of these tasks were downloaded, with the tables that were not.

    A package counts as all of them; of each task, the table that has every answer counts. Labels, playback or a list of
    participants do not give the answers back, and count for nothing.
    """
    noted = _NOTED.all(session, {"slug": study.slug})
    package = _packages(session, study, noted)
    exports = {note.subject.partition(".")[0]: note.at for note in noted if note.action == _EXPORT}
    tables = [TASKS[task].tables[0] for task in tasks if TASKS[task].tables]
    times = {table: max(filter(None, (package, exports.get(table))), default=None) for table in tables}
    missing = [table for table, at in times.items() if at is None]
    return Taken(
        None if missing else min(filter(None, times.values()), default=None),
        last_response(session, study, Mode.LIVE),
        missing if len(missing) < len(times) else (),
    )


def _packages(session: Session, study: StudyHere, noted: Sequence[Any]) -> datetime | None:
    """Until when packages that were downloaded, or written by the command, have the answers."""
    written = [note.at for note in noted if note.action == _WRITE]
    fetched = {note.subject for note in noted if note.action == _DOWNLOAD}
    # A package holds the answers that there were when it was asked for, however late it is downloaded.
    packages = [
        job.asked_at
        for job in (jobs_of(session, Kind.PACKAGE, study.id) if fetched else ())
        if job.status is JobStatus.DONE and package_subject(job.id) in fetched
    ]
    return max([*packages, *written], default=None)
