"""The library at size in a real browser: found, more shown, many chosen and changed, two picked for a pair."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlmodel import select

from app.accounts.tables import Role
from app.core.database import Database
from app.core.settings import Settings
from app.library.tables import Stimulus
from app.studies.drafts import create_study
from tests.admin.persons import make_login, make_user
from tests.browser.conftest import fresh_sqlite
from tests.browser.served import served
from tests.browser.steps import AXE_CONTEXT, Check
from tests.browser.test_stimuli import Service, opened
from tests.factories import NOW
from tests.studies.clips import add_clips

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Iterator[Service]:
    """The service with an owner, a study without pairs, and 130 clips without files."""
    folder = tmp_path_factory.mktemp("library")
    url = fresh_sqlite(migrated_sqlite, folder)
    settings = Settings(LIKELY_HUMAN_DATA=folder / "data", DATABASE_URL=str(url), LIKELY_HUMAN_SECRET="test")  # type: ignore[call-arg]
    database = Database(url, checkpointing=True)
    with database.transaction() as session:
        owner = make_user(session, Role.OWNER, "owner@example.org")
        cookie = make_login(session, owner)
        create_study(session, owner, "nav", {}, NOW)
        add_clips(
            session,
            [(f"walk-{n}", "human" if n % 2 else "hybrid", {"goal": f"g{n % 3}"}) for n in range(130)],
        )
    with served(settings, database) as address:
        yield Service(address, database, settings.data_dir, cookie, folder)


def cards(page: Page, n: int) -> None:
    expect(page.locator("[data-clips] > *")).to_have_count(n)


def test_many_are_found_chosen_across_what_is_shown_and_changed_and_two_become_a_pair(
    browser: Browser, service: Service, check: Check
) -> None:
    for page in opened(browser, service, **AXE_CONTEXT):
        page.goto("/admin/stimuli")
        cards(page, 20)
        acts = page.locator("[data-acts]")
        expect(acts).to_be_hidden()
        page.get_by_role("checkbox", name="Choose walk-0", exact=True).check()
        attribute = acts.get_by_text("Set an attribute")
        attribute.press("Enter")
        check(page)  # of sixty it takes three times as long
        attribute.press("Enter")
        page.get_by_role("link", name="Show 40 more").click()
        cards(page, 60)
        expect(page).to_have_url(f"{service.address}/admin/stimuli?show=60")
        expect(page.get_by_text("1 to 60 of 130")).to_be_visible()
        page.get_by_role("checkbox", name="Choose walk-59", exact=True).check()
        expect(page.get_by_text("2 chosen")).to_be_visible()
        attribute.press("Enter")
        page.get_by_label("Attribute", exact=True).fill("level")
        page.get_by_label("Value").fill("hard")
        page.get_by_label("Value").press("Enter")
        expect(page.get_by_role("status").first).to_contain_text("Saved.")
        page.get_by_label("Find").fill("level=hard")
        page.get_by_label("Find").press("Enter")
        cards(page, 2)
        page.get_by_role("link", name="Table", exact=True).click()
        expect(page.get_by_role("row")).to_have_count(3)
        check(page)
        page.get_by_role("checkbox", name="2 chosen").or_(
            page.get_by_role("checkbox", name="Choose all shown")
        ).check()
        acts.get_by_text("Pair two").click()
        acts.get_by_role("button", name="Make a pair of the two").click()
        expect(page.get_by_role("heading", name="Pick two clips")).to_be_visible()
        expect(page.locator("[data-list=a] :checked")).to_have_value("walk-0")
        check(page)
        second = page.locator("[data-list=b]")
        second.get_by_role("button", name="human").click()
        expect(second.get_by_role("status")).to_have_text("1 to 20 of 65")
        second.get_by_label("Find clip b").fill("walk-12")
        expect(second.get_by_role("status")).to_have_text("1 to 5 of 5")
        expect(second.get_by_label("Find clip b")).to_be_focused()
        expect(page.locator("[data-list=a] :checked")).to_have_value("walk-0")
        second.get_by_role("radio", name="walk-121").check()
        page.get_by_role("button", name="Add the pair").click()
        expect(page.get_by_text("human-hybrid-01").first).to_be_visible()
    with service.database.reading() as session:
        rows = session.exec(select(Stimulus)).all()
    assert sorted(row.name for row in rows if row.attributes.get("level") == "hard") == ["walk-0", "walk-59"]
