"""Checks of a participant: screening before the study, comprehension of its instructions."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, func, select
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.settings import Settings
from app.monitor.tally import Tally
from app.reports.export import rows_of
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, SessionToken, Status, Trial
from tests.factories import load_file
from tests.sessions.test_before_consent import places_of
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database

SIGHT = {
    "id": "sight",
    "type": "choice",
    "ask": "Do you see well?",
    "options": ["Yes", "No"],
    "accept": ["Yes"],
}
OFTEN = {
    "id": "often",
    "ask": "How often do you play?",
    "scale": "frequency",
    "accept": ["often", "very often"],
}
MANY = {"id": "many", "type": "choice", "ask": "How many videos?", "options": ["one", "two"], "answer": "two"}
SURE = {"id": "sure", "type": "likert", "ask": "How sure?", "labels": ["not", "very"], "answer": "very"}
CODES = {"code": "DONE42", "codes": {"screened_out": "SCR1"}}
ACCEPTED = {"sight": "Yes", "often": "4"}
RIGHT, WRONG = {"many": "two", "sure": "2"}, {"many": "one", "sure": "2"}


@pytest.fixture
def checked(database: Database, tmp_path: Path, study: str) -> str:
    load(database, tmp_path)
    return study


def load(database: Database, folder: Path, failed: str = "flag", tries: int = 2, **codes: str) -> None:
    with database.transaction() as session:
        load_file(
            session,
            folder,
            screening=[SIGHT, OFTEN],
            comprehension={"questions": [MANY, SURE], "failed": failed, "tries": tries},
            completion={**CODES, "codes": {**CODES["codes"], **codes}},  # type: ignore[dict-item]
        )


def begin(walk: Walk) -> Walk:
    walk.answer()
    walk.answer(**ACCEPTED)
    return walk.to("comprehension-1")


def statuses(session: Session) -> list[str]:
    return list(session.exec(select(ParticipantSession.status).order_by(col(ParticipantSession.id))))


def tries(session: Session) -> list[Mapping[str, object]]:
    pages = select(Response).where(col(Response.page).startswith("comprehension")).order_by(col(Response.id))
    return [{"page": each.page, **each.answers, "raised": each.raised} for each in session.exec(pages)]


def test_screening_comes_first_after_consent(client: TestClient, database: Database, checked: str) -> None:
    walk = Walk(client)
    assert walk.answer() == "screening"
    assert walk.answer(**ACCEPTED) == "background"
    with database.reading() as session:
        stored = session.exec(select(Response.answers).where(Response.page == "screening")).one()
        assert stored == {"sight": "Yes", "often": 4}
        values = [
            (row["question"], row["value"])
            for row in rows_of(session, checked, "answers")
            if row["page"] == "screening"
        ]
    assert values == [("often", "4"), ("sight", "Yes")]


@pytest.mark.parametrize("answer", [{"sight": "No"}, {"often": "3"}])
def test_of_who_is_screened_out_a_count_alone_is_kept(
    client: TestClient, database: Database, checked: str, answer: Mapping[str, str]
) -> None:
    walk = Walk(client, PROLIFIC_PID="pid-7f3b91c2")
    walk.answer()
    html = client.post(walk.address, data={"submit_id": submit_id(walk), **ACCEPTED, **answer}).text
    assert "Thank you for your interest" in html
    assert "SCR1" in html
    assert client.get(walk.address).status_code == 404
    with database.reading() as session:
        one = session.exec(select(ParticipantSession)).one()
        assert (one.status, one.participant, one.ordinal, one.seed) == (Status.SCREENED_OUT, None, None, None)
        assert (one.arrived_at, one.consented_at) == (one.ended_at, None)
        for table in (Response, Trial, SessionToken):
            assert session.scalar(select(func.count()).select_from(table)) == 0
        assert places_of(session, "pid-7f3b91c2") == []


def submit_id(walk: Walk) -> str:
    found = re.search(r'name="submit_id" value="([^"]+)"', walk.html)
    assert found
    return found[1]


def test_the_place_of_who_is_screened_out_is_given_anew(
    client: TestClient, database: Database, checked: str
) -> None:
    first = Walk(client)
    first.answer()
    first.client.post(first.address, data={"submit_id": submit_id(first), "sight": "No", "often": "4"})
    begin(Walk(client))
    with database.reading() as session:
        assert session.exec(
            select(ParticipantSession.ordinal).order_by(col(ParticipantSession.id))
        ).all() == [None, 1]


def test_an_unanswered_screening_question_is_asked_for(client: TestClient, checked: str) -> None:
    walk = Walk(client)
    walk.answer()
    response = client.post(walk.address, data={"submit_id": submit_id(walk), "sight": "Yes"})
    assert response.status_code == 422
    assert "Please answer this question." in response.text


def test_right_at_once_passes_over_the_second_try(
    client: TestClient, database: Database, checked: str
) -> None:
    walk = begin(Walk(client))
    assert walk.answer(**RIGHT) == "trial-1"
    with database.reading() as session:
        assert tries(session) == [{"page": "comprehension-1", "many": "two", "sure": 2, "raised": None}]
        [row] = rows_of(session, checked, "participants")
    assert (row["comprehension_tries"], row["comprehension_failed"]) == (1, 0)


def test_the_second_try_shows_the_text_again_and_what_was_wrong(
    client: TestClient, database: Database, checked: str
) -> None:
    walk = begin(Walk(client))
    assert "Watch both videos" not in walk.html
    assert walk.answer(**WRONG) == "comprehension-2"
    assert "Watch both videos" in walk.html
    # The question that was wrong is marked and open; the other keeps its answer; the right one is told nowhere.
    assert walk.html.count("Your first answer was not right.") == 1
    assert re.search(r'id="q-many-error" data-error>Your first answer', walk.html)
    assert re.findall(r'name="(\w+)" value="(\w+)" checked', walk.html) == [("sure", "2")]
    assert walk.answer(**RIGHT) == "trial-1"
    with database.reading() as session:
        assert [each["raised"] for each in tries(session)] == [None, None]
        [row] = rows_of(session, checked, "participants")
    assert (row["comprehension_tries"], row["comprehension_failed"]) == (2, 1)


def test_two_wrong_tries_are_flagged(client: TestClient, database: Database, checked: str) -> None:
    walk = begin(Walk(client))
    walk.answer(**WRONG)
    assert walk.answer(**WRONG) == "trial-1"
    with database.reading() as session:
        assert [each["raised"] for each in tries(session)] == [None, "comprehension-failed"]
        assert statuses(session) == [Status.ACTIVE]
        study_id = 1
        tally = Tally(study_id)
        tally.refresh(session, None)
        [flagged] = tally.by_session.values()
    assert flagged.all_flags() == {"comprehension-failed": 1}


@pytest.mark.parametrize(("codes", "code"), [({}, "SCR1"), ({"failed_checks": "CHK1"}, "CHK1")])
def test_two_wrong_tries_end_the_study_where_it_says_so(
    client: TestClient, database: Database, tmp_path: Path, study: str, codes: dict[str, Any], code: str
) -> None:
    load(database, tmp_path, failed="end", **codes)
    walk = begin(Walk(client))
    walk.answer(**WRONG)
    assert "the study ends here" in walk.html
    assert walk.answer(**WRONG) == "end"
    assert "The study ends here" in walk.html
    assert code in walk.html
    assert walk.look() == "end"
    with database.reading() as session:
        assert statuses(session) == [Status.FAILED_CHECKS]
        assert len(tries(session)) == 2
    late = client.post(walk.address, data={"submit_id": "trial-1.x", "choice": "left"})
    assert "The study ends here" in late.text


def test_one_try_alone_is_no_second(
    client: TestClient, database: Database, tmp_path: Path, study: str
) -> None:
    load(database, tmp_path, failed="end", tries=1)
    walk = begin(Walk(client))
    assert "This is the only try" in walk.html
    assert walk.answer(**WRONG) == "end"


def test_simulated_people_pass_the_checks(settings: Settings, database: Database, checked: str) -> None:
    run_simulation(settings, database, checked, n=2, traits=Traits(), seed=1)
    with database.reading() as session:
        assert statuses(session) == [Status.COMPLETED] * 2
        assert {each["raised"] for each in tries(session)} == {None}
