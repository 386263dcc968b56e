from dataclasses import replace

import pytest
from playwright.sync_api import expect

from app.questions.base import OptionView
from app.tasks.pair.design import Member
from app.tasks.pair.task import read_pair
from app.trials.design import Slot

from .conftest import Visit
from .pages import CHOICE, message, trial
from .rig import LEFT_S, RIGHT_S, Rig
from .steps import (
    AWAY_MS,
    SAMPLE,
    answer,
    expect_end,
    fits,
    is_kept_in_step,
    play_button,
    playback,
    rationale,
    save,
    set_rate,
    wait_until,
    wait_until_loaded,
    watch_both,
)

pytestmark = pytest.mark.browser

BOTH_PAUSED = "[...document.querySelectorAll('video')].every((video) => video.paused && !video.ended)"


def test_questions_open_only_after_both_were_watched_to_the_end(rig: Rig, visit: Visit) -> None:
    page = visit(rig.walk(trial(), message()))
    wait_until_loaded(page)
    expect(rationale(page)).to_be_disabled()
    expect(
        page.get_by_text("The questions open when you have watched both videos to the end.")
    ).to_be_visible()

    set_rate(page, 8)
    page.evaluate("document.querySelectorAll('video')[1].playbackRate = 1")
    page.evaluate("document.querySelectorAll('video')[0].currentTime = 3.9")  # a skipped part is not watched
    play_button(page).click()
    wait_until(page, "document.querySelectorAll('video')[0].ended")
    expect(rationale(page)).to_be_disabled()

    set_rate(page, 8)
    wait_until(page, "document.querySelectorAll('video')[1].ended")
    expect(page.locator("#right-state")).to_have_text("Watched")
    expect(rationale(page)).to_be_disabled()

    watch_both(page, page.get_by_role("button", name="Replay both").click)
    expect(rationale(page)).to_be_enabled()
    expect(page.get_by_role("status").filter(has_text="The questions are open")).to_be_visible()


@pytest.mark.exhaustive
def test_free_watching_leaves_the_questions_open(rig: Rig, visit: Visit) -> None:
    page = visit(rig.walk(trial(watch="free"), message()))
    wait_until_loaded(page)
    expect(rationale(page)).to_be_enabled()
    expect(page.locator("[data-gate]")).to_have_count(0)


def test_no_difference_is_chosen_by_its_key_and_by_its_button_where_it_is_offered(
    rig: Rig, visit: Visit
) -> None:
    sides = OptionView("left", "Left video"), OptionView("right", "Right video")
    asked = replace(CHOICE, options=(*sides, OptionView("tie", "No difference")))
    walk = rig.walk(
        trial(watch="free", questions=(asked,)), trial(2, watch="free", questions=(CHOICE,)), message()
    )
    page = visit(walk, viewport={"width": 390, "height": 844})
    wait_until_loaded(page)
    no_difference = page.get_by_role("radio", name="No difference")
    for key, checked in (("3", True), ("1", False)):
        page.keyboard.press(key)
        expect(no_difference).to_be_checked(checked=checked)
    page.get_by_text("No difference", exact=True).click()
    expect(no_difference).to_be_checked()
    assert fits(page)
    save(page)
    expect(page.get_by_role("heading", name="Pair 2")).to_be_visible()
    assert walk.posts[0]["choice"] == "tie"
    wait_until_loaded(page)
    page.keyboard.press("3")
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)


def test_both_clips_start_together_and_stay_within_100_ms(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(), message())
    page = visit(walk)
    wait_until_loaded(page)
    page.evaluate(SAMPLE)
    play_button(page).click()
    expect(page.get_by_text("Watched", exact=True)).to_have_count(2)
    assert is_kept_in_step(page)

    answer(page)
    save(page)
    expect_end(page)
    recorded = playback(walk)
    assert 0 <= recorded["drift_ms_max"] < LEFT_S * 1000
    assert recorded["left"]["duration_s"] == pytest.approx(LEFT_S, abs=0.05)
    assert recorded["right"]["duration_s"] == pytest.approx(RIGHT_S, abs=0.05)
    for side in ("left", "right"):
        clip = recorded[side]
        assert clip["watched"]
        assert clip["plays"] == 1
        assert clip["max_rate"] == 1
        assert clip["frames"] > 0
        assert clip["errors"] == []
        assert clip["played"][0][0] == 0
    assert 0 < recorded["opened_ms"] <= int(walk.posts[0]["rt_ms"])


@pytest.mark.exhaustive
def test_a_clip_that_falls_behind_is_waited_for(rig: Rig, visit: Visit) -> None:
    page = visit(rig.walk(trial(), message()))
    wait_until_loaded(page)
    play_button(page).click()
    wait_until(page, "document.querySelectorAll('video')[1].currentTime > 0.8")
    page.evaluate("document.querySelectorAll('video')[1].currentTime -= 0.6")
    wait_until(page, "document.querySelectorAll('video')[0].paused")
    wait_until(page, "[...document.querySelectorAll('video')].every((video) => !video.paused)")
    page.evaluate(SAMPLE)
    wait_until(page, "window.samples.length > 10")
    assert is_kept_in_step(page)


@pytest.mark.exhaustive
def test_a_pause_from_outside_pauses_both(rig: Rig, visit: Visit) -> None:
    page = visit(rig.walk(trial(), message()))
    wait_until_loaded(page)
    play_button(page).click()
    wait_until(page, "document.querySelector('video').currentTime > 0.2")
    page.evaluate("document.querySelectorAll('video')[1].pause()")
    expect(play_button(page)).to_be_visible()
    assert page.evaluate(BOTH_PAUSED)


@pytest.mark.exhaustive
def test_a_start_from_outside_starts_both(rig: Rig, visit: Visit) -> None:
    page = visit(rig.walk(trial(), message()))
    wait_until_loaded(page)
    page.evaluate("void document.querySelectorAll('video')[1].play()")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    wait_until(page, "[...document.querySelectorAll('video')].every((video) => video.currentTime > 0.2)")


@pytest.mark.exhaustive
def test_replay_counts_as_another_play_of_both(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(), message())
    page = visit(walk)
    presses = watch_both(page)
    wait_until(page, "[...document.querySelectorAll('video')].every((video) => video.ended)")
    set_rate(page, 1 / 16)  # or the second play is over before "Pause" is pressed, which then starts a third
    page.get_by_role("button", name="Replay both").click()
    page.get_by_role("button", name="Pause").click()
    play_button(page).click()
    answer(page)
    save(page)
    expect_end(page)
    assert [playback(walk)[side]["plays"] for side in ("left", "right")] == [presses + 1] * 2


NO_ENDED = """
    for (const name of %s) window.addEventListener(name, (event) => event.stopImmediatePropagation(), true);
    Object.defineProperty(HTMLMediaElement.prototype, "ended", { get: () => false });
"""


@pytest.mark.parametrize("missing", [["ended"], ["ended", "pause"]])
@pytest.mark.exhaustive
def test_a_clip_played_to_its_end_is_over_though_the_browser_does_not_say_so(
    missing: list[str], rig: Rig, visit: Visit
) -> None:
    walk = rig.walk(trial(), message())
    page = visit(walk, before=NO_ENDED % missing)
    presses = watch_both(page)
    expect(rationale(page)).to_be_enabled()
    expect(play_button(page)).to_be_visible()
    set_rate(page, 1 / 16)
    play_button(page).click()
    wait_until(page, "document.querySelector('video').currentTime > 0.05")
    page.get_by_role("button", name="Pause").click()
    answer(page)
    save(page)
    expect_end(page)
    for clip in (playback(walk)["left"], playback(walk)["right"]):
        told = clip["watched"], clip["failed"], clip["errors"], clip["plays"]
        assert told == (True, False, [], presses + 1)


REFUSE = """
    const play = HTMLMediaElement.prototype.play;
    let refusals = %d;
    HTMLMediaElement.prototype.play = function () {
      refusals -= 1;
      return refusals < 0 ? play.call(this) : Promise.reject(new DOMException("no gesture", "NotAllowedError"));
    };
"""


@pytest.mark.exhaustive
def test_a_start_that_the_browser_refuses_asks_for_another_press_and_blames_no_clip(
    rig: Rig, visit: Visit
) -> None:
    walk = rig.walk(trial(), message())
    page = visit(walk, before=REFUSE % 2)
    wait_until_loaded(page)
    play_button(page).click()
    asked = "The browser has not started the videos. Please press Play both once more."
    said = page.get_by_role("alert").filter(has_text=asked)
    expect(said).to_be_visible()
    expect(play_button(page)).to_be_focused()
    expect(page.get_by_role("button", name="do not play")).to_have_count(0)
    watch_both(page)
    expect(said).to_have_count(0)
    answer(page)
    save(page)
    expect_end(page)
    for clip in (playback(walk)["left"], playback(walk)["right"]):
        assert (clip["watched"], clip["failed"], clip["errors"]) == (True, False, ["play not allowed"])


@pytest.mark.exhaustive
def test_where_the_browser_refuses_every_start_there_is_a_way_on(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(), message())
    page = visit(walk, before=REFUSE % 1000)
    wait_until_loaded(page)
    play_button(page).click()
    expect(page.get_by_role("alert")).to_be_visible()
    play_button(page).click()
    page.get_by_role("button", name="These videos do not play").click()
    expect_end(page)
    assert walk.posts[0]["unplayable"] == "1"
    assert playback(walk)["left"]["errors"] == ["play not allowed"] * 2


def test_saving_while_the_questions_are_closed_leads_to_the_videos(
    rig: Rig, visit: Visit, exhaustive: bool
) -> None:
    walk = rig.walk(trial(), message())
    for size in ((640, 360), (1280, 800)) if exhaustive else ((640, 360),):
        page = visit(walk, viewport={"width": size[0], "height": size[1]})
        wait_until_loaded(page)
        save(page)
        expect(page.get_by_role("alert")).to_have_text(
            "Watch both videos first. The questions open at their end."
        )
        expect(page.get_by_text("Please answer this question.")).to_have_count(0)
        expect(play_button(page)).to_be_focused()
        expect(play_button(page)).to_have_accessible_description(
            "The questions open when you have watched both videos to the end."
        )
        for part in (*page.locator("video").all(), play_button(page)):
            expect(part).to_be_in_viewport(ratio=0.99)
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_have_count(0)
    assert walk.posts == []


def test_errors_of_a_form_sent_before_the_script_came_are_not_said_of_closed_questions(
    rig: Rig, visit: Visit
) -> None:
    asked = replace(CHOICE, error="Please answer this question.")
    page = visit(rig.walk(replace(trial(questions=(asked,)), error="Please check the marked questions.")))
    expect(page.get_by_text("The questions open when")).to_be_visible()
    expect(page.get_by_text("Please").filter(visible=True)).to_have_count(0)


def test_playing_needs_no_network_and_each_clip_is_fetched_once(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(), message())
    page = visit(walk)
    wait_until_loaded(page)
    page.context.set_offline(True)
    watch_both(page)
    assert walk.clip_requests == {"c1": 1, "c2": 1}


def test_the_next_pair_is_fetched_while_this_one_is_watched(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(1, watch="free", following=("c3", "c4")), trial(2, left="c3", right="c4"))
    page = visit(walk)
    with page.expect_request_finished(lambda request: request.url.endswith("c4")):
        wait_until_loaded(page)
    answer(page)
    save(page)
    expect(page.get_by_role("heading", name="Pair 2 of 10")).to_be_visible()
    wait_until_loaded(page)
    assert walk.clip_requests == {"c1": 1, "c2": 1, "c3": 1, "c4": 1}


def test_a_clip_that_will_not_load_offers_a_retry_and_then_a_way_on(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(), message())
    walk.broken["c2"] = "missing"
    page = visit(walk)
    give_up = page.get_by_role("button", name="This video does not play")
    expect(
        page.get_by_role("alert").filter(
            has_text="The problem is on the server, not yours and not your device's"
        )
    ).to_have_count(1)
    expect(give_up).to_have_count(0)

    page.get_by_role("button", name="Try again").click()
    expect(give_up).to_have_count(1)
    give_up.click()
    expect_end(page)
    assert walk.posts[0]["unplayable"] == "1"
    assert "choice" not in walk.posts[0]
    recorded = playback(walk)
    assert (recorded["left"]["failed"], recorded["right"]["failed"]) == (False, True)
    assert recorded["right"]["errors"] == ["http 404", "http 404"]


@pytest.mark.exhaustive
def test_a_passing_fault_of_the_server_is_got_round_unseen(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(), message())
    walk.broken["c2"] = "busy once"
    page = visit(walk)
    wait_until_loaded(page)
    assert walk.clip_requests == {"c1": 1, "c2": 2}
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.exhaustive
def test_a_clip_that_arrives_at_the_second_try_plays(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(), message())
    walk.broken["c1"] = "missing"
    page = visit(walk)
    retry = page.get_by_role("button", name="Try again")
    expect(retry).to_be_visible()
    del walk.broken["c1"]
    retry.click()
    watch_both(page)
    answer(page)
    save(page)
    expect_end(page)
    assert playback(walk)["left"]["failed"] is False
    assert playback(walk)["left"]["errors"] == ["http 404"]


@pytest.mark.exhaustive
def test_a_file_that_is_no_video_is_refused_in_plain_words(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(), message())
    walk.broken["c1"] = "garbage"
    page = visit(walk)
    expect(
        page.get_by_role("alert").filter(has_text="This video cannot be shown here. It is not your fault")
    ).to_have_count(1)
    assert walk.clip_requests["c1"] > 1  # played from memory, then from its address


HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_hidden_time_is_recorded_and_pauses_both(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(watch="free"), message())
    page = visit(walk, with_clock=True)
    wait_until_loaded(page)
    play_button(page).click()
    wait_until(page, "document.querySelector('video').currentTime > 0.2")
    page.evaluate(HIDE, True)
    expect(play_button(page)).to_be_visible()
    assert page.evaluate(BOTH_PAUSED)
    page.clock.fast_forward(AWAY_MS)
    page.evaluate(HIDE, False)
    answer(page)
    save(page)
    expect_end(page)
    assert AWAY_MS <= playback(walk)["hidden_ms"] <= int(walk.posts[0]["rt_ms"]) < 2 * AWAY_MS


@pytest.mark.exhaustive
def test_time_hidden_before_the_first_frame_is_no_part_of_the_trial(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(watch="free"), message())
    page = visit(walk, with_clock=True)
    wait_until_loaded(page)
    page.evaluate(HIDE, True)
    page.clock.fast_forward(AWAY_MS)
    page.evaluate(HIDE, False)
    play_button(page).click()
    wait_until(page, "document.querySelector('video').currentTime > 0.2")
    page.evaluate(HIDE, True)
    page.clock.fast_forward(10_000)
    page.evaluate(HIDE, False)
    answer(page)
    save(page)
    expect_end(page)
    rt_ms, told = int(walk.posts[0]["rt_ms"]), playback(walk)
    assert 10_000 <= told["hidden_ms"] < rt_ms < AWAY_MS
    assert told["layout"] == "side-by-side"


def test_a_clock_set_back_changes_no_time(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(watch="free"), message())
    page = visit(walk)
    wait_until_loaded(page)
    play_button(page).click()
    wait_until(page, "document.querySelector('video').currentTime > 0.5")
    back = "Object.defineProperty(performance, 'timeOrigin', { get: () => 1e12 }); Date.now = () => 1e12"
    page.add_init_script(back)
    page.evaluate(back)
    page.reload()
    wait_until_loaded(page)
    answer(page)
    save(page)
    expect_end(page)
    assert int(walk.posts[0]["rt_ms"]) >= 400


def test_stacked_clips_are_described_as_stacked(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(watch="free"), message())
    page = visit(walk)
    page.set_viewport_size({"width": 360, "height": 800})
    wait_until_loaded(page)
    tops = "[...document.querySelectorAll('video')].map((video) => video.getBoundingClientRect().top)"
    left, right = page.evaluate(tops)
    assert left < right
    answer(page, choice="Top video")
    save(page)
    expect_end(page)
    assert playback(walk)["layout"] == "stacked"


def test_a_rate_that_something_sets_is_put_back_and_said(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(), message())
    page = visit(walk)
    wait_until_loaded(page)
    play_button(page).click()
    wait_until(page, "document.querySelector('video').currentTime > 0.1")
    page.evaluate("for (const video of document.querySelectorAll('video')) video.playbackRate = 8")
    wait_until(page, "[...document.querySelectorAll('video')].every((video) => video.playbackRate === 1)")
    expect(page.get_by_role("alert").filter(has_text="changed the speed of a video")).to_be_visible()
    expect(page.get_by_text("Watched", exact=True)).to_have_count(2)
    answer(page)
    save(page)
    expect_end(page)
    report = read_pair(walk.posts[0]["playback"], Member.A, {Member.A: LEFT_S, Member.B: RIGHT_S})
    assert {"fast-left", "fast-right"} <= set(report.flags)
    assert not any(row["watched"] for row in report.rows.values())


@pytest.mark.exhaustive
def test_a_device_that_cannot_keep_the_clips_in_step_is_called_slow(rig: Rig, visit: Visit) -> None:
    """With its processor throttled six times, a clip that falls behind again and again, and one that comes late."""
    walk = rig.walk(trial(), message())
    walk.broken["c1"] = "missing"
    page = visit(walk)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 6})
    again = page.get_by_role("button", name="Try again")
    expect(page.get_by_role("alert").filter(has_text="The problem is on the server")).to_be_visible()
    del walk.broken["c1"]
    again.click()
    wait_until_loaded(page)
    play_button(page).click()
    page.evaluate(
        "window.behind = setInterval(() => (document.querySelectorAll('video')[1].currentTime -= 0.4), 500)"
    )
    slow = page.get_by_role("alert").filter(has_text="This device is too slow")
    expect(slow).to_be_visible()
    below = """(line) => [...document.querySelectorAll("video")].every(
        (video) => video.getBoundingClientRect().bottom <= line.getBoundingClientRect().top)"""
    assert slow.evaluate(below), "it covers clips that play on"
    page.evaluate("clearInterval(window.behind)")
    expect(page.get_by_text("Watched", exact=True)).to_have_count(2)
    answer(page)
    save(page)
    expect_end(page)
    report = read_pair(walk.posts[0]["playback"], Member.A, {Member.A: LEFT_S, Member.B: RIGHT_S})
    assert "out-of-step" in report.flags
    assert report.rows[Slot.A]["errors"] == ["http 404"]
