"""Cancelling a job, with permission checks."""

from datetime import datetime

from sqlmodel import Session

from app.accounts.audit import record
from app.accounts.logins import NotAllowed, Who
from app.jobs.queue import JobView, cancel, job_for
from app.jobs.tables import Kind
from app.studies.tables import Study


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
