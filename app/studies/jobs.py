"""Jobs as their studies' users see them: found, and called off by who may."""

from datetime import datetime

from sqlmodel import Session

from app.accounts.audit import record
from app.accounts.logins import NotAllowed, Who
from app.core.errors import NotFound
from app.jobs.queue import JobView, cancel, view
from app.jobs.tables import Job, Kind
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


def call_off(session: Session, who: Who, job_id: int, now: datetime) -> tuple[JobView, str | None]:
    """The job as it was, and its study's slug. Raises NotFound, or Conflict for one that is over."""
    job = job_for(session, who, job_id)
    if job.kind is Kind.REPROCESS and not who.is_owner:
        raise NotAllowed("All clips are being reprocessed; an owner can cancel that.")
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
