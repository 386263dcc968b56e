"""Ids of recruiters: kept with the answers, apart from them or as a hash, and once each in every way of keeping."""

import asyncio
import random
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from sqlalchemy import text
from sqlmodel import Session, select
from starlette.testclient import TestClient

from app.accounts.audit import COMMAND_LINE, Actor
from app.core.database import Database
from app.core.errors import StudyError
from app.core.settings import Settings
from app.sessions.coming import Came
from app.sessions.entering import BegunElsewhere, TookPart, Visit, enter
from app.sessions.identity import hashed
from app.sessions.links import participant_links
from app.sessions.retargeting import newest_design
from app.sessions.state_machine import submit
from app.sessions.withdrawing import withdraw
from app.studies.access import StudyHere
from app.studies.archiving import archive
from app.studies.deleting import delete_study
from app.studies.design_checks import unknown_studies
from app.studies.launch import study_here
from app.studies.versions import set_state
from app.trials.tables import ParticipantIdentity, ParticipantSession, State, Status
from tests.factories import NOW, load_file
from tests.sessions.test_before_consent import places_of
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database

SECRET = "a secret of these tests"
ID = "5f3c1a9e7b2d4c0018aa91f2"
FROM = {"PROLIFIC_PID": ID, "STUDY_ID": "study-5d11aa", "SESSION_ID": "sess-0c44ef"}
CODES = {"finished": "DONE42", "no_consent": "NOC1", "screened_out": "SCR1", "full": "FUL1"}
COMPLETION = {"redirect": "https://app.prolific.com/submissions/complete?cc={code}", "codes": CODES}


def recruit(database: Database, folder: Path, study: str = "nav", **keys: Any) -> None:
    """Load a study with such a recruitment, and open it."""
    with database.transaction() as session:
        recruitment = {"from": "prolific", **keys}
        load_file(session, folder, study=study, recruitment=recruitment, completion=COMPLETION)
        set_state(session, study, State.LIVE)


def stored(database: Database) -> list[tuple[ParticipantSession, ParticipantIdentity | None]]:
    with database.reading() as session:
        ids = {one.session_id: one for one in session.exec(select(ParticipantIdentity))}
        return [(one, ids.get(one.id or 0)) for one in session.exec(select(ParticipantSession))]


def consent(session: Session, id_: str, slug: str = "nav", *, is_signed: bool = False) -> str:
    """Come and consent at once, in a browser of one's own."""
    own = hashed(id_, SECRET)
    token = enter(session, Visit(slug, participant=id_, is_signed=is_signed, hashed=own), NOW)
    answer(session, token, id_, slug, is_signed=is_signed)
    return token


def answer(session: Session, token: str, id_: str, slug: str = "nav", *, is_signed: bool = False) -> None:
    form = {"submit_id": "consent.x", "decision": "agree", "of_age": "yes"}
    came = Came(slug, NOW, id_, is_signed, {"PROLIFIC_PID": id_}, hashed(id_, SECRET))
    submit(session, token, form, NOW, random.Random(), came)


def test_ids_are_kept_apart_where_nothing_else_is_said(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path)
    walk = Walk(client, study, **FROM)
    walk.to("end")
    ((one, identity),) = stored(database)
    assert identity is not None
    assert (identity.external_id, identity.hashed_id, identity.parameters) == (ID, None, FROM)
    assert one.participant is not None
    assert (one.participant[:2], len(one.participant), one.recruiter) == ("p-", 14, {})
    with database.reading() as session:
        places = places_of(session, *FROM.values())
    assert {place.partition(".")[0] for place in places} == {"participant_identity"}


def test_a_hash_alone_is_kept_where_the_study_says_so(
    client: TestClient, database: Database, settings: Settings, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path, ids="hashed")
    Walk(client, study, **FROM).to("end")
    ((one, identity),) = stored(database)
    assert identity is not None
    assert (identity.external_id, identity.parameters) == (None, {})
    assert identity.hashed_id == hashed(ID, settings.secret) != hashed(ID, "another secret")
    assert one.recruiter == {}
    with database.reading() as session:
        assert places_of(session, *FROM.values()) == []


def test_plain_ids_stand_with_the_answers_as_without_a_recruiter(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path, ids="plain")
    Walk(client, study, **FROM).answer()
    ((one, identity),) = stored(database)
    assert (one.participant, one.recruiter, identity) == (ID, FROM, None)


@pytest.mark.parametrize("ids", ["apart", "hashed"])
def test_a_browser_goes_on_with_its_session_and_another_is_told_that_it_began_elsewhere(
    client: TestClient, database: Database, study: str, tmp_path: Path, ids: str
) -> None:
    recruit(database, tmp_path, ids=ids)
    walk = Walk(client, study, **FROM)
    walk.answer()
    again = client.get(f"/s/{study}", params=FROM)
    assert (again.url.path, again.status_code) == (walk.address, 200)
    bare = client.get(f"/s/{study}")
    assert bare.url.path == walk.address
    other = client.get(f"/s/{study}", params={**FROM, "PROLIFIC_PID": "somebody-else"})
    assert other.url.path != walk.address
    client.cookies.clear()
    elsewhere = client.get(f"/s/{study}", params=FROM)
    assert elsewhere.status_code == 403
    assert "Begun in another browser" in elsewhere.text
    pseudonym = stored(database)[0][0].participant
    client.cookies.clear()
    guessed = client.get(f"/s/{study}", params={**FROM, "PROLIFIC_PID": pseudonym or ""})
    assert guessed.status_code == 200  # a pseudonym is nobody's id


@pytest.mark.parametrize("ids", ["apart", "hashed"])
def test_a_signed_link_goes_on_in_every_browser(
    client: TestClient, database: Database, settings: Settings, study: str, tmp_path: Path, ids: str
) -> None:
    recruit(database, tmp_path, ids=ids)
    with database.transaction() as session:
        here = session.execute(text("select id from study where slug = 'nav'")).scalar_one()
        of = StudyHere(here, study, State.LIVE)
        (link,) = participant_links(session, Actor(None, "a test"), of, ["Person 7"], settings.secret, NOW)
    walk = Walk(client, link=link.path)
    walk.answer()
    client.cookies.clear()
    elsewhere = client.get(link.path)
    assert elsewhere.url.path != walk.address
    assert "familiar" in elsewhere.text
    assert len(stored(database)) == 1


@pytest.mark.both_databases
def test_an_id_takes_part_once_however_versions_keep_it(
    database: Database, study: str, tmp_path: Path
) -> None:
    with database.transaction() as session:
        consent(session, "P-plain")
    for ids in ("apart", "hashed"):
        recruit(database, tmp_path, ids=ids)
        with database.transaction() as session:
            consent(session, f"P-{ids}")
    for ids in ("plain", "apart", "hashed"):
        recruit(database, tmp_path, ids=ids)
        for id_ in ("P-plain", "P-apart", "P-hashed"):
            with database.transaction() as session, pytest.raises(BegunElsewhere):
                consent(session, id_)


@pytest.mark.both_databases
@pytest.mark.parametrize("ids", ["apart", "hashed"])
def test_simultaneous_consents_with_one_id_leave_one_session(
    database: Database, study: str, tmp_path: Path, ids: str
) -> None:
    recruit(database, tmp_path, ids=ids)
    beside = Database(database.url)
    with database.transaction() as session:
        visit = Visit("nav", participant=ID, hashed=hashed(ID, SECRET))
        tokens = [enter(session, visit, NOW) for _ in range(12)]

    async def go() -> list[Any]:
        writers = (database, beside)
        each = (writers[n % 2].write(answer, token, ID) for n, token in enumerate(tokens))
        return await asyncio.gather(*each, return_exceptions=True)

    results = asyncio.run(go())
    beside.close()
    assert sum(result is None for result in results) == 1
    assert sum(isinstance(result, BegunElsewhere) for result in results) == 11
    begun = [one for one, _ in stored(database) if one.status == Status.ACTIVE]
    assert len(begun) == 1


@pytest.mark.parametrize("ids", ["plain", "apart", "hashed"])
def test_who_took_part_in_a_study_is_told_so_before_consent_and_nothing_is_stored(
    client: TestClient, database: Database, study: str, tmp_path: Path, ids: str
) -> None:
    recruit(database, tmp_path, ids=ids)
    Walk(client, study, **FROM).answer()
    before = len(stored(database))
    recruit(database, tmp_path, "second", not_if_in=["nav"], ids="apart")
    client.cookies.clear()
    page = client.get("/s/second", params=FROM)
    assert page.status_code == 403
    assert "You have helped already" in page.text
    assert "SCR1" in page.text
    assert "https://app.prolific.com/submissions/complete?cc=SCR1" in page.text
    assert len(stored(database)) == before
    assert client.get("/s/second", params={**FROM, "PROLIFIC_PID": "new"}).status_code == 200


def test_who_opened_the_page_first_is_told_at_consent(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path)
    recruit(database, tmp_path, "second", not_if_in=["nav"])
    late = Walk(client, "second", **FROM)
    cookies = dict(client.cookies)
    Walk(client, study, **FROM).answer()
    client.cookies.update(cookies)
    late.answer()
    assert "You have helped already" in late.html
    assert "SCR1" in late.html
    statuses = {one.status: identity for one, identity in stored(database)}
    assert statuses.keys() == {Status.ACTIVE, Status.SCREENED_OUT}
    assert statuses[Status.SCREENED_OUT] is None


def test_without_a_code_for_screening_the_code_of_full_is_shown(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path)
    Walk(client, study, **FROM).answer()
    with database.transaction() as session:
        only = {"from": "prolific", "not_if_in": ["nav"]}
        load_file(session, tmp_path, study="second", recruitment=only, completion={"codes": {"full": "FUL1"}})
        set_state(session, "second", State.LIVE)
    client.cookies.clear()
    assert "FUL1" in client.get("/s/second", params=FROM).text


@pytest.mark.both_databases
def test_two_studies_that_keep_out_each_others_people_take_one_id_once(
    database: Database, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path, not_if_in=["second"])
    recruit(database, tmp_path, "second", not_if_in=["nav"])
    beside = Database(database.url)
    slugs = ["nav", "second"] * 5
    with database.transaction() as session:
        own = hashed(ID, SECRET)
        tokens = [enter(session, Visit(slug, participant=ID, hashed=own), NOW) for slug in slugs]

    async def go() -> list[Any]:
        writers = (database, beside)
        each = (
            writers[n % 2].write(answer, token, ID, slug)
            for n, (token, slug) in enumerate(zip(tokens, slugs, strict=True))
        )
        return await asyncio.gather(*each, return_exceptions=True)

    results = asyncio.run(go())
    beside.close()
    assert sum(result is None for result in results) == 1
    assert all(isinstance(result, (StudyError, type(None))) for result in results)
    assert any(isinstance(result, TookPart) for result in results)


def test_withdrawal_deletes_the_identity_and_the_id_may_come_again(
    database: Database, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path)
    with database.transaction() as session:
        consent(session, ID)
    ((one, identity),) = stored(database)
    assert identity is not None
    with database.transaction() as session:
        withdraw(session, one.id or 0, NOW)
    with database.reading() as session:
        assert places_of(session, ID) == []
    with database.transaction() as session:
        consent(session, ID)


def test_the_way_back_takes_the_recruiters_id_along(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    back = "https://pool.example.org/credit?experiment_id=12&survey_code={participant}"
    completion = {
        "redirect": back,
        "code": "DONE42",
        "codes": {"no_consent": "https://pool.example.org/no?who={participant}"},
    }
    with database.transaction() as session:
        load_file(session, tmp_path, recruitment={"from": "sona"}, completion=completion)
    walk = Walk(client, study, survey_code="4711").to("end")
    assert "credit?experiment_id=12&amp;survey_code=4711" in walk.html
    assert stored(database)[0][0].participant != "4711"
    other = Walk(client, study, survey_code="4712")
    other.answer(decision="refuse")
    assert "no?who=4712" in other.html
    with database.reading() as session:
        assert places_of(session, "4712") == []


@pytest.mark.parametrize(
    ("recruiter", "back", "codes", "came"),
    [
        (
            "connect",
            "https://connect.cloudresearch.com/participant/project/570B52049B/complete",
            CODES,
            {"participantId": "C1", "assignmentId": "a-C1", "projectId": "570B52049B"},
        ),
        (
            "sona",
            "https://lab.sona-systems.com/webstudy_credit.aspx?credit_token=ab34",
            {},
            {"survey_code": "4711"},
        ),
    ],
)
def test_who_finished_is_led_back_and_the_others_are_shown_their_code_alone(
    client: TestClient, database: Database, study: str, tmp_path: Path,
    recruiter: str, back: str, codes: dict[str, str], came: dict[str, str],
) -> None:  # fmt: skip
    with database.transaction() as session:
        completion = {"redirect": back, "codes": codes}
        load_file(session, tmp_path, recruitment={"from": recruiter}, completion=completion)
    ways = {"finished": Walk(client, study, **came).to("end").html}
    for way, form in (("no_consent", {"decision": "refuse"}), ("screened_out", {"of_age": "no"})):
        walk = Walk(client, study, **dict.fromkeys(came, way))
        walk.answer(**form)
        ways[way] = walk.html
    with database.transaction() as session:
        set_state(session, study, State.PAUSED)
    ways["full"] = Walk(client, study, **dict.fromkeys(came, "full")).html
    for way, html in ways.items():
        assert (back in html) is (way == "finished"), way
        assert codes.get(way, "") in html, way
    identity = stored(database)[0][1]
    assert identity is not None
    assert (identity.external_id, identity.parameters) == (next(iter(came.values())), came)


def test_a_parameter_of_another_name_is_the_id_where_the_study_names_it(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    with database.transaction() as session:
        other = {"from": "other", "parameters": {"participant": "rid", "session": "transaction"}}
        load_file(session, tmp_path, recruitment=other)
    Walk(client, study, RID="panel-1", transaction="t-9", PROLIFIC_PID="not-this").answer()
    ((_, identity),) = stored(database)
    assert identity is not None
    assert identity.external_id == "panel-1"
    assert identity.parameters == {"RID": "panel-1", "transaction": "t-9", "PROLIFIC_PID": "not-this"}


@pytest.mark.parametrize("framed", [{}, {"sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site"}])
def test_a_worker_who_looks_before_accepting_is_asked_to_accept_and_begins_nothing(
    client: TestClient, database: Database, study: str, tmp_path: Path, framed: dict[str, str]
) -> None:
    with database.transaction() as session:
        load_file(session, tmp_path, recruitment={"from": "mturk"})
    at = f"/s/{study}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=3ABC&turkSubmitTo={quote('https://w.org')}"
    page = client.get(at, headers=framed)
    assert "Please accept the task first" in page.text
    assert stored(database) == []
    Walk(client, link=f"/s/{study}?assignmentId=3XYZ&hitId=3ABC&workerId=A1B2C3").answer()
    ((_, identity),) = stored(database)
    assert identity is not None
    assert identity.external_id == "A1B2C3"


def test_of_an_unfilled_placeholder_nobodys_id_is_made(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path, ids="hashed")
    placeholder = "{{%PROLIFIC_PID%}}"
    for _ in range(2):
        Walk(client, study, PROLIFIC_PID=placeholder, STUDY_ID="s1").answer()
    kept = [identity for _, identity in stored(database)]
    assert [(each.hashed_id, each.parameters) for each in kept if each] == [
        (None, {"PROLIFIC_PID": placeholder})
    ] * 2


def test_an_archived_study_keeps_its_people_out_and_a_deleted_one_is_named_on_the_checklist(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    recruit(database, tmp_path)
    Walk(client, study, **FROM).answer()
    recruit(database, tmp_path, "second", not_if_in=["nav"])

    def opened() -> int:
        client.cookies.clear()
        return client.get("/s/second", params=FROM).status_code

    with database.transaction() as session:
        set_state(session, "nav", State.CLOSED)
    with database.transaction() as session:
        archive(session, COMMAND_LINE, study_here(session, "nav"), NOW)
    assert opened() == 403
    with database.transaction() as session:
        delete_study(session, COMMAND_LINE, study_here(session, "nav"), "nav", NOW)
        design = newest_design(session, study_here(session, "second"))
        assert unknown_studies(session, design) == ["nav"]
    assert opened() == 200
