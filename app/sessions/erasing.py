"""Retention: identities of sessions whose time is over are erased; answers stay.

A participant's name in the answers becomes a random one, the same in all of their sessions of a study, so that who gave
which answers stays known and who that was does not.
"""

import json
import re
import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, or_, update
from sqlmodel import Session, col, select

from app.accounts.audit import Actor, record
from app.accounts.tables import AuditEntry
from app.jobs import queue
from app.jobs.tables import Job, JobStatus, Kind
from app.sessions.identity import PSEUDONYM
from app.studies.file.design import StudyDesign
from app.studies.queries import study_named
from app.studies.tables import DraftChange, StudyNote
from app.trials.tables import (
    COUNTED_ALONE,
    Exclusion,
    ParticipantIdentity,
    ParticipantSession,
    SessionNote,
    SessionToken,
    Status,
    Study,
    StudyVersion,
)

ERASED = "erased-"
_NOBODY = re.compile(rf"erased-.*|{PSEUDONYM.pattern}")
"""Names that are drawn at random and lead to nobody by themselves: ours, and those of `identity.keep`."""
_SHORTEST = 4
"""Of an id that is looked for in notes and reasons: a shorter one is in words by chance."""
ABANDONED_AFTER = timedelta(days=1)
"""From then on a session that was not finished counts as ended, and its retention begins."""
_MADE_OF_ANSWERS = (Kind.REPORT, Kind.PACKAGE, Kind.RESULTS)


@dataclass(frozen=True, slots=True)
class Erased:
    """Erasures in one study: `sessions` and `people` whose identities go, `mentions` of them elsewhere, `kept` sessions
    whose time is not over. Without a retention `days` is None, and nothing goes."""

    study: str
    days: int | None
    sessions: int
    people: int
    mentions: int
    kept: int


@dataclass(frozen=True, slots=True)
class _Held:
    """A session with an identity, and the time at which its retention is over."""

    id: int
    participant: str
    external: tuple[str, ...]
    over_at: datetime | None


def erase_identities(
    session: Session, by: Actor, now: datetime, slug: str | None = None, *, is_dry: bool = False
) -> Sequence[Erased]:
    """Erase the identities whose retention is over, of one study or of all; a dry run counts alone.

    A person's sessions in a study go together, when the last one's time is over. Raises NotFound for an unknown study.
    """
    studies = [study_named(session, slug)] if slug else session.exec(select(Study).order_by(Study.slug)).all()
    return [_erase_in(session, by, study, now, is_dry=is_dry) for study in studies]


def _erase_in(session: Session, by: Actor, study: Study, now: datetime, *, is_dry: bool) -> Erased:
    days = _days_by_version(session, study.id or 0)
    people: dict[str, list[_Held]] = defaultdict(list)
    for one in _held(session, study.id or 0, days):
        people[one.participant].append(one)
    due = {name: found for name, found in people.items() if all(_is_over(one, now) for one in found)}
    ids = [one.id for found in due.values() for one in found]
    mentions = _mentions(session, study.slug, ids, due, is_dry=is_dry)
    newest = list(days.values())[-1] if days else None
    kept = sum(len(found) for name, found in people.items() if name not in due)
    found = Erased(study.slug, newest, len(ids), len(due), mentions, kept)
    if is_dry or not ids:
        return found
    for sessions in due.values():
        _erase(session, [one.id for one in sessions])
    _make_anew(session, study.id or 0)
    # What was typed and taken back may name people as well.
    session.execute(delete(DraftChange).where(col(DraftChange.study_id) == study.id))
    after = {"sessions": found.sessions, "people": found.people, "mentions": found.mentions}
    record(session, by, "privacy.erase", now=now, study=study.slug, after=after)
    return found


def _days_by_version(session: Session, study_id: int) -> Mapping[int, int | None]:
    """The retention by version id, in order; a version without one has the newest version's."""
    rows = session.exec(
        select(StudyVersion.id, StudyVersion.design)
        .where(StudyVersion.study_id == study_id)
        .order_by(col(StudyVersion.number))
    ).all()
    designs = {id_ or 0: StudyDesign.model_validate_json(text).retention for id_, text in rows}
    newest = list(designs.values())[-1] if designs else None
    return {id_: (own or newest).days if (own or newest) else None for id_, own in designs.items()}  # type: ignore[union-attr]


def _held(session: Session, study_id: int, days: Mapping[int, int | None]) -> Iterator[_Held]:
    """The sessions that hold an identity which is not erased yet."""
    rows = session.exec(
        select(ParticipantSession, ParticipantIdentity)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .outerjoin(ParticipantIdentity, col(ParticipantIdentity.session_id) == ParticipantSession.id)
        .where(
            StudyVersion.study_id == study_id,
            # Of who was screened out the hash of an id may be kept.
            or_(
                col(ParticipantSession.status).not_in((*COUNTED_ALONE, Status.ARRIVED)),
                col(ParticipantIdentity.session_id).is_not(None),
            ),
        )
        .order_by(col(ParticipantSession.id))
    ).all()
    for one, identity in rows:
        is_erased = _NOBODY.fullmatch(one.participant or ERASED) is not None
        if is_erased and identity is None and not one.recruiter and one.device is None:
            continue
        kept = days.get(one.version_id)
        last = one.ended_at or one.seen_at or one.page_shown_at or one.consented_at or one.arrived_at
        if (
            one.status == Status.ACTIVE
        ):  # may go on, and its end is not known: not before a day without a sign of life
            last += ABANDONED_AFTER
        external = [one.participant, identity and identity.external_id, *one.recruiter.values()]
        external += [*identity.parameters.values()] if identity else []
        yield _Held(
            id=one.id or 0,
            participant=one.participant or f"session {one.id}",
            external=tuple(dict.fromkeys(text for text in external if text and not _NOBODY.fullmatch(text))),
            over_at=None if kept is None else last + timedelta(days=kept),
        )


def _is_over(one: _Held, now: datetime) -> bool:
    return one.over_at is not None and one.over_at <= now


def _erase(session: Session, ids: Sequence[int]) -> None:
    """Take the identity of one person's sessions away."""
    name = f"{ERASED}{secrets.token_hex(6)}"
    for table in (ParticipantIdentity, SessionToken):
        of_table: Any = table
        session.execute(delete(table).where(of_table.session_id.in_(ids)))
    session.execute(
        update(ParticipantSession)
        .where(col(ParticipantSession.id).in_(ids))
        .values(is_signed=False, recruiter={}, device=None)
    )
    named = select(ParticipantSession).where(col(ParticipantSession.id).in_(ids))
    for one in session.exec(named):
        if one.participant and not _NOBODY.fullmatch(one.participant):
            one.participant = name


def _mentions(
    session: Session, slug: str, ids: Sequence[int], due: Mapping[str, Sequence[_Held]], *, is_dry: bool
) -> int:
    """Replace external ids in notes, reasons and the audit log; returns in how many entries one stood."""
    found = pattern_of(text for sessions in due.values() for one in sessions for text in one.external)
    if found is None:
        return 0
    n = 0
    for table, column in ((SessionNote, "text"), (Exclusion, "reason")):
        of_table: Any = table
        for row in session.exec(select(table).where(of_table.session_id.in_(ids))):
            n += _replaced(row, (column,), found, is_dry=is_dry)
    notes = select(StudyNote).join(Study, col(Study.id) == StudyNote.study_id).where(Study.slug == slug)
    for note in session.exec(notes):
        n += _replaced(note, ("text",), found, is_dry=is_dry)
    for entry in session.exec(select(AuditEntry).where(AuditEntry.study == slug)):
        n += _replaced(entry, ("subject", "before", "after"), found, is_dry=is_dry)
    return n


def pattern_of(ids: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern that finds ids as whole words in notes and the audit log; None where all are too short for it."""
    texts = {text for text in ids if len(text) >= _SHORTEST}
    if not texts:
        return None
    longest = sorted(texts, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])")


def _replaced(row: Any, columns: Sequence[str], found: re.Pattern[str], *, is_dry: bool) -> int:
    """1 if an id stood in any of the columns, which may hold JSON."""
    changed = False
    for column in columns:
        value = getattr(row, column)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if value is None or not found.search(text):
            continue
        changed = True
        if not is_dry:
            put = found.sub("[erased]", text)
            setattr(row, column, put if isinstance(value, str) else json.loads(put))
    return int(changed)


def _make_anew(session: Session, study_id: int) -> None:
    """Reports, packages and results that hold the names are deleted, and those under way begin anew."""
    made = (col(Job.study_id) == study_id, col(Job.kind).in_(_MADE_OF_ANSWERS))
    queue.begin_anew(session, *made)
    session.execute(delete(Job).where(*made, col(Job.status) == JobStatus.DONE))
