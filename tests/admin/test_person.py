"""All that is held about one person, from the page of a session: a page to hand over, JSON, who may, and the log."""

import json

import pytest
from sqlmodel import col, select

from app.accounts.tables import AuditEntry
from app.core.database import Database
from app.trials.tables import ParticipantIdentity, ParticipantSession, Study, StudyVersion
from tests.admin.persons import Person, fresh_client
from tests.factories import NOW
from tests.sessions.walks import Walk

pytestmark = [pytest.mark.slow, pytest.mark.any_database]
WHO = "5f3a9c1e7b2d4a6f8c0e1d2b"
HERE = "/admin/studies/nav/sessions/1"


@pytest.fixture
def walked(owner: Person, study: str, database: Database) -> str:
    """Anna, in this study and in an older one by the same id, and Bert."""
    for name in (WHO, "Bertram"):
        Walk(fresh_client(owner.browser), study, participant=name).to("end")
    with database.transaction() as session:
        version = session.exec(select(StudyVersion)).one()
        older = Study(slug="older", created_at=NOW)
        session.add(older)
        session.flush()
        row = version.model_dump(exclude={"id"}) | {"study_id": older.id}
        other = StudyVersion(**row)
        session.add(other)
        session.flush()
        one = ParticipantSession(
            version_id=other.id or 0, mode="live", arrived_at=NOW, recruiter={}, participant="p-1"
        )
        session.add(one)
        session.flush()
        session.add(ParticipantIdentity(session_id=one.id or 0, external_id=WHO, parameters={}))
    return study


def test_the_page_of_a_session_has_both_files_and_the_log_says_so(
    owner: Person, walked: str, database: Database
) -> None:
    page = owner.get(HERE).text
    assert f'action="{HERE}/person.html"' in page
    assert f'formaction="{HERE}/person.json"' in page
    given = owner.post(f"{HERE}/person.html")
    assert given.headers["content-type"] == "text/html; charset=utf-8"
    assert given.headers["content-disposition"] == 'attachment; filename="nav-session-1-person.html"'
    assert f"Participant: {WHO}" in given.text
    assert "Bertram" not in given.text
    data = json.loads(owner.post(f"{HERE}/person.json").text)
    assert data["sessions"] == [{"session": 1, "study": "nav"}, {"session": 3, "study": "older"}]
    with database.reading() as session:
        entries = session.exec(select(AuditEntry).where(AuditEntry.action == "privacy.export")).all()
    assert {(one.study, one.subject, one.actor) for one in entries} == {
        ("nav", "session 1", owner.email),
        ("older", "session 3", owner.email),
    }


def test_an_editor_gets_what_their_studies_hold(editor: Person, walked: str, share_with: object) -> None:
    share_with(editor)  # type: ignore[operator]
    data = json.loads(editor.post(f"{HERE}/person.json").text)
    assert data["sessions"] == [{"session": 1, "study": "nav"}]


def test_a_viewer_and_a_stranger_get_nothing(
    viewer: Person, editor: Person, walked: str, share_with: object, database: Database
) -> None:
    assert editor.post(f"{HERE}/person.json").status_code == 404  # not shared
    share_with(viewer)  # type: ignore[operator]
    assert "person.html" not in viewer.get(HERE).text
    assert viewer.post(f"{HERE}/person.json").status_code == 403
    with database.reading() as session:
        assert session.exec(select(AuditEntry).where(col(AuditEntry.action) == "privacy.export")).all() == []


def test_a_session_of_another_study_or_of_none_is_refused(owner: Person, walked: str) -> None:
    assert owner.post("/admin/studies/nav/sessions/3/person.json").status_code == 404
    assert owner.post("/admin/studies/nav/sessions/99/person.html").status_code == 404
    assert owner.post(f"{HERE}/person.pdf").status_code in (404, 422)
