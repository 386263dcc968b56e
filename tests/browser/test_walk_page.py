"""The page of a walk in Chromium: drawn like the clips, walked by real keys, and the server gets every step once."""

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from app.core.database import Database
from app.tasks.walk.simulated import goal_at
from stimuli import steps
from stimuli.raycaster import Pose, raycaster
from tests.browser.steps import wait_until
from tests.clock import Clock
from tests.tasks.walk.walking import SLUG, load_walks

pytestmark = pytest.mark.browser

POSES = [(20.5, 14.0, 1.2), (10.0, 20.0, 0.1), (30.0, 30.0, 2.5), (6.0, 33.0, 2.2)]
DRAW = """async (walker) => {
  const { openView } = await import("/static/walk-view.js");
  const settings = JSON.parse(document.getElementById("walk-settings").textContent);
  const canvas = document.createElement("canvas");
  const view = await openView(canvas, settings);
  const drawn = () => {
    view.draw({ x: walker[0], y: walker[1], heading: walker[2] }, 1);
    return canvas.toDataURL("image/png");
  };
  const half = drawn();
  await view.refine();
  const full = drawn();
  view.coarsen();
  return [half, full, drawn()];
}"""


@pytest.fixture
def page(browser: Browser, service: tuple[str, Database], tmp_path: Path) -> Iterator[Page]:
    address, database = service
    with database.transaction() as session:
        load_walks(session, tmp_path, limit_s=10, practice=1)
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page, faults = context.new_page(), list[str]()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{address}/s/{SLUG}")
    page.click("button[value=agree]")
    page.locator("[data-start]").wait_for()
    Clock.wait(60)  # the service's stands still
    yield page
    context.close()
    assert faults == []


def test_the_page_shows_what_a_clip_of_the_same_pose_shows(page: Page, exhaustive: bool) -> None:
    goal = goal_at(**json.loads(page.locator("#walk-settings").text_content() or "")["goal"])  # drawn
    for x_m, y_m, heading_rad in POSES if exhaustive else POSES[:2]:
        walker = steps.start(x_m, y_m, heading_rad)
        urls = page.evaluate(DRAW, list(walker))
        half, full, again = (
            np.asarray(Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB"))
            for url in urls
        )
        clip = raycaster(goal).frame(Pose(*steps.pose(walker)), 1.0)[..., :3]
        away = [float(np.abs(one.astype(int) - clip.astype(int)).mean()) for one in (half, full)]
        # Of 255; two pictures of the same place looked at from a step aside differ by 20 and more.
        assert max(away) < 6
        assert away[1] < away[0], "close by, pictures of full size are nearer to a clip's"
        assert np.array_equal(half, again), "and a slow device goes back"


def test_the_practice_walk_fits_its_window_and_its_targets_can_be_touched(
    page: Page, exhaustive: bool
) -> None:
    for box in (each.bounding_box() for each in page.locator("main button:visible").all()):
        assert box is not None
        assert box["height"] >= 44
    sizes = ((1366, 650), (390, 844), (1280, 720), (844, 390))
    for width, height in sizes if exhaustive else sizes[:2]:
        page.set_viewport_size({"width": width, "height": height})
        page.locator("[data-start]").wait_for()
        for name in ("[data-view]", "[data-start]", "button[name=unable]"):
            box = page.locator(name).bounding_box()
            assert box is not None, name
            assert box["y"] + box["height"] <= height, name
            assert box["x"] + box["width"] <= width, name
        assert page.evaluate("document.documentElement.scrollHeight") <= height


def test_a_telephone_gives_its_empty_half_to_the_thumbs(page: Page, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone = context.new_page()
    phone.goto(page.url.partition("/p/")[0] + f"/s/{SLUG}")
    phone.click("button[value=agree]")
    phone.locator("[data-start]").wait_for()
    # The picture takes its place once it is drawn.
    wait_until(phone, "document.querySelector('[data-pad]').getBoundingClientRect().height > 300")
    view, pad = (phone.locator(name).bounding_box() for name in ("[data-view]", "[data-pad]"))
    assert view is not None
    assert pad is not None
    assert view["width"] > 350
    assert pad["y"] >= view["y"] + view["height"]
    assert phone.evaluate("document.documentElement.scrollHeight") <= 844
    context.close()
