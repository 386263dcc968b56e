"""Defects that a hostile reviewer found in the experimenter's pages, each kept from coming back."""

import random
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import func, select
from starlette.testclient import TestClient

from app.accounts.tables import Role
from app.core.database import Database
from app.core.errors import Conflict
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.stimuli import add_stimuli
from app.library.tables import Stimulus
from app.sessions.entering import Visit, enter
from app.sessions.entry import pass_for
from app.sessions.state_machine import submit
from app.sessions.where import locate
from app.studies.access import StudyHere
from app.studies.drafts import draft_for, save_draft
from app.studies.saving import ReasonDue, save_version
from app.studies.versions import set_state
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, State, Study, StudyVersion, Trial, Unit
from tests.admin.persons import make_user
from tests.factories import NOW, load_file
from tests.sessions.walks import Walk

Library = tuple[ClipStore, Sequence[ImportedClip]]
AGREE = {"submit_id": "consent.1", "decision": "agree", "of_age": "yes"}


def test_a_design_saved_back_after_a_preview_can_be_taken_part_in(
    database: Database, library: Library, tmp_path: Path
) -> None:
    """The pairs of a version that was saved anew are other rows: what a preview has read of them must not be kept."""

    def come_in(mode: Mode) -> int:
        with database.transaction() as session:
            token = enter(session, Visit("nav", mode), NOW)
            submit(session, token, AGREE, NOW, random.Random(1))
        with database.reading() as session:
            mine = ParticipantSession.id == locate(session, token).session_id
            planned = select(func.count()).select_from(Trial).join(ParticipantSession).join(Unit)
            return session.exec(planned.where(mine)).one()

    with database.transaction() as session:
        add_stimuli(session, library[1], NOW)
        load_file(session, tmp_path)
    come_in(Mode.PREVIEW)
    with database.transaction() as session:
        load_file(session, tmp_path, study="other")  # takes the ids that would else be used again
    for title in ("Another title", "Which navigation looks natural?"):
        with database.transaction() as session:
            load_file(session, tmp_path, title=title)
    with database.transaction() as session:
        set_state(session, "nav", State.LIVE)
    assert come_in(Mode.LIVE) == 11


@pytest.fixture
def here(database: Database, study: str) -> StudyHere:
    with database.reading() as session:
        found = session.exec(select(Study).where(Study.slug == study)).one()
    return StudyHere(found.id or 0, study, State(found.state))


def change(database: Database, here: StudyHere, reason: str, **keys: object) -> None:
    with database.transaction() as session:
        who = make_user(session, Role.OWNER, f"{reason or 'nobody'}@example.org".replace(" ", "-"))
        draft = draft_for(session, here)
        save_draft(session, who, here, {**draft.keys, **keys}, draft.revision, NOW)
        save_version(session, who, here, reason, NOW)


def test_no_text_with_gaps_is_shown_to_participants_of_an_open_study(
    database: Database, here: StudyHere
) -> None:
    with pytest.raises(Conflict, match=r"\[YOUR NAME\] is still to be filled in"):
        change(database, here, "new contact", instructions="# Ask\n\nWrite to [YOUR NAME].\n")


def test_the_reason_of_a_version_stays_when_it_is_saved_again_without_one(
    database: Database, here: StudyHere
) -> None:
    with database.transaction() as session:
        enter(session, Visit("nav"), NOW)
    with pytest.raises(ReasonDue):
        change(database, here, "", title="Second")
    change(database, here, "complaint", title="Second")
    change(database, here, "", title="Third")
    with database.reading() as session:
        assert session.exec(select(StudyVersion.reason).where(StudyVersion.number == 2)).one() == "complaint"


def test_a_pass_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    from itsdangerous import TimestampSigner

    from app.sessions import entry, links

    passed = pass_for("nav", Mode.PREVIEW, "secret")
    assert entry._mode(passed, "nav", "secret") is Mode.PREVIEW
    later = round(timedelta(days=2).total_seconds())
    now = TimestampSigner("x").get_timestamp()
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda _self: now + later)
    with pytest.raises(links.BadLink):
        entry._mode(passed, "nav", "secret")


@pytest.mark.both_databases
def test_answers_are_held_against_the_clips_as_they_were_shown(
    client: TestClient, study: str, database: Database
) -> None:
    """Processing all clips anew gives the library other lengths, not a version that people have taken part in."""
    walk = Walk(client, study).to("trial-1")
    with database.transaction() as session:
        for stimulus in session.exec(select(Stimulus)):
            stimulus.duration_s = 77.0
            session.add(stimulus)
    walk.answer()
    with database.reading() as session:
        response = session.exec(select(Response).where(Response.page == "trial-1")).one()
        assert (response.raised, response.unwatched) == ("no-telemetry", False)
