import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from .rig import LEFT_S, RIGHT_S, Rig, Walk, make_clip, serving

LAUNCH = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")  # as tools/browser.sh looks for them
WAIT_MS = 30_000

Visit = Callable[..., Page]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium: the one named by LIKELY_HUMAN_CHROMIUM, else the system's, else Playwright's own.

    For this package alone: while Playwright runs, its event loop keeps other tests from starting theirs.
    """
    expect.set_options(timeout=WAIT_MS)
    path = os.environ.get("LIKELY_HUMAN_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=LAUNCH)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    folder = tmp_path_factory.mktemp("clips")
    with serving(Rig(make_clips(folder))) as rig:
        yield rig


def make_clips(folder: Path) -> dict[str, Path]:
    return {
        "c1": make_clip(folder / "c1.mp4", LEFT_S, (40, 90, 160)),
        "c2": make_clip(folder / "c2.mp4", RIGHT_S, (150, 80, 40)),
        "c3": make_clip(folder / "c3.mp4", 1.0, (60, 130, 70)),
        "c4": make_clip(folder / "c4.mp4", 1.0, (120, 60, 120)),
    }


@pytest.fixture
def visit(browser: Browser, rig: Rig) -> Iterator[Visit]:
    """Open a walk's page in a fresh context. Nothing may go wrong in it, and no other host may be asked."""
    contexts = []
    foreign: list[str] = []
    faults: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            faults.append(message.text)

    def open_page(walk: Walk, before: str = "", **options: object) -> Page:
        options = {"viewport": {"width": 1280, "height": 800}, **options}
        context = browser.new_context(base_url=rig.base_url, **options)  # type: ignore[arg-type]
        contexts.append(context)
        context.set_default_timeout(WAIT_MS)
        context.on("request", lambda request: foreign.append(request.url))
        context.add_init_script(before)
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
