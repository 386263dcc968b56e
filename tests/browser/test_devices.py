"""Before consent: a narrow window, a slow connection and a browser that loses pictures are told, and hold back."""

import json

import pytest
from playwright.sync_api import Page, Route, expect

from app.sessions.views import FRAME
from app.trials.pages import ConsentPage

from .conftest import Visit
from .pages import consent, message
from .rig import Rig, Walk
from .steps import AXE_CONTEXT, Check

pytestmark = pytest.mark.browser

SAYS = """
  Object.defineProperty(navigator, "mediaCapabilities", {
    value: { decodingInfo: () => Promise.resolve({ supported: true, smooth: %s }) },
  });
"""
FILE = b"x" * 2**19


def asked(**more: object) -> ConsentPage:
    return consent(None, plays_clips=False, measures=True, **more)


def agree(page: Page) -> None:
    page.get_by_role("button", name="I agree to take part").click()


def try_to_agree(page: Page) -> None:
    """Playwright clicks nothing that says it is disabled; people can press it, and are led to the reason."""
    page.get_by_role("button", name="I agree to take part").press("Enter")


def told(walk: Walk) -> dict[str, object]:
    found: dict[str, object] = json.loads(walk.posts[-1]["device"])
    return found


def test_a_window_too_narrow_holds_back_until_it_is_wider(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(asked(least_width=900), message())
    page = visit(walk, viewport={"width": 390, "height": 844})
    narrow = page.get_by_role("alert").filter(has_text="This window is too narrow")
    expect(narrow).to_be_visible()
    try_to_agree(page)
    expect(narrow).to_be_focused()
    assert walk.posts == []
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(narrow).to_be_hidden()
    agree(page)
    expect(page.get_by_role("heading", name="This study is closed")).to_be_visible()
    assert told(walk)["width"] == 1280


def test_a_slow_connection_is_told_with_both_numbers_and_measured_again(
    rig: Rig, visit: Visit, check: Check
) -> None:
    walk = rig.walk(asked(least_mbps=99, speed_at="/speed"), message())
    page = visit(walk, before="", **AXE_CONTEXT)
    sent = b"x" * 1000  # at most 8 Mbit/s, as a millisecond is the least that is timed

    def serve(route: Route) -> None:
        route.fulfill(body=sent, content_type="application/octet-stream")

    page.route("**/speed", serve)
    page.reload()
    slow = page.locator("[data-speed-said]")
    expect(slow).to_contain_text("Your connection is too slow for this study just now:")
    expect(slow).to_contain_text("and it needs 99.")
    check(page)
    try_to_agree(page)
    expect(slow).to_be_focused()
    assert walk.posts == []
    page.get_by_role("button", name="I do not want to take part").click()
    expect(page.get_by_role("heading", name="This study is closed")).to_be_visible()
    assert 0 < float(str(told(walk)["mbps"])) <= 8


@pytest.mark.exhaustive
def test_a_connection_that_is_fast_enough_says_no_more(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(asked(least_mbps=0.1, speed_at="/speed"), message())
    page = visit(walk)
    replies = iter([b"", FILE])
    page.route(
        "**/speed",
        lambda route: (
            route.fulfill(body=body) if (body := next(replies, FILE)) else route.abort("connectionfailed")
        ),
    )
    page.reload()
    expect(page.locator("[data-speed-said]")).to_be_hidden()
    agree(page)
    expect(page.get_by_role("heading", name="This study is closed")).to_be_visible()
    assert float(str(told(walk)["mbps"])) > 0.1


@pytest.mark.exhaustive
def test_what_cannot_be_measured_holds_nobody_back(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(asked(least_mbps=5, speed_at="/speed", smooth=FRAME), message())
    page = visit(walk, "Object.defineProperty(navigator, 'mediaCapabilities', { value: undefined });")
    expect(page.locator("[data-speed-said]")).to_be_hidden()
    agree(page)
    expect(page.get_by_role("heading", name="This study is closed")).to_be_visible()
    assert set(told(walk)) == {"width", "height", "pixel_ratio"}


@pytest.mark.parametrize("smooth", [pytest.param(True, marks=pytest.mark.exhaustive), False])
def test_a_browser_that_loses_pictures_is_told(rig: Rig, visit: Visit, smooth: bool) -> None:
    walk = rig.walk(asked(smooth=FRAME), message())
    page = visit(walk, SAYS % json.dumps(smooth))
    said = page.get_by_role("alert").filter(has_text="it cannot show them smoothly")
    if smooth:
        expect(said).to_be_hidden()
        agree(page)
        expect(page.get_by_role("heading", name="This study is closed")).to_be_visible()
    else:
        expect(said).to_be_visible()
        try_to_agree(page)
        expect(said).to_be_focused()
        page.get_by_role("button", name="I do not want to take part").click()
        expect(page.get_by_role("heading", name="This study is closed")).to_be_visible()
    assert told(walk)["smooth"] is smooth
    assert [post["decision"] for post in walk.posts] == ["agree" if smooth else "refuse"]


def test_whether_videos_play_is_told_where_the_device_is_looked_at(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(consent(None, measures=True), message())
    page = visit(walk)
    expect(page.get_by_text("Videos play on this device.")).to_be_visible()
    agree(page)
    expect(page.get_by_role("heading", name="This study is closed")).to_be_visible()
    assert told(walk)["plays"] is True


def test_without_scripts_consent_is_given_and_nothing_is_measured(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(asked(least_width=900, least_mbps=5, speed_at="/speed", smooth=FRAME), message())
    page = visit(walk, java_script_enabled=False, viewport={"width": 390, "height": 844})
    agree(page)
    expect(page.get_by_role("heading", name="This study is closed")).to_be_visible()
    assert walk.posts[0]["device"] == ""
