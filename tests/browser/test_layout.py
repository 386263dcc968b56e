"""Where two clips of 240 px fit, both and the button that plays them are in sight at once."""

import pytest

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
