"""The results page in a real browser: by axe's rules, wide and narrow, light and dark, on paper, without a script."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlmodel import select
from starlette.testclient import TestClient

from app.accounts.tables import Role
from app.admin.access import COOKIE
from app.core import dependencies
from app.core.database import Database
from app.core.settings import Settings
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.main import create_app
from app.studies.versions import set_state
from app.trials.tables import State, Study
from app.worker.handlers import results as worker
from tests.admin.persons import make_login, make_user
from tests.browser.conftest import fresh_sqlite
from tests.browser.served import served
from tests.browser.steps import NARROW, Check, fits
from tests.clock import Clock
from tests.factories import open_study
from tests.sessions.walks import Walk

pytestmark = pytest.mark.browser

HERE = "/admin/studies/nav/results"
WIDE = {"width": 1280, "height": 900}
LONG_MS = 300_000
IS_CUT = "part => part.scrollWidth > part.clientWidth"


class Service:
    """The service and its worker, over a study with the answers of three people, judged by a judge."""

    def __init__(self, address: str, database: Database, cookie: str) -> None:
        self.address, self.database, self.cookie = address, database, cookie

    def set_state(self, state: State) -> None:
        with self.database.transaction() as session:
            if session.exec(select(Study.state)).one() != state:
                set_state(session, "nav", state)


@pytest.fixture(scope="module")
def service(
    tmp_path_factory: pytest.TempPathFactory,
    library: tuple[ClipStore, Sequence[ImportedClip]],
    migrated_sqlite: Path,
) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("results")
    url = fresh_sqlite(migrated_sqlite, folder)
    data = folder / "data"
    data.mkdir()
    (data / "clips").symlink_to(library[0].root / "clips")
    settings = Settings(LIKELY_HUMAN_DATA=data, DATABASE_URL=str(url), LIKELY_HUMAN_SECRET="test")  # type: ignore[call-arg]
    database, workers = Database(url, checkpointing=True), Database(url)
    with database.transaction() as session:
        open_study(session, folder, library[1])
        owner = make_user(session, Role.OWNER, "owner@example.org")
        cookie = make_login(session, owner)
    with pytest.MonkeyPatch.context() as patch, TestClient(create_app(settings, Database(url))) as client:
        patch.setattr(dependencies, "datetime", Clock)  # or nobody would have watched the clips
        for choice in ("left", "right", "left"):
            one = Walk(client, "nav")
            while one.page != "end":
                one.answer(**({"choice": choice} if one.page.startswith("trial") else {}))
    rough = pytest.MonkeyPatch()
    rough.setattr(worker, "RESAMPLES", 100)
    with served(settings, database, workers) as address:
        yield Service(address, database, cookie)
    workers.close()
    rough.undo()


def opened(browser: Browser, service: Service, **options: object) -> Iterator[Page]:
    """A logged-in browser; asking any other host, or a word of the policy in the console, fails the test."""
    faults: list[str] = []
    context = browser.new_context(base_url=service.address, **{"viewport": WIDE, **options})  # type: ignore[arg-type]
    context.set_default_timeout(60_000)
    context.add_cookies([{"name": COOKIE, "value": service.cookie, "url": f"{service.address}/admin"}])
    context.on("request", lambda r: None if r.url.startswith(service.address) else faults.append(r.url))
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if "Content Security" in said.text else None)
    yield page
    context.close()
    assert faults == []


def computed(page: Page) -> None:
    page.goto(f"{HERE}?mode=live")
    expect(page.get_by_role("heading", name="You can say")).to_be_visible(timeout=LONG_MS)


def test_it_is_opened_knowingly_fills_by_itself_when_the_numbers_are_there_and_breaks_no_rule(
    browser: Browser, service: Service, check: Check
) -> None:
    service.set_state(State.LIVE)
    for page in opened(browser, service, bypass_csp=True, reduced_motion="reduce"):
        page.goto(HERE)
        expect(page.get_by_role("heading", name="Closed while the study runs")).to_be_visible()
        check(page)
        page.set_viewport_size(WIDE)  # type: ignore[arg-type]
        page.get_by_role("button", name="Open the live results").click()
        expect(page.get_by_role("heading", name="Closed while the study runs")).to_be_visible()
        page.get_by_label("I know that this is noted").check()
        page.get_by_role("button", name="Open the live results").click()
        expect(page.get_by_text("People picked the human in").first).to_be_visible(timeout=LONG_MS)
        expect(page.get_by_text("The study is still running.")).to_be_visible()
        expect(page.get_by_text("owner@example.org, ")).to_be_visible()
        for numbers in page.locator("details.numbers summary").all():
            numbers.click()
        check(page)
        assert page.locator("#people circle.dot.c1").count() == 3


def test_it_reads_without_a_script_and_the_numbers_open_by_keyboard(
    browser: Browser, service: Service
) -> None:
    service.set_state(State.CLOSED)
    for page in opened(browser, service):
        computed(page)
    for page in opened(browser, service, java_script_enabled=False):
        page.goto(f"{HERE}?mode=live")
        figure = page.locator("#certainty")
        assert "Somewhat certain" in (figure.locator("svg[role=img]").first.get_attribute("aria-label") or "")
        table = figure.locator("table")
        expect(table).not_to_be_visible()
        figure.locator("summary").press("Enter")
        expect(table).to_be_visible()
        by_name = page.get_by_role("link", name="By name")
        by_name.click()
        expect(by_name).to_have_attribute("aria-current", "true")
        names = page.locator("#pairs .name").all_inner_texts()
        assert names == sorted(names)
        assert len(names) == 10


def test_a_phone_has_the_same_menu_as_a_popover(browser: Browser, service: Service) -> None:
    service.set_state(State.CLOSED)
    for page in opened(browser, service, viewport=NARROW, java_script_enabled=False):
        page.goto(f"{HERE}?mode=pilot")
        menu = page.get_by_role("navigation", name="Main")
        expect(menu).not_to_be_visible()
        page.get_by_role("button", name="Menu").click()
        expect(menu.get_by_role("link", name="Judges")).to_be_visible()


@pytest.mark.exhaustive
def test_a_figure_is_downloaded_as_csv(browser: Browser, service: Service) -> None:
    service.set_state(State.CLOSED)
    for page in opened(browser, service):
        computed(page)
        with page.expect_download() as download:
            page.get_by_role("link", name="Votes by pair as CSV").click()
        assert download.value.suggested_filename == "nav-live-pairs.csv"
        text = Path(download.value.path()).read_text(encoding="utf-8")
        assert text.startswith("pair,condition,for,stimulus,votes,n,share,ci_low,ci_high,majority,")
        assert len(text.splitlines()) == 11


def test_no_table_of_a_running_study_is_cut_wide_or_narrow(browser: Browser, service: Service) -> None:
    """The results page's neighbours, whose tables have the most columns; on a telephone their rows are stacked."""
    for page in opened(browser, service):
        for name in ("monitor", "sessions", "sessions/1", "data"):
            page.goto(f"/admin/studies/nav/{name}")
            parts = page.locator(".scroll:has(table)" if name not in ("data", "sessions") else "main")
            expect(parts.first).to_be_visible()
            for viewport in (WIDE, NARROW):
                page.set_viewport_size(viewport)  # type: ignore[arg-type]
                cut = [part.get_attribute("aria-label") for part in parts.all() if part.evaluate(IS_CUT)]
                assert cut == [], f"{name} at {viewport}"


def test_on_paper_the_menu_is_gone_and_the_numbers_are_open(browser: Browser, service: Service) -> None:
    service.set_state(State.CLOSED)
    for page in opened(browser, service, viewport={"width": 673, "height": 980}):
        computed(page)
        page.emulate_media(media="print", color_scheme="dark")
        for gone in (".side", ".topbar", ".tabbar", ".segmented", ".btn"):
            for each in page.locator(gone).all():
                expect(each).not_to_be_visible()
        assert fits(page)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        for table in page.locator("figure table").all():
            assert (table.bounding_box() or {"height": 0})["height"] > 20
        for name in ("results", "monitor", "sessions", "versions"):
            page.goto(f"/admin/studies/nav/{name}")
            expect(page.locator(".paper")).to_contain_text("Which navigation looks natural?")
            for chooser in page.locator(".chooser").all():
                expect(chooser).not_to_be_visible()
