"""A slider in the browser: by keyboard, by hand, without scripts, on a telephone, over a reload, by axe's rules."""

import pytest
from playwright.sync_api import Locator, Page, expect

from app.questions.base import OptionView

from .conftest import Visit
from .pages import CHOICE, message, question_of, trial
from .rig import Rig, Walk
from .steps import AXE_CONTEXT, Check, expect_end, fits, save, wait_until_loaded

pytestmark = pytest.mark.browser

ASK = "How certain are you of your choice?"
CERTAINTY = question_of(
    "certainty",
    "slider",
    ASK,
    True,
    (OptionView("0", "guessing"), OptionView("100", "absolutely certain")),
    minimum=0.0,
    maximum=100.0,
    step=1.0,
)


def asked(rig: Rig, visit: Visit, **options: object) -> tuple[Walk, Page]:
    walk = rig.walk(trial(watch="free", questions=(CHOICE, CERTAINTY)), message())
    return walk, visit(walk, **options)


def slider(page: Page) -> Locator:
    return page.get_by_role("slider", name=ASK)


def number(page: Page) -> Locator:
    return page.get_by_role("spinbutton", name=ASK)


def choose_left(page: Page) -> None:
    page.get_by_role("radio", name="Left video").check()


def test_where_a_slider_stands_by_itself_is_no_answer(rig: Rig, visit: Visit) -> None:
    walk, page = asked(rig, visit)
    wait_until_loaded(page)
    choose_left(page)
    expect(slider(page)).to_have_attribute("aria-valuetext", "not chosen yet")
    expect(number(page)).to_have_value("")
    save(page)
    expect(page.get_by_text("Please answer this question.")).to_have_count(1)
    expect(number(page)).to_be_focused()
    assert walk.posts == []
    # A press where it stands already chooses the middle.
    slider(page).click()
    expect(number(page)).to_have_value("50")
    expect(slider(page)).not_to_have_attribute("aria-valuetext", "not chosen yet")
    expect(page.get_by_text("Please answer this question.")).to_have_count(0)
    save(page)
    expect_end(page)
    assert (walk.posts[0]["choice"], walk.posts[0]["certainty"]) == ("left", "50")


def test_a_slider_by_keyboard_and_over_a_reload(rig: Rig, visit: Visit) -> None:
    walk, page = asked(rig, visit)
    wait_until_loaded(page)
    choose_left(page)
    page.keyboard.press("Tab")
    expect(slider(page)).to_be_focused()
    page.keyboard.press("Enter")  # takes the middle, sends nothing
    expect(number(page)).to_have_value("50")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")  # moves the slider, not the choice
    expect(number(page)).to_have_value("99")
    expect(page.get_by_role("radio", name="Left video")).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("12")  # 1 and 2 choose no clip here
    expect(slider(page)).to_have_value("12")
    page.reload()
    wait_until_loaded(page)
    expect(number(page)).to_have_value("12")
    expect(slider(page)).to_have_value("12")
    number(page).focus()
    page.keyboard.press("Enter")
    expect_end(page)
    assert walk.posts[0]["certainty"] == "12"


def test_numbers_off_the_scale_are_said_before_anything_is_sent(rig: Rig, visit: Visit) -> None:
    walk, page = asked(rig, visit)
    wait_until_loaded(page)
    choose_left(page)
    number(page).fill("101")
    save(page)
    expect(number(page)).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#q-certainty-error")).not_to_be_empty()
    assert walk.posts == []


def test_without_scripts_the_number_is_typed(rig: Rig, visit: Visit) -> None:
    walk, page = asked(rig, visit, java_script_enabled=False)
    expect(page.locator("input[type=range]")).to_have_count(0)
    expect(page.locator(".ends")).to_have_text("0 guessing 100 absolutely certain")
    page.get_by_label("Left video").last.check()
    number(page).fill("80")
    save(page)
    expect_end(page)
    assert walk.posts[0]["certainty"] == "80"


def test_a_slider_fits_a_telephone_and_breaks_no_axe_rule(rig: Rig, visit: Visit, check: Check) -> None:
    _, page = asked(rig, visit, **AXE_CONTEXT)
    wait_until_loaded(page)
    check(page)
    page.set_viewport_size({"width": 390, "height": 844})
    box = slider(page).bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert 280 < box["width"] <= 390 - box["x"]
    assert box["height"] >= 44
    assert fits(page)
