"""Where two clips of 240 px fit, both and the button that plays them are in sight at once."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from .conftest import Visit
from .pages import message, trial
from .rig import Rig
from .steps import wait_until_loaded

pytestmark = pytest.mark.browser

SMALLEST_PX = 240
BESIDE = [(1280, 800), (1280, 500), (1280, 360), (640, 400), (640, 360), (520, 400), (844, 390), (667, 375)]
STACKED = [(390, 844), (390, 664), (360, 640), (320, 568)]


@pytest.mark.parametrize("practice", [pytest.param(False, marks=pytest.mark.exhaustive), True])
def test_both_clips_and_play_are_in_sight_at_once(practice: bool, rig: Rig, visit: Visit) -> None:
    page = visit(rig.walk(trial(practice=practice), message()))
    wait_until_loaded(page)
    for width, height in BESIDE + STACKED:
        page.set_viewport_size({"width": width, "height": height})
        one, other, play = (box.bounding_box() for box in page.locator("video, [data-play]").all())
        assert one is not None
        assert other is not None
        assert play is not None
        at = f"{width}x{height}: {one} {other} {play}"
        beside = one["y"] == other["y"] and one["x"] + one["width"] <= other["x"]
        stacked = one["x"] == other["x"] and one["y"] + one["height"] <= other["y"]
        assert (beside, stacked) == ((width, height) in BESIDE, (width, height) in STACKED), at
        assert min(one["width"], other["width"]) >= SMALLEST_PX, at
        assert other["y"] + other["height"] <= play["y"], at
        assert play["y"] + play["height"] <= height, at
        name = page.get_by_role("radio", name="Left video" if beside else "Top video", include_hidden=False)
        assert name.count() == 1, at
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), at


def test_a_long_finding_beside_a_judges_name_wraps_on_a_telephone(browser: Browser) -> None:
    """Badges stand on one line elsewhere; that of a finding made the page of judges 851 px wide."""
    styles = Path("app/admin/static/admin.css").read_text(encoding="utf-8")
    finding = (
        "cannot be told yet whether it agrees with people more often than one person does with the others"
    )
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.set_content(f'<style>{styles}</style><h3>smooth <span class="badge warn">{finding}</span></h3>')
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()
