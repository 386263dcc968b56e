"""People, one's own account, the audit log, the API explained, jobs: as pages and for programs."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from sqlmodel import select, update
from starlette.testclient import TestClient

from app.accounts import passwords
from app.accounts.logins import log_in
from app.accounts.tables import ApiToken, AuditEntry, LoginAttempt, Role, User
from app.accounts.throttle import PER_USER
from app.admin.people.views import browser_in_words
from app.core.database import Database
from app.jobs.queue import ask
from app.jobs.tables import JobStatus, Kind
from app.studies.drafts import create_study
from tests.admin.conftest import MakePerson, ProgramOf, ShareWith
from tests.admin.persons import Person, Program, fresh_client
from tests.admin.test_login import cookies_of, login

WEBKIT = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko)"
SHOWN = re.compile(r'<code class="shown">([^<]+)</code>')


def make_study(database: Database, owner: Person, slug: str = "nav") -> int:
    with database.transaction() as session:
        return create_study(session, owner.who, slug, {"title": "A study"}, datetime.now(UTC)).id


def audit(database: Database) -> list[AuditEntry]:
    with database.reading() as session:
        return list(session.exec(select(AuditEntry).order_by(AuditEntry.id)))  # type: ignore[arg-type]


def test_an_owner_adds_a_user(owner: Person, client: TestClient, database: Database) -> None:
    page = owner.post("/admin/users", {"email": "Bob@Example.org", "role": "editor"}, follow_redirects=False)
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
    password = SHOWN.findall(page.text)[0]
    assert password not in owner.get("/admin/users").text
    browser = fresh_client(client)
    assert login(browser, email="bob@example.org", password=password).status_code == 303
    assert "their clips, and add clips and studies" in browser.get("/admin/account").text
    entry = next(entry for entry in audit(database) if entry.subject == "bob@example.org")
    assert (entry.actor, entry.action, entry.after) == ("owner@example.org", "user.add", {"role": "editor"})
    assert all(password not in str(entry.model_dump()) for entry in audit(database))


@pytest.mark.parametrize(
    ("email", "role", "status", "said"),
    [
        ("owner@example.org", "viewer", 409, "There is already a user owner@example.org."),
        ("bob", "viewer", 422, "'bob' is not an email address"),
        ("<script>alert(1)</script>", "viewer", 422, "&lt;script&gt;"),
        ("bob@example.org", "boss", 400, "there is no role &#39;boss&#39;"),
        ("", "", 400, "there is no role"),
    ],
)
def test_a_refused_form_comes_back_as_it_was(
    owner: Person, email: str, role: str, status: int, said: str
) -> None:
    page = owner.post("/admin/users", {"email": email, "role": role})
    assert page.status_code == status
    assert said in page.text or said in unescape(page.text)
    assert "<script>alert" not in page.text
    assert not email or f'value="{email}"' in page.text or "&lt;script" in page.text


def test_another_role_holds_at_once(owner: Person, editor: Person, database: Database) -> None:
    address = f"/admin/users/{editor.who.user_id}"
    assert owner.post(f"{address}/role", {"role": "viewer"}).url.path == address
    assert "you look at the studies" in editor.get("/admin/account").text
    last = audit(database)[-1]
    assert (last.action, last.before, last.after) == ("user.role", "editor", "viewer")
    own = f"/admin/users/{owner.who.user_id}"
    refused = owner.post(f"{own}/role", {"role": "viewer"})
    assert (refused.status_code, "This is the last owner" in refused.text) == (409, True)
    assert owner.post(f"{own}/disable").status_code == 409


def test_who_is_switched_off_is_out_and_may_come_back(
    owner: Person, editor: Person, program_of: ProgramOf
) -> None:
    program, address = program_of(editor), f"/admin/users/{editor.who.user_id}"
    assert program.get("/account").status_code == 200
    page = owner.post(f"{address}/disable")
    assert "Switched off: logged out everywhere" in page.text
    assert editor.get("/admin/account", follow_redirects=False).status_code == 303
    assert program.get("/account").status_code == 401
    assert "Switched on again" in owner.post(f"{address}/enable").text


def test_a_lost_password_is_replaced(
    owner: Person, editor: Person, client: TestClient, program_of: ProgramOf
) -> None:
    program = program_of(editor)
    page = owner.post(f"/admin/users/{editor.who.user_id}/password")
    password = SHOWN.findall(page.text)[0]
    assert editor.get("/admin/account", follow_redirects=False).status_code == 303
    assert login(fresh_client(client), email=editor.email, password=password).status_code == 303
    assert program.get("/account").status_code == 401, "whoever had the account had its tokens"


def test_a_user_who_is_not_there_is_not_found(owner: Person) -> None:
    for number in ("77", "0", str(2**31), "x"):
        assert owner.get(f"/admin/users/{number}").status_code == 404
        for what in ("role", "disable", "enable", "password"):
            assert owner.post(f"/admin/users/{number}/{what}", {"role": "viewer"}).status_code == 404


def test_a_user_page_names_the_studies_they_see(
    owner: Person, editor: Person, database: Database, share_with: ShareWith
) -> None:
    make_study(database, owner)
    address = f"/admin/users/{editor.who.user_id}"
    assert "no study yet" in owner.get(address).text
    share_with(editor)
    assert '<a href="/admin/studies/nav">nav</a>' in owner.get(address).text


def test_one_changes_ones_own_password(viewer: Person, client: TestClient, database: Database) -> None:
    """Every login ends, this browser goes on with a fresh one."""
    with database.transaction() as session:
        user = session.get(User, viewer.who.user_id)
        assert user
        user.password_hash = passwords.hashed("correct horse")
        session.add(user)
    form = {"old": "correct horse", "new": "battery staple", "again": "battery staple"}
    wrong = viewer.post("/admin/account/password", {**form, "old": "wrong horse"})
    assert (wrong.status_code, "current password is incorrect" in wrong.text) == (403, True)
    differs = viewer.post("/admin/account/password", {**form, "again": "battery stable"})
    assert (differs.status_code, "do not match" in differs.text) == (422, True)
    assert (
        viewer.post("/admin/account/password", {**form, "new": "short", "again": "short"}).status_code == 422
    )
    trivial = {"new": "viewer-12345", "again": "viewer-12345"}
    guessed = viewer.post("/admin/account/password", {**form, **trivial})
    assert (guessed.status_code, "easily guessed" in guessed.text) == (422, True)
    failed = [entry for entry in audit(database) if entry.action == "password.fail"]
    assert [(entry.actor, entry.after) for entry in failed] == [(viewer.email, None)]
    done = viewer.post("/admin/account/password", form, follow_redirects=False)
    assert done.headers["location"] == "/admin/account?said=password"
    fresh = cookies_of(done)["lh-login"]
    assert (fresh["httponly"], fresh["path"]) == (True, "/admin")
    assert fresh["value"] != viewer.cookie
    assert viewer.get("/admin/account").url.path == "/admin/account"
    thief = fresh_client(client)
    thief.cookies.set("lh-login", viewer.cookie, path="/admin")
    assert thief.get("/admin/account").url.path == "/admin/login"
    assert login(fresh_client(client), email=viewer.email, password="battery staple").status_code == 303


def test_ones_own_password_cannot_be_guessed(viewer: Person, database: Database) -> None:
    with database.transaction() as session:
        who, at = f"password {viewer.who.user_id}", datetime.now(UTC)
        session.add_all(LoginAttempt(who=who, at=at) for _ in range(PER_USER))
    form = {"old": "correct horse", "new": "battery staple", "again": "battery staple"}
    assert viewer.post("/admin/account/password", form).status_code == 429


def test_one_sees_and_ends_ones_logins(
    owner: Person, viewer: Person, client: TestClient, database: Database
) -> None:
    others = [_another_browser(client, database, viewer) for _ in range(3)]
    page = viewer.get("/admin/account").text
    assert page.count("/admin/account/logins/") == 4, "three to end, and all of them at once"
    assert "&lt;script&gt;alert" in page
    assert "<script>alert" not in page
    others_ids = re.findall(r"/admin/account/logins/(\d+)/revoke", page)
    assert owner.post(f"/admin/account/logins/{others_ids[0]}/revoke").status_code == 404, "not the owner's"
    viewer.post(f"/admin/account/logins/{others_ids[0]}/revoke")
    still = [browser.get("/admin/account").url.path == "/admin/account" for browser in others]
    assert sorted(still) == [False, True, True]
    viewer.post("/admin/account/logins/revoke")
    assert {browser.get("/admin/account").url.path for browser in others} == {"/admin/login"}
    assert viewer.get("/admin/account").url.path == "/admin/account"


def _another_browser(client: TestClient, database: Database, person: Person) -> TestClient:
    with database.transaction() as session:
        cookie = log_in(session, person.who.user_id, "<script>alert(1)</script>", datetime.now(UTC))
    browser = fresh_client(client)
    browser.cookies.set("lh-login", cookie, path="/admin")
    return browser


def test_a_token_is_shown_once_and_acts_for_its_user(
    viewer: Person, owner: Person, client: TestClient, database: Database
) -> None:
    page = viewer.post("/admin/account/tokens", {"name": "nightly <b>export</b>"}, follow_redirects=False)
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
    token = SHOWN.findall(page.text)[0]
    again = viewer.get("/admin/account").text
    assert token not in again
    assert "nightly &lt;b&gt;export" in again
    program = Program(client, token)
    assert program.get("/account").json()["email"] == viewer.email
    assert program.get("/users").status_code == 403
    token_id = re.findall(r"/admin/account/tokens/(\d+)/revoke", again)[0]
    assert owner.post(f"/admin/account/tokens/{token_id}/revoke").status_code == 404
    viewer.post(f"/admin/account/tokens/{token_id}/revoke")
    assert program.get("/account").status_code == 401
    assert [entry.action for entry in audit(database)][-2:] == ["token.make", "token.revoke"]
    for name in ("", "x" * 81, "a\nb"):
        assert viewer.post("/admin/account/tokens", {"name": name}).status_code == 422


def test_the_api_is_explained_to_people(viewer: Person, api: Program) -> None:
    document = viewer.get("/admin/api/openapi.json").json()
    assert document == api.get("/openapi.json").json()
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    operations = [each for item in document["paths"].values() for each in item.values()]
    page = unescape(viewer.get("/admin/api").text)
    for operation in operations:
        assert operation["security"] == [{"token": []}]
        assert {"400", "401", "403", "404", "409", "422"} <= set(operation["responses"])
        assert operation["summary"].endswith("."), operation["operationId"]
        assert f'id="{operation["operationId"]}"' in page
        assert operation["summary"] in page
    assert len(operations) == page.count('<details class="operation"')
    assert """-d '{"pairs": "...", "sample": {}}'""" in page


def test_a_token_is_no_key_to_accounts(
    api: Program, owner: Person, editor: Person, database: Database, program_of: ProgramOf
) -> None:
    """An owner's token cannot be turned into a password, a login, a user, a role or another token."""
    program_of(editor)
    bob = f"/users/{editor.who.user_id}"
    body = {"email": "eve@example.org", "role": "owner", "name": "eve", "password": "battery staple"}
    before = len(audit(database))
    for method, path in (
        ("POST", "/users"),
        ("PATCH", bob),
        ("POST", f"{bob}/password"),
        ("POST", "/account/password"),
        ("DELETE", "/account/logins"),
        ("DELETE", "/account/logins/1"),
        ("POST", "/account/tokens"),
        ("DELETE", "/account/tokens/2147483647"),
    ):
        refused = api.request(method, path, json=body)
        assert (refused.status_code, "token" in refused.json()["message"]) == (403, True), (method, path)
    assert len(audit(database)) == before
    assert [user["email"] for user in api.get("/users").json()] == ["editor@example.org", "owner@example.org"]
    assert owner.get("/admin/account").url.path == "/admin/account"
    assert api.get(bob).json()["role"] == "editor"
    assert api.get("/users/77").status_code == 404
    log = api.get("/audit?who=owner%40example.org&limit=3").json()
    assert [entry["action"] for entry in log] == ["token.make", "login"]


def test_programs_see_their_users_account_and_revoke_themselves(
    viewer: Person, program_of: ProgramOf
) -> None:
    program = program_of(viewer)
    assert program.get("/account").json()["role"] == "viewer"
    second = program_of(viewer)
    tokens = program.get("/account/tokens").json()
    assert [token["name"] for token in tokens] == ["a test's program"] * 2
    assert all(token["expires_at"] > token["created_at"] for token in tokens)
    assert program.delete(f"/account/tokens/{tokens[1]['id']}").status_code == 403
    assert second.delete(f"/account/tokens/{tokens[1]['id']}").status_code == 204
    assert second.get("/account").status_code == 401
    assert len(program.get("/account/logins").json()) == 1


def test_a_token_that_has_ended_is_refused_in_words(
    viewer: Person, client: TestClient, database: Database
) -> None:
    page = viewer.post("/admin/account/tokens", {"name": "nightly", "days": "30"})
    program = Program(client, SHOWN.findall(page.text)[0])
    assert program.get("/account/tokens").status_code == 200
    assert "; ends" not in page.text
    assert re.search(r"never used;\s+ends <time", page.text)
    with database.transaction() as session:
        session.execute(update(ApiToken).values(expires_at=datetime(2026, 1, 31, tzinfo=UTC)))
    for refused in (program.get("/account"), program.post("/studies", {})):
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        assert refused.json()["message"].startswith("This token ended on 2026-01-31; make another")
    assert re.search(r"<strong>ended</strong> <time", viewer.get("/admin/account").text)
    ever = viewer.post("/admin/account/tokens", {"name": "ever", "days": "never"})
    assert "never ends" in ever.text
    refused = viewer.post("/admin/account/tokens", {"name": "odd", "days": "1000"})
    assert (refused.status_code, "30, 90, 365 days, or never" in refused.text) == (422, True)


def test_a_job_is_watched_and_called_off_by_who_may(
    owner: Person,
    editor: Person,
    viewer: Person,
    database: Database,
    share_with: ShareWith,
    program_of: ProgramOf,
) -> None:
    study_id = make_study(database, owner)
    with database.transaction() as session:
        now = datetime.now(UTC)
        report, package = (
            ask(session, kind, {}, now=now, study_id=study_id) for kind in (Kind.REPORT, Kind.PACKAGE)
        )
        theirs, mine = (
            ask(session, Kind.IMPORT, {}, now=now, asked_by=who.who.user_id) for who in (owner, editor)
        )
    address = f"/admin/jobs/{report}"
    assert editor.get(address).status_code == 404
    assert editor.post(f"{address}/cancel").status_code == 404
    share_with(editor)
    share_with(viewer)
    told = viewer.get(address).json()
    assert (told["status"], told["is_over"], told["done"], told["total"]) == ("queued", False, 0, 0)
    assert viewer.post(f"{address}/cancel").status_code == 403
    gone = editor.post(f"{address}/cancel", follow_redirects=False)
    assert gone.headers["location"] == "/admin/studies/nav/data?said=cancelled"
    assert editor.get(address).json()["status"] == JobStatus.CANCELLED
    assert editor.post(f"{address}/cancel").status_code == 409
    assert editor.post(f"/admin/jobs/{theirs}/cancel").status_code == 404, "somebody else's clips"
    scripted = editor.send("POST", f"/admin/jobs/{mine}/cancel")
    assert scripted.json()["is_over"] is True
    program = program_of(editor)
    assert program.get(f"/jobs/{package}").json()["status"] == "queued"
    assert program.post(f"/jobs/{package}/cancel").json()["status"] == "cancelled"
    noted = [(entry.study, entry.subject) for entry in audit(database) if entry.action == "job.cancel"]
    assert noted == [
        ("nav", f"report {report}"),
        (None, f"import {mine}"),
        ("nav", f"package {package}"),
    ]
    assert owner.get(f"/admin/jobs/{2**31}").status_code == 404


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox 128 on Linux"),
        (f"{WEBKIT} (Windows NT 10.0) Chrome/126.0.0.0 Safari/537.36 Edg/125.0", "Edge 125 on Windows"),
        (f"{WEBKIT} (Linux; Android 14) Chrome/126.0.0.0 Mobile Safari/537.36", "Chrome 126 on Android"),
        (f"{WEBKIT} (iPhone; like Mac OS X) Version/17.5 Mobile/15E148 Safari/604.1", "Safari 17 on iPhone"),
        ("curl/8.5", "curl/8.5"),
        ("", "A browser that does not say what it is"),
    ],
)
def test_browsers_are_named_in_words(sent: str, words: str) -> None:
    assert browser_in_words(sent) == words


def test_menus_offer_what_the_role_may_do(make_person: MakePerson) -> None:
    for role in Role:
        page = make_person(role).get("/admin/account").text
        assert ('href="/admin/users"' in page) == (role is Role.OWNER)
        assert ('href="/admin/audit"' in page) == (role is Role.OWNER)
