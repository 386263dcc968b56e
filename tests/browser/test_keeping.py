"""State that survives a reload, and state that is cleared once the answer is stored."""

import re

import pytest
from playwright.sync_api import Page, expect

from .conftest import Visit
from .pages import background, message, trial
from .rig import LEFT_S, Rig
from .steps import (
    AWAY_MS,
    answer,
    expect_end,
    play_button,
    playback,
    rationale,
    save,
    wait_until,
    wait_until_loaded,
    watch_both,
)

pytestmark = pytest.mark.browser


def kept(page: Page) -> list[str]:
    keys: list[str] = page.evaluate("Object.keys(localStorage)")
    return keys


def test_played_ranges_answers_and_reaction_time_survive_a_reload(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(watch="free"), message())
    page = visit(walk, with_clock=True)
    wait_until_loaded(page)
    play_button(page).click()
    wait_until(page, "document.querySelector('video').currentTime > 1")
    page.get_by_role("button", name="Pause").click()
    answer(page, "It hesitates.")
    page.clock.fast_forward(10_000)

    page.goto("about:blank")
    page.clock.fast_forward(AWAY_MS)
    page.go_back()
    wait_until_loaded(page)
    expect(page.get_by_role("radio", name="Left video")).to_be_checked()
    expect(page.get_by_role("radio", name="somewhat certain")).to_be_checked()
    expect(rationale(page)).to_have_value("It hesitates.")
    expect(page.locator("#left-state")).to_have_text(re.compile(r"[1-9]\d% watched"))
    page.clock.fast_forward(10_000)
    save(page)
    expect_end(page)

    recorded = playback(walk)
    assert recorded["loads"] == 2
    assert recorded["left"]["played"][0][1] >= 1
    assert recorded["left"]["plays"] == 1
    assert recorded["left"]["watched"] is False
    # Between two loads of the page nothing is counted: neither as time for the pair, nor as time hidden.
    assert 20_000 <= int(walk.posts[0]["rt_ms"]) < AWAY_MS
    assert recorded["hidden_ms"] < AWAY_MS


@pytest.mark.exhaustive
def test_what_was_watched_before_a_reload_need_not_be_watched_again(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(), message())
    page = visit(walk)
    watch_both(page)
    page.reload()
    expect(rationale(page)).to_be_enabled()
    answer(page)
    save(page)
    expect_end(page)
    assert playback(walk)["left"]["played"] == [[0, pytest.approx(LEFT_S, abs=0.2)]]


@pytest.mark.exhaustive
def test_nothing_is_kept_once_the_answer_is_accepted(rig: Rig, visit: Visit) -> None:
    page = visit(rig.walk(trial(watch="free"), message()))
    wait_until_loaded(page)
    answer(page)
    assert kept(page) != []
    save(page)
    expect_end(page)
    assert kept(page) == []


@pytest.mark.exhaustive
def test_what_is_left_of_an_earlier_page_of_the_session_is_forgotten(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(1, watch="free"), trial(2))
    page = visit(walk)
    answer(page)
    walk.position = 1  # answered in another tab
    page.reload()
    expect(page.get_by_role("heading", name="Pair 2 of 10")).to_be_visible()
    wait_until_loaded(page)
    assert [key for key in kept(page) if key.endswith("trial-1")] == []


def test_background_answers_survive_a_reload(rig: Rig, visit: Visit) -> None:
    page = visit(rig.walk(background(), message()))
    page.get_by_label("How old are you?").fill("34")
    page.get_by_label("Where do you live?").select_option("Country 3")
    page.get_by_text("moderately").click()
    page.reload()
    expect(page.get_by_label("How old are you?")).to_have_value("34")
    expect(page.get_by_label("Where do you live?")).to_have_value("c3")
    expect(page.get_by_role("radio", name="moderately")).to_be_checked()


@pytest.mark.exhaustive
def test_a_trial_works_where_storage_is_denied(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(), message())
    page = visit(
        walk,
        before="""
        Object.defineProperty(window, "localStorage", {
          get() { throw new DOMException("denied", "SecurityError"); },
        });
    """,
    )
    watch_both(page)
    answer(page)
    save(page)
    expect_end(page)
    assert playback(walk)["right"]["watched"] is True


def test_shown_again_from_memory_the_page_asks_where_the_participant_is(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(), message())
    page = visit(walk)
    wait_until_loaded(page)
    walk.position = 1
    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect_end(page)
