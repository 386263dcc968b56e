"""Notes on a study: dated, with their author, for all who see the study; in no export and in no package."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from app.accounts.audit import record
from app.accounts.logins import NotAllowed, Who
from app.accounts.profile import names_of
from app.accounts.tables import User
from app.core.errors import NotFound, StudyError
from app.core.markdown import markdown
from app.studies.access import StudyHere
from app.studies.tables import StudyNote

LONGEST, MOST = 5000, 500


class BadNote(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class NoteView:
    """`by` is the author's name or address; `is_own` whether the reader wrote it."""

    id: int
    text: str
    by: str
    at: datetime
    edited_at: datetime | None
    is_own: bool

    @property
    def html(self) -> str:
        return markdown(self.text)


def notes_of(session: Session, who: Who, study: StudyHere) -> Sequence[NoteView]:
    """The notes on a study, newest first."""
    found = session.execute(
        select(StudyNote, User.email)
        .outerjoin(User, col(User.id) == StudyNote.written_by)
        .where(StudyNote.study_id == study.id)
        .order_by(col(StudyNote.id).desc())
    ).all()
    names = names_of(session, {note.written_by for note, _ in found if note.written_by})
    return [
        NoteView(
            id=note.id or 0,
            text=note.text,
            by=names.get(note.written_by or 0, "") or email or "",
            at=note.written_at,
            edited_at=note.edited_at,
            is_own=note.written_by == who.user_id,
        )
        for note, email in found
    ]


def add_note(session: Session, who: Who, study: StudyHere, text: str, now: datetime) -> int:
    """Raises BadNote. The audit log keeps no copy of the text."""
    note = StudyNote(study_id=study.id, text=_checked(text), written_by=who.user_id, written_at=now)
    if len(session.exec(select(StudyNote.id).where(StudyNote.study_id == study.id)).all()) >= MOST:
        raise BadNote(f"The study has {MOST} notes; delete one first.")
    session.add(note)
    session.flush()
    record(session, who.actor, "note.add", now=now, study=study.slug, subject=f"note {note.id}")
    return note.id or 0


def edit_note(session: Session, who: Who, study: StudyHere, note_id: int, text: str, now: datetime) -> None:
    """Raises BadNote, NotFound, NotAllowed for another one's."""
    note = _own(session, who, study, note_id)
    after = _checked(text)
    if note.text == after:
        return
    note.text, note.edited_at = after, now
    session.add(note)
    record(session, who.actor, "note.edit", now=now, study=study.slug, subject=f"note {note_id}")


def delete_note(session: Session, who: Who, study: StudyHere, note_id: int, now: datetime) -> None:
    """Raises NotFound, NotAllowed for another one's. The audit log keeps no copy of the text."""
    session.delete(_own(session, who, study, note_id))
    record(session, who.actor, "note.delete", now=now, study=study.slug, subject=f"note {note_id}")


def _own(session: Session, who: Who, study: StudyHere, note_id: int) -> StudyNote:
    note = session.get(StudyNote, note_id) if 0 < note_id < 2**31 else None
    if note is None or note.study_id != study.id:
        raise NotFound("There is no such note.")
    if note.written_by != who.user_id:
        raise NotAllowed("Only who wrote a note changes or deletes it.")
    return note


def _checked(text: str) -> str:
    # Browsers send the line ends of a text area as CRLF, each of which would count twice.
    text = text.replace("\r\n", "\n").strip().replace("\x00", "�").encode("utf-8", "replace").decode()
    if not text:
        raise BadNote("Write the note first.")
    if len(text) > LONGEST:
        raise BadNote(f"The note is too long: {len(text):,} characters, {LONGEST:,} are allowed.")
    return text
