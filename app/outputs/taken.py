"""Live answers that were taken out of the service: tables and packages that were downloaded."""

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, func, select

from app.accounts.tables import AuditEntry
from app.jobs.queue import jobs_of
from app.jobs.tables import JobStatus, Kind
from app.outputs.outputs import last_response, package_subject
from app.studies.access import StudyHere
from app.trials.tables import Mode


@dataclass(frozen=True, slots=True)
class Taken:
    """`at`: the last download of live answers; `answered`: the last live answer. Each None where there is none."""

    at: datetime | None
    answered: datetime | None

    @property
    def is_all(self) -> bool:
        """True if nothing is left to download: every live answer is older than the last download, or there is none."""
        return self.answered is None or (self.at is not None and self.at >= self.answered)


def taken_out(session: Session, study: StudyHere) -> Taken:
    """The last download of live answers; one of simulated or pilot answers alone is none."""
    return Taken(_last(session, study), last_response(session, study, Mode.LIVE))


def _last(session: Session, study: StudyHere) -> datetime | None:
    exports = [
        at
        for at, after in session.exec(
            select(AuditEntry.at, AuditEntry.after).where(
                AuditEntry.study == study.slug, AuditEntry.action == "data.export"
            )
        )
        # An entry of an earlier release does not say its mode: it was of all answers unless somebody chose another.
        if (after or {}).get("mode", "") in ("", Mode.LIVE)
    ]
    fetched = set(
        session.exec(
            select(AuditEntry.subject).where(
                AuditEntry.study == study.slug, AuditEntry.action == "package.download"
            )
        )
    )
    # A package holds the answers that there were when it was asked for, however late it is downloaded.
    packages = [
        job.asked_at
        for job in jobs_of(session, Kind.PACKAGE, study.id)
        if job.status is JobStatus.DONE and package_subject(job.id) in fetched
    ]
    written = session.exec(
        select(func.max(col(AuditEntry.at))).where(
            AuditEntry.study == study.slug, AuditEntry.action == "package.write"
        )
    ).one()
    return max([*exports, *packages, *([written] if written else [])], default=None)
