"""Retention: identities go when their time is over, answers stay; all that is held about one person; forgetting."""

import json
from datetime import UTC, timedelta

import pytest
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from app.accounts.audit import COMMAND_LINE, record
from app.accounts.tables import AuditEntry
from app.core.database import Database
from app.core.errors import NotFound
from app.core.settings import Settings
from app.reports.documents.person import person_document
from app.sessions.about_person import about_person, forget_person, pseudonym, sessions_of_person
from app.sessions.erasing import ERASED, Erased, erase_identities
from app.sessions.receipts import receipt_of
from app.studies.tables import DraftChange
from app.studies.undoing import remember
from app.trials.responses import Evidence, Response
from app.trials.tables import (
    ParticipantIdentity,
    ParticipantSession,
    SessionNote,
    SessionToken,
    Status,
    StudyVersion,
)
from tests.clock import Clock
from tests.factories import NOW
from tests.sessions.walks import Walk

WHO = "5f3a9c1e7b2d4a6f8c0e1d2b"


@pytest.fixture
def walked(client: TestClient, study: str, database: Database) -> str:
    """Anna, who finished and is mentioned in a note and in the log, and Bert, who finished later."""
    for name in (WHO, "Bertram"):
        Walk(client, study, participant=name).to("end")
    with database.transaction() as session:
        for at, one in enumerate(people(session)):
            one.ended_at = NOW + timedelta(days=30 * at)
            one.device = {"width": 1280}
            session.add(
                ParticipantIdentity(session_id=one.id or 0, external_id=one.participant, parameters={})
            )
        session.add(SessionNote(session_id=1, text=f"Wrote to {WHO}: paid.", written_at=NOW))
        record(
            session,
            COMMAND_LINE,
            "links.make",
            now=NOW,
            study=study,
            after={"participants": [WHO, f"x{WHO}"]},
        )
    return study


def people(session: Session) -> list[ParticipantSession]:
    return list(session.exec(select(ParticipantSession).order_by(col(ParticipantSession.id))))


def keep_for(session: Session, days: int) -> None:
    version = session.exec(select(StudyVersion)).one()
    version.design = json.dumps(json.loads(version.design) | {"retention": {"days": days}})
    session.add(version)
    session.flush()


@pytest.mark.both_databases
def test_identities_go_when_their_time_is_over_and_answers_stay(walked: str, database: Database) -> None:
    now = NOW + timedelta(days=15)
    with database.transaction() as session:
        keep_for(session, 14)
        study_id = session.exec(select(StudyVersion.study_id)).one()
        remember(session, study_id, {"title": WHO}, {"title": "A"}, (1, 2), None, now)
        n = len(session.exec(select(Response)).all())
        (found,) = erase_identities(session, COMMAND_LINE, now, walked)
        assert found == Erased(walked, 14, sessions=1, people=1, mentions=2, kept=1)
    with database.reading() as session:
        anna, bert = people(session)
        assert (anna.participant or "").startswith(ERASED)
        assert (anna.device, anna.recruiter, anna.is_signed) == (None, {}, False)
        assert (bert.participant, bert.device) == ("Bertram", {"width": 1280})
        assert [one.external_id for one in session.exec(select(ParticipantIdentity))] == ["Bertram"]
        assert [one.session_id for one in session.exec(select(SessionToken))] == [bert.id]
        assert session.exec(select(SessionNote.text)).one() == "Wrote to [erased]: paid."
        entries = {
            one.action: one for one in session.exec(select(AuditEntry).where(AuditEntry.study == walked))
        }
        assert entries["links.make"].after == {"participants": ["[erased]", f"x{WHO}"]}
        assert entries["privacy.erase"].after == {"sessions": 1, "people": 1, "mentions": 2}
        assert len(session.exec(select(Response)).all()) == n
        assert session.exec(select(DraftChange)).all() == []
    with database.transaction() as session:
        (again,) = erase_identities(session, COMMAND_LINE, now, walked)
        assert (again.sessions, again.mentions) == (0, 0)


def test_a_dry_run_says_the_same_and_changes_nothing(walked: str, database: Database) -> None:
    with database.transaction() as session:
        keep_for(session, 14)
        (found,) = erase_identities(session, COMMAND_LINE, NOW + timedelta(days=15), is_dry=True)
        assert (found.sessions, found.mentions, found.kept) == (1, 2, 1)
        assert people(session)[0].participant == WHO


def test_who_is_under_way_goes_on_whatever_the_retention(
    walked: str, client: TestClient, database: Database
) -> None:
    walk = Walk(client, walked, participant="worker-88")
    walk.answer()

    def erased(later: timedelta) -> int:
        with database.transaction() as session:
            return erase_identities(session, COMMAND_LINE, Clock.now(UTC) + later, walked)[0].sessions

    with database.transaction() as session:
        keep_for(session, 0)
    assert erased(timedelta(0)) == 2  # Anna and Bertram, who have finished
    assert walk.look() != "end"
    assert walk.to("end").page == "end"
    Walk(client, walked, participant="worker-99").answer()
    assert erased(timedelta(hours=23)) == 1  # that of who has finished
    assert erased(timedelta(hours=25)) == 1


def test_without_a_retention_nothing_goes(walked: str, database: Database) -> None:
    with database.transaction() as session:
        (found,) = erase_identities(session, COMMAND_LINE, NOW + timedelta(days=9_999), walked)
        assert (found.days, found.sessions, found.kept) == (None, 0, 2)
        assert people(session)[0].participant == WHO


@pytest.mark.both_databases
def test_all_rows_about_a_person_are_found_by_any_of_their_names(
    walked: str, database: Database, settings: Settings
) -> None:
    secret = settings.secret
    names = [WHO, "1", receipt_of(1, secret), pseudonym(walked, WHO, secret)]
    with database.reading() as session:
        assert [dict(sessions_of_person(session, name, secret)) for name in names] == [{1: walked}] * 4
        with pytest.raises(NotFound, match="Nothing is held about 'Nobody'"):
            about_person(session, "Nobody", secret)
        found = about_person(session, WHO, secret)
        n_evidence = len(session.exec(select(Evidence).join(Response).where(Response.session_id == 1)).all())
        n_answers = len(session.exec(select(Response).where(Response.session_id == 1)).all())
    assert {
        "participant_session",
        "participant_identity",
        "response",
        "trial",
        "session_note",
    } <= (found.tables.keys())
    assert len(found.tables["response"]) == n_answers
    assert len(found.tables.get("evidence", ())) == n_evidence
    assert all(row["session_id"] == 1 for row in found.tables["response"])
    text = person_document(found, NOW).markdown()
    assert "## Your answers" in text
    assert "Bertram" not in text
    assert f"Participant: {WHO}" in text


def test_forgetting_is_withdrawing_all_of_a_persons_sessions(
    walked: str, database: Database, settings: Settings
) -> None:
    with database.transaction() as session:
        assert forget_person(session, COMMAND_LINE, WHO, settings.secret, NOW) == [1]
        anna, bert = people(session)
        assert (anna.status, anna.participant) == (Status.WITHDRAWN, None)
        assert bert.status == Status.COMPLETED
        with pytest.raises(NotFound):
            forget_person(session, COMMAND_LINE, WHO, settings.secret, NOW)
