"""Jobs as their studies' users see them: found, and called off by who may."""

from datetime import datetime

from sqlmodel import Session

from app.accounts.audit import record
from app.accounts.logins import NotAllowed, Who
from app.core.errors import NotFound
from app.jobs.queue import JobView, cancel, view
from app.jobs.tables import Job, Kind
from app.library.tables import LIBRARY
from app.studies.collections import may_rule
from app.studies.tables import StudyShare
from app.trials.tables import Study


def job_for(session: Session, who: Who, job_id: int) -> JobView:
    """A job that the user may see: their own, of a study of theirs, or the change of all clips to other rules."""
    job = session.get(Job, job_id) if job_id < 2**31 else None
    if job is None or not _may_see(session, who, job):
        raise NotFound("There is no such job.")
    return view(job)


def _may_see(session: Session, who: Who, job: Job) -> bool:
    if who.is_owner or job.kind == Kind.REPROCESS:
        return True
    if job.study_id is None:
        return job.asked_by == who.user_id
    return session.get(StudyShare, (job.study_id, who.user_id)) is not None


def may_call_off(session: Session, who: Who, job: JobView) -> bool:
    """True if the user may cancel a job that they see: one that processes a collection's clips anew is
    cancelled by users who may start it, and by the one who did.
    """
    if job.kind is not Kind.REPROCESS or job.asked_by == who.user_id:
        return True
    return may_rule(session, who, of_collection(job))


def of_collection(job: JobView) -> int:
    """The id of the collection that a job processes anew; jobs of earlier releases are of the library."""
    return int(job.params.get("collection", LIBRARY))


def call_off(session: Session, who: Who, job_id: int, now: datetime) -> tuple[JobView, str | None]:
    """The job as it was, and its study's slug. Raises NotFound, or Conflict for one that is over."""
    job = job_for(session, who, job_id)
    if not may_call_off(session, who, job):
        raise NotAllowed(
            "All clips of a collection are being processed again: whoever may start that can cancel it."
        )
    cancel(session, job_id, now)
    study = session.get(Study, job.study_id) if job.study_id else None
    slug = study.slug if study else None
    record(
        session,
        who.actor,
        "job.cancel",
        now=now,
        study=slug,
        subject=f"{job.kind} {job.id}",
        before=job.status,
    )
    return job, slug
