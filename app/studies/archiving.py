"""Archiving: a study is hidden from the list and closed to participants, with all its data, until it is restored."""

from datetime import datetime

from sqlmodel import Session

from app.accounts.audit import Actor, record
from app.core.errors import Conflict
from app.studies.access import StudyHere
from app.studies.launch import OPEN, hold
from app.trials.tables import State, Study


def archive(session: Session, by: Actor, study: StudyHere, now: datetime) -> None:
    """Once more changes nothing. Raises Conflict for a study that takes participants, NotFound for a deleted one."""
    row = hold(session, study)
    refuse_open(row, "archived")
    if row.archived_at is None:
        row.archived_at = now
        session.add(row)
        record(session, by, "study.archive", now=now, study=study.slug)


def unarchive(session: Session, by: Actor, study: StudyHere, now: datetime) -> None:
    """Restore an archived study to its former state; others are unchanged. Raises NotFound for a deleted one."""
    row = hold(session, study)
    if row.archived_at is not None:
        row.archived_at = None
        session.add(row)
        record(session, by, "study.unarchive", now=now, study=study.slug)


def refuse_open(study: Study, done: str) -> None:
    """Raises Conflict."""
    if State(study.state) in OPEN:
        says = f"takes participants ({study.state}) and cannot be {done}; pause or close it first"
        raise Conflict.of_study(study.slug, says)
