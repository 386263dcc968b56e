"""Identities that are kept apart as experimenters meet them: notices, the list of sessions, one session, exports."""

import csv
import io
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.errors import StudyError
from app.core.settings import Settings
from app.monitor.notices import notices_of
from app.monitor.sessions_list import Search, find_sessions
from app.monitor.sessions_view import one_session
from app.reports.export import export, rows_of
from app.reports.kinds import Format
from app.sessions.identity import hashed
from app.studies.launch import study_here
from tests.factories import NOW, load_file
from tests.monitor.test_reconciling import person, recruit
from tests.sessions.test_recruitment import FROM, ID, stored
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database


def said(database: Database) -> list[str]:
    with database.reading() as session:
        return list(notices_of(session, study_here(session, "nav").id, NOW))


def test_a_study_with_its_recruiters_parameters_has_no_notice(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    for ids in ("apart", "hashed", "plain"):
        recruit(database, tmp_path, "prolific", ids=ids)
        Walk(client, study, **{**FROM, "PROLIFIC_PID": f"of-{ids}"}).answer()
    assert said(database) == []


@pytest.mark.parametrize("ids", ["apart", "hashed"])
def test_an_unfilled_parameter_of_the_preset_is_said(
    client: TestClient, database: Database, study: str, tmp_path: Path, ids: str
) -> None:
    recruit(database, tmp_path, "prolific", ids=ids)
    Walk(client, study, **{**FROM, "PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}).answer()
    (notice,) = said(database)
    assert notice.startswith("1 session came with PROLIFIC_PID=")
    assert "has not filled it in" in notice


def test_people_without_the_presets_parameter_are_said(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path, "mturk")
    for params in ({}, {"PROLIFIC_PID": "p1"}):
        Walk(client, study, **params).answer()
    without, unknown = said(database)
    assert without.startswith("2 sessions came without workerId, the parameter that holds the id")
    assert "that the study's recruiter does not send: PROLIFIC_PID (1)" in unknown
    assert unknown.endswith("a participant's id comes as workerId.")


def test_parameters_of_another_recruiter_are_those_that_the_study_names(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    with database.transaction() as session:
        other = {"from": "other", "parameters": {"participant": "rid", "session": "tx"}}
        load_file(session, tmp_path, recruitment=other)
    Walk(client, study, rid="r1", tx="t1").answer()
    assert said(database) == []


def test_a_session_is_found_by_the_id_that_is_kept_apart_and_shows_its_link(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path, "prolific")
    mine = person(client, database, "PROLIFIC_PID", ID, STUDY_ID="s1")
    person(client, database, "PROLIFIC_PID", "somebody-else")
    with database.reading() as session:
        here = study_here(session, "nav")
        found = find_sessions(session, here, Search(ID))
        assert [line.id for line in found.lines] == [mine]
        view = one_session(session, here, mine)
    assert view.participant.startswith("p-")
    assert view.recruiter == {"PROLIFIC_PID": ID, "STUDY_ID": "s1"}


def test_of_a_hashed_id_the_session_shows_the_hash(
    client: TestClient, database: Database, settings: Settings, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path, "prolific", ids="hashed")
    mine = person(client, database, "PROLIFIC_PID", ID)
    with database.reading() as session:
        view = one_session(session, study_here(session, "nav"), mine)
    assert view.recruiter == {"keyed hash of the id": hashed(ID, settings.secret)}


def test_ids_kept_apart_are_in_no_export_unless_they_are_asked_for(
    client: TestClient, database: Database, settings: Settings, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path, "prolific")
    Walk(client, study, **FROM).to("end")
    recruit(database, tmp_path, "prolific", ids="hashed")
    Walk(client, study, **{**FROM, "PROLIFIC_PID": "of-hash"}).to("end")
    recruit(database, tmp_path, "prolific", ids="plain")
    Walk(client, study, **{**FROM, "PROLIFIC_PID": "of-plain"}).answer()
    apart, hashes, plain = (one for one, _ in stored(database))
    with database.reading() as session:
        for what in ("participants", "responses", "answers", "playback"):
            texts = [str(row) for row in rows_of(session, "nav", what) if row["participant"] != "of-plain"]
            assert texts
            assert not [text for text in texts for word in (ID, "of-hash") if word in text]
        out = tmp_path / "participants.csv"
        export(session, "nav", "participants", Format.CSV, out, real_ids=True)
        with pytest.raises(StudyError, match="--what participants"):
            export(session, "nav", "responses", Format.CSV, out, real_ids=True)
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    assert [row["recruiter_id"] for row in rows] == [ID, hashed("of-hash", settings.secret), "of-plain"]
    assert [row["participant"] for row in rows] == [apart.participant, hashes.participant, plain.participant]
    assert ["study-5d11aa" in row["recruiter"] for row in rows] == [True, False, True]
