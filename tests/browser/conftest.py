"""Chromium, one for all tests of a process, and what they visit: a stand-in for the service, and the service itself."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright
    from sqlalchemy import URL

    from app.core.database import Database
    from app.library.clips.imported import ImportedClip
    from app.library.clips.store import ClipStore

    from .rig import Rig, Walk
    from .steps import Check

# Each window would start a renderer for its address bar and a spare one: three quarters of what a window costs.
# The switch replaces Playwright's own, so what that leaves out is left out here as well.
UNUSED = (
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,SpareRendererForSitePerProcess,"
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,"
    "HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,"
    "AvoidCorsURLLoaderRestartOnRedirect,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,"
    "PreconnectToSearch"
)
LAUNCH = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    f"--disable-features={UNUSED}",
]
# As tools/browser.sh looks for them. The headless shell is the same Chromium without windows, which take a quarter
# of a test's processor time; Playwright's own is one, too.
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
WAIT_MS = 60_000
NOT_INSTALLED = "Executable doesn't exist"
SAMPLE = {"match": "goal", "seed": 7, "conditions": {"human-hybrid": 2}, "practice": {"human-symbolic": 1}}

Visit = Callable[..., "Page"]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium: the one named by LIKELY_HUMAN_CHROMIUM, else the system's, else Playwright's own.

    For this package alone: while Playwright runs, its event loop keeps other tests from starting theirs.
    """
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=WAIT_MS)
    path = os.environ.get("LIKELY_HUMAN_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    with sync_playwright() as playwright:
        browser = launched(playwright, path)
        yield browser
        browser.close()


def launched(playwright: Playwright, path: str | None) -> Browser:
    """Where there is none to start, the tests say so and are skipped; one that is there and does not start fails."""
    from playwright.sync_api import Error

    try:
        return playwright.chromium.launch(executable_path=path, args=LAUNCH)
    except Error as error:
        if path is None and NOT_INSTALLED in error.message:
            pytest.skip("no Chromium: install one, or name it in LIKELY_HUMAN_CHROMIUM")
        raise


@pytest.fixture
def check(exhaustive: bool) -> Check:
    """Refuses a page, as it is now, that breaks a rule of axe-core or scrolls sideways.

    Every page is measured wide and narrow. Rules are looked at in one size and scheme, wide and light at first and then
    by turns narrow and dark; in `make test-all` in every size and scheme.
    """
    from .steps import Looks

    return Looks(exhaustive).check


@pytest.fixture(scope="package")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    from .rig import Rig, serving

    folder = tmp_path_factory.mktemp("clips")
    with serving(Rig(make_clips(folder))) as rig:
        yield rig


def make_clips(folder: Path) -> dict[str, Path]:
    from .rig import LEFT_S, RIGHT_S, make_clip

    return {
        "c1": make_clip(folder / "c1.mp4", LEFT_S, (40, 90, 160)),
        "c2": make_clip(folder / "c2.mp4", RIGHT_S, (150, 80, 40)),
        "c3": make_clip(folder / "c3.mp4", 1.0, (60, 130, 70)),
        "c4": make_clip(folder / "c4.mp4", 1.0, (120, 60, 120)),
    }


@pytest.fixture
def visit(browser: Browser, rig: Rig) -> Iterator[Visit]:
    """Open a walk's page in a fresh context. Nothing may go wrong in it, and no other host may be asked.

    Its time can be moved on where the test says so: `with_clock`.
    """
    contexts = []
    foreign: list[str] = []
    faults: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            faults.append(message.text)

    def open_page(walk: Walk, before: str = "", *, with_clock: bool = False, **options: object) -> Page:
        options = {"viewport": {"width": 1280, "height": 800}, **options}
        context = browser.new_context(base_url=rig.base_url, **options)  # type: ignore[arg-type]
        contexts.append(context)
        context.set_default_timeout(WAIT_MS)
        context.on("request", lambda request: foreign.append(request.url))
        context.add_init_script(before)
        if with_clock:
            context.clock.install()
        page = context.new_page()
        page.on("console", hear)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(walk.action)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [url for url in foreign if not url.startswith((rig.base_url, f"blob:{rig.base_url}"))] == []
    assert faults == []


def fresh_sqlite(migrated: Path, folder: Path) -> URL:
    """A database of its own, which is copied: to migrate one takes a second."""
    from sqlalchemy import URL

    return URL.create("sqlite", database=str(shutil.copy(migrated, folder / "service.sqlite3")))


@pytest.fixture(scope="module")
def service(
    tmp_path_factory: pytest.TempPathFactory,
    library: tuple[ClipStore, Sequence[ImportedClip]],
    migrated_sqlite: Path,
) -> Iterator[tuple[str, Database]]:
    """The service as served, with one practice pair and two others."""
    from app.core.database import Database
    from app.core.settings import Settings
    from tests.factories import open_study

    from .served import served

    folder = tmp_path_factory.mktemp("service")
    url = fresh_sqlite(migrated_sqlite, folder)
    settings = Settings(  # type: ignore[call-arg]
        LIKELY_HUMAN_DATA=library[0].root, DATABASE_URL=str(url), LIKELY_HUMAN_SECRET="test"
    )
    database = Database(url, checkpointing=True)
    with database.transaction() as session:
        open_study(session, folder, library[1], sample=SAMPLE)
    with served(settings, database) as address:
        yield address, database


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The pages' content when a test failed: a remote machine keeps nothing else of it."""
    report = yield
    browser = getattr(item, "funcargs", {}).get("browser")
    if report.failed and browser:
        pages = [page for context in browser.contexts for page in context.pages]
        report.sections.extend((page.url, _state(page)) for page in pages)
    return report


def _state(page: Page) -> str:
    from playwright.sync_api import Error

    try:
        kept = page.evaluate("JSON.stringify({...sessionStorage, ...localStorage})")
        return f"{page.locator('body').inner_text(timeout=1_000)}\n{kept}"
    except Error as error:
        return str(error)
