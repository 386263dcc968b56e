"""Notes, the audit log, a link to results and a lost password in a real browser, by axe-core's rules."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, expect

from app.accounts.tables import Role
from app.core.database import Database
from app.core.settings import Settings
from app.main import create_app
from app.serving import address_of, bind
from app.studies.drafts import create_study
from tests.admin.persons import make_login, make_user
from tests.browser.conftest import fresh_sqlite
from tests.browser.steps import AXE_CONTEXT, Check
from tests.browser.test_stimuli import Service, opened
from tests.factories import NOW

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Iterator[Service]:
    """The service with an owner and a study."""
    folder = tmp_path_factory.mktemp("sharing")
    url = fresh_sqlite(migrated_sqlite, folder)
    bound = bind("127.0.0.1", 0)
    bound.listen()  # who comes before the service runs waits for it
    given = {
        "LIKELY_HUMAN_DATA": folder / "data",
        "DATABASE_URL": str(url),
        "LIKELY_HUMAN_SECRET": "test",
        "LIKELY_HUMAN_MAIL": "smtp://127.0.0.1:9",
        "LIKELY_HUMAN_MAIL_FROM": "lab@example.org",
        "LIKELY_HUMAN_ADDRESS": address_of(bound),
    }
    settings, database = Settings.model_validate(given), Database(url, checkpointing=True)
    with database.transaction() as session:
        owner = make_user(session, Role.OWNER, "owner@example.org")
        cookie = make_login(session, owner)
        create_study(session, owner, "nav", {"title": "Corridors"}, NOW)
    server = uvicorn.Server(uvicorn.Config(create_app(settings, database), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    yield Service(address_of(bound), database, settings.data_dir, cookie, folder)
    server.should_exit = True
    thread.join()


def test_a_note_the_log_and_a_link_for_outsiders(browser: Browser, service: Service, check: Check) -> None:
    for page in opened(browser, service, **AXE_CONTEXT):
        page.goto("/admin/account")
        page.get_by_label("Name (optional)").fill("Ana Ruiz")
        page.get_by_label("a study closes by itself", exact=False).check()
        check(page)
        page.get_by_role("button", name="Save").click()
        page.goto("/admin/studies/nav")
        page.get_by_text("Write a note").click()
        page.get_by_label("New note").fill("**Ask** Ben")
        page.get_by_role("button", name="Add the note").click()
        expect(page.get_by_text("The note is saved.")).to_be_visible()
        check(page)
        page.goto("/admin/studies/nav/results")
        page.get_by_label("Whom it is for").fill("Journal")
        page.get_by_role("button", name="Make a link").click()
        expect(page.get_by_role("heading", name="The new link to these results")).to_be_visible()
        check(page)
        address = page.locator("code.shown").inner_text()
        page.goto("/admin/audit?period=day")
        sentence = "Ana Ruiz left a note at the study Corridors"
        expect(page.get_by_role("link", name=sentence).first).to_be_visible()
        page.get_by_text("Details").first.click()
        check(page)
        page.goto(address)
        expect(page.get_by_role("heading", name="Not open yet")).to_be_visible()
        check(page)
        page.goto("/password")
        check(page)
        page.get_by_label("Email address").fill("owner@example.org")
        page.get_by_role("button", name="Send me a link").click()
        expect(page.get_by_role("status")).to_contain_text("on its way")
        check(page)
        page.goto("/admin/users")
        check(page)
