"""Pages on a study that runs with arms and a target of precision: they break no rule of axe, and they fit."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import update

from app.accounts.tables import Role
from app.admin.access import COOKIE
from app.core.database import Database
from app.core.settings import Settings
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.studies.versions import set_state
from app.trials.tables import ParticipantSession, State
from tests.admin.persons import make_login, make_user
from tests.browser.conftest import fresh_sqlite
from tests.browser.served import served
from tests.browser.steps import AXE_CONTEXT, Check
from tests.factories import load_file, open_study
from tests.sessions.test_allocating import answer, begin, block, most_human
from tests.sessions.test_blocks import rating_block
from tests.sessions.test_precision_of_scores import rate

pytestmark = pytest.mark.browser

HERE = "/admin/studies/nav"
ARMS = [
    {"id": "slow", "target": 40, "set": {"blocks.watch.trials.watch": "both-to-end"}},
    {"id": "fast", "target": 40},
]
PEOPLE = 8
KEYS = {
    "sample": None,
    "trials": None,
    "background": None,
    "blocks": [block(allocate="even")],
    "arms": ARMS,
    "opens": "2026-01-01T09:00+01:00",
    "ends": "2036-01-01T09:00+01:00",
    "stop_when": {"measure": "accuracy", "narrower_than": 0.1},
    "hypotheses": [
        {
            "id": "h1",
            "compare": ["slow", "fast"],
            "measure": "accuracy",
            "direction": "less",
            "test": "mann-whitney",
        }
    ],
    "recruitment": {"from": "prolific"},
    "completion": {
        "code": "C1SLOWDONE42",
        "codes": {"screened_out": "C9SCREENED8812", "no_consent": "CNOCONSENT7731"},
    },
}
RATED = {
    "study": "rated",
    "sample": None,
    "trials": None,
    "background": None,
    "blocks": [rating_block()],
    "stop_when": {"measure": "logic", "narrower_than": 0.5, "at_least": 20, "expected": 4},
}


@pytest.fixture(scope="module")
def address_and_cookie(
    tmp_path_factory: pytest.TempPathFactory,
    library: tuple[ClipStore, Sequence[ImportedClip]],
    migrated_sqlite: Path,
) -> Iterator[tuple[str, str]]:
    folder: Path = tmp_path_factory.mktemp("running")
    url = fresh_sqlite(migrated_sqlite, folder)
    settings = Settings(  # type: ignore[call-arg]
        LIKELY_HUMAN_DATA=library[0].root, DATABASE_URL=str(url), LIKELY_HUMAN_SECRET="test"
    )
    database = Database(url, checkpointing=True)
    with database.transaction() as session:
        open_study(session, folder, library[1], **KEYS)
        cookie = make_login(session, make_user(session, Role.OWNER, "ada@example.org"))
        for seed in range(1, PEOPLE + 1):
            answer(session, begin(session, seed), most_human)
        session.execute(update(ParticipantSession).values(participant="5f8a1c9e2b7d4e6f90a1b2c3"))
        load_file(session, folder, **RATED)
        set_state(session, "rated", State.LIVE)
        for seed in range(1, PEOPLE + 1):
            token = begin(session, 100 + seed, "rated")
            rate(session, token, lambda _, seed=seed: 3 + seed % 3)  # type: ignore[misc]
    with served(settings, database) as address:
        yield address, cookie


@pytest.fixture
def page(browser: Browser, address_and_cookie: tuple[str, str]) -> Iterator[Page]:
    """The owner's browser; asking any other host, or an error in a script, fails the test."""
    address, cookie = address_and_cookie
    faults: list[str] = []
    context = browser.new_context(base_url=address, viewport={"width": 1280, "height": 900}, **AXE_CONTEXT)  # type: ignore[arg-type]
    context.set_default_timeout(60_000)
    context.add_cookies([{"name": COOKIE, "value": cookie, "url": f"{address}/admin"}])
    context.on(
        "request", lambda request: None if request.url.startswith(address) else faults.append(request.url)
    )
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    context.close()
    assert faults == []


def test_arms_are_retargeted_and_paused_on_the_launch_page_which_breaks_no_rule(
    page: Page, check: Check
) -> None:
    page.goto(f"{HERE}/launch")
    target = page.get_by_label("Target of fast")
    expect(target).not_to_be_visible()
    page.locator("summary", has_text="Places").focus()
    page.keyboard.press("Enter")
    expect(target).to_be_visible()
    opens = page.get_by_label("Opens", exact=True)
    assert opens.evaluate("field => field.scrollWidth <= field.clientWidth"), "a date with its zone fits"
    page.get_by_label("Target of fast").fill("50")
    page.get_by_label("Pause slow").check()
    page.get_by_role("button", name="Change the places").click()
    expect(target).to_be_visible()  # the address names the part that was changed
    expect(target).to_have_value("50")
    expect(page.get_by_label("Pause slow")).to_be_checked()
    expect(page.get_by_role("heading", name="Pre-registration and ethics board")).to_be_visible()
    check(page)


def test_an_address_opens_the_folded_part_that_it_names_without_a_script_too(
    browser: Browser, page: Page
) -> None:
    page.goto(f"{HERE}/launch#registration")
    expect(page.get_by_label("Where it was registered")).to_be_visible()
    expect(page.get_by_label("Target of fast")).not_to_be_visible()
    page.goto(f"{HERE}/launch#places")
    expect(page.get_by_label("Target of fast")).to_be_visible()
    without = browser.new_context(java_script_enabled=False, storage_state=page.context.storage_state())
    plain = without.new_page()
    plain.goto(page.url)
    expect(plain.get_by_label("Target of fast")).to_be_visible()
    without.close()


def test_lists_of_a_page_are_no_boxes_of_the_figure_of_the_flow(page: Page) -> None:
    """A class of that figure once was the name of the page's own layout, and drew a frame round each list."""
    page.goto(f"{HERE}/launch")
    styles = page.locator("main ul").evaluate_all(
        "all => all.map((each) => getComputedStyle(each).borderStyle)"
    )
    assert set(styles) == {"none"}
    assert len(styles) >= 2


def test_the_recruitment_page_breaks_no_rule_and_its_link_is_copied(page: Page, check: Check) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{HERE}/recruiting")
    page.get_by_role("button", name="Copy").first.click()
    expect(page.get_by_role("status").filter(has_text="Copied")).to_be_visible()
    link = page.locator("[data-text]").first.text_content()
    assert page.evaluate("navigator.clipboard.readText()") == link
    of_codes = page.locator("td code.whole").evaluate_all(
        "all => all.map((each) => each.getClientRects().length)"
    )
    assert of_codes == [1, 1, 1], "each code is on one line"
    check(page)


def test_many_sessions_are_excluded_on_a_page_that_breaks_no_rule(page: Page, check: Check) -> None:
    page.goto(f"{HERE}/sessions")
    page.get_by_role("link", name="Exclude many").click()
    reason = page.get_by_label("Reason to exclude them")
    expect(reason).to_be_in_viewport()
    check(page)
    page.get_by_label("all 8 that the search above finds").check()
    reason.fill("Pressed at once")
    page.get_by_role("button", name="Exclude", exact=True).click()
    expect(page.get_by_text("excluded", exact=True)).to_have_count(PEOPLE)
    assert page.locator("table.sessions").evaluate("all => all.scrollWidth <= all.clientWidth"), (
        "no column is cut off"
    )
    page.get_by_role("link", name="Exclude many").click()
    page.get_by_label("all 8 that the search above finds").check()
    page.get_by_role("button", name="Count again").click()
    expect(page.get_by_text("excluded", exact=True)).to_have_count(0)


def test_the_monitor_with_arms_and_precision_breaks_no_rule(page: Page, check: Check) -> None:
    page.goto(f"{HERE}/monitor")
    expect(page.get_by_role("heading", name="Precision")).to_be_visible()
    expect(page.locator("svg.chart polyline.live")).to_have_count(1)
    expect(page.get_by_role("row", name="fast").first).to_contain_text("4 of")
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    check(page)


def test_the_monitor_of_mean_scores_is_in_points_of_their_scale(page: Page, check: Check) -> None:
    page.goto("/admin/studies/rated/monitor")
    panel = page.get_by_role("region", name="Precision", exact=True)
    expect(panel).to_contain_text("The interval of the mean score by logic is")
    expect(panel).to_contain_text(
        "points of the scale wide over 8 people; the study closes at 0.5, not before 20"
    )
    expect(panel).to_contain_text("planned, with a mean of 4")
    expect(panel.locator("svg text").filter(has_text="0.5")).to_have_count(1)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    check(page)
