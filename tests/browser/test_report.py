"""A report as it is opened: from a file, without a network, on a desk, a phone and paper."""

import functools
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from analysis import hntt_responses, read_hntt
from app.core.headers import POLICY
from app.reports.page.sources import joined, split
from app.reports.report import write_report
from tests.analysis.tables import HNTT
from tests.browser.conftest import WAIT_MS
from tests.browser.steps import NARROW, Check
from tests.factories import NOW

pytestmark = pytest.mark.browser

WIDE = {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report of the published answers."""
    folder = tmp_path_factory.mktemp("report")
    studies, frames = joined(list(split(hntt_responses(read_hntt(HNTT)), HNTT.name)))
    write_report(studies, frames, folder, seed=1, mode=None, made_at=NOW, resamples=200)
    return (folder / "report.html").as_uri()


def opened(browser: Browser, address: str, **options: object) -> Iterator[Page]:
    """The report without a network; whatever is no file of its folder, or goes wrong, fails the test."""
    faults: list[str] = []
    folder = address.rpartition("/")[0]
    context = browser.new_context(offline=True, **options)  # type: ignore[arg-type]
    context.set_default_timeout(WAIT_MS)
    context.on("request", lambda r: None if r.url.startswith(folder) else faults.append(r.url))
    context.on("requestfailed", lambda r: faults.append(r.url))
    page = context.new_page()
    page.on("console", lambda said: faults.append(said.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(address)
    yield page
    context.close()
    assert faults == []


class Served(SimpleHTTPRequestHandler):
    """A folder as the service serves it: under its policy."""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""

    def handle(self) -> None:
        with suppress(ConnectionError):  # a browser that is closed
            super().handle()


@pytest.fixture
def served(address: str) -> Iterator[str]:
    handler = functools.partial(Served, directory=address.removeprefix("file://").rpartition("/")[0])
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_services_policy_takes_nothing_from_it(browser: Browser, served: str) -> None:
    faults: list[str] = []
    context = browser.new_context(viewport=WIDE)  # type: ignore[arg-type]
    page = context.new_page()
    page.on("console", lambda said: faults.append(said.text) if "Content Security" in said.text else None)
    page.goto(f"{served}/report.html")
    for figure in page.locator("figure img").all():
        assert figure.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")
    # A drawing that is opened by itself has its colours, too.
    page.goto(f"{served}/figures/preferences.svg")
    assert (
        page.evaluate("getComputedStyle(document.querySelector('#axes_1 path[fill=\"#0072b2\"]')).fill")
        == "rgb(0, 114, 178)"
    )
    context.close()
    assert faults == []


def test_it_reads_well_at_every_width_and_in_both_schemes(
    browser: Browser, address: str, check: Check
) -> None:
    for page in opened(browser, address):
        # A preload is a request of axe's own for the style sheet, which a page from a file may not make.
        check(page, preload=False)
        for viewport in (WIDE, NARROW):
            page.set_viewport_size(viewport)  # type: ignore[arg-type]
            figures = page.locator("figure img")
            assert figures.count() == 7
            for figure in figures.all():
                assert figure.evaluate("image => image.complete && image.naturalWidth > 0")
                assert figure.get_attribute("alt")
                # Drawn with letters of 7 points and more on 4.2 inches.
                assert (figure.bounding_box() or {"width": 0})["width"] > 0.85 * 4.2 * 96


def test_the_numbers_of_a_figure_open_by_keyboard(browser: Browser, address: str) -> None:
    for page in opened(browser, address, viewport=WIDE, java_script_enabled=False):
        figure = page.locator("#figure-participants")
        table = figure.locator("table")
        assert not table.is_visible()
        figure.locator("summary").press("Enter")
        assert table.is_visible()
        assert table.locator("tbody tr").count() == 4
        assert "0.839" in table.inner_text()


def test_on_paper_nothing_is_folded_away_or_cut(browser: Browser, address: str, tmp_path: Path) -> None:
    for page in opened(browser, address, viewport={"width": 673, "height": 980}):
        page.emulate_media(media="print")
        assert not page.locator("nav").is_visible()
        assert (
            page.evaluate("document.documentElement.scrollWidth") == 673
        )  # the width of A4 within its margins
        for figure in page.locator("figure").all():
            assert (figure.locator("table").bounding_box() or {"height": 0})["height"] > 20
            image = figure.locator("img").bounding_box() or {"height": 9999}
            assert image["height"] < 980
        page.pdf(path=tmp_path / "report.pdf", prefer_css_page_size=True)
        assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.exhaustive
def test_published_and_corrected_stand_side_by_side_with_four_points(browser: Browser, address: str) -> None:
    for page in opened(browser, address, viewport=WIDE):
        section = page.locator("section", has=page.get_by_role("heading", name="As published and corrected"))
        first = section.locator("table").first
        assert first.locator("thead th").all_inner_texts() == ["as published", "corrected", "why"]
        row = first.locator("tr", has=page.get_by_role("rowheader", name="p", exact=True))
        assert row.locator("td").all_inner_texts() == ["0.0456 one-sided", "0.0912 two-sided", "1"]
        assert section.locator("ol > li").count() == 4
