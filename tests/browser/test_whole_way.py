"""A whole study in the browser, from an empty database to the study package: by mouse, and by keyboard alone.

The service is the real one, started by its command, with its worker; the videos are real MP4s.
"""

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser import installed
from tests.browser.hands import Hand, Keyboard, Mouse
from tests.browser.installed import EMAIL, SLOW_MS, WIDE, Installation
from tests.browser.steps import Check, save, watch_both

pytestmark = pytest.mark.browser
# Fixtures of another module are this one's by having a name here.
clips, password, room = installed.clips, installed.password, installed.room
installation = installed.installation


Look = Callable[[], None]


@pytest.fixture
def look(room: Page, check: Check) -> Look:
    """Axe-core looks at pages that no other test shows to it."""

    def look() -> None:
        check(room, "document.documentElement.scrollHeight")
        room.set_viewport_size(WIDE)
        room.emulate_media(color_scheme="light")

    return look


@pytest.mark.parametrize("with_", ["mouse", pytest.param("keyboard", marks=pytest.mark.exhaustive)])
def test_a_study_is_run_from_an_empty_database_to_its_package(
    browser: Browser, room: Page, installation: Installation, with_: str, look: Look
) -> None:
    hand: Hand = Mouse() if with_ == "mouse" else Keyboard(room)
    if with_ == "keyboard":
        look = _not_again
    _log_in(room, hand, installation, look)
    _make_study(room, hand, look)
    _upload(room, hand, installation, "human")
    look()
    _upload(room, hand, installation, "hybrid")
    _draw_pairs(room, hand, look)
    _write_design(room, hand, look)
    _look_for_clues(room, hand)
    _pilot(browser, room, hand, installation, look)
    _launch(room, hand)
    _take_part(browser, installation)
    _watch(room, hand)
    package = _take_package(room, hand, look)
    _check_package(package)


def _not_again() -> None:
    """The keyboard goes the same way."""


def _button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def _go(page: Page, hand: Hand, menu: str, name: str) -> None:
    _follow(page, hand, page.get_by_role("navigation", name=menu).get_by_role("link", name=name, exact=True))


def _follow(page: Page, hand: Hand, link: Locator) -> None:
    """The press comes back before the next page is there: what follows must not read the page that is being left."""
    page.evaluate("document.documentElement.dataset.left = ''")
    hand.press(link)
    expect(page.locator("html[data-left]")).to_have_count(0, timeout=SLOW_MS)
    page.wait_for_load_state()  # or what is counted is not there yet


def _log_in(page: Page, hand: Hand, installation: Installation, look: Look) -> None:
    page.goto("/admin")
    look()
    hand.write(page.get_by_label("Email address"), EMAIL)
    hand.write(page.get_by_label("Password"), installation.password)
    hand.press(_button(page, "Log in"))
    expect(page.get_by_role("heading", name="Studies", level=1)).to_be_visible()
    look()


def _upload(page: Page, hand: Hand, installation: Installation, source: str) -> None:
    """A new study begins with the upload of its own clips."""
    hand.write(page.get_by_label("Source", exact=True), source)
    files = sorted(installation.clips.glob(f"{source}-*.mp4"))
    if source == "human":
        files.append(installation.clips / "notes.mp4")
    hand.pick_files(page.get_by_label("Choose video files"), files)
    hand.press(page.locator("[data-send]"))
    for file in files:
        row = page.locator("[data-files] li", has_text=file.name)
        expected = re.compile("video|text") if file.stem == "notes" else re.compile("In the library")
        expect(row.locator("[data-state]")).to_have_text(expected, timeout=SLOW_MS)


def _make_study(page: Page, hand: Hand, look: Look) -> None:
    _follow(page, hand, page.get_by_role("link", name="Make the first study").first)
    hand.tick(page.locator('input[value="template:blank"]'))
    hand.write(page.get_by_label("Title"), "Who moves like a person?")
    hand.press(page.locator("summary", has_text="Name in addresses"))
    hand.write(page.get_by_label("Name in addresses"), "whole-way")
    look()
    hand.press(_button(page, "Make the study"))
    expect(page).to_have_url(re.compile("/admin/stimuli/upload.*whole-way"))


def _draw_pairs(page: Page, hand: Hand, look: Look) -> None:
    _follow(page, hand, page.get_by_role("link", name="Go on to the pairs"))
    look()
    _follow(page, hand, page.get_by_role("link", name=re.compile("at random")).first)
    hand.write(page.get_by_label("human-hybrid: main pairs"), "2")
    look()
    hand.press(page.get_by_role("button", name=re.compile("^Draw 2 pairs")))
    expect(page.get_by_text("human-hybrid-01").first).to_be_visible()


def _section(page: Page, name: str) -> Locator:
    sections = page.get_by_role("navigation", name="Sections of the design")
    return sections.get_by_role("link", name=re.compile(f"^{name}"))


def _write_design(page: Page, hand: Hand, look: Look) -> None:
    _go(page, hand, "Main", "Design")
    hand.write(page.locator('[id="consent.version"]'), "2026-11")
    hand.write(page.locator('[id="consent.text"]'), "# Consent\n\nTaking part is voluntary.\n")
    expect(page.frame_locator("[data-frame]").get_by_text("Taking part is voluntary.")).to_be_visible()
    _follow(page, hand, _section(page, "Questions"))
    question = "Which video is more likely to be human?"
    hand.write(page.locator('[id="trials.questions.0.ask"]'), question)
    _follow(page, hand, _section(page, "The end"))
    hand.write(page.locator('[id="completion.code"]'), "WHOLE7")
    expect(page.locator("[data-saved]")).to_contain_text(re.compile("^Saved"))
    hand.press(_button(page, "Save as version 1"))
    expect(page.get_by_role("heading", name="Versions", level=1)).to_be_visible()
    look()


def _look_for_clues(page: Page, hand: Hand) -> None:
    _go(page, hand, "Main", "Clues")
    hand.press(_button(page, "Look for clues"))
    expect(page.get_by_role("heading", name="All clues together")).to_be_visible(timeout=SLOW_MS)


def _pilot(browser: Browser, page: Page, hand: Hand, installation: Installation, look: Look) -> None:
    _go(page, hand, "Main", "Launch")
    look()
    hand.press(_button(page, "Start the pilot"))
    expect(page.locator("main .badge").first).to_have_text("pilot")
    _take_part(browser, installation)


def _launch(page: Page, hand: Hand) -> None:
    _go(page, hand, "Main", "Launch")
    expect(page.get_by_text("must be corrected")).to_have_count(0)
    for box in page.get_by_role("checkbox").all():
        hand.tick(box)
    reason = page.get_by_label("Why it goes live despite them")
    if reason.count():
        hand.write(reason, "A test of the whole way.")
    hand.press(_button(page, "Launch"))
    expect(page.locator("main .badge").first).to_have_text("live")


def _take_part(browser: Browser, installation: Installation) -> None:
    context = browser.new_context(base_url=installation.address)
    context.set_default_timeout(SLOW_MS)
    page = context.new_page()
    page.goto("/s/whole-way")
    of_age = page.get_by_role("radio", name="Yes")
    if of_age.count():
        of_age.check()
    page.get_by_role("button", name="agree").first.click()
    # The click comes back before the consent is stored: what follows must not read the page that is being left.
    expect(page.get_by_role("button", name="agree")).to_have_count(0)
    form, code = page.locator("input[name=submit_id]"), page.get_by_text("WHOLE7")
    while True:
        # Between two pages there is neither, and what is counted too early is not there.
        form.or_(code).first.wait_for(state="attached")
        page.wait_for_load_state()
        if code.count():
            break
        before = form.get_attribute("value") or ""
        if page.locator("video").count():
            watch_both(page)
            page.get_by_text("Left video", exact=True).last.click()
            save(page)
        else:
            page.locator("form button[type=submit]").first.click()
        expect(page.locator(f'input[value="{before}"]')).to_have_count(0)
    context.close()


def _watch(page: Page, hand: Hand) -> None:
    _go(page, hand, "Main", "Monitor")
    live = page.locator("#m-sessions tr", has_text="live").locator("td").nth(2)
    expect(live).to_have_text("1")


def _take_package(page: Page, hand: Hand, look: Look) -> bytes:
    _go(page, hand, "Main", "Data")
    hand.press(_button(page, "Build the study package"))
    link = page.get_by_role("link", name="Download the package")
    expect(link).to_be_visible(timeout=SLOW_MS)
    look()
    with page.expect_download() as download:
        hand.press(link)
    return Path(download.value.path()).read_bytes()


def _check_package(package: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        names = archive.namelist()
        data = next(name for name in names if "description-responses" in name and name.endswith(".csv"))
        lines = archive.read(data).decode().splitlines()
        description = next(name for name in names if name.endswith("dataset_description.json"))
        assert "Who moves like a person?" in json.loads(archive.read(description))["name"]
    modes = [line.split(",")[3] for line in lines[1:]]
    assert (modes.count("live"), modes.count("pilot")) == (2, 2)
