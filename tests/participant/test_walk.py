"""The participant's way over HTTP: whatever a browser does, one answer, never a wrong one, and a place to go on."""

import html as html_module
import re

import pytest
from sqlmodel import func, select
from starlette.testclient import TestClient

from app.database import Database
from app.main import create_app
from app.settings import Settings
from app.study.tables import Response
from tests.factories import answer_for, submit_id_on
from tests.participant.walks import Walk

JSON = {"Accept": "application/json"}


@pytest.fixture
def walk(client: TestClient, study: str) -> Walk:
    return Walk(client, study)


def n_responses(database: Database) -> int:
    with database.reading() as session:
        return session.exec(select(func.count()).select_from(Response)).one()


def test_a_whole_session_by_plain_forms(walk: Walk, database: Database) -> None:
    pages = [walk.page]
    while walk.page != "end" and len(pages) < 30:
        pages.append(walk.answer())
    assert pages == [
        "consent", "background", "instructions", *(f"trial-{n}" for n in range(1, 12)), "end"
    ]  # fmt: skip
    assert "DONE42" in walk.html
    assert walk.look() == "end"
    assert n_responses(database) == 14


def test_the_address_is_the_same_for_every_page(walk: Walk) -> None:
    address = walk.address
    assert re.fullmatch(r"/p/[A-Za-z0-9_-]{22}", address)
    response = walk.client.post(address, data=answer_for(walk.html))
    assert response.url.path == address
    assert response.history[0].status_code == 303


def test_practice_is_said_to_be_practice(walk: Walk) -> None:
    walk.to("trial-1")
    assert "practice" in walk.html.lower()
    walk.to("trial-2")
    assert "Pair 1 of 10" in walk.html


def test_back_button_and_second_tab_store_nothing_and_lead_to_the_current_page(
    walk: Walk, database: Database
) -> None:
    walk.to("trial-1")
    old = walk.html  # still open in another tab
    walk.answer()
    n = n_responses(database)
    response = walk.client.post(
        walk.address, data=answer_for(old, submit_id="trial-1.another", choice="right")
    )
    assert response.status_code == 200
    assert "was answered before" in response.text
    assert submit_id_on(response.text).startswith("trial-2.")
    assert n_responses(database) == n


def test_a_form_for_a_page_to_come_stores_nothing(walk: Walk, database: Database) -> None:
    walk.to("trial-2")
    n = n_responses(database)
    response = walk.client.post(walk.address, data=answer_for(walk.html, submit_id="trial-5.x"))
    assert submit_id_on(response.text).startswith("trial-2.")
    assert n_responses(database) == n


def test_a_replayed_post_is_one_row_and_one_step(walk: Walk, database: Database) -> None:
    walk.to("trial-1")
    form = answer_for(walk.html)
    answers = [walk.client.post(walk.address, data=form) for _ in range(3)]
    assert [submit_id_on(answer.text).partition(".")[0] for answer in answers] == ["trial-2"] * 3
    assert n_responses(database) == 4


def test_a_script_is_told_where_to_go(walk: Walk) -> None:
    walk.to("trial-1")
    form = answer_for(walk.html)
    for _ in range(2):
        reply = walk.client.post(walk.address, data=form, headers=JSON)
        assert (reply.status_code, reply.json()) == (200, {"next": walk.address})
    reply = walk.client.post(walk.address, data={**form, "submit_id": "trial-1.other"}, headers=JSON)
    assert reply.status_code == 409
    assert reply.json()["next"] == walk.address


def test_what_is_missing_is_said_and_what_was_typed_is_kept(walk: Walk, database: Database) -> None:
    walk.to("trial-1")
    n = n_responses(database)
    form = answer_for(walk.html, choice="", rationale="it <b>jumps</b>")
    response = walk.client.post(walk.address, data=form)
    assert response.status_code == 422
    assert "Please answer this question." in response.text
    assert html_module.escape("it <b>jumps</b>") in response.text
    assert "<b>jumps" not in response.text
    assert submit_id_on(response.text) == form["submit_id"]
    reply = walk.client.post(walk.address, data=form, headers=JSON)
    assert reply.json() == {"errors": {"choice": "Please answer this question."}}
    assert n_responses(database) == n


def test_refusing_ends_politely(client: TestClient, study: str) -> None:
    walk = Walk(client, study)
    walk.answer(decision="refuse")
    assert walk.page == "end"
    assert "Nothing about you has been stored" in walk.html
    assert walk.look() == "end"


def test_under_age_ends(client: TestClient, study: str) -> None:
    walk = Walk(client, study)
    walk.answer(of_age="no")
    assert "18 or older" in walk.html
    assert walk.page == "end"


def test_coming_back_to_the_studys_address_resumes(walk: Walk, study: str) -> None:
    walk.to("trial-3")
    again = walk.client.get(f"/s/{study}")
    assert again.url.path == walk.address
    assert submit_id_on(again.text).startswith("trial-3.")
    walk.client.cookies.clear()
    assert walk.client.get(f"/s/{study}").url.path != walk.address
    assert walk.look() == "trial-3"


def test_a_recruiters_parameters_are_kept_and_fill_the_way_back(
    client: TestClient, database: Database, study: str, tmp_path: object
) -> None:
    walk = Walk(client, study, PROLIFIC_PID="p-77", STUDY_ID="s1")
    assert Walk(client, study, PROLIFIC_PID="p-77").address == walk.address
    assert Walk(client, study, PROLIFIC_PID="p-78").address != walk.address


@pytest.mark.parametrize("pid", ["{{%PROLIFIC_PID%}}", "${e://Field/PID}", "x" * 300, ""])
def test_an_id_that_is_nobodys_joins_nobody(client: TestClient, study: str, pid: str) -> None:
    first, second = (Walk(client, study, PROLIFIC_PID=pid).address for _ in range(2))
    assert first != second


def test_an_empty_pass_lets_nobody_in_as_live(client: TestClient, study: str) -> None:
    assert client.get(f"/s/{study}", params={"as": ""}).status_code == 403


def test_an_error_of_ours_is_told_as_such_with_the_usual_headers(
    settings: Settings, database: Database, study: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("app.participant.router.locate", broken)
    with TestClient(create_app(settings, database), raise_server_exceptions=False) as client:
        response = client.get("/p/any")
    assert response.status_code == 500
    assert "may not be stored" in response.text
    assert "secret detail" not in response.text
    assert response.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/s/nothing-here", 404),
        ("GET", "/p/nobody", 404),
        ("GET", "/p/%00", 404),
        ("GET", "/p/" + "a" * 300, 404),
        ("GET", "/s/%00", 404),
        ("GET", "/nowhere", 404),
        ("PUT", "/p/nobody", 405),
        ("POST", "/s/nav", 405),
        ("GET", "/p/nobody/clips/1-left.mp4", 404),
        ("GET", "/p/nobody/clips/1-up.mp4", 404),
        ("GET", "/p/nobody/clips/x-left.mp4", 404),
    ],
)
def test_what_is_not_there_is_a_plain_page(
    client: TestClient, study: str, method: str, path: str, status: int
) -> None:
    response = client.request(method, path)
    assert response.status_code == status
    assert "<h1" in response.text
    assert "Traceback" not in response.text
    assert client.request(method, path, headers=JSON).json()["message"]


def test_odd_bodies_are_refused_in_words_and_store_nothing(walk: Walk, database: Database) -> None:
    walk.to("trial-1")
    n = n_responses(database)
    post = walk.client.post
    form_type = {"Content-Type": "application/x-www-form-urlencoded"}
    assert post(walk.address, json={"choice": "left"}).status_code == 415
    assert post(walk.address, content=b"x" * 600_000, headers=form_type).status_code == 413
    assert post(walk.address, data={f"f{n}": "x" for n in range(400)}).status_code == 400
    assert post(walk.address, content=b"\xff\xfe%ff%00=%ZZ", headers=form_type).status_code == 422
    assert post(walk.address, data={"choice": "left"}).status_code == 422
    assert n_responses(database) == n
    assert walk.look() == "trial-1"


def test_any_text_a_participant_writes_is_stored_as_written(walk: Walk, database: Database) -> None:
    walk.to("trial-1")
    text = "Grüße 🙂 <script>alert(1)</script> =1+1 \u202e ' \" \\"
    walk.answer(rationale=text + "\x00", playback='{"v":1,"left":"\\ud800"}')
    with database.reading() as session:
        stored = session.exec(select(Response.rationale).where(Response.page == "trial-1")).one()
    assert stored == text + "�"


def test_every_reply_forbids_other_hosts_and_framing(walk: Walk) -> None:
    for path in ("/s/none", walk.address, "/static/site.css", "/admin", "/healthz"):
        headers = walk.client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-content-type-options"] == "nosniff"
    assert walk.client.get(walk.address).headers["cache-control"] == "no-store"


def test_when_a_page_was_first_shown_is_noted(walk: Walk, database: Database) -> None:
    walk.to("trial-1")
    walk.look()
    walk.answer()
    with database.reading() as session:
        row = session.exec(select(Response).where(Response.page == "trial-1")).one()
    assert row.shown_at is not None
    assert row.answered_at is not None
    assert row.shown_at <= row.answered_at


def test_healthz_answers_once_the_database_does(client: TestClient) -> None:
    assert (client.get("/healthz").status_code, client.get("/healthz").text) == (200, "ok")


def test_head_answers_without_a_body_and_begins_no_session(
    walk: Walk, client: TestClient, database: Database
) -> None:
    for path in ("/", "/healthz", walk.address):
        response = client.head(path)
        assert (response.status_code, response.content) == (200, b"")
    before = n_responses(database)
    assert client.head("/s/nav").status_code == 405
    assert n_responses(database) == before


def test_the_front_door_says_where_to_go(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert "/admin" in page.text
