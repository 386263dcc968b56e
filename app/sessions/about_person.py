"""All rows that the database holds about one person, found by the foreign keys that lead to their sessions.

The export is handed to that person: columns about experimenters are left out, and of an entry of the audit log that
names several people no more is told than that it names this one.
"""

import hashlib
import hmac
import json
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
from app.sessions.erasing import pattern_of
from app.sessions.identity import forget_identity, hashed
from app.sessions.receipts import session_of_receipt
from app.sessions.withdrawing import require_of, withdraw
from app.studies.access import StudyHere
from app.trials.tables import BEGUN, ParticipantIdentity, ParticipantSession, Status, Study, StudyVersion

_SESSIONS = "participant_session"
FORMAT = "likely-human person 1"
OF_EXPERIMENTERS: Mapping[str, frozenset[str]] = {
    "audit_entry": frozenset({"actor", "user_id"}),
    "exclusion": frozenset({"excluded_by", "lifted_by"}),
    "session_note": frozenset({"written_by"}),
}
"""Columns that are personal data of somebody else."""


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
    named = _named(session, found)
    if not named:
        raise NotFound(
            f"Nothing is held about {id_[:80]!r}: it is no id, pseudonym, receipt or number of a session."
        )
    return named


def _named(session: Session, numbers: Sequence[int]) -> Mapping[int, str]:
    """Existing sessions of these numbers, each with its study."""
    rows = session.exec(
        select(ParticipantSession.id, Study.slug)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .join(Study, col(Study.id) == StudyVersion.study_id)
        .where(col(ParticipantSession.id).in_(numbers))
        .order_by(col(ParticipantSession.id))
    )
    return {number or 0: slug for number, slug in rows}


def about_person(session: Session, id_: str, secret: str) -> AboutPerson:
    """Raises NotFound."""
    return _about(session, id_, sessions_of_person(session, id_, secret))


def export_person(
    session: Session,
    by: Actor,
    study: StudyHere,
    number: int,
    secret: str,
    now: datetime,
    *,
    everywhere: bool,
) -> AboutPerson:
    """All about the person of a study's session: in this study, or `everywhere`; noted in the audit log.

    Raises NotFound for a session of another study."""
    require_of(session, number, study.slug)
    sessions = _sessions_of_same_person(session, number, secret)
    if not everywhere:
        sessions = {each: slug for each, slug in sessions.items() if slug == study.slug}
    found = _about(session, f"session {number}", sessions)
    record_export(session, by, found, now)
    return found


def record_export(session: Session, by: Actor, found: AboutPerson, now: datetime) -> None:
    """Note an export in the audit log, session by session."""
    for number, slug in found.sessions.items():
        record(session, by, "privacy.export", now=now, study=slug, subject=f"session {number}")


def _sessions_of_same_person(session: Session, number: int, secret: str) -> Mapping[int, str]:
    """A session with those that have its ids, the recruiter's or the participant's."""
    own = select(
        ParticipantSession.participant, ParticipantIdentity.external_id, ParticipantIdentity.hashed_id
    )
    joined = own.outerjoin(
        ParticipantIdentity, col(ParticipantIdentity.session_id) == ParticipantSession.id
    ).where(col(ParticipantSession.id) == number)
    names = {name for row in session.exec(joined) for name in row if name}
    return _named(session, [number, *(each for name in names for each in _by_id(session, name, secret))])


def _about(session: Session, id_: str, sessions: Mapping[int, str]) -> AboutPerson:
    found = {table: [_without(table, row) for row in rows] for table, rows in _rows(session, list(sessions))}
    entries = [*_logged(session, sessions), *_mentioned(session, sessions, found)]
    if entries:
        found["audit_entry"] = entries
    return AboutPerson(id_, sessions, found)


def _without(table: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The row without what is about an experimenter."""
    left_out = OF_EXPERIMENTERS.get(table, frozenset())
    return {name: value for name, value in row.items() if name not in left_out}


def _logged(session: Session, sessions: Mapping[int, str]) -> Iterator[Mapping[str, Any]]:
    """Entries of the audit log about the sessions."""
    subjects = [f"session {number}" for number in sessions]
    entries = select(AuditEntry).where(col(AuditEntry.subject).in_(subjects)).order_by(col(AuditEntry.id))
    for entry in session.exec(entries):
        yield _without("audit_entry", entry.model_dump())


def _mentioned(
    session: Session, sessions: Mapping[int, str], found: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Iterator[Mapping[str, Any]]:
    """Other entries of the log of these studies that name the person by an id: which, and nothing else of theirs."""
    texts = [str(row["participant"]) for row in found.get(_SESSIONS, ()) if row["participant"]]
    texts += [str(value) for row in found.get(_SESSIONS, ()) for value in row["recruiter"].values()]
    for row in found.get("participant_identity", ()):
        texts += [str(row["external_id"] or ""), *map(str, row["parameters"].values())]
    named = pattern_of(texts)
    if named is None:
        return
    subjects = {f"session {number}" for number in sessions}
    entries = select(AuditEntry).where(col(AuditEntry.study).in_(set(sessions.values())))
    for entry in session.exec(entries.order_by(col(AuditEntry.id))):
        text = json.dumps([entry.subject, entry.before, entry.after], ensure_ascii=False)
        ids = sorted(set(named.findall(text)))
        if ids and entry.subject not in subjects:
            yield {"id": entry.id, "at": entry.at, "action": entry.action, "study": entry.study, "names": ids}


def as_json(found: AboutPerson, made_at: datetime) -> str:
    """The rows for a program: `tables` by name, each row by its columns; times as ISO 8601, bytes as hexadecimals."""
    content = {
        "format": FORMAT,
        "made_at": made_at.isoformat(),
        "sessions": [{"session": number, "study": slug} for number, slug in found.sessions.items()],
        "tables": found.tables,
    }
    return json.dumps(content, indent=2, ensure_ascii=False, default=_plain) + "\n"


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else str(value)


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
