"""Logging in: who may, what a browser is given, and what gets nobody in."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.cookies import SimpleCookie
from typing import Any

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from app.accounts import auditlog, passwords, users
from app.accounts.audit import COMMAND_LINE
from app.accounts.tables import LoginAttempt, Role
from app.accounts.throttle import PER_NETWORK, PER_USER, WINDOW
from app.admin.access import COOKIE, KNOWN, LOGIN_FORM, safe_next
from app.core.database import Database
from tests.admin.persons import fresh_client, make_user

EMAIL, PASSWORD = "ada@example.org", "correct horse battery"
Arrive = Callable[..., Response]


@pytest.fixture(scope="module")
def password_hash() -> str:
    return passwords.hashed(PASSWORD)


@pytest.fixture
def ada(database: Database, password_hash: str) -> int:
    with database.transaction() as session:
        return make_user(session, Role.OWNER, EMAIL, password_hash).user_id


def login(browser: TestClient, **fields: str) -> Response:
    """Through the page, as a browser without scripts does it."""
    found = re.search(r'name="csrf" value="([^"]+)"', browser.get("/admin/login").text)
    assert found
    form = {"csrf": found[1], "email": EMAIL, "password": PASSWORD, **fields}
    return browser.post("/admin/login", data=form, follow_redirects=False)


def cookies_of(response: Response) -> dict[str, dict[str, Any]]:
    """Name to value and attributes."""
    jar: SimpleCookie = SimpleCookie()
    for header in response.headers.get_list("set-cookie"):
        jar.load(header)
    return {name: {"value": morsel.value, **dict(morsel)} for name, morsel in jar.items()}


def fail(database: Database, who: str, times: int, ago: timedelta = timedelta()) -> None:
    """Attempts that failed, as the login keeps them."""
    with database.transaction() as session:
        at = datetime.now(UTC) - ago
        session.add_all(LoginAttempt(who=who, at=at) for _ in range(times))


def test_in_and_out_again(stranger: TestClient, ada: int) -> None:
    assert stranger.get("/admin/users?x=1").url.query == b"next=/admin/users%3Fx%3D1"
    arrived = login(stranger, email="  ADA@example.org ", next="/admin/users?x=1")
    assert (arrived.status_code, arrived.headers["location"]) == (303, "/admin/users?x=1")
    assert EMAIL in stranger.get("/admin/users").text
    cookie = stranger.cookies[COOKIE]
    csrf = re.search(r'<meta name="csrf" content="([^"]+)">', stranger.get("/admin/account").text)
    assert csrf
    assert stranger.post("/admin/logout", data={"csrf": csrf[1]}).url.path == "/admin/login"
    assert COOKIE not in stranger.cookies
    stranger.cookies.set(COOKIE, cookie, path="/admin")
    assert stranger.get("/admin/account", follow_redirects=False).status_code == 303, (
        "ended at the server too"
    )


def test_a_refusal_tells_nobody_who_is_a_user(
    stranger: TestClient, ada: int, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same words and the same work, whether the address is known, unknown or switched off."""
    hashes: list[str] = []
    verify = passwords._hasher.verify

    def counted(password: str, kept: str) -> bool:
        hashes.append(kept)
        return verify(password, kept)

    monkeypatch.setattr(passwords._hasher, "verify", counted)
    with database.transaction() as session:
        bob = make_user(session, Role.EDITOR, "bob@example.org", passwords.hashed(PASSWORD))
        users.set_disabled(session, bob.user_id, True, by=COMMAND_LINE, now=datetime.now(UTC))
    refusals = [
        login(stranger, password="wrong horse battery"),
        login(stranger, email="nobody@example.org"),
        login(stranger, email="bob@example.org"),
        login(stranger, email=""),
    ]
    said = [re.findall(r'role="alert">([^<]+)<', refusal.text) for refusal in refusals]
    assert said == [["Incorrect email address or password."]] * 4
    assert [refusal.status_code for refusal in refusals] == [401] * 4
    assert len(hashes) == 4
    assert len({kept.rpartition("$")[0].rpartition("$")[0] for kept in hashes}) == 1, "at the same cost"
    assert COOKIE not in stranger.cookies
    with database.reading() as session:
        failed = auditlog.entries(session, auditlog.AuditFilter(action="login.fail"))
    noted = [(entry.actor, entry.subject, entry.after) for entry in failed]
    nobody = ("nobody known", "", None)
    bobs, adas = (("bob@example.org", "bob@example.org", None), (EMAIL, EMAIL, None))
    assert noted == [nobody, bobs, nobody, adas], "no password, no network, no name that nobody has"


def test_cookies_are_for_our_pages_alone(client: TestClient, ada: int) -> None:
    for scheme in ("http", "https"):
        browser = fresh_client(client)
        browser.base_url = f"{scheme}://testserver"
        given = {**cookies_of(browser.get("/admin/login")), **cookies_of(login(browser))}
        assert {COOKIE, LOGIN_FORM, KNOWN} <= set(given)
        for name in (COOKIE, KNOWN):
            cookie = given[name]
            assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "lax", "/admin")
            assert bool(cookie["secure"]) == (scheme == "https")
        assert int(given[COOKIE]["max-age"]) == 14 * 86_400
        assert given[LOGIN_FORM]["max-age"] == "0", "what the form was signed with has served"


def test_a_login_is_fresh_and_ends_the_one_before(stranger: TestClient, ada: int) -> None:
    """A cookie that somebody planted, or knew, is worth nothing afterwards."""
    stranger.cookies.set(COOKIE, "planted", path="/admin")
    login(stranger)
    first = stranger.cookies.get(COOKIE, domain="testserver.local")
    assert first not in (None, "planted")
    login(stranger)
    second = stranger.cookies.get(COOKIE, domain="testserver.local")
    assert second not in (None, first)
    thief = fresh_client(stranger)
    thief.cookies.set(COOKIE, first or "", path="/admin")
    assert thief.get("/admin/account", follow_redirects=False).status_code == 303


def test_the_form_must_come_from_our_page(stranger: TestClient, ada: int) -> None:
    """Or another site could log its visitors in as somebody it can watch."""
    form = {"email": EMAIL, "password": PASSWORD}
    assert stranger.post("/admin/login", data={**form, "csrf": ""}).status_code == 403
    stranger.get("/admin/login")
    assert stranger.post("/admin/login", data=form).status_code == 403
    assert login(stranger, csrf="0" * 64).status_code == 403
    elsewhere = fresh_client(stranger)
    page = elsewhere.get("/admin/login").text
    token = re.search(r'name="csrf" value="([^"]+)"', page)
    assert token
    assert stranger.post("/admin/login", data={**form, "csrf": token[1]}).status_code == 403
    planted = {"Sec-Fetch-Site": "cross-site"}
    assert elsewhere.post("/admin/login", data={**form, "csrf": token[1]}, headers=planted).status_code == 403
    assert COOKIE not in elsewhere.cookies


def test_a_user_who_was_tried_too_often_waits(stranger: TestClient, ada: int, database: Database) -> None:
    fail(database, f"user {EMAIL}", PER_USER)
    refused = login(stranger)
    assert (refused.status_code, "wait 15 minutes" in refused.text) == (429, True)
    fail(database, "user nobody@example.org", PER_USER)
    assert login(stranger, email="nobody@example.org").status_code == 429, "as little is told of a stranger"


def test_what_is_long_ago_is_forgotten(stranger: TestClient, ada: int, database: Database) -> None:
    ago = WINDOW + timedelta(seconds=1)
    fail(database, f"user {EMAIL}", PER_USER, ago)
    fail(database, "from testclient", PER_NETWORK, ago)
    assert login(stranger).status_code == 303


def test_nobody_can_lock_out_a_browser_that_was_here(
    stranger: TestClient, client: TestClient, ada: int, database: Database
) -> None:
    """Not by trying in the user's name, nor from the same proxy: behind one, all have its address."""
    login(stranger)
    fail(database, f"user {EMAIL}", PER_USER)
    fail(database, "from testclient", PER_NETWORK)
    assert login(fresh_client(client)).status_code == 429
    assert login(stranger).status_code == 303
    assert login(stranger, email="bob@example.org").status_code == 429, "it is known for one user only"


def test_failures_are_counted(stranger: TestClient, ada: int, database: Database) -> None:
    fail(database, f"user {EMAIL}", PER_USER - 2)
    statuses = [login(stranger, password=f"wrong horse {n}").status_code for n in range(3)]
    assert statuses == [401, 401, 429]


@pytest.mark.parametrize(
    ("address", "goes_to"),
    [
        ("/admin/users?page=2", "/admin/users?page=2"),
        ("/admin", "/admin"),
        ("", "/admin"),
        ("/p/abc", "/admin"),
        ("https://evil.example/admin", "/admin"),
        ("//evil.example/admin", "/admin"),
        ("/\\evil.example/admin", "/admin"),
        ("\\/evil.example/admin", "/admin"),
        ("/\t/evil.example/admin", "/admin"),
        ("javascript:alert(1)//admin", "/admin"),
        ("/admin\r\nSet-Cookie: x=1", "/admin"),
        ("http://[", "/admin"),
        ("/admin/../../evil", "/admin/../../evil"),
    ],
)
def test_the_way_on_stays_here(address: str, goes_to: str) -> None:
    assert safe_next(address) == goes_to


def test_an_odd_way_on_is_no_error(stranger: TestClient, ada: int) -> None:
    page = stranger.get("/admin/login", params={"next": 'http://["><script>'})
    assert page.status_code == 200
    assert "<script>" not in page.text
    assert login(stranger, next="http://[").headers["location"] == "/admin"


def test_an_empty_service_says_how_the_first_user_is_made(stranger: TestClient) -> None:
    assert "likely-human user add" in stranger.get("/admin/login").text


def test_nothing_of_it_stays_in_a_cache(stranger: TestClient, ada: int) -> None:
    replies = [stranger.get("/admin/login"), login(stranger, password="wrong horse"), login(stranger)]
    replies += [stranger.get(path) for path in ("/admin/account", "/admin/users", "/admin/nothing")]
    replies += [stranger.get("/admin/api/openapi.json"), stranger.get("/api/v1/account")]
    assert {reply.headers["cache-control"] for reply in replies} == {"no-store"}
