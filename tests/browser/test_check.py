"""The test clip of the consent page: who can play videos may agree, who cannot is told what can, before consent."""

import subprocess
import sys
from pathlib import Path

import av
import pytest
from playwright.sync_api import Page, expect

from app.core.templating import STATIC

from .conftest import Visit
from .pages import consent, message
from .rig import Rig

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parent.parent.parent
ASKED_FIRST = """
  const play = HTMLMediaElement.prototype.play;
  HTMLMediaElement.prototype.play = function () {
    if (navigator.userActivation.isActive) return play.call(this);
    return Promise.reject(new DOMException("not asked for", "NotAllowedError"));
  };
"""


def agree(page: Page) -> None:
    page.get_by_text("Yes", exact=True).click()
    page.get_by_role("button", name="I agree to take part").click()


def expect_said(page: Page, text: str) -> None:
    expect(page.locator("[data-check] [data-said]")).to_contain_text(text)


def test_where_videos_play_nothing_has_to_be_done(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(consent(), message())
    page = visit(walk)
    expect_said(page, "Videos play on this device")
    expect(page.locator("[data-check] button")).to_be_hidden()
    agree(page)
    expect(page.locator("video")).to_have_count(0)
    assert walk.posts[0]["decision"] == "agree"


@pytest.mark.exhaustive
def test_a_browser_that_plays_only_when_asked_is_not_turned_away(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(consent(), message())
    page = visit(walk, ASKED_FIRST)
    expect_said(page, "only when you ask for it")
    expect(page.get_by_role("button", name="I agree to take part")).to_be_disabled()
    page.get_by_role("button", name="Play the test video").click()
    expect_said(page, "Videos play on this device")
    agree(page)
    expect(page.locator("video")).to_have_count(0)
    assert len(walk.posts) == 1


def test_who_can_play_nothing_is_told_what_can_and_leaves_no_answer(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(consent(), message())
    page = visit(walk)
    page.route("**/check.mp4", lambda route: route.fulfill(body=b"\0" * 3000, content_type="video/mp4"))
    page.reload()
    expect_said(page, "Current versions of Chrome, Edge, Firefox and Safari can")
    expect_said(page, "That is not your fault")
    expect(page.get_by_role("button", name="I agree to take part")).to_be_disabled()
    page.get_by_text("Yes", exact=True).press("Enter")
    assert walk.posts == []
    page.get_by_role("button", name="I do not want to take part").click()
    expect(page.locator("video")).to_have_count(0)
    assert [post["decision"] for post in walk.posts] == ["refuse"]


@pytest.mark.exhaustive
def test_a_test_clip_that_does_not_arrive_is_no_fault_of_the_browser(rig: Rig, visit: Visit) -> None:
    page = visit(rig.walk(consent(), message()))
    page.route("**/check.mp4", lambda route: route.abort())
    page.reload()
    expect_said(page, "has not arrived")
    page.unroute("**/check.mp4")
    page.get_by_role("button", name="Try again").click()
    expect_said(page, "Videos play on this device")


def test_without_scripts_the_clip_has_controls_and_a_sentence(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(consent(), message())
    page = visit(walk, java_script_enabled=False)
    expect(page.get_by_text("If you see no pale square move")).to_be_visible()
    assert page.locator("[data-check] video").get_attribute("controls") is not None
    agree(page)
    expect(page.locator("video")).to_have_count(0)
    assert len(walk.posts) == 1


def facts(path: Path) -> tuple[object, ...]:
    with av.open(str(path)) as container:
        (stream,) = container.streams
        context = stream.codec_context
        return context.name, context.profile, context.pix_fmt, stream.average_rate, stream.frames  # type: ignore[attr-defined]


def test_the_clip_is_encoded_as_a_studys_clips_are(tmp_path: Path) -> None:
    made = tmp_path / "made.mp4"
    code = "import sys, pathlib, make_check_clip; make_check_clip.main(pathlib.Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", code, str(made)], check=True, cwd=ROOT / "tools")
    assert facts(STATIC[0] / "check.mp4") == facts(made)
    assert (STATIC[0] / "check.mp4").stat().st_size < 50_000
