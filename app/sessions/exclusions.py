"""Sessions left out of the analysis by hand, and notes about them. Audited, taken back, never deleted."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from app.accounts.audit import SERVICE, Actor, record
from app.accounts.logins import Who
from app.core.errors import Conflict, NotFound, StudyError
from app.studies.access import StudyHere
from app.trials.tables import Exclusion, Mode, ParticipantSession, SessionNote, StudyVersion

LONGEST = 2_000


class InvalidText(StudyError):
    """A reason or a note that is empty or too long."""

    status_code = 422


def exclude(
    session: Session, who: Who, study: StudyHere, session_id: int, reason: str, now: datetime
) -> None:
    """Leave a session out of the numbers from now on. Raises Conflict where it is left out already."""
    reason = _checked(reason, "Give a short reason, for readers of the data.")
    of_people(session, study, session_id)
    if _standing(session, session_id) is not None:
        raise Conflict(f"Session {session_id} is excluded already.")
    session.add(Exclusion(session_id=session_id, reason=reason, excluded_by=who.user_id, excluded_at=now))
    _record(session, who.actor, study, "session.exclude", session_id, now, before=None, after=reason)


def leave_out(session: Session, slug: str, session_id: int, reason: str, now: datetime) -> None:
    """Exclude a session on behalf of the service, with an audit record; one already excluded is unchanged."""
    if _standing(session, session_id) is None:
        session.add(Exclusion(session_id=session_id, reason=reason, excluded_at=now))
        subject = f"session {session_id}"
        record(session, SERVICE, "session.exclude", now=now, study=slug, subject=subject, after=reason)


def include(session: Session, who: Who, study: StudyHere, session_id: int, now: datetime) -> None:
    """Lift a session's exclusion. Raises Conflict if it is not excluded."""
    of_people(session, study, session_id)
    exclusion = _standing(session, session_id)
    if exclusion is None:
        raise Conflict(f"Session {session_id} is not excluded.")
    exclusion.lifted_by, exclusion.lifted_at = who.user_id, now
    session.add(exclusion)
    _record(
        session, who.actor, study, "session.include", session_id, now, before=exclusion.reason, after=None
    )


@dataclass(frozen=True, slots=True)
class ManyChanged:
    """Sessions changed by one request, and those that were so already."""

    changed: tuple[int, ...]
    unchanged: tuple[int, ...]


def exclude_many(
    session: Session, actor: Actor, study: StudyHere, ids: Collection[int], reason: str, now: datetime
) -> ManyChanged:
    """Leave sessions out of the numbers for one reason; each is in the audit log. All of them, or none.

    Raises NotFound for one of another study, Conflict for a preview, InvalidText without a reason or a session.
    """
    reason = _checked(reason, "Give a short reason, for readers of the data.")
    changed, unchanged = [], []
    for id_ in _several(ids):
        of_people(session, study, id_)
        if _standing(session, id_) is not None:
            unchanged.append(id_)
            continue
        session.add(Exclusion(session_id=id_, reason=reason, excluded_by=actor.user_id, excluded_at=now))
        _record(session, actor, study, "session.exclude", id_, now, before=None, after=reason)
        changed.append(id_)
    return ManyChanged(tuple(changed), tuple(unchanged))


def include_many(
    session: Session, actor: Actor, study: StudyHere, ids: Collection[int], now: datetime
) -> ManyChanged:
    """Lift the exclusions of sessions; of the others nothing changes. All of them, or none."""
    changed, unchanged = [], []
    for id_ in _several(ids):
        of_people(session, study, id_)
        standing = _standing(session, id_)
        if standing is None:
            unchanged.append(id_)
            continue
        standing.lifted_by, standing.lifted_at = actor.user_id, now
        session.add(standing)
        _record(session, actor, study, "session.include", id_, now, before=standing.reason, after=None)
        changed.append(id_)
    return ManyChanged(tuple(changed), tuple(unchanged))


def _several(ids: Collection[int]) -> Sequence[int]:
    """In one order, so that two requests cannot wait for each other."""
    if not ids:
        raise InvalidText("No session is chosen.")
    return sorted(set(ids))


def add_note(session: Session, who: Who, study: StudyHere, session_id: int, text: str, now: datetime) -> None:
    """Leave a note at a session, for the other experimenters; it is in no export."""
    text = _checked(text, "Write the note first.")
    of_people(session, study, session_id)
    session.add(SessionNote(session_id=session_id, text=text, written_by=who.user_id, written_at=now))
    _record(session, who.actor, study, "session.note", session_id, now, before=None, after=text)


def no_such_session(session_id: int) -> NotFound:
    return NotFound(f"This study has no session {session_id}.")


def _checked(text: str, empty: str) -> str:
    # Browsers send the line ends of a text area as CRLF, each of which would count twice.
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise InvalidText(empty)
    if len(text) > LONGEST:
        raise InvalidText(f"That is too long: {len(text)} characters, {LONGEST} are allowed.")
    # PostgreSQL stores no NUL, and a lone surrogate has no UTF-8.
    return text.replace("\x00", "�").encode("utf-8", "replace").decode()


def of_people(session: Session, study: StudyHere, session_id: int) -> None:
    """Hold a session for one change at a time. Raises NotFound for one of another study, Conflict for a preview."""
    mine = (
        select(ParticipantSession.mode)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .where(ParticipantSession.id == session_id, StudyVersion.study_id == study.id)
        .with_for_update(of=ParticipantSession)
    )
    # PostgreSQL's integers have 32 bits: a larger number is an error there and not a missing row.
    mode = session.exec(mine).first() if 0 < session_id < 2**31 else None
    if mode is None:
        raise no_such_session(session_id)
    if mode == Mode.PREVIEW:
        raise Conflict(
            "Previews are not counted and are deleted with their design, so they take no exclusion or note."
        )


def _standing(session: Session, session_id: int) -> Exclusion | None:
    standing = select(Exclusion).where(Exclusion.session_id == session_id, col(Exclusion.lifted_at).is_(None))
    return session.exec(standing).first()


def _record(
    session: Session,
    actor: Actor,
    study: StudyHere,
    action: str,
    session_id: int,
    now: datetime,
    *,
    before: str | None,
    after: str | None,
) -> None:
    subject = f"session {session_id}"
    record(session, actor, action, now=now, study=study.slug, subject=subject, before=before, after=after)
