"""A report as it is opened: from a file, without a network, on a desk, a phone and paper."""

import functools
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from analysis import hntt_responses, read_hntt
from app.core.headers import POLICY
from app.reports.file_studies import joined, split
from app.reports.report import write_report
from tests.analysis.tables import HNTT
from tests.browser.conftest import WAIT_MS
from tests.browser.steps import NARROW, Check
from tests.factories import NOW
from tests.reports.test_sentences import responses

pytestmark = pytest.mark.browser

WIDE = {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, exhaustive: bool) -> str:
    """The report of the published answers: of the first study, in `make test-all` of all three."""
    folder = tmp_path_factory.mktemp("report")
    answers = hntt_responses(read_hntt(HNTT))
    if not exhaustive:
        answers = answers[answers["study"] == "hntt-1"]
    studies, frames = joined(list(split(answers, HNTT.name)))
    write_report(studies, frames, folder, seed=1, mode=None, made_at=NOW, resamples=200)
    return (folder / "report.html").as_uri()


@pytest.fixture(
    scope="module", params=["published", pytest.param("two conditions", marks=pytest.mark.exhaustive)]
)
def one_study(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, exhaustive: bool
) -> str:
    """The report of one study: the first of the published ones, and one with two conditions."""
    if not exhaustive:
        return str(request.getfixturevalue("address"))
    folder = tmp_path_factory.mktemp("one")
    answers = hntt_responses(read_hntt(HNTT))
    answers = answers[answers["study"] == "hntt-1"]
    if request.param == "two conditions":
        answers = responses("nav", 46, right=0.7, left=0.5, seed=3)
    studies, frames = joined(list(split(answers, "answers.csv")))
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
    # Colours are the style sheet's: human is orange, and a mark of it is no black dot.
    filled = "getComputedStyle(document.querySelector('.plot circle.dot')).fill"
    assert page.evaluate(filled) == "rgb(194, 80, 10)"
    # A drawing that is opened by itself has its colours, too.
    page.goto(f"{served}/figures/preferences.svg")
    assert (
        page.evaluate("getComputedStyle(document.querySelector('#axes_1 path[fill=\"#0072b2\"]')).fill")
        == "rgb(0, 114, 178)"
    )
    context.close()
    assert faults == []


def test_it_reads_well_at_every_width_and_in_both_schemes(
    browser: Browser, address: str, check: Check, exhaustive: bool
) -> None:
    for page in opened(browser, address):
        # A preload is a request of axe's own for the style sheet, which a page from a file may not make.
        check(page, preload=False)
        for viewport in (WIDE, NARROW):
            page.set_viewport_size(viewport)  # type: ignore[arg-type]
            width = viewport["width"]
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            drawings = page.locator("figure svg[role=img]")
            assert drawings.count() > (40 if exhaustive else 10), drawings.count()
            assert all(one.get_attribute("aria-label") for one in drawings.all())


def test_the_numbers_of_a_figure_open_by_keyboard(browser: Browser, address: str) -> None:
    for page in opened(browser, address, viewport=WIDE, java_script_enabled=False):
        figure = page.locator("#figure-people")
        table = figure.locator("table")
        assert not table.is_visible()
        figure.locator("summary").press("Enter")
        assert table.is_visible()
        assert table.locator("tbody tr").count() == 30
        assert "66.7%" in table.inner_text()


def test_on_paper_a_study_takes_two_pages_and_nothing_is_cut(
    browser: Browser, one_study: str, tmp_path: Path
) -> None:
    for page in opened(browser, one_study, viewport={"width": 703, "height": 1035}):
        page.emulate_media(media="print")
        # The width of A4 within its margins.
        assert page.evaluate("document.documentElement.scrollWidth") == 703
        for figure in page.locator("figure").all():
            assert (figure.bounding_box() or {"height": 9999})["height"] < 980
        # Numbers of figures stand beside their marks; tables are in the files.
        assert page.locator("figure .num .strong").first.is_visible()
        assert not page.get_by_text("All numbers").is_visible()
        page.pdf(path=tmp_path / "report.pdf", prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page[^s]", (tmp_path / "report.pdf").read_bytes())) == 2


@pytest.mark.exhaustive
def test_published_and_corrected_stand_side_by_side_with_four_points(browser: Browser, address: str) -> None:
    for page in opened(browser, address, viewport=WIDE):
        section = page.locator("details", has=page.get_by_role("heading", name="As published and corrected"))
        section.locator("summary").click()
        first = section.locator("table").first
        assert first.locator("thead th").all_inner_texts() == ["as published", "corrected", "why"]
        row = first.locator("tr", has=page.get_by_role("rowheader", name="p", exact=True))
        assert row.locator("td").all_inner_texts() == ["0.0456 one-sided", "0.0912 two-sided", "1"]
        assert section.locator("ol > li").count() == 4
