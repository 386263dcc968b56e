"""The participant's way over HTTP: whatever a browser does, one answer, never a wrong one, and a place to go on."""

import html as html_module
import re
from random import Random
from typing import Any

import pytest
from sqlalchemy import Connection
from sqlmodel import col, func, select
from starlette.testclient import TestClient

from app.accounts.audit import COMMAND_LINE
from app.core.database import Database
from app.core.settings import Settings
from app.main import create_app
from app.monitor.notices import notices_of
from app.sessions.beginning_queries import LAST_ORDINAL
from app.sessions.coming import Came
from app.sessions.entering import Visit, enter, is_undecided
from app.sessions.entry import pass_for
from app.sessions.links import participant_links, session_link
from app.sessions.router import PAGE_ROUTES
from app.sessions.starts import WINDOW, Starts, TooManyStarts
from app.sessions.state_machine import submit
from app.sessions.where import locate
from app.studies.launch import study_here
from app.trials.responses import Evidence, Response
from app.trials.tables import Mode, ParticipantSession
from bench.likely_human import playback
from tests.factories import NOW, answer_for, page_on, submit_id_on
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database

JSON = {"Accept": "application/json"}


@pytest.fixture
def walk(client: TestClient, study: str) -> Walk:
    return Walk(client, study)


def n_responses(database: Database) -> int:
    with database.reading() as session:
        return session.exec(select(func.count()).select_from(Response)).one()


def n_sessions(database: Database) -> int:
    with database.reading() as session:
        return session.exec(select(func.count()).select_from(ParticipantSession)).one()


@pytest.mark.both_databases
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


def test_a_page_turn_sends_seven_statements(walk: Walk, database: Database) -> None:
    """One of them adds what the browser reported of all clips. Twice where it stands: to answer, and to show."""
    walk.to("trial-2")
    sent: list[str] = []
    assert database._peeking is not None
    assert database._kept is not None
    for connection in (database._peeking.connection(), database._kept):
        connection.connection.dbapi_connection.set_trace_callback(sent.append)  # type: ignore[union-attr]
    response = walk.client.post(walk.address, data={**answer_for(walk.html), "playback": playback()})
    assert page_on(response.text) == "trial-3"
    walk.client.get("/healthz")  # what is written without waiting is written before
    statements = [text.split()[:3] for text in sent if text.split()[0] not in ("BEGIN", "COMMIT", "ROLLBACK")]
    verbs = [f"{words[0]} {words[2]}" if words[0] == "INSERT" else words[0] for words in statements]
    assert verbs[:7] == [
        "SELECT", "SELECT", "INSERT response", "INSERT evidence", "UPDATE", "SELECT", "UPDATE",
    ]  # fmt: skip
    with database.reading() as session:
        slots = [
            row.slot for row in session.exec(select(Evidence).order_by(col(Evidence.id).desc()).limit(2))
        ]
    assert sorted(slots) == ["a", "b"]


def test_coming_in_and_agreeing_run_compiled_statements_alone(
    database: Database, study: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite: by the driver, as each answer does."""
    if not database.is_local:
        pytest.skip("PostgreSQL goes SQLAlchemy's way")
    execute, sent = Connection.execute, list[str]()

    def begin() -> None:
        with database.transaction() as session:
            token = enter(session, Visit(study), NOW)
            is_undecided(session, study, token, NOW)
            form = {"submit_id": "consent.1", "decision": "agree", "of_age": "yes"}
            submit(session, token, form, NOW, Random(1), Came(study, NOW))

    def note(connection: Connection, statement: Any, *given: Any, **named: Any) -> Any:
        sent.append(str(statement))
        return execute(connection, statement, *given, **named)

    begin()  # the version's run is read
    monkeypatch.setattr(Connection, "execute", note)
    begin()
    assert sent == []


def test_the_next_number_is_found_in_an_index_alone(database: Database) -> None:
    """The 7,000th who comes would wait for the rows of all before."""
    statement = LAST_ORDINAL.statement
    with database.reading() as session:
        dialect = session.get_bind().dialect
        if dialect.name != "sqlite":
            pytest.skip("the plan is SQLite's")
        of = {"version_id": 1, "mode": Mode.LIVE, "first": 2, "step": 3}
        text = str(statement.params(of).compile(dialect=dialect, compile_kwargs={"literal_binds": True}))
        plan = [row[-1] for row in session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {text}")]
    assert [each for each in plan if "COVERING INDEX" in each] == [
        each for each in plan if "participant" in each
    ]
    assert len(plan) >= 4


def test_pages_are_found_by_the_first_routes(client: TestClient) -> None:
    """FastAPI looks for a route of an included router twice."""
    app: Any = client.app
    while not hasattr(app, "routes"):
        app = app.app
    assert app.routes[: len(PAGE_ROUTES)] == list(PAGE_ROUTES)


def test_the_address_is_the_same_for_every_page(walk: Walk) -> None:
    address = walk.address
    assert re.fullmatch(r"/p/[A-Za-z0-9_-]{22}", address)
    response = walk.client.post(address, data=answer_for(walk.html))
    assert response.url.path == address
    assert response.history[0].status_code == 303


def test_practice_is_labelled_as_practice(walk: Walk) -> None:
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
    assert "You have already answered that page" in response.text
    assert submit_id_on(response.text).startswith("trial-2.")
    assert n_responses(database) == n


def test_a_form_for_a_page_to_come_stores_nothing(walk: Walk, database: Database) -> None:
    walk.to("trial-2")
    n = n_responses(database)
    response = walk.client.post(walk.address, data=answer_for(walk.html, submit_id="trial-5.x"))
    assert submit_id_on(response.text).startswith("trial-2.")
    assert n_responses(database) == n


@pytest.mark.both_databases
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


def test_missing_answers_are_reported_and_typed_text_is_kept(walk: Walk, database: Database) -> None:
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


@pytest.mark.parametrize(
    ("fields", "says"), [({"decision": "refuse"}, "not to take part"), ({"of_age": "no"}, "18 or older")]
)
def test_declining_ends_politely_and_leaves_no_way_back(
    client: TestClient, study: str, fields: dict[str, str], says: str
) -> None:
    walk = Walk(client, study, PROLIFIC_PID="p-77")
    before = walk.html
    walk.answer(**fields)
    assert walk.page == "end"
    assert says in walk.html
    assert "Only this and today" in walk.html
    assert client.get(walk.address).status_code == 404
    again = client.post(walk.address, data=answer_for(before, **fields), headers=JSON)
    assert (again.status_code, "no session is kept" in again.json()["message"]) == (404, True)
    reply = client.post(Walk(client, study).address, data=answer_for(before, **fields), headers=JSON).json()[
        "next"
    ]
    assert says in client.get(reply).text


@pytest.mark.parametrize("way", ["declined/refused", "declined/unsuited", "took-part", "withdrawn", "full"])
def test_a_way_out_is_told_only_of_a_study_that_is_there(client: TestClient, study: str, way: str) -> None:
    assert client.get(f"/s/{study}/{way}").status_code == 200
    reply = client.get(f"/s/none/{way}")
    assert (reply.status_code, "There is no study at this address" in reply.text) == (404, True)


def test_an_experimenters_preview_of_declining_leads_back_to_the_study(
    client: TestClient, settings: Settings, study: str
) -> None:
    walk = Walk(client, study, **{"as": pass_for(study, Mode.PREVIEW, settings.secret)})
    walk.answer(decision="refuse")
    assert "not to take part" in walk.look() + walk.html
    assert f"/admin/studies/{study}/launch" in walk.html


def test_coming_back_to_the_studys_address_resumes(walk: Walk, study: str) -> None:
    walk.to("trial-3")
    again = walk.client.get(f"/s/{study}")
    assert again.url.path == walk.address
    assert submit_id_on(again.text).startswith("trial-3.")
    walk.client.cookies.clear()
    assert walk.client.get(f"/s/{study}").url.path != walk.address
    assert walk.look() == "trial-3"


def test_an_id_alone_shows_nothing_of_the_session_that_was_begun_with_it(
    client: TestClient, settings: Settings, database: Database, study: str
) -> None:
    walk = Walk(client, study, PROLIFIC_PID="pid0", STUDY_ID="s1")
    walk.to("trial-2")
    kept = dict(client.cookies)
    for page in ("trial-2", "end"):
        walk.to(page)
        for params in ({"PROLIFIC_PID": "pid0"}, {"participant": "pid0"}, {"workerId": "pid0"}):
            stranger = Walk(client, study, **params)
            assert "Begun in another browser" in stranger.html
            assert stranger.page == "end"
            assert not client.cookies
            for secret in ("DONE42", walk.address.rpartition("/")[2], "trial-2", "/p/"):
                assert secret not in stranger.html
    client.cookies.update(kept)
    assert client.get(f"/s/{study}", params={"PROLIFIC_PID": "pid0"}).url.path == walk.address
    assert Walk(client, study, PROLIFIC_PID="p-78").address != walk.address
    with database.reading() as session:
        assert {"PROLIFIC_PID": "pid0", "STUDY_ID": "s1"} in session.exec(
            select(ParticipantSession.recruiter)
        ).all()


def test_links_of_ours_open_sessions_and_leave_nothing_behind_that_would(
    client: TestClient, settings: Settings, database: Database, study: str
) -> None:
    with database.transaction() as session:
        here = study_here(session, study)
        links = participant_links(session, COMMAND_LINE, here, ["Ann & Bo", "P2"], settings.secret, NOW)
    walk = Walk(client, link=links[0].path)
    walk.to("trial-1")
    client.cookies.clear()
    again = client.get(links[0].path)
    assert page_on(again.text) == "trial-1"
    assert again.url.path != walk.address
    walk.answer()  # the page that was open in the first browser
    signature = links[0].path.partition("signed=")[2]
    for wrong in (
        links[0].path.replace("Ann", "Bob"),
        links[0].path.replace(f"/s/{study}", "/s/other"),
        f"/s/{study}?participant=P2&signed={signature}",
        f"/s/{study}?signed={signature}",
        f"/s/{study}?participant=P2&signed=",
        f"/s/{study}?go-on=made-up",
    ):
        client.cookies.clear()
        response = client.get(wrong)
        assert (response.status_code, "not complete" in response.text) == (403, True), wrong
    with database.transaction() as session:
        id_ = locate(session, walk.address.rpartition("/")[2]).session_id
        link = session_link(session, COMMAND_LINE, here, id_, settings.secret, NOW)
        stored = [one.model_dump_json() for one in session.exec(select(ParticipantSession))]
    assert signature not in "".join(stored)
    assert page_on(client.get(link).text) == "trial-2"


def test_a_shared_browser_keeps_several_sessions(client: TestClient, study: str) -> None:
    addresses = [client.get(f"/s/{study}", params={"PROLIFIC_PID": f"p{n}"}).url.path for n in range(3)]
    assert len(set(addresses)) == 3
    for n in (1, 0, 2):
        assert client.get(f"/s/{study}", params={"PROLIFIC_PID": f"p{n}"}).url.path == addresses[n]
    for n in range(40):
        client.get(f"/s/{study}", params={"PROLIFIC_PID": f"q{n}"})
    assert len(client.cookies[f"lh-{study}"]) < 600


@pytest.mark.both_databases
def test_one_network_begins_only_so_many_sessions_and_goes_on_with_all_of_them(
    settings: Settings, database: Database, study: str
) -> None:
    few = settings.model_copy(update={"max_starts": 3})
    with TestClient(create_app(few, database)) as client:
        walks = [Walk(client, study) for _ in range(3)]
        assert client.get(f"/s/{study}").url.path == walks[-1].address  # goes on, as the browser keeps it
        client.cookies.clear()
        response = client.get(f"/s/{study}")
        assert response.status_code == 429
        assert 0 < int(response.headers["Retry-After"]) <= 600
        assert "from your network" in response.text
        assert walks[0].look() == "consent"
        simulated = {"as": pass_for(study, Mode.SIMULATED, settings.secret)}
        assert client.get(f"/s/{study}", params=simulated).status_code == 200
    with database.reading() as session:
        assert session.exec(select(func.count()).select_from(ParticipantSession)).one() == 4


def test_starts_are_counted_by_network_for_a_while_and_no_address_is_kept() -> None:
    starts, now = Starts(2), NOW
    for address in ("192.0.2.7", "2001:db8::1", "2001:db8::2", "192.0.2.7"):
        starts.count(address, now)
    for address in ("192.0.2.7", "::ffff:192.0.2.7", "2001:db8::3"):
        with pytest.raises(TooManyStarts) as caught:
            starts.count(address, now + WINDOW / 2)
        assert caught.value.headers == {"Retry-After": "300"}
    starts.count("192.0.2.8", now)
    starts.count("192.0.2.7", now + WINDOW)
    kept = repr([(key, count) for key, count in starts._counts.items()])
    assert "192.0.2" not in kept
    assert "2001" not in kept
    unlimited = Starts(0)
    for _ in range(1_000):
        unlimited.count("192.0.2.7", now)


def test_redirects_name_no_host(client: TestClient, study: str) -> None:
    """A host that a request makes up must not come back in an address."""
    evil = {"Host": "evil.example"}
    walk = Walk(client, study)
    form = answer_for(walk.html)
    for method, path in (
        ("GET", f"/s/{study}"), ("GET", f"/s/{study}/"), ("GET", "/admin"), ("GET", "/admin/"),
        ("GET", "/admin/login/"), ("GET", "/static"), ("GET", "/static/"), ("GET", "//evil.example/"),
        ("GET", "/api/v1/studies/"), ("GET", "/s/%2F%2Fevil.example/"), ("POST", walk.address),
        ("POST", "/admin/studies"), ("POST", "/admin/studies/"),
    ):  # fmt: skip
        response = client.request(
            method, path, headers=evil, data=form if method == "POST" else None, follow_redirects=False
        )
        target = response.headers.get("location", "/")
        assert (target[0], target[1:2] != "/", "evil.example/" in target) == ("/", True, False), (
            path,
            target,
        )
    assert client.get(f"/s/{study}/", params={"PROLIFIC_PID": "a b"}).status_code == 200


NOBODYS = (
    "{{%PROLIFIC_PID%}}", "${e://Field/PID}", "y" * 300, "", " ", "%SURVEY_CODE%", "[PROLIFIC_PID]", "<PROLIFIC_PID>",
    "XXXX", "xxx", "undefined", "null", "NULL", "None", " none ", "NaN", "--", "PROLIFIC_PID", "{id}", "[[id]]",
)  # fmt: skip


@pytest.mark.parametrize("name", ["PROLIFIC_PID", "survey_code"])
def test_an_id_that_is_nobodys_locks_nobody_out(
    client: TestClient, database: Database, study: str, name: str
) -> None:
    for pid in NOBODYS:
        for _ in range(2):
            walk = Walk(client, study, **{name: pid})
            assert walk.answer() == "background", pid
    with database.reading() as session:
        people = session.exec(select(ParticipantSession.participant)).all()
        notices = " ".join(notices_of(session, study_here(session, study).id, NOW))
    assert len(set(people)) == 2 * len(NOBODYS)
    assert all(re.fullmatch("p-[0-9a-f]{12}", name or "") for name in people)
    assert "which is not an id" in notices


def test_ids_are_trimmed_and_their_keys_read_in_any_case(
    client: TestClient, database: Database, study: str
) -> None:
    """The same person takes part once; further parameters of a link are stored, and shown if they are odd."""
    Walk(client, study, Prolific_Pid=" 5d1f\u00a0\u200b", **{"Utm source": "mail"}).answer()
    for params in ({"PROLIFIC_PID": "5d1f"}, {"prolific_pid": "5d1f "}, {"WORKERID": "5d1f"}):
        assert "Begun in another browser" in Walk(client, study, **params).html
    with database.reading() as session:
        assert session.exec(select(ParticipantSession.participant)).one() == "5d1f"
        notices = notices_of(session, study_here(session, study).id, NOW)
    assert len(notices) == 1
    assert "Utm source (1)" in notices[0]
    assert "mail" not in notices[0]


def test_a_pass_of_another_study_and_an_empty_one_let_nobody_in(
    client: TestClient, settings: Settings, study: str
) -> None:
    passes = {slug: pass_for(slug, Mode.PILOT, settings.secret) for slug in (study, "other")}
    for given in ("", passes["other"]):
        assert client.get(f"/s/{study}", params={"as": given}).status_code == 403
    assert client.get(f"/s/{study}", params={"as": passes[study]}).status_code == 200


def test_an_error_of_ours_is_told_as_such_with_the_usual_headers(
    settings: Settings, database: Database, study: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("app.sessions.polling.locate", broken)
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


@pytest.mark.both_databases
def test_any_text_a_participant_writes_is_stored_as_written(walk: Walk, database: Database) -> None:
    walk.to("trial-1")
    text = "Grüße 🙂 <script>alert(1)</script> =1+1 \u202e ' \" \\"
    typed = '{"a\\u0000\\ud800": {"keys": 1, "pasted": 0}}'
    walk.answer(rationale=text + "\x00", playback='{"v":1,"left":"\\ud800"}', typed=typed)
    with database.reading() as session:
        of_trial = select(Response.rationale, Response.typed).where(Response.page == "trial-1")
        stored = session.exec(of_trial).one()
    assert tuple(stored) == (text + "�", {"a�?": {"keys": 1, "pasted": 0}})


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
    before = n_responses(database), n_sessions(database)
    # What checks links before people see them must not call the study's broken.
    assert (client.head("/s/nav").status_code, client.head("/s/nothing-here").status_code) == (200, 404)
    assert (n_responses(database), n_sessions(database)) == before


def test_the_start_page_says_where_to_go(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert "/admin" in page.text
