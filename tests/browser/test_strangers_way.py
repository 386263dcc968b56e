"""A stranger's way from logging in to a launched study of videos of their own: few clicks and few fields, and no mouse
for who has none."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from app.core.migrating import open_database
from tests.browser import installed
from tests.browser.conftest import WAIT_MS
from tests.browser.hands import Hand, Keyboard, Mouse
from tests.browser.installed import EMAIL, SLOW_MS, Installation
from tests.browser.whole_lab import settings_in
from tests.studies.clips import add_clips

pytestmark = [pytest.mark.browser, pytest.mark.slow]
# Fixtures of another module are this one's by having a name here.
clips, password, room = installed.clips, installed.password, installed.room
installation = installed.here

MOST_CLICKS, MOST_FIELDS = 15, 6
CONSENT = """# Taking part

The Perception Lab asks which of two videos shows a person. It takes ten minutes. You can stop at any time. Your answers
are stored without your name for a year. Questions: ada@example.org.
"""


# What a pointer of any kind does, seen by the page before anything on it; kept from one page to the next. Moves are not
# counted: Chromium sends one by itself when a page is laid out anew below a pointer that stands still.
KEEP_POINTERS = """
for (const kind of ["pointerdown", "mousedown", "touchstart"]) {
  addEventListener(kind, () => { sessionStorage.pointers = `${sessionStorage.pointers ?? ""} ${kind}`; }, true);
}
"""


class Counting:
    """A hand whose acts are kept: a press, a tick and a choice of files are clicks, a text is a field."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand
        self.clicks: list[str] = []
        self.fields: list[str] = []

    def press(self, target: Locator) -> None:
        self.clicks.append(f"press {_name(target)}")
        self.hand.press(target)

    def write(self, target: Locator, text: str) -> None:
        self.fields.append(_name(target))
        self.hand.write(target, text)

    def tick(self, target: Locator) -> None:
        self.clicks.append(f"tick {_name(target)}")
        self.hand.tick(target)

    def pick_files(self, target: Locator, files: Sequence[Path]) -> None:
        self.clicks.append("choose files")
        self.hand.pick_files(target, files)


def _name(target: Locator) -> str:
    return str(
        target.evaluate("e => (e.innerText || e.labels?.[0]?.innerText || e.value || e.name || '').trim()")
    )[:60]


def _menu(page: Page, name: str) -> Locator:
    return page.get_by_role("navigation", name="Main").get_by_role("link", name=name, exact=True)


@pytest.mark.parametrize("with_", ["keyboard", pytest.param("mouse", marks=pytest.mark.exhaustive)])
def test_a_study_of_ones_own_videos_is_launched_with_few_clicks_and_fields(
    room: Page, installation: Installation, tmp_path: Path, with_: str
) -> None:
    """Other clips are in the library already, as the demo's are after `make run`; none of them is in the way."""
    database = open_database(settings_in(tmp_path / "data"))
    with database.transaction() as session:
        add_clips(session)
    database.close()
    page, hand = room, Counting(Keyboard(room) if with_ == "keyboard" else Mouse())
    page.add_init_script(KEEP_POINTERS)
    page.set_default_timeout(WAIT_MS)
    page.goto("/admin")
    hand.write(page.get_by_label("Email address"), EMAIL)
    hand.write(page.get_by_label("Password"), installation.password)
    hand.press(page.get_by_role("button", name="Log in"))

    hand.press(page.get_by_role("link", name="Make the first study").first)
    hand.tick(page.locator('input[value="template:blank"]'))
    hand.write(page.get_by_label("Title"), "Who moves like a person?")
    hand.press(page.get_by_role("button", name="Make the study"))

    # The study's first step is its clips; their sources are in the names of the files.
    files = sorted(installation.clips.glob("h*-*.mp4"))
    hand.pick_files(page.get_by_label("Choose video files"), files)
    hand.press(page.locator("[data-send]"))
    for file in files:
        row = page.locator("[data-files] li", has_text=file.name)
        expect(row.locator("[data-state]")).to_have_text(re.compile("In the library"), timeout=SLOW_MS)

    hand.press(page.get_by_role("link", name="Go on to the pairs"))
    hand.press(page.get_by_role("button", name="Draw these pairs"))
    expect(page.get_by_text("They stay until you draw again.")).to_be_visible()

    hand.press(_menu(page, "Design"))
    hand.write(page.locator('[id="consent.text"]'), CONSENT)
    if not page.locator('[id="trials.questions.0.ask"]').is_visible():
        hand.press(page.get_by_role("link", name=re.compile("^Questions")).first)
    hand.write(page.locator('[id="trials.questions.0.ask"]'), "Which video is more likely to be human?")
    expect(page.locator("[data-saved]")).to_contain_text(re.compile("^Saved"))
    hand.press(page.get_by_role("button", name="Save as version 1"))

    hand.press(_menu(page, "Launch"))
    launch = page.get_by_role("button", name="Launch", exact=True)
    # What is counted and listed below does not wait: on the page that is being left nothing is to be ticked.
    launch.wait_for()
    expect(page.get_by_text("must be corrected")).to_have_count(0)
    for box in page.get_by_role("checkbox").all():
        hand.tick(box)
    reason = page.get_by_label("Why it goes live despite them")
    if reason.count():
        hand.write(reason, "The videos were piloted elsewhere.")
    hand.press(launch)
    expect(page.locator("main .badge").first).to_have_text("live")

    pointers = page.evaluate("sessionStorage.pointers ?? ''")
    assert ("pointerdown" in pointers) == (with_ == "mouse"), pointers
    assert with_ == "mouse" or pointers == ""

    said = f"{len(hand.clicks)} clicks {hand.clicks}; {len(hand.fields)} fields {hand.fields}"
    print(said)
    assert len(hand.clicks) <= MOST_CLICKS, said
    assert len(hand.fields) <= MOST_FIELDS, said
