"""Simulated people from the browser: sent in the background, marked, and removed at one click."""

import signal
import subprocess
import sys
from typing import Any

import pytest
from sqlmodel import select
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.settings import Settings
from app.jobs import queue
from app.jobs.tables import Job, JobStatus, Kind
from app.sessions.simulated import NOT_NOW
from app.studies.versions import set_state
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, State, Status
from app.worker.worker import drain
from tests.admin.persons import Person
from tests.factories import NOW
from tests.sessions.walks import Walk

pytestmark = [pytest.mark.usefixtures("few_resamples"), pytest.mark.slow]

HERE = "/admin/studies/nav"


def to(database: Database, state: State) -> None:
    with database.transaction() as session:
        set_state(session, "nav", state, now=NOW)


def modes(database: Database) -> list[tuple[str, str]]:
    with database.reading() as session:
        return [(one.mode, one.status) for one in session.exec(select(ParticipantSession))]


def test_simulated_people_take_part_are_shown_and_are_removed(
    owner: Person, study: str, database: Database, settings: Settings, client: TestClient
) -> None:
    Walk(client, study).to("end")  # a live one, who stays
    to(database, State.PILOT)
    page = owner.post(f"{HERE}/simulated", {"people": "3", "accuracy": "100", "seed": "5"}).text
    assert "Simulated people are on their way" in page
    assert 'data-over="no"' in page
    assert owner.post(f"{HERE}/simulated", {"people": "3"}).status_code == 409
    assert owner.post(f"{HERE}/simulated/remove").status_code == 409
    drain(settings, database)
    assert modes(database) == [("live", Status.COMPLETED), *[("simulated", Status.COMPLETED)] * 3]
    page = owner.get(f"{HERE}/launch").text
    assert "<strong>3 of 3</strong> simulated people finished" in page
    results = owner.get(f"{HERE}/results?mode=simulated").text
    assert "no person gave them" in results
    assert "Remove them" in results

    assert "The simulated people are removed" in owner.post(f"{HERE}/simulated/remove").text
    assert modes(database) == [("live", Status.COMPLETED)]
    with database.reading() as session:
        left = {one.session_id for one in session.exec(select(Response))}
        [kept] = session.exec(select(ParticipantSession.id).where(ParticipantSession.mode == Mode.LIVE))
    assert left == {kept}


def test_nobody_simulated_comes_once_the_study_is_launched_in_between(
    owner: Person, study: str, database: Database, settings: Settings
) -> None:
    to(database, State.PILOT)
    owner.post(f"{HERE}/simulated", {"people": "3"})
    to(database, State.LIVE)
    drain(settings, database)
    assert modes(database) == []
    with database.reading() as session:
        [job] = session.exec(select(Job).where(Job.kind == Kind.SIMULATION))
    assert (job.status, job.message) == (JobStatus.FAILED, NOT_NOW)


def test_a_study_is_not_launched_while_simulated_people_walk_and_cancelling_ends_them(
    owner: Person, study: str, database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    to(database, State.PILOT)
    owner.post(f"{HERE}/simulated", {"people": "3"})
    refused = owner.post(f"{HERE}/launch", {"to": "live"})
    assert (refused.status_code, "Simulated people are still on their way" in refused.text) == (409, True)
    begun: list[subprocess.Popen[str]] = []
    popen = subprocess.Popen

    def sleeping(_command: object, **more: Any) -> "subprocess.Popen[str]":
        """A person who takes longer than anybody waits, and says nothing."""
        begun.append(popen([sys.executable, "-c", "import time; time.sleep(90)"], **more))
        with database.transaction() as session:
            [job] = session.exec(select(Job).where(Job.kind == Kind.SIMULATION))
            queue.cancel(session, job.id or 0, NOW)
        return begun[0]

    monkeypatch.setattr(subprocess, "Popen", sleeping)
    drain(settings, database)
    assert [process.returncode for process in begun] == [-signal.SIGTERM]
    assert "still on their way" not in owner.post(f"{HERE}/launch", {"to": "live"}).text


def test_what_cannot_be_simulated_is_refused_in_words(owner: Person, study: str, database: Database) -> None:
    wrong = [
        ({"people": "0"}, "Choose 1 to 200"),
        ({"people": "many"}, "whole number"),
        ({"accuracy": "101"}, "0 to 100"),
        ({"seed": "-1"}, "whole number"),
    ]
    to(database, State.DRAFT)
    for fields, says in wrong:
        refused = owner.post(f"{HERE}/simulated", fields)
        assert (refused.status_code, says in refused.text) == (422, True), fields
    for state in (State.LIVE, State.PAUSED, State.CLOSED):
        to(database, state)
        refused = owner.post(f"{HERE}/simulated", {})
        assert refused.status_code == 409
        assert "before the launch alone" in refused.text
    assert 'action="/admin/studies/nav/simulated"' not in owner.get(f"{HERE}/launch").text
