"""The page on which two records are compared, in a real browser."""

from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from app.core.markdown import markdown
from app.library.records import Record
from app.questions.base import OptionView
from app.questions.sides import Side
from app.tasks.pair.comparing import ComparedPage, ReadView, read_sides
from app.tasks.rating.views import record_view

from .conftest import Visit
from .pages import message, question_of
from .rating_pages import auction
from .rig import Rig
from .steps import AXE_CONTEXT, NARROW, Check, expect_end, save, wait_until

pytestmark = pytest.mark.browser

WHICH = "Which of these two players is more likely to be human?"
WHY = "Why do you think so?"
KEPT = "JSON.parse(Object.values({...localStorage})[0] ?? '{}')"
PARTS = f"['left', 'right'].flatMap((side) => {KEPT}[`reading-${{side}}`]?.parts ?? [0])"
UNREAD = f"{PARTS}.filter((ms) => ms === 0).length"


def comparing(left: Record | str, right: Record | str, *, tie: bool = False) -> ComparedPage:
    noun = "record" if isinstance(left, Record) else "text"
    options = tuple(OptionView(side, f"{side.capitalize()} {noun}", noun) for side in Side)
    shown = [
        ReadView(side, record_view(one), "")
        if isinstance(one, Record)
        else ReadView(side, None, markdown(one))
        for side, one in zip(Side, (left, right), strict=True)
    ]
    choice = replace(
        question_of(
            "choice", "2afc", WHICH, True, (*options, *([OptionView("tie", "No difference")] if tie else []))
        ),
        widget="sides",
    )
    return ComparedPage(
        study_title="Which player?", action="", submit_id="", done=3, steps=9, key="pair-1", number=1, total=6,
        noun=noun, sides=tuple(shown), questions=(choice, question_of("rationale", "text", WHY, False)),
    )  # fmt: skip


def read_all(page: Page) -> None:
    """Scroll down by steps until the script has seen every part of both."""
    for at in range(0, int(page.evaluate("document.body.scrollHeight")) + 300, 300):
        before = page.evaluate(f"{KEPT}['reading-left']?.read_ms ?? 0")
        page.evaluate(f"scrollTo(0, {at})")
        wait_until(page, f"{KEPT}['reading-left']?.read_ms > {before} + 500")
    wait_until(page, f"{UNREAD} === 0")


def test_two_records_are_compared_by_keyboard_and_what_was_in_view_is_told_of_each(
    rig: Rig, visit: Visit
) -> None:
    walk = rig.walk(comparing(auction(4), auction(6), tie=True), message())
    page = visit(walk)
    left, right = (page.locator(f"[data-stimulus={side}]").bounding_box() for side in Side)
    assert left
    assert right
    assert left["x"] + left["width"] <= right["x"]
    read_all(page)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Right record")).to_be_checked()
    page.keyboard.press("3")
    expect(page.get_by_role("radio", name="No difference")).to_be_checked()
    page.keyboard.press("1")
    expect(page.get_by_role("radio", name="Left record")).to_be_checked()
    expect(page.get_by_text("1 of 2 answered")).to_be_visible()
    page.reload()
    expect(page.get_by_role("radio", name="Left record")).to_be_checked()
    page.get_by_label(WHY).fill("2 waits. 3")
    save(page)
    expect_end(page)
    post = walk.posts[0]
    assert set(post) == {"submit_id", "choice", "rationale", "rt_ms", "reading", "typed"}
    assert (post["choice"], post["rationale"]) == ("left", "2 waits. 3")
    found = read_sides(post, {Side.LEFT: 5, Side.RIGHT: 7})
    for report in found.values():
        assert report.words == ()
        assert report.reading
        assert (report.reading.page_loads, report.reading.layout) == (2, "side-by-side")


def test_on_a_telephone_one_is_above_the_other_and_nobody_is_shut_out(
    rig: Rig, visit: Visit, check: Check
) -> None:
    walk = rig.walk(comparing(auction(2), auction(2)), message())
    page = visit(walk, **AXE_CONTEXT)
    check(page)  # at last on a telephone
    top, bottom = (page.locator(f"[data-stimulus={side}]").bounding_box() for side in Side)
    assert top
    assert bottom
    assert top["y"] + top["height"] <= bottom["y"]
    expect(page.get_by_role("heading", name="Bottom record")).to_be_visible()
    page.get_by_role("radio", name="Bottom record").check()
    save(page)
    expect_end(page)
    assert walk.posts[0]["choice"] == "right"
    found = read_sides(walk.posts[0], {Side.LEFT: 3, Side.RIGHT: 3})
    assert [report.reading.layout for report in found.values() if report.reading] == ["stacked"] * 2


def test_two_texts_are_compared_without_a_script(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(comparing("Dear *reader*,", "# Hello"), message())
    page = visit(walk, java_script_enabled=False, viewport=NARROW)
    page.get_by_role("radio", name="Top text").check()
    save(page)
    expect_end(page)
    assert walk.posts[0]["choice"] == "left"
    assert walk.posts[0]["reading"] == ""
