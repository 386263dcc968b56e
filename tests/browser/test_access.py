"""By keyboard, without scripts, on a small screen, and by axe-core's rules."""

import pytest
from playwright.sync_api import expect

from .conftest import Visit
from .pages import background, checks, consent, debrief, instructions, message, trial
from .parts import each_part_once
from .rig import Rig, Shown
from .steps import (
    AXE_CONTEXT,
    NARROW,
    Check,
    expect_end,
    play_button,
    rationale,
    save,
    set_rate,
    wait_until_loaded,
    watch_both,
)

pytestmark = pytest.mark.browser


def test_a_whole_trial_by_keyboard_alone(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(), message())
    page = visit(walk)
    wait_until_loaded(page)
    set_rate(page, 1 / 16)  # or the clips are over before the next key is pressed
    keys = page.keyboard
    keys.press("ArrowRight")  # closed: no choice yet
    keys.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    keys.press("k")
    expect(play_button(page)).to_be_visible()
    watch_both(page, lambda: keys.press("r"))
    expect(page.get_by_text("The questions are open", exact=False)).to_be_visible()
    keys.press("2")
    expect(page.get_by_role("radio", name="Right video")).to_be_checked()
    keys.press("ArrowRight")  # does not go round to the left
    expect(page.get_by_role("radio", name="Right video")).to_be_checked()
    keys.press("ArrowLeft")
    expect(page.get_by_role("radio", name="Left video")).to_be_checked()
    keys.press("Tab")
    keys.type("1 k r 2")
    keys.press("ArrowRight")
    keys.press("Tab")
    keys.press("Space")
    keys.press("ArrowRight")
    keys.press("Tab")
    keys.press("Enter")
    expect_end(page)
    post = walk.posts[0]
    assert (post["choice"], post["rationale"], post["uncertainty"]) == ("left", "1 k r 2", "2")


@pytest.mark.exhaustive
def test_shortcut_keys_can_be_turned_off_for_good(rig: Rig, visit: Visit) -> None:
    page = visit(rig.walk(trial(watch="free"), message()))
    wait_until_loaded(page)
    page.get_by_role("checkbox", name="Shortcuts").uncheck()
    page.reload()
    wait_until_loaded(page)
    page.keyboard.press("1")
    page.keyboard.press("k")
    expect(page.get_by_role("radio", name="Left video")).not_to_be_checked()
    expect(play_button(page)).to_be_visible()


def test_a_trial_without_scripts(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(), message())
    page = visit(walk, java_script_enabled=False)
    expect(page.locator("noscript .gate")).to_have_text(
        "Please watch both videos to the end before you answer."
    )
    assert page.locator("video[controls]").count() == 2
    page.get_by_label("Left video").last.check()
    rationale(page).fill("It turns in steps.")
    page.get_by_label("neutral").check()
    save(page)
    expect_end(page)
    post = walk.posts[0]
    assert (post["choice"], post["uncertainty"], post["rt_ms"], post["playback"]) == ("left", "3", "", "")
    assert "unplayable" not in post


def test_without_scripts_an_unplayable_clip_has_a_way_on(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(), message())
    page = visit(walk, java_script_enabled=False)
    page.get_by_role("button", name="A video does not play").click()
    expect_end(page)
    assert walk.posts[0]["unplayable"] == "1"


def test_the_whole_way_without_scripts(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(consent(), background(), instructions(), debrief("https://app.example.org/complete?cc=1"))
    page = visit(walk, java_script_enabled=False)
    page.get_by_label("Yes").check()
    page.get_by_role("button", name="I agree to take part").click()
    page.get_by_label("How old are you?").fill("40")
    page.get_by_label("slightly").check()
    page.get_by_label("Computer").check()
    save(page)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("ABC123-7QX")).to_be_visible()
    back = page.get_by_role("link", name="Return to app.example.org")
    expect(back).to_have_attribute("href", "https://app.example.org/complete?cc=1")


def test_the_completion_code_is_copied(rig: Rig, visit: Visit) -> None:
    page = visit(rig.walk(debrief()), permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the code").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "ABC123-7QX"


def test_on_a_laptop_the_first_question_is_seen_without_scrolling(rig: Rig, visit: Visit) -> None:
    page = visit(rig.walk(trial(), message()))
    wait_until_loaded(page)
    video = page.locator("video").first.bounding_box()
    card = page.locator(".pair .card").last.bounding_box()
    assert video is not None
    assert card is not None
    assert video["width"] > 590
    assert card["y"] + card["height"] <= 800


def test_on_a_telephone_the_videos_are_stacked_and_named_so(rig: Rig, visit: Visit) -> None:
    page = visit(rig.walk(trial(watch="free"), message()), viewport=NARROW)
    wait_until_loaded(page)
    top, bottom = (video.bounding_box() for video in page.locator("video").all())
    assert top is not None
    assert bottom is not None
    assert top["x"] == bottom["x"]
    assert top["y"] + top["height"] <= bottom["y"]
    expect(page.get_by_role("radio", name="Top video")).to_be_visible()
    expect(page.get_by_role("radio", name="Bottom video")).to_be_visible()
    expect(page.get_by_role("radio", name="Left video")).to_have_count(0)


def test_no_page_around_the_trials_breaks_an_axe_rule_wide_or_narrow_light_or_dark(
    rig: Rig, visit: Visit, check: Check, exhaustive: bool
) -> None:
    around: dict[str, Shown] = {
        "message": message(),
        "consent": consent(),
        "background": background(),
        "instructions": instructions(),
        "debrief": debrief("https://a.example/x"),
        **checks(),
    }
    walk = rig.walk(*(around[name] for name in (around if exhaustive else each_part_once(around))))
    page = visit(walk, **AXE_CONTEXT)
    for position in range(len(walk.pages)):
        walk.position = position
        page.goto(walk.action)
        check(page)


def test_no_state_of_a_trial_breaks_an_axe_rule_wide_or_narrow_light_or_dark(
    rig: Rig, visit: Visit, check: Check
) -> None:
    walk = rig.walk(trial(1), trial(2, right="c3"))
    walk.broken["c3"] = "missing"
    page = visit(walk, **AXE_CONTEXT)
    wait_until_loaded(page)
    check(page)
    watch_both(page)
    save(page)
    expect(page.get_by_text("Please answer this question.")).to_have_count(3)
    check(page)

    walk.position = 1
    page.goto(walk.action)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("button", name="This video does not play")).to_be_visible()
    check(page)
