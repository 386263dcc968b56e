"""Notes on a study: by their author, for all who see the study, and in no export."""

import re

from sqlmodel import select

from app.accounts.tables import AuditEntry
from app.core.database import Database
from app.studies.tables import StudyNote
from tests.admin.conftest import ShareWith
from tests.admin.persons import Person
from tests.admin.test_people import make_study

HERE = "/admin/studies/nav"


def test_notes_are_written_changed_and_deleted_by_their_author_alone(
    owner: Person, editor: Person, viewer: Person, database: Database, share_with: ShareWith
) -> None:
    make_study(database, owner)
    assert editor.post(f"{HERE}/notes", {"text": "not mine"}).status_code == 404
    share_with(editor)
    share_with(viewer)
    owner.post("/admin/account/profile", {"name": "Ana Ruiz"})
    page = owner.post(f"{HERE}/notes", {"text": "**Pilot** on Monday\r\n\r\n<script>alert(1)</script>"}).text
    assert "The note is saved." in page
    assert "<strong>Pilot</strong> on Monday" in page
    assert "<script>alert" not in page
    (note_id,) = re.findall(rf"{HERE}/notes/(\d+)/delete", page)
    seen = viewer.get(HERE).text
    assert "Ana Ruiz, <time" in seen
    assert "<strong>Pilot</strong>" in seen
    assert f"{HERE}/notes" not in seen
    assert f"{HERE}/notes/{note_id}" not in editor.get(HERE).text
    for path in (f"{HERE}/notes/{note_id}", f"{HERE}/notes/{note_id}/delete"):
        assert editor.post(path, {"text": "other"}).status_code == 403
        assert viewer.post(path, {"text": "other"}).status_code == 403
    assert owner.post(f"{HERE}/notes/999", {"text": "other"}).status_code == 404
    changed = owner.post(f"{HERE}/notes/{note_id}", {"text": "Pilot on Tuesday"}).text
    assert "Pilot on Tuesday" in changed
    assert ", changed <time" in changed
    gone = owner.post(f"{HERE}/notes/{note_id}/delete").text
    assert "The note is deleted." in gone
    with database.reading() as session:
        assert session.exec(select(StudyNote)).all() == []
        entries = session.exec(select(AuditEntry).where(AuditEntry.action.like("note.%"))).all()  # type: ignore[attr-defined]
    assert [(entry.action, entry.actor) for entry in entries] == [
        (f"note.{verb}", owner.email) for verb in ("add", "edit", "delete")
    ]
    assert "Pilot" not in str([entry.model_dump() for entry in entries]), "the log keeps no text"
    assert "Ana Ruiz changed a note at the study A study" in owner.get("/admin/audit").text


def test_a_note_that_is_empty_or_too_long_comes_back(owner: Person, database: Database) -> None:
    make_study(database, owner)
    assert owner.post(f"{HERE}/notes", {"text": "  "}).status_code == 422
    page = owner.post(f"{HERE}/notes", {"text": "n" * 5001})
    assert (page.status_code, "n" * 5001 in page.text) == (422, True)


def test_notes_go_with_their_study(owner: Person, database: Database) -> None:
    make_study(database, owner)
    owner.post(f"{HERE}/notes", {"text": "A note"})
    owner.post(f"{HERE}/delete", {"name": "nav"})
    with database.reading() as session:
        assert session.exec(select(StudyNote)).all() == []
        assert "A note" not in str([entry.model_dump() for entry in session.exec(select(AuditEntry))])


def test_a_name_is_no_address_and_not_too_long(owner: Person) -> None:
    for name in ("eve@example.org", "x" * 81, "a\x07b"):
        assert owner.post("/admin/account/profile", {"name": name}).status_code == 422
    assert owner.post("/admin/account/profile", {"name": " Ana \n Ruiz "}).status_code == 200
    assert 'value="Ana Ruiz"' in owner.get("/admin/account").text
    assert "Ana Ruiz changed the name or news of owner@example.org" in owner.get("/admin/audit").text
