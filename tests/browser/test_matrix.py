"""A matrix in the browser: by pointer and keyboard, over a reload, without scripts, on a telephone, by axe's rules."""

import pytest
from playwright.sync_api import Locator, Page, expect

from app.trials.pages import QuestionsPage

from .conftest import Visit
from .pages import message, view_of
from .rig import Rig, Walk
from .steps import AXE_CONTEXT, WIDTHS, Check, expect_end, fits, save

pytestmark = pytest.mark.browser

STATEMENTS = ("It knows where it is going.", "It looks around before it turns.", "It would be good company.")
VIEW = view_of(
    id="seems", type="matrix", ask="How far do you agree?", scale="agreement", statements=STATEMENTS
)


def asked(rig: Rig, visit: Visit, **options: object) -> tuple[Walk, Page]:
    walk = rig.walk(QuestionsPage("Study", "", "", 1, 3, questions=(VIEW,)), message())
    return walk, visit(walk, **options)


def group(page: Page, n: int) -> Locator:
    return page.get_by_role("radiogroup", name=STATEMENTS[n])


def given(walk: Walk) -> list[str]:
    return [walk.posts[0][f"seems.{n}"] for n in (1, 2, 3)]


def test_each_statement_is_a_radio_group_of_its_own_and_the_first_without_an_answer_is_gone_to(
    rig: Rig, visit: Visit
) -> None:
    walk, page = asked(rig, visit)
    expect(page.get_by_role("radiogroup")).to_have_count(3)
    group(page, 0).get_by_role("radio", name="agree", exact=True).check()
    save(page)
    expect(page.locator("#q-seems-error")).to_have_text("Please choose one answer for each statement.")
    expect(group(page, 0)).not_to_have_attribute("aria-invalid", "true")
    expect(group(page, 1)).to_have_attribute("aria-invalid", "true")
    expect(group(page, 1).get_by_role("radio").first).to_be_focused()
    assert walk.posts == []
    # By keyboard alone: a key chooses, Tab goes to the next statement.
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.reload()
    expect(group(page, 1).get_by_role("radio", name="disagree", exact=True)).to_be_checked()
    save(page)
    expect_end(page)
    assert given(walk) == ["4", "2", "1"]


def test_without_scripts_the_groups_are_answered_as_they_stand(rig: Rig, visit: Visit) -> None:
    walk, page = asked(rig, visit, java_script_enabled=False)
    for n, label in enumerate(("agree", "strongly agree", "disagree")):
        group(page, n).get_by_role("radio", name=label, exact=True).check()
    save(page)
    expect_end(page)
    assert given(walk) == ["4", "5", "2"]


def test_a_matrix_is_a_table_where_there_is_room_a_list_on_a_telephone_and_breaks_no_axe_rule(
    rig: Rig, visit: Visit, check: Check
) -> None:
    _, page = asked(rig, visit, **AXE_CONTEXT)
    check(page)
    cells = group(page, 0).locator("label")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        first, last = cells.first.bounding_box(), cells.last.bounding_box()
        assert first is not None
        assert last is not None
        assert (last["x"] > first["x"]) is (width == max(WIDTHS))
        assert (last["y"] > first["y"]) is (width == min(WIDTHS))
        assert min(first["height"], first["width"]) >= 44
    assert fits(page)
    save(page)
    check(page)
