"""How a text was entered, as the browser counts it: typed, pasted, or filled in at once."""

import json

import pytest
from playwright.sync_api import Position

from app.trials.flags import Flag
from app.trials.typing import entered_flags, read_typed

from .conftest import Visit
from .pages import message, trial
from .rig import Rig
from .steps import answer, expect_end, rationale, save, wait_until_loaded

pytestmark = pytest.mark.browser

TEXT = "It hesitates at the corner, and then it looks round."


@pytest.mark.parametrize(
    ("way", "counts", "flags"),
    [
        ("typed", {"keys": len(TEXT), "pasted": 0}, set()),
        ("pasted", {"keys": len(TEXT), "pasted": 2 * len(TEXT)}, {Flag.PASTED}),
        ("filled in", {"keys": 1, "pasted": 0}, {Flag.NOT_TYPED}),
    ],
)
def test_keys_are_counted_pasting_is_told_apart_and_a_field_that_is_filled_in_is_flagged(
    rig: Rig, visit: Visit, way: str, counts: dict[str, int], flags: set[Flag]
) -> None:
    walk = rig.walk(trial(watch="free"), message())
    page = visit(walk)
    wait_until_loaded(page)
    answer(page, "")
    field = rationale(page)
    field.click()
    text = TEXT
    if way == "filled in":
        field.fill(TEXT)
    else:
        field.press_sequentially(TEXT)
    if way == "pasted":
        text = 3 * TEXT
        page.keyboard.press("Control+A")
        page.keyboard.press("Control+C")
        page.keyboard.press("End")
        for _ in range(2):
            page.keyboard.press("Control+V")
    save(page)
    expect_end(page)
    posted = walk.posts[0]
    assert posted["rationale"] == text
    report = read_typed(posted["typed"])
    assert report is not None, posted["typed"]
    assert report == {"rationale": counts}, json.dumps(report)
    assert entered_flags(report, {"rationale": text}, 1) == flags


def test_cutting_replacing_dragging_and_composing_are_counted_as_what_they_are(
    rig: Rig, visit: Visit
) -> None:
    """Input of a method for Japanese is typed; a text that replaces a selection counts whole."""
    walk = rig.walk(trial(watch="free"), message())
    page = visit(walk)
    wait_until_loaded(page)
    answer(page, "")
    field = rationale(page)
    field.click()
    field.press_sequentially("abc def")
    page.keyboard.press("Control+A")
    page.keyboard.press("Control+X")  # cutting pastes nothing: one input more
    page.keyboard.press("Control+V")
    page.keyboard.press("Control+A")
    page.keyboard.press("Control+V")
    page.keyboard.press("End")
    method = page.context.new_cdp_session(page)
    for text in ("k", "か", "かん"):
        method.send(
            "Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)}
        )
    method.send("Input.insertText", {"text": "漢"})
    save(page)
    expect_end(page)
    posted = walk.posts[0]
    assert posted["rationale"] == "abc def漢"
    report = read_typed(posted["typed"])
    assert report is not None
    counts = report["rationale"]
    assert counts["pasted"] == 2 * len("abc def")
    # Seven letters and the cut, then each state of the composition and its end.
    assert 8 + 3 <= counts["keys"] <= 8 + 5
    assert Flag.PASTED not in entered_flags(report, {"rationale": posted["rationale"]}, 1)


def test_a_text_that_is_dragged_into_the_field_counts_as_pasted(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(watch="free"), message())
    page = visit(walk)
    wait_until_loaded(page)
    answer(page, "")
    field, source = rationale(page), page.locator("legend", has_text="How certain are you")
    on_text = Position(x=20, y=8)
    source.click(click_count=3, position=on_text)
    said = page.evaluate("getSelection().toString().trim()")
    source.drag_to(field, source_position=on_text)
    assert said
    assert said in field.input_value()
    save(page)
    expect_end(page)
    report = read_typed(walk.posts[0]["typed"])
    assert report is not None
    assert report["rationale"]["keys"] == 0
    assert report["rationale"]["pasted"] >= len(said)
