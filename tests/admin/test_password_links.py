"""Passwords by a link: sent by mail where the service has a mail server, used once, and told to nobody else."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select, update
from starlette.testclient import TestClient

from app.accounts.password_links import make_password_link
from app.accounts.tables import PasswordLink
from app.core.database import Database
from app.core.settings import Settings
from app.jobs.mails import PER_USER
from app.jobs.tables import Job, Kind
from app.worker.worker import drain
from tests.admin.conftest import ProgramOf
from tests.admin.persons import Person, fresh_client
from tests.admin.test_login import login
from tests.admin.test_people import SHOWN
from tests.mail_server import Kept, serving_mail

GOOD = {"new": "battery staple", "again": "battery staple"}


@pytest.fixture
def kept_mails(settings: Settings, client: TestClient) -> Iterator[Kept]:
    """The service with a mail server."""
    with serving_mail() as (server, kept):
        mail = {
            "LIKELY_HUMAN_MAIL": f"smtp://127.0.0.1:{server.port}",
            "LIKELY_HUMAN_MAIL_FROM": "lab@example.org",
            "LIKELY_HUMAN_ADDRESS": "http://testserver",
        }
        own = Settings.model_validate({"LIKELY_HUMAN_SECRET": settings.secret, **mail})
        for name in ("mail_address", "mail_from", "public_address"):
            setattr(settings, name, getattr(own, name))
        settings.__dict__.pop("mail", None)
        yield kept


def jobs(database: Database) -> list[Job]:
    with database.reading() as session:
        return list(session.exec(select(Job).where(Job.kind == Kind.MAIL)).all())


def link_of(kept: Kept) -> str:
    return str(re.findall(r"http://testserver(/password/\S+)", kept.mails[-1][2].get_content())[0])


def test_an_invited_user_chooses_a_password_by_the_link_of_a_mail(
    kept_mails: Kept, owner: Person, client: TestClient, database: Database, settings: Settings
) -> None:
    page = owner.post("/admin/users", {"email": "bob@example.org", "role": "editor"})
    assert "A mail with a link to choose a password is on its way" in page.text
    assert SHOWN.findall(page.text) == []
    drain(settings, database)
    assert kept_mails.mails[0][1] == ["bob@example.org"]
    browser, link = fresh_client(client), link_of(kept_mails)
    assert "bob@example.org" in browser.get(link).text
    for form, status in (({"new": "short", "again": "short"}, 422), ({**GOOD, "again": "other"}, 422)):
        assert browser.post(link, data=form).status_code == status
    done = browser.post(link, data=GOOD, follow_redirects=False)
    assert (done.status_code, done.headers["location"]) == (303, "/admin")
    assert browser.get("/admin/account").url.path == "/admin/account"
    assert login(fresh_client(client), email="bob@example.org", password=GOOD["new"]).status_code == 303
    assert browser.get(link).status_code == 410, "once"
    assert browser.post(link, data=GOOD).status_code == 410


def test_a_lost_password_is_asked_for_without_telling_who_is_a_user(
    kept_mails: Kept,
    editor: Person,
    client: TestClient,
    database: Database,
    settings: Settings,
    program_of: ProgramOf,
) -> None:
    program, browser = program_of(editor), fresh_client(client)
    replies = {
        browser.post("/password", data={"email": email}).text for email in (editor.email, "x@example.org")
    }
    assert len(replies) == 1
    assert len(jobs(database)) == 1
    drain(settings, database)
    assert editor.get("/admin/account").url.path == "/admin/account", (
        "nothing changes before the link is used"
    )
    assert browser.post(link_of(kept_mails), data=GOOD, follow_redirects=False).status_code == 303
    assert editor.get("/admin/account").url.path == "/admin/login"
    assert program.get("/account").status_code == 401
    for _ in range(PER_USER):
        last = browser.post("/password", data={"email": editor.email})
    assert last.status_code == 429
    foreign = browser.post(
        "/password", data={"email": "x@example.org"}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert foreign.status_code == 403


def test_an_owner_sends_a_link_and_sees_which_mails_failed(
    kept_mails: Kept, owner: Person, editor: Person, database: Database, settings: Settings
) -> None:
    kept_mails.replies = ["550 no such mailbox here"]
    page = owner.post(f"/admin/users/{editor.who.user_id}/mail")
    assert "on its way" in page.text
    drain(settings, database)
    people = owner.get("/admin/users").text
    assert "Link to a new password to editor@example.org" in people
    assert "550 no such mailbox here" in people
    assert editor.post(f"/admin/users/{owner.who.user_id}/mail").status_code == 403


def test_without_a_mail_server_passwords_are_handed_over_as_before(
    owner: Person, editor: Person, stranger: TestClient, database: Database
) -> None:
    assert SHOWN.findall(owner.post("/admin/users", {"email": "bob@example.org", "role": "editor"}).text)
    assert owner.post(f"/admin/users/{editor.who.user_id}/mail").status_code == 409
    assert "sends no email" in stranger.get("/password").text
    assert stranger.post("/password", data={"email": editor.email}).status_code == 409
    assert "sends no email" in editor.get("/admin/account").text
    assert jobs(database) == []


def test_a_stranger_who_asks_for_links_ends_no_invitation(
    kept_mails: Kept, owner: Person, stranger: TestClient, database: Database, settings: Settings
) -> None:
    owner.post("/admin/users", {"email": "bob@example.org", "role": "editor"})
    drain(settings, database)
    invitation = link_of(kept_mails)
    stranger.post("/password", data={"email": "bob@example.org"})
    stranger.post("/password", data={"email": "bob@example.org"})
    drain(settings, database)
    assert len(kept_mails.mails) == 2, "one that waits is enough"
    assert stranger.get(invitation).status_code == 200
    foreign = stranger.post(invitation, data=GOOD, headers={"Sec-Fetch-Site": "cross-site"})
    assert (foreign.status_code, "once more" in foreign.text) == (403, True)
    assert stranger.post(invitation, data=GOOD, follow_redirects=False).status_code == 303
    assert stranger.get(link_of(kept_mails)).status_code == 410, "the other ends with the new password"


def test_without_an_address_for_links_passwords_are_handed_over_and_people_says_why(
    kept_mails: Kept,
    owner: Person,
    editor: Person,
    stranger: TestClient,
    database: Database,
    settings: Settings,
) -> None:
    assert "LIKELY_HUMAN_ADDRESS" not in owner.get("/admin/users").text
    settings.public_address = ""
    page = owner.post("/admin/users", {"email": "bob@example.org", "role": "editor"}).text
    assert SHOWN.findall(page)
    assert "LIKELY_HUMAN_ADDRESS" in page
    assert owner.post(f"/admin/users/{editor.who.user_id}/mail").status_code == 409
    assert "Send a link" not in owner.get(f"/admin/users/{editor.who.user_id}").text
    assert "sends no email" in editor.get("/admin/account").text
    assert stranger.post("/password", data={"email": editor.email}).status_code == 409
    assert jobs(database) == []


def test_a_link_is_replaced_by_a_newer_one_ends_after_a_week_and_is_no_guess(
    editor: Person, stranger: TestClient, database: Database
) -> None:
    now = datetime.now(UTC)
    with database.transaction() as session:
        first = make_password_link(session, editor.who.user_id, now)
        second = make_password_link(session, editor.who.user_id, now)
    assert stranger.get(f"/password/{first}").status_code == 410
    page = stranger.get(f"/password/{second}")
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
    assert page.headers["referrer-policy"] == "no-referrer"
    with database.transaction() as session:
        session.execute(update(PasswordLink).values(expires_at=now - timedelta(seconds=1)))
    assert stranger.get(f"/password/{second}").status_code == 410
    assert [stranger.get(f"/password/wrong{n}").status_code for n in range(21)] == [404] * 20 + [429]
