"""Every page and API route refuses whom it should: over the route table, so a new route is covered by being there."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import cycle, product
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, iter_route_contexts
from httpx2 import Response
from sqlalchemy import URL
from starlette.routing import Mount
from starlette.routing import Route as PlainRoute
from starlette.testclient import TestClient
from starlette.types import ASGIApp

import app.admin.access as by_cookie
import app.api.access as by_token
from app.accounts.tables import Role
from app.core.asked_language import AskedLanguage
from app.core.at_once import AtOnce
from app.core.database import Database
from app.core.ending import WholeOrNot
from app.core.first_routes import FirstRoutes
from app.core.headers import SafetyHeaders
from app.core.settings import Settings
from app.main import create_app
from app.studies.drafts import create_study
from tests.admin.persons import Person, Program, make_api_token, make_login, make_user, share_study

pytestmark = pytest.mark.slow

API = "/api/v1"
SAFE = {"GET", "HEAD"}

# What needs no login. Anything else has to be a page under /admin or an address of the API.
OPEN = {
    "GET /",
    "GET /healthz",
    "GET /readyz",
    "GET /s/{slug}",
    "GET /s/{slug}/declined/{status}",
    "GET /s/{slug}/full",
    "GET /s/{slug}/took-part",
    # Stopping with one's answers deleted: by a session's token, or the code of its last page.
    "GET /p/{token}/stop",
    "POST /p/{token}/stop",
    # A preview fills itself in; any other session refuses.
    "POST /p/{token}/fill",
    "GET /s/{slug}/withdraw",
    "POST /s/{slug}/withdraw",
    "GET /s/{slug}/withdrawn",
    "GET /p/{token}",
    "GET /p/{token}/state",
    # A file of known size, by which a device rule measures the connection before consent.
    "GET /p/{token}/speed",
    "GET /p/{token}/state/events",
    "POST /p/{token}",
    "GET /p/{token}/clips/{position}-{place}.mp4",
    "GET /static",
    "GET /static/admin",
    "GET /admin/login",
    "POST /admin/login",
    # Results by a link that an experimenter made; its pictures.
    "GET /r/{token}",
    "GET /r/{token}/results/clips/{clip}.jpg",
    # A lost password: a mail is asked for, and by its link another password is chosen.
    "GET /password",
    "POST /password",
    "GET /password/{token}",
    "POST /password/{token}",
    # What is pressed in a walk: by the token of its session, and no more than 32 kB.
    "POST /p/{token}/walk",
    # Programs in live seats: by a token of the environment. The post reads no more than 64 kB.
    "GET /api/seat/{token}",
    "POST /api/seat/{token}/moves",
}
# What a viewer may change: what is theirs alone.
OWN = {
    "POST /admin/logout",
    "POST /admin/account/password",
    "POST /admin/account/profile",
    "POST /admin/account/logins/revoke",
    "POST /admin/account/logins/{login_id}/revoke",
    "POST /admin/account/tokens",
    "POST /admin/account/tokens/{token_id}/revoke",
    "DELETE /api/v1/account/tokens/{token_id}",
}
# Where everything is for owners, whatever is added to it.
FOR_OWNERS = re.compile(r"(/admin|/api/v1)/(users|audit)\b")


@dataclass(frozen=True)
class Route:
    """`path` has its parameters in braces; `guards` are the dependencies of its routers and itself."""

    method: str
    path: str
    guards: tuple[Any, ...] = ()
    max_body_size: int | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def is_api(self) -> bool:
        return self.path.startswith(API)

    @property
    def changes(self) -> bool:
        return self.method not in SAFE

    @property
    def has_study(self) -> bool:
        return "{slug}" in self.path

    @property
    def is_for_owners(self) -> bool:
        return by_cookie.owners_only in self.guards or by_token.owners_only in self.guards

    @property
    def address(self) -> str:
        """With every parameter filled in: the study, or 1."""
        return re.sub(r"\{[^}]+\}", "1", self.path.replace("{slug}", "nav"))


def make_service(folder: Path) -> SafetyHeaders:
    settings = Settings(LIKELY_HUMAN_DATA=folder, DATABASE_URL="", LIKELY_HUMAN_SECRET="test")  # type: ignore[call-arg]
    service = create_app(settings, Database(settings.database_url))
    assert isinstance(service, SafetyHeaders)
    return service


def routes_of(app: FastAPI, prefix: str = "") -> Iterator[Route]:
    for context in iter_route_contexts(app.routes):
        route = context.original_route
        if isinstance(route, Mount) and isinstance(route.app, FastAPI):
            yield from routes_of(route.app, prefix + route.path)
        elif isinstance(route, Mount):
            yield Route("GET", prefix + route.path)
        elif not isinstance(route, APIRoute):
            # Starlette's own: it has no guards, and itself bounds what it reads.
            assert isinstance(route, PlainRoute)
            for method in sorted((route.methods or set()) - {"HEAD"}):
                yield Route(method, prefix + route.path)
        else:
            guards = tuple(context.dependencies)
            for method in sorted(context.methods or set()):
                if method != "HEAD":
                    path = f"{prefix}{context.path_format}"
                    yield Route(method, path, guards, context.max_body_size)


with tempfile.TemporaryDirectory() as _folder:
    _inner: ASGIApp = make_service(Path(_folder))
    while not isinstance(_inner, FastAPI):
        assert isinstance(_inner, SafetyHeaders | AskedLanguage | AtOnce | WholeOrNot | FirstRoutes)
        _inner = _inner.app
    ALL = list(routes_of(_inner))
CLOSED = [route for route in ALL if str(route) not in OPEN]
PAGES = [route for route in CLOSED if not route.is_api]


@dataclass(frozen=True)
class People:
    """A service with one study, `nav`; the viewer sees it, the editor does not."""

    client: TestClient
    owner: Person
    editor: Person
    viewer: Person
    programs: dict[str, Program]

    def ask(self, name: str, route: Route, **headers: str) -> Response:
        """As a script of our pages, or a program with a token, asks."""
        if route.is_api:
            return self.programs[name].request(route.method, route.address[len(API) :], headers=headers)
        person: Person = getattr(self, name)
        return person.request(route.method, route.address, headers=headers, follow_redirects=False)


@pytest.fixture(scope="module")
def people(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    folder = tmp_path_factory.mktemp("routes")
    shutil.copy(migrated_sqlite, folder / "likely-human.sqlite3")
    database = Database(URL.create("sqlite", database=str(folder / "likely-human.sqlite3")))
    with database.transaction() as session:
        whos = {role: make_user(session, role, f"{role}@example.org") for role in Role}
        create_study(session, whos[Role.OWNER], "nav", {}, datetime.now(UTC))
        share_study(session, "nav", whos[Role.VIEWER])
        cookies = {role: make_login(session, who) for role, who in whos.items()}
        tokens = {role: make_api_token(session, who) for role, who in whos.items()}
    with TestClient(make_service(folder)) as client:
        persons = {role: Person(client, cookies[role], who) for role, who in whos.items()}
        yield People(
            client,
            owner=persons[Role.OWNER],
            editor=persons[Role.EDITOR],
            viewer=persons[Role.VIEWER],
            programs={role: Program(client, token) for role, token in tokens.items()},
        )
    database.close()


def message_of(response: Response) -> str:
    return str(response.json()["message"])


def test_nothing_is_open_but_what_is_named() -> None:
    elsewhere = {str(route) for route in ALL if not route.path.startswith(("/admin", API))}
    assert elsewhere <= OPEN
    assert {str(route) for route in ALL} >= OPEN
    assert len(CLOSED) > 30


def test_what_a_viewer_may_change_is_named() -> None:
    everybody = {by_cookie.anyone, by_token.anyone}
    assert {str(r) for r in CLOSED if r.changes and everybody & set(r.guards)} == OWN


def test_people_and_the_whole_audit_log_are_for_owners() -> None:
    assert [str(r) for r in CLOSED if FOR_OWNERS.match(r.path) and not r.is_for_owners] == []


def test_what_may_be_sent_is_bounded_everywhere() -> None:
    """FastAPI reads a body before it asks anybody who they are; clips and packages are streamed and may be large."""
    assert [str(route) for route in CLOSED if route.changes and not route.max_body_size] == []
    for route in CLOSED:
        streamed = ("/uploads/{token}", "/study-packages/{token}")
        is_streamed = route.path.endswith(streamed) and route.method in {"PATCH", "PUT"}
        assert (
            (route.max_body_size or 0) >= 2_000_000_000
            if is_streamed
            else (route.max_body_size or 0) < 20_000_000
        )


def test_a_stranger_is_refused(people: People) -> None:
    for number, route in enumerate(CLOSED):
        stranger = TestClient(people.client.app, raise_server_exceptions=False)
        stranger.portal = people.client.portal
        for cookies in ({}, {by_cookie.COOKIE: "made-up"})[number % 2 :]:
            stranger.cookies.update(cookies)
            response = stranger.request(route.method, route.address, follow_redirects=False)
            if route.is_api:
                assert (response.status_code, bool(message_of(response))) == (401, True), route
                assert response.headers["www-authenticate"] == "Bearer", route
                continue
            assert response.status_code == 303, route
            expected = "/admin/login" if route.changes else f"/admin/login?next={route.address}"
            assert response.headers["location"] == expected, route
            assert response.headers["cache-control"] == "no-store", route
            scripted = stranger.request(route.method, route.address, headers={"Accept": "application/json"})
            assert scripted.status_code == 401, route
            assert "log in" in message_of(scripted), route


def test_the_api_takes_no_cookie_and_no_other_token(people: People) -> None:
    """Each route by a cookie, and by one of three credentials in turn."""
    in_turn = cycle(["Bearer made-up", "Bearer", f"Basic {people.programs['owner'].token}"])
    for route in [route for route in CLOSED if route.is_api]:
        csrf = {"X-CSRF-Token": people.owner.csrf}
        by_browser = people.owner.browser.request(route.method, route.address, headers=csrf)
        assert by_browser.status_code == 401, route
        assert by_browser.headers["www-authenticate"] == "Bearer", route
        response = people.client.request(
            route.method, route.address, headers={"Authorization": next(in_turn)}
        )
        assert response.status_code == 401, route


def test_a_viewer_changes_nothing(people: People) -> None:
    for route in [route for route in CLOSED if route.changes and str(route) not in OWN]:
        response = people.ask("viewer", route)
        assert response.status_code == 403, route
        assert ("owners" if route.is_for_owners else "viewer") in message_of(response), route


BODIES: tuple[dict[str, Any], ...] = (
    {},
    {"data": {"known": "yes", "reason": "a", "name": "a", "email": "a@example.org"}},
    {"json": {"state": "live", "file_name": "a.mp4", "bytes": 1, "source": "human", "reason": "a"}},
    {"content": b"{", "headers": {"Content-Type": "application/json"}},
    {"content": b"[" * 100_000, "headers": {"Content-Type": "application/json"}},
    {"content": b"a" * 17_000_000, "headers": {"Content-Type": "application/x-www-form-urlencoded"}},
    {"content": b"--x", "headers": {"Content-Type": "multipart/form-data; boundary=x"}},
)


def test_roles_come_before_whatever_is_wrong_with_a_form(people: People, exhaustive: bool) -> None:
    """Each route that changes something, with forms that hold, that do not, and that are none; by either role that is
    not enough, also where there is nothing at the address. In `make test` with three of these in turn."""
    in_turn = cycle(BODIES)
    for route in [route for route in CLOSED if route.changes and str(route) not in OWN]:
        for name in ("viewer", "editor") if route.is_for_owners else ("viewer",):
            here, nowhere = route.address, route.address.replace("/1", "/none")
            few = ((address, next(in_turn)) for address in (here, here, nowhere))
            tried = product((here, nowhere), BODIES) if exhaustive else few
            for address, given in tried:
                more = {**given, "headers": {"Accept": "application/json", **given.get("headers", {})}}
                if route.is_api:
                    response = people.programs[name].request(route.method, address[len(API) :], **more)
                else:
                    person: Person = getattr(people, name)
                    csrf = {"X-CSRF-Token": person.csrf}
                    more["headers"] = {**more["headers"], **csrf}
                    response = person.browser.request(route.method, address, follow_redirects=False, **more)
                assert response.status_code == 403, (name, route, given.keys(), response.text[:200])


def test_a_form_from_elsewhere_is_refused(people: People) -> None:
    """Each without our page's token; in turn with a wrong one, with one in a cookie only, or sent by another site."""
    json, csrf, wrong = {"Accept": "application/json"}, people.owner.csrf, people.viewer.csrf
    cookies = f"{by_cookie.COOKIE}={people.owner.cookie}; csrf={csrf}"
    in_turn: Iterator[dict[str, Any]] = cycle(
        [
            {"headers": json, "data": {"csrf": wrong}},
            {"headers": json, "data": {"csrf": ""}},
            {"headers": {**json, "X-CSRF-Token": wrong}},
            {"headers": {**json, "X-CSRF-Token": ""}, "json": {"csrf": csrf}},
            {"headers": {**json, "Cookie": cookies}},
        ]
    )
    sites = cycle(["cross-site", "same-site"])
    for route in [route for route in PAGES if route.changes]:
        for given in ({"headers": json}, next(in_turn)):
            attempt = people.owner.browser.request(
                route.method, route.address, follow_redirects=False, **given
            )
            assert (attempt.status_code, "out of date" in message_of(attempt)) == (403, True), (route, given)
        planted = people.ask("owner", route, **{"Sec-Fetch-Site": next(sites)})
        assert (planted.status_code, "another site" in message_of(planted)) == (403, True), route


def test_a_study_that_is_not_shared_is_not_there(people: People) -> None:
    for route in [route for route in CLOSED if route.has_study]:
        response = people.ask("editor", route)
        if route.is_for_owners:
            assert response.status_code == 403, route
            continue
        assert response.status_code == 404, route
        assert message_of(response) == "There is no study 'nav' that you can see.", route


def test_what_is_for_owners_is_for_nobody_else(people: People) -> None:
    for route in [route for route in CLOSED if route.is_for_owners]:
        for name in ("editor", "viewer"):
            response = people.ask(name, route)
            assert response.status_code == 403, route
            assert "owners" in message_of(response), route


def test_the_refusals_above_are_not_for_everybody(people: People) -> None:
    """The same people, asking for what they may, get it: or the tests above would prove nothing."""
    for name in ("owner", "editor", "viewer"):
        assert people.ask(name, Route("GET", "/admin/account")).status_code == 200
        assert people.ask(name, Route("GET", f"{API}/account")).status_code == 200
        assert people.ask(name, Route("POST", "/admin/account/tokens")).status_code == 415  # not a form
    for name in ("owner", "viewer"):
        assert people.ask(name, Route("GET", "/admin/studies/nav/audit")).status_code == 200
        assert people.ask(name, Route("GET", f"{API}/studies/nav/audit")).status_code == 200
    assert people.ask("owner", Route("GET", "/admin/users")).status_code == 200


def test_what_is_too_large_is_refused(people: People) -> None:
    body = b"x" * 17_000_000
    for response in (
        people.programs["owner"].request("POST", "/studies", content=body),
        people.owner.request("POST", "/admin/users", content=body),
    ):
        assert (response.status_code, "Large" in response.text) == (413, True)


def test_a_method_that_an_address_does_not_take_is_told_those_that_it_takes(people: People) -> None:
    for route in ALL:
        if not route.path.startswith("/static"):
            response = people.ask("owner", Route("LINK", route.path))
            here = {
                r.method for r in ALL if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", r.path), route.address)
            }
            allowed = response.headers.get("allow", "").split(", ")
            assert (response.status_code, sorted({*allowed} - {"HEAD"})) == (405, sorted(here)), route
    assert people.client.post("/static/icon.svg").headers["allow"] == "GET, HEAD"
    assert people.client.put("/p/1").headers["allow"] == "GET, HEAD, POST"


def test_no_change_came_of_all_this(people: People) -> None:
    """Runs last: whoever was refused above has left no trace in the audit log."""
    entries = people.programs["owner"].get("/audit?limit=500").json()
    assert {entry["action"] for entry in entries} <= {"user.add", "study.create", "login", "token.make"}
