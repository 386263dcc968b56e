"""Registrations of versions: kept with their hash, audited, and what deviates from them."""

import hashlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select

from app.accounts.audit import COMMAND_LINE
from app.accounts.tables import AuditEntry
from app.core.database import Database
from app.core.errors import NotFound
from app.reports.facts import designs_of
from app.studies.launch import study_here
from app.studies.registering import (
    BadRegistration,
    Commitment,
    RegistrationView,
    checked_address,
    commitment,
    register,
    registrations,
)
from app.trials.tables import Mode, ParticipantSession, Registration, StudyVersion
from tests.factories import NOW, load_file

H1: dict[str, Any] = {
    "id": "h1",
    "compare": ["human-hybrid", "hybrid-symbolic"],
    "measure": "uncertainty",
    "direction": "less",
    "test": "wilcoxon",
}
TEXT = "# Pre-registration\n"


def kept(session: Session, text: str = TEXT, address: str = "", days: int = 0) -> RegistrationView:
    at = NOW + timedelta(days=days)
    return register(session, COMMAND_LINE, study_here(session, "nav"), 1, text, address, at)


def held(session: Session) -> Commitment | None:
    return commitment(session, study_here(session, "nav").id, list(designs_of(session, "nav").items()))


def freeze(session: Session) -> None:
    version = session.exec(select(StudyVersion)).one()
    version.frozen_at = NOW
    session.add(version)


def arrive(session: Session, days: int) -> None:
    version = session.exec(select(StudyVersion)).first()
    assert version is not None
    at = NOW + timedelta(days=days)
    session.add(
        ParticipantSession(
            version_id=version.id or 0, mode=Mode.LIVE, arrived_at=at, consented_at=at, recruiter={}
        )
    )


@pytest.fixture
def registered(study: str, database: Database, tmp_path: Path) -> str:
    with database.transaction() as session:
        load_file(session, tmp_path, hypotheses=[H1])
        kept(session, address="https://osf.io/abcde")
    return study


@pytest.mark.both_databases
def test_a_registration_is_kept_with_its_hash_and_audited(registered: str, database: Database) -> None:
    with database.reading() as session:
        (row,) = session.exec(select(Registration)).all()
        (one,) = registrations(session, study_here(session, registered).id)
        entry = session.exec(select(AuditEntry).order_by(col(AuditEntry.id).desc())).first()
    sha256 = hashlib.sha256(TEXT.encode()).hexdigest()
    assert (row.text, row.sha256, one.version, one.address, one.at) == (
        TEXT,
        sha256,
        1,
        "https://osf.io/abcde",
        NOW,
    )
    assert one.is_before_data
    assert entry is not None
    assert (entry.action, entry.after) == (
        "study.register",
        {"version": 1, "sha256": sha256, "address": "https://osf.io/abcde"},
    )


def test_a_version_that_is_none_is_refused(registered: str, database: Database) -> None:
    with database.transaction() as session, pytest.raises(NotFound, match="has no version 9"):
        register(session, COMMAND_LINE, study_here(session, registered), 9, TEXT, "", NOW)


@pytest.mark.parametrize(
    "address", ["osf.io/abcde", "javascript:alert(1)", "https://", f"https://x.org/{'a' * 500}"]
)
def test_an_address_is_a_web_address(address: str) -> None:
    with pytest.raises(BadRegistration):
        checked_address(address)
    assert checked_address("  ") is None


def test_a_change_of_the_design_is_a_deviation_and_of_a_hypothesis_too(
    registered: str, database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        assert (found := held(session)) is not None
        assert (found.deviations, [one.id for one in found.kept]) == ((), ["h1"])
        freeze(session)
        changed = [{**H1, "alpha": 0.1}, {**H1, "id": "h2"}]
        load_file(session, tmp_path, hypotheses=changed, title="Another title")
        found = held(session)
    assert found is not None
    assert [one.alpha for one in found.kept] == [0.05]
    assert ([one.id for one in found.changed], [one.id for one in found.added]) == (["h1"], ["h2"])
    assert "hypotheses › h1 › alpha (version 2): 0.05 → 0.1" in found.deviations
    assert any(said.startswith("title (version 2): ") for said in found.deviations)


def test_of_several_the_newest_before_data_counts(registered: str, database: Database) -> None:
    with database.transaction() as session:
        kept(session, "# Second\n", days=1)
        arrive(session, days=2)
        kept(session, "# Too late\n", days=3)
        found = held(session)
    assert found is not None
    assert (found.registration.text, found.deviations) == ("# Second\n", ())


def test_one_that_came_after_the_first_live_session_says_so(
    study: str, database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        load_file(session, tmp_path, hypotheses=[H1])
        arrive(session, days=0)
        kept(session, days=1)
        found = held(session)
    assert found is not None
    assert found.deviations == ("it was registered after somebody had taken part live",)


def test_an_unregistered_study_is_held_to_nothing(study: str, database: Database) -> None:
    with database.reading() as session:
        assert held(session) is None
