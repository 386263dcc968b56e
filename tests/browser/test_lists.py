"""Lists at a lab's size in a browser: one and a half screens at most, nothing sideways on a phone, links by keys."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.lab import lab_service
from tests.browser.steps import AXE_CONTEXT, Check
from tests.browser.test_stimuli import Service, opened
from tools.lab_plan import planned

pytestmark = pytest.mark.browser
STUDIES, CLIPS, SESSIONS = 26, 66, 40
LARGEST = planned(1, SESSIONS, 1)[0].slug
LISTS = (
    "/admin",
    "/admin?state=closed",
    f"/admin/studies/{LARGEST}/sessions",
    "/admin/stimuli",
    "/admin/users",
    "/admin/audit",
)
SCREENS, WIDE, NARROW = 1.5, {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service on a lab's folder, with its owner logged in."""
    folder = tmp_path_factory.mktemp("lab") / "data"
    yield from lab_service(folder, STUDIES, CLIPS, SESSIONS, with_others=False)


def test_lists_fit_one_and_a_half_screens_and_the_width_of_a_phone(
    browser: Browser, service: Service
) -> None:
    for page in opened(browser, service):
        for path in LISTS:
            page.set_viewport_size(WIDE)  # type: ignore[arg-type]
            page.goto(path)
            page.wait_for_load_state()
            height = page.evaluate("document.documentElement.scrollHeight")
            assert height <= SCREENS * WIDE["height"], f"{path} is {height} pixels high"
            page.set_viewport_size(NARROW)  # type: ignore[arg-type]
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= NARROW["width"], f"{path} is {width} pixels wide on a phone"


def test_each_flag_of_a_session_is_read_whole_and_more_of_them_are_counted(
    browser: Browser, service: Service
) -> None:
    for page in opened(browser, service):
        for size in (WIDE, NARROW):
            page.set_viewport_size(size)  # type: ignore[arg-type]
            page.goto(f"/admin/studies/{LARGEST}/sessions?flag=any")
            rows = page.locator(".sessions tbody tr")
            expect(rows.first).to_be_visible()
            expect(page.locator(".sessions .others").first).to_have_text(re.compile(r"\+\d more in session"))
            for badge in page.locator(".sessions .d .badge").all():
                assert badge.evaluate("each => each.scrollWidth <= each.clientWidth")
            cells = page.locator(".sessions .d").all()
            assert all(cell.evaluate("each => each.scrollWidth <= each.clientWidth") for cell in cells)


def test_studies_are_narrowed_by_links_and_words_and_rows_are_one_line_or_cards_of_two(
    browser: Browser, service: Service, check: Check
) -> None:
    for page in opened(browser, service, **AXE_CONTEXT):
        page.goto("/admin")
        rows = page.locator(".studies tbody tr")
        expect(rows).to_have_count(20)
        check(page)
        heights = {round(row.bounding_box()["height"]) for row in rows.all()}  # type: ignore[index]
        assert max(heights) <= (90 if page.viewport_size["width"] <= 1024 else 45)  # type: ignore[index]
        page.get_by_role("link", name="Show").focus()
        page.keyboard.press("Enter")
        expect(rows).not_to_have_count(20)
        page.get_by_role("link", name="Draft").click()
        expect(page.locator(".studies .badge").first).to_have_text("draft")
        page.get_by_label("Find").fill("faces")
        page.keyboard.press("Enter")
        expect(rows.first.get_by_role("rowheader")).to_be_visible()
        page.goto(f"/admin/studies/{LARGEST}/sessions")
        expect(page.locator(".sessions tbody tr")).to_have_count(15)
        check(page)
        page.get_by_role("link", name="Completed").click()
        expect(page.get_by_role("link", name="Completed")).to_have_attribute("aria-current", "true")
