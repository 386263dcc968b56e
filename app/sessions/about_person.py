"""All rows that the database holds about one person, found by the foreign keys that lead to their sessions."""

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Table, or_
from sqlalchemy import select as select_columns
from sqlmodel import Session, SQLModel, col, select

from app.accounts.audit import Actor, record
from app.accounts.tables import AuditEntry
from app.core.errors import NotFound
from app.sessions.identity import forget_identity, hashed
from app.sessions.receipts import session_of_receipt
from app.sessions.withdrawing import withdraw
from app.trials.tables import BEGUN, ParticipantIdentity, ParticipantSession, Status, Study, StudyVersion

_SESSIONS = "participant_session"


@dataclass(frozen=True, slots=True)
class AboutPerson:
    """Rows by table; `sessions` are the numbers of the person's sessions with their studies."""

    id: str
    sessions: Mapping[int, str]
    tables: Mapping[str, Sequence[Mapping[str, Any]]]


def sessions_of_person(session: Session, id_: str, secret: str) -> Mapping[int, str]:
    """Sessions with their studies, found by an external id, a pseudonym of Results, a receipt or a session's number.

    Raises NotFound.
    """
    found = _by_receipt(id_, secret) or _by_id(session, id_, secret) or _by_pseudonym(session, id_, secret)
    if not found and id_.isascii() and id_.isdigit() and len(id_) < 10:
        found = [int(id_)]
    rows = session.exec(
        select(ParticipantSession.id, Study.slug)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .join(Study, col(Study.id) == StudyVersion.study_id)
        .where(col(ParticipantSession.id).in_(found))
        .order_by(col(ParticipantSession.id))
    ).all()
    if not rows:
        raise NotFound(
            f"Nothing is held about {id_[:80]!r}: it is no id, pseudonym, receipt or number of a session."
        )
    return {number or 0: slug for number, slug in rows}


def about_person(session: Session, id_: str, secret: str) -> AboutPerson:
    """Raises NotFound."""
    sessions = sessions_of_person(session, id_, secret)
    tables = dict(_rows(session, list(sessions)))
    subjects = [f"session {number}" for number in sessions]
    entries = select(AuditEntry).where(col(AuditEntry.subject).in_(subjects)).order_by(col(AuditEntry.id))
    if logged := [entry.model_dump() for entry in session.exec(entries)]:
        tables["audit_entry"] = logged
    return AboutPerson(id_, sessions, tables)


def forget_person(session: Session, by: Actor, id_: str, secret: str, now: datetime) -> Sequence[int]:
    """Withdraw all of a person's sessions, as they could themselves, and delete the hash that is kept of who was
    screened out; returns the sessions' numbers. Raises NotFound.
    """
    slugs = sessions_of_person(session, id_, secret)
    numbers = list(slugs)
    statuses = session.exec(
        select(ParticipantSession.id, ParticipantSession.status, ParticipantIdentity.session_id)
        .outerjoin(ParticipantIdentity, col(ParticipantIdentity.session_id) == ParticipantSession.id)
        .where(col(ParticipantSession.id).in_(numbers))
    ).all()
    begun = [number or 0 for number, status, _ in statuses if status in BEGUN]
    screened_out = [
        number or 0
        for number, status, identity in statuses
        if status == Status.SCREENED_OUT and identity is not None
    ]
    if not begun and not screened_out:
        raise NotFound(f"No answers are held about {id_[:80]!r}: there is nothing to forget.")
    for number in begun:
        slug = withdraw(session, number, now)
        record(session, by, "privacy.forget", now=now, study=slug, subject=f"session {number}")
    for number in screened_out:
        forget_identity(session, number)
        of = {"study": slugs[number], "subject": f"session {number}"}
        record(session, by, "privacy.forget", now=now, **of)
    return [*begun, *screened_out]


def pseudonym(study: str, participant: str, secret: str) -> str:
    """The name of a participant on Results: it stays the same as answers come in, and does not reveal the id."""
    return "p-" + hmac.new(secret.encode(), f"{study} {participant}".encode(), hashlib.sha256).hexdigest()[:8]


def _by_receipt(id_: str, secret: str) -> list[int]:
    try:
        return [session_of_receipt(id_, secret)]
    except NotFound:
        return []


def _by_id(session: Session, id_: str, secret: str) -> list[int]:
    one = select(ParticipantSession.id).outerjoin(
        ParticipantIdentity, col(ParticipantIdentity.session_id) == ParticipantSession.id
    )
    where = or_(
        col(ParticipantSession.participant) == id_,
        col(ParticipantIdentity.external_id) == id_,
        col(ParticipantIdentity.hashed_id).in_((id_, hashed(id_, secret))),
    )
    return [number or 0 for number in session.exec(one.where(where))]


def _by_pseudonym(session: Session, id_: str, secret: str) -> list[int]:
    if not id_.startswith("p-"):
        return []
    rows = session.exec(
        select(ParticipantSession.id, ParticipantSession.participant, Study.slug)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .join(Study, col(Study.id) == StudyVersion.study_id)
        .where(col(ParticipantSession.participant).is_not(None))
    )
    return [number or 0 for number, name, slug in rows if name and pseudonym(slug, name, secret) == id_]


def _rows(session: Session, numbers: Sequence[int]) -> Iterator[tuple[str, Sequence[Mapping[str, Any]]]]:
    """The rows of each table that leads to the sessions, by whatever foreign keys."""
    ids: dict[str, list[int]] = {_SESSIONS: list(numbers)}
    for table in SQLModel.metadata.sorted_tables:
        wheres = [
            table.c[key.parent.name].in_(ids[key.column.table.name])
            for key in table.foreign_keys
            if key.column.table.name in ids and table.name != _SESSIONS
        ]
        if table.name == _SESSIONS:
            wheres = [table.c.id.in_(numbers)]
        if not wheres:
            continue
        rows = [dict(row._mapping) for row in session.execute(select_columns(table).where(or_(*wheres)))]
        if rows:
            if "id" in table.c and _is_of_a_session(table):
                ids[table.name] = [row["id"] for row in rows]
            yield table.name, rows


def _is_of_a_session(table: Table) -> bool:
    """True for a table whose rows are one person's, so that what refers to them is, too."""
    return table.name == _SESSIONS or any(
        key.column.table.name in (_SESSIONS, "response", "walk", "trial") for key in table.foreign_keys
    )
