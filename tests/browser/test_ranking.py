"""A ranking in the browser: by pointer, by keyboard, over a reload, without scripts, on a telephone, by axe's rules."""

import pytest
from playwright.sync_api import Locator, Page, expect

from app.questions.base import OptionView
from app.trials.pages import QuestionsPage

from .conftest import Visit
from .pages import message, question_of
from .rig import Rig, Walk
from .steps import AXE_CONTEXT, Check, expect_end, fits, save

pytestmark = pytest.mark.browser

NAMES = ("Getting there fast", "Looking around", "Staying out of trouble, however long that takes")
ORDER = question_of(
    "order",
    "ranking",
    "What matters most to you when you play?",
    True,
    tuple(OptionView(str(n), name) for n, name in enumerate(NAMES, start=1)),
)


def asked(rig: Rig, visit: Visit, **options: object) -> tuple[Walk, Page]:
    page = QuestionsPage("Study", "", "", 1, 3, questions=(ORDER,))
    walk = rig.walk(page, message())
    return walk, visit(walk, **options)


def buttons(page: Page) -> Locator:
    return page.locator("button[aria-pressed]")


def test_options_are_put_in_order_and_taken_out_again(rig: Rig, visit: Visit) -> None:
    walk, page = asked(rig, visit)
    expect(page.locator("select")).to_have_count(3)
    expect(page.locator("select:visible")).to_have_count(0)
    buttons(page).nth(2).click()
    save(page)
    expect(page.get_by_text("Please answer this question.")).to_have_count(1)
    expect(buttons(page).first).to_be_focused()
    assert walk.posts == []
    page.keyboard.press("Enter")
    expect(page.get_by_text("Please answer this question.")).to_have_count(0)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(buttons(page)).to_have_text([f"2{NAMES[0]}", f"3{NAMES[1]}", f"1{NAMES[2]}"])
    buttons(page).nth(2).click()
    buttons(page).nth(2).click()
    page.reload()
    expect(buttons(page)).to_have_text([f"1{NAMES[0]}", f"2{NAMES[1]}", f"3{NAMES[2]}"])
    save(page)
    expect_end(page)
    assert {key: walk.posts[0][key] for key in ("order.1", "order.2", "order.3")} == {
        "order.1": "1", "order.2": "2", "order.3": "3",
    }  # fmt: skip


def test_without_scripts_each_option_has_a_menu_of_places(rig: Rig, visit: Visit) -> None:
    walk, page = asked(rig, visit, java_script_enabled=False)
    for name, place in zip(NAMES, ("2", "3", "1"), strict=True):
        page.get_by_label(name).select_option(place)
    save(page)
    expect_end(page)
    assert [walk.posts[0][f"order.{n}"] for n in (1, 2, 3)] == ["2", "3", "1"]


def test_a_ranking_fits_a_telephone_and_breaks_no_axe_rule(rig: Rig, visit: Visit, check: Check) -> None:
    _, page = asked(rig, visit, **AXE_CONTEXT)
    check(page)
    for at in (2, 0):
        buttons(page).nth(at).click()
    check(page)
    page.set_viewport_size({"width": 390, "height": 844})
    box = buttons(page).first.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert 280 < box["width"] <= 390 - box["x"]
    assert box["height"] >= 44
    assert fits(page)
