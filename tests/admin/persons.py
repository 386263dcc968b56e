"""Experimenters in a test: each with a browser of their own (or a program's token) over the one service."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from httpx2 import Response
from sqlmodel import Session, select
from starlette.testclient import TestClient

from app.accounts.audit import COMMAND_LINE
from app.accounts.logins import Who, log_in
from app.accounts.tables import Role
from app.accounts.tokens import make_token
from app.accounts.users import add_user
from app.admin.access import COOKIE
from app.studies.tables import StudyShare
from app.trials.tables import Study

Fields = Mapping[str, Any]


def fresh_client(client: TestClient) -> TestClient:
    """Another browser at the same service: its own cookies, the same event loop."""
    other = TestClient(client.app, raise_server_exceptions=False)
    other.portal = client.portal
    return other


class Person:
    """A browser with a login. Forms and scripts carry the token of the page's `<meta name=csrf>`.

    `get`, `post` and the rest follow redirects unless told `follow_redirects=False`. An error in a handler is a
    reply with status 500.
    """

    def __init__(self, client: TestClient, cookie: str, who: Who) -> None:
        self.browser = fresh_client(client)
        self.browser.cookies.set(COOKIE, cookie, path="/admin")
        self.cookie, self.who = cookie, who
        self._csrf = ""

    @property
    def email(self) -> str:
        return self.who.email

    @property
    def csrf(self) -> str:
        if not self._csrf:
            html = self.browser.get("/admin/account").text
            found = re.search(r'<meta name="csrf" content="([^"]+)">', html)
            assert found, html
            self._csrf = found[1]
        return self._csrf

    def get(self, path: str, **more: Any) -> Response:
        return self.browser.get(path, **more)

    def post(self, path: str, data: Fields | None = None, **more: Any) -> Response:
        """A form, with the token as its field `csrf`; with `json`, `content` or `files` as the header."""
        if data is None and more.keys() & {"json", "content"}:
            return self.request("POST", path, **more)
        return self.browser.post(path, data={"csrf": self.csrf, **(data or {})}, **more)

    def request(self, method: str, path: str, **more: Any) -> Response:
        """As a script sends it: the token in a header, a reply in JSON wished for."""
        headers = {
            "Accept": "application/json",
            "X-CSRF-Token": self.csrf,
            **(more.pop("headers", None) or {}),
        }
        return self.browser.request(method, path, headers=headers, **more)

    def send(self, method: str, path: str, body: Any = None, **more: Any) -> Response:
        """JSON, as /static/admin/send.js sends it."""
        return self.request(method, path, json=body, **more)


class Program:
    """A program with somebody's API token; paths are those after `/api/v1`."""

    def __init__(self, client: TestClient, token: str) -> None:
        self.client = fresh_client(client)
        self.token = token

    def request(self, method: str, path: str, **more: Any) -> Response:
        headers = {"Authorization": f"Bearer {self.token}", **(more.pop("headers", None) or {})}
        return self.client.request(method, f"/api/v1{path}", headers=headers, **more)

    def get(self, path: str, **more: Any) -> Response:
        return self.request("GET", path, **more)

    def post(self, path: str, json: Any = None, **more: Any) -> Response:
        return self.request("POST", path, json=json, **more)

    def put(self, path: str, json: Any = None, **more: Any) -> Response:
        return self.request("PUT", path, json=json, **more)

    def patch(self, path: str, json: Any = None, **more: Any) -> Response:
        return self.request("PATCH", path, json=json, **more)

    def delete(self, path: str, **more: Any) -> Response:
        return self.request("DELETE", path, **more)


def make_user(session: Session, role: Role, email: str, password_hash: str = "none") -> Who:
    """A user as the command line makes them."""
    user_id = add_user(session, email, role, password_hash, by=COMMAND_LINE, now=datetime.now(UTC))
    return Who(user_id, email, role)


def make_login(session: Session, who: Who) -> str:
    """The cookie of a new login."""
    return log_in(session, who.user_id, "a test's browser", datetime.now(UTC))


def make_api_token(session: Session, who: Who) -> str:
    return make_token(session, who, "a test's program", datetime.now(UTC))


def share_study(session: Session, slug: str, who: Who) -> None:
    study = session.exec(select(Study).where(Study.slug == slug)).one()
    session.add(StudyShare(study_id=study.id or 0, user_id=who.user_id))
