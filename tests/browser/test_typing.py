"""How a text was entered, as the browser counts it: typed, pasted, or filled in at once."""

import json

import pytest

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
