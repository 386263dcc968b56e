"""Points to share in the browser: what is left by script, by keyboard, without scripts, on a telephone, by axe."""

import pytest
from playwright.sync_api import Locator, Page, expect

from app.trials.pages import QuestionsPage

from .conftest import Visit
from .pages import message, view_of
from .rig import Rig, Walk
from .steps import AXE_CONTEXT, Check, expect_end, save

pytestmark = pytest.mark.browser

OPTIONS = ("How fast it was", "How smoothly it turned", "Whether it looked around before it went on")
VIEW = view_of(
    id="points", type="allocation", ask="How much did each of these count?", options=OPTIONS, total=10
)


def asked(rig: Rig, visit: Visit, **options: object) -> tuple[Walk, Page]:
    walk = rig.walk(QuestionsPage("Study", "", "", 1, 3, questions=(VIEW,)), message())
    return walk, visit(walk, **options)


def points(page: Page, n: int) -> Locator:
    return page.get_by_role("spinbutton", name=OPTIONS[n])


def given(walk: Walk) -> list[str]:
    return [walk.posts[0][f"points.{n}"] for n in (1, 2, 3)]


def test_what_is_left_is_said_as_points_are_given_and_a_sum_that_is_off_is_not_sent(
    rig: Rig, visit: Visit
) -> None:
    walk, page = asked(rig, visit)
    left, error = page.get_by_role("status").first, page.locator("#q-points-error")
    expect(left).to_have_text("10 points left to share")
    save(page)
    expect(error).to_have_text("Please share out 10 points.")
    expect(points(page, 0)).to_be_focused()
    # By keyboard alone.
    page.keyboard.type("7")
    page.keyboard.press("Tab")
    page.keyboard.type("2")
    expect(left).to_have_text("1 point left to share")
    page.keyboard.press("Enter")
    expect(error).to_have_text("Please share out exactly 10 points: 1 left to share.")
    points(page, 2).fill("3")
    expect(left).to_have_text("2 points too many")
    page.reload()
    expect(left).to_have_text("2 points too many")
    points(page, 2).fill("1")
    save(page)
    expect_end(page)
    assert given(walk) == ["7", "2", "1"]


def test_without_scripts_the_hint_says_the_total(rig: Rig, visit: Visit) -> None:
    walk, page = asked(rig, visit, java_script_enabled=False)
    expect(page.get_by_text("The points must add up to 10")).to_be_visible()
    expect(page.locator("[data-left]")).to_be_hidden()
    points(page, 0).fill("10")
    save(page)
    expect_end(page)
    assert given(walk) == ["10", "", ""]


def test_points_fit_a_telephone_and_break_no_axe_rule(rig: Rig, visit: Visit, check: Check) -> None:
    _, page = asked(rig, visit, **AXE_CONTEXT)
    check(page)
    save(page)
    check(page)
    page.set_viewport_size({"width": 390, "height": 844})
    box = points(page, 2).bounding_box()
    assert box is not None
    assert 0 <= box["x"] <= 390 - box["width"]
    assert box["height"] >= 44
