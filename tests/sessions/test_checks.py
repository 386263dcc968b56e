"""Checks of a participant: screening before the study, comprehension of its instructions."""

import re
from collections.abc import Mapping
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, func, select
from starlette.testclient import TestClient

from app.accounts.audit import Actor
from app.core.database import Database
from app.core.errors import NotFound
from app.core.settings import Settings
from app.monitor.tally import Tally
from app.reports.export import rows_of
from app.sessions.about_person import about_person, forget_person
from app.sessions.entry import pass_for
from app.sessions.erasing import erase_identities
from app.sessions.identity import hashed
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from app.studies.versions import set_state
from app.trials.responses import Response
from app.trials.tables import (
    Mode,
    ParticipantIdentity,
    ParticipantSession,
    SessionToken,
    State,
    Status,
    Trial,
)
from tests.clock import Clock
from tests.factories import NOW, answer_for, load_file
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
ID = "pid-7f3b91c2"
CODES = {"code": "DONE42", "codes": {"screened_out": "SCR1"}}
ACCEPTED = {"sight": "Yes", "often": "4"}
RIGHT, WRONG = {"many": "two", "sure": "2"}, {"many": "one", "sure": "2"}


@pytest.fixture
def checked(database: Database, tmp_path: Path, study: str) -> str:
    load(database, tmp_path)
    return study


def load(
    database: Database,
    folder: Path,
    failed: str = "flag",
    tries: int = 2,
    ids: str | None = None,
    retention: int | None = None,
    **codes: str,
) -> None:
    with database.transaction() as session:
        load_file(
            session,
            folder,
            screening=[SIGHT, OFTEN],
            comprehension={"questions": [MANY, SURE], "failed": failed, "tries": tries},
            completion={**CODES, "codes": {**CODES["codes"], **codes}},  # type: ignore[dict-item]
            recruitment={"from": "prolific", "ids": ids} if ids else None,
            retention={"days": retention} if retention else None,
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
@pytest.mark.parametrize("link", [{}, {"PROLIFIC_PID": ID}])
def test_of_who_is_screened_out_a_count_is_kept_and_the_hash_of_an_id(
    client: TestClient,
    database: Database,
    settings: Settings,
    checked: str,
    answer: Mapping[str, str],
    link: Mapping[str, str],
) -> None:
    walk = screened_out(client, answer, **link)
    assert "Thank you for your interest" in walk.html
    assert "SCR1" in walk.html
    assert ("a code made from the id in your link" in walk.html) is bool(link)
    assert ("nothing about you" in walk.html) is not bool(link)
    assert client.get(walk.address).status_code == 404
    with database.reading() as session:
        one = session.exec(select(ParticipantSession)).one()
        assert (one.status, one.participant, one.ordinal, one.seed) == (Status.SCREENED_OUT, None, None, None)
        assert (one.arrived_at, one.consented_at) == (one.ended_at, None)
        for table in (Response, Trial, SessionToken):
            assert session.scalar(select(func.count()).select_from(table)) == 0
        assert places_of(session, ID) == []
        kept = [
            (one.session_id, one.hashed_id, one.external_id, one.parameters) for one in identities(session)
        ]
        assert kept == ([(1, hashed(ID, settings.secret), None, {})] if link else [])


def screened_out(client: TestClient, answer: Mapping[str, str] | None = None, **link: str) -> Walk:
    """Come, consent, and give an answer with which the study ends."""
    given = answer or {"sight": "No"}
    walk = Walk(client, **link)
    walk.answer()
    assert walk.page == "screening"
    walk.html = client.post(walk.address, data={"submit_id": submit_id(walk), **ACCEPTED, **given}).text
    return walk


def identities(session: Session) -> list[ParticipantIdentity]:
    return list(session.exec(select(ParticipantIdentity)))


@pytest.mark.both_databases
@pytest.mark.parametrize("ids", [None, "plain", "apart", "hashed"])
def test_by_the_same_id_the_screening_is_not_asked_again(
    client: TestClient, database: Database, tmp_path: Path, study: str, ids: str | None
) -> None:
    load(database, tmp_path, ids=ids)
    first = screened_out(client, PROLIFIC_PID=ID)
    client.cookies.clear()  # another browser
    again = client.get(f"/s/{study}", params={"PROLIFIC_PID": ID})
    assert again.status_code == 403
    assert main_of(again.text) == main_of(first.html)
    with database.reading() as session:
        assert statuses(session) == [Status.SCREENED_OUT]
    assert Walk(client, PROLIFIC_PID="somebody-else").page == "consent"
    with database.transaction() as session:
        set_state(session, study, State.PAUSED)
    assert main_of(client.get(f"/s/{study}", params={"PROLIFIC_PID": ID}).text) == main_of(first.html)


def main_of(html: str) -> str:
    return html.partition("<main")[2]


def test_who_had_the_consent_page_open_twice_is_told_at_consent(
    client: TestClient, database: Database, checked: str
) -> None:
    late = Walk(client, PROLIFIC_PID=ID)
    first = screened_out(client, PROLIFIC_PID=ID)
    form = answer_for(late.html)
    reply = client.post(late.address, data=form, headers={"accept": "application/json"}).json()
    assert reply["next"].startswith("/s/nav/declined/screened-out")
    late.answer()
    assert main_of(late.html) == main_of(first.html)
    with database.reading() as session:
        assert statuses(session) == [Status.ARRIVED, Status.SCREENED_OUT]


def test_without_an_id_the_browser_alone_remembers(client: TestClient, checked: str) -> None:
    first = screened_out(client)
    again = client.get("/s/nav")
    assert again.status_code == 403
    assert main_of(again.text) == main_of(first.html)
    # Whoever comes to a shared computer with an id of their own is somebody else.
    assert client.get("/s/nav", params={"PROLIFIC_PID": ID}).status_code == 200
    assert Walk(client).page == "consent"  # without its cookies it is another browser


def test_a_browser_remembers_nothing_of_who_came_with_an_id(client: TestClient, checked: str) -> None:
    screened_out(client, PROLIFIC_PID=ID)
    assert not [name for name in client.cookies if name.endswith("-out")]


def test_a_preview_and_a_simulation_are_screened_out_as_often_as_they_like(
    client: TestClient, database: Database, settings: Settings, checked: str
) -> None:
    for mode in (Mode.PREVIEW, Mode.SIMULATED):
        for _ in range(2):
            screened_out(client, None, **{"as": pass_for("nav", mode, settings.secret)}, PROLIFIC_PID=ID)
    with database.reading() as session:
        assert identities(session) == []


def test_whose_hash_is_forgotten_may_come_again(
    client: TestClient, database: Database, settings: Settings, checked: str
) -> None:
    screened_out(client, PROLIFIC_PID=ID)
    with database.transaction() as session:
        assert about_person(session, ID, settings.secret).sessions == {1: "nav"}
        assert forget_person(session, Actor(None, "a test"), ID, settings.secret, NOW) == [1]
        with pytest.raises(NotFound):
            about_person(session, ID, settings.secret)
        with pytest.raises(NotFound):
            forget_person(session, Actor(None, "a test"), "1", settings.secret, NOW)
    assert Walk(client, PROLIFIC_PID=ID).page == "consent"


@pytest.mark.both_databases
def test_the_hash_goes_when_its_retention_is_over(
    client: TestClient, database: Database, settings: Settings, tmp_path: Path, study: str
) -> None:
    load(database, tmp_path, retention=30)
    screened_out(client, PROLIFIC_PID=ID)
    by = Actor(None, "a test")
    for days, left in ((29, 1), (31, 0)):
        with database.transaction() as session:
            erase_identities(session, by, Clock.now(UTC) + timedelta(days=days))
            assert len(identities(session)) == left


@pytest.mark.parametrize("ids", [None, "apart"])
def test_every_way_out_sends_the_id_back(
    client: TestClient, database: Database, tmp_path: Path, study: str, ids: str | None
) -> None:
    way = "https://panel.example.org/{}?who={{participant}}"
    names = ("screened_out", "failed_checks", "no_consent", "full")
    codes = {name: way.format(name) for name in names}
    load(database, tmp_path, "end", 1, ids, None, **codes)
    assert f"screened_out?who={ID}" in screened_out(client, PROLIFIC_PID=ID).html
    client.cookies.clear()
    assert f"screened_out?who={ID}" in client.get("/s/nav", params={"PROLIFIC_PID": ID}).text
    failed = begin(Walk(client, PROLIFIC_PID="pid-failed"))
    failed.answer(**WRONG)
    assert "failed_checks?who=pid-failed" in failed.html
    under_age = Walk(client, PROLIFIC_PID="pid-young")
    under_age.answer(of_age="no")
    assert "screened_out?who=pid-young" in under_age.html
    refused = Walk(client, PROLIFIC_PID="pid-no")
    refused.answer(decision="refuse")
    assert "no_consent?who=pid-no" in refused.html


def test_an_unsuited_device_is_sent_back_with_the_id(
    client: TestClient, database: Database, tmp_path: Path, study: str
) -> None:
    way = "https://panel.example.org/out?who={participant}"
    with database.transaction() as session:
        load_file(
            session,
            tmp_path,
            devices={"telephones": False},
            completion={"code": "DONE42", "codes": {"screened_out": way}},
        )
    client.headers["user-agent"] = "Mozilla/5.0 (iPhone) Mobile Safari/604.1"
    told = Walk(client, PROLIFIC_PID=ID).html
    assert f"out?who={ID}" in told
    # One thing to do first, and the way back only for who cannot do it.
    assert "on another device or browser first. Only if you cannot, use the code or the way back" in told
    assert "You are welcome to open" not in told


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
