"""Clips one after the other, then the last picture of both: who sees them so, and what is sent."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from app.core.database import Database
from app.reports.export import rows_of
from app.studies.versions import set_state
from app.tasks.pair.design import Member
from app.tasks.pair.task import read_pair
from app.trials.design import Layout, Slot
from app.trials.tables import State
from tests.clock import Clock
from tests.factories import load_file, study_file
from tests.sessions.walks import WATCHING_S

from .conftest import Visit
from .pages import message, trial
from .rig import LEFT_S, RIGHT_S, Rig, Walk
from .steps import (
    AXE_CONTEXT,
    NARROW,
    Check,
    answer,
    expect_end,
    fits,
    play_button,
    playback,
    rationale,
    save,
    set_rate,
    wait_until,
    wait_until_loaded,
)

pytestmark = pytest.mark.browser

WIDE: ViewportSize = {"width": 1280, "height": 800}
DRAWN = {"match": "goal", "seed": 7, "conditions": {"human-hybrid": 1}}
AT_REST = "document.querySelector('[data-trial]').dataset.inTurn === 'stills'"


def shown(page: Page) -> list[str]:
    """The sides whose clip is in sight."""
    return [side for side in ("left", "right") if page.locator(f"[data-clip={side}] video").is_visible()]


def watch_in_turn(page: Page) -> None:
    for name in ("Play first video", "Play second video"):
        expect(page.get_by_role("button", name=name)).to_have_attribute("aria-disabled", "false")
        set_rate(page, 8)
        page.get_by_role("button", name=name).click()
        wait_until(page, f"{AT_REST} || document.querySelector('[data-trial]').dataset.inTurn === 'right'")
        if name == "Play second video":
            wait_until(page, AT_REST)


def judged(walk: Walk) -> tuple[Layout | None, tuple[str, ...]]:
    """The layout and the flags as the server reads what was sent."""
    lasts_s = {Member.A: LEFT_S, Member.B: RIGHT_S}
    report = read_pair(walk.posts[-1]["playback"], Member.A, lasts_s, may_be_sequential=True)
    return report.layout, report.flags


@pytest.mark.parametrize(
    "viewport", [WIDE, pytest.param(NARROW, marks=pytest.mark.exhaustive)], ids=["1280", "390"]
)
def test_one_clip_then_the_other_then_both_at_rest_with_the_questions(
    viewport: dict[str, int], rig: Rig, visit: Visit
) -> None:
    walk = rig.walk(trial(layout="sequential"), message())
    page = visit(walk, viewport=viewport)
    wait_until_loaded(page)
    assert shown(page) == ["left"]
    expect(page.get_by_role("status").filter(has_text="The first of two videos")).to_be_visible()
    expect(rationale(page)).to_be_disabled()
    clip = page.locator("[data-clip=left] video").bounding_box()
    play = page.locator("[data-play]").bounding_box()
    assert clip is not None
    assert play is not None
    assert clip["width"] > (0.6 if viewport is WIDE else 0.9) * viewport["width"]
    assert play["y"] + play["height"] <= viewport["height"]

    page.get_by_role("button", name="Play first video").click()
    wait_until(page, "document.querySelector('[data-clip=left] video').currentTime > 0.3")
    assert page.evaluate("document.querySelector('[data-clip=right] video').paused")
    set_rate(page, 8)
    second = page.get_by_role("button", name="Play second video")
    expect(second).to_be_focused()
    assert shown(page) == ["right"]
    expect(rationale(page)).to_be_disabled()
    set_rate(page, 8)
    second.click()
    expect(rationale(page)).to_be_enabled()
    assert shown(page) == ["left", "right"]
    boxes = [page.locator(f"[data-clip={side}] video").bounding_box() for side in ("left", "right")]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    assert fits(page)
    for side, seconds in (("left", LEFT_S), ("right", RIGHT_S)):
        at = page.evaluate(f"document.querySelector('[data-clip={side}] video').currentTime")
        assert at == pytest.approx(seconds, abs=0.15)
    answer(page, choice="Second video")
    save(page)
    expect_end(page)
    told = playback(walk)
    assert (walk.posts[-1]["choice"], told["layout"], told["drift_ms_max"]) == ("right", "sequential", None)
    assert [told[side]["plays"] for side in ("left", "right")] == [1, 1]
    layout, flags = judged(walk)
    assert layout is Layout.SEQUENTIAL
    assert not [word for word in flags if word.startswith(("not-watched", "out-of-step"))]


def test_either_is_played_again_by_keyboard_and_the_way_back_leads_to_both(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(layout="sequential"), message())
    page = visit(walk, viewport=NARROW)
    wait_until_loaded(page)
    keys = page.keyboard
    set_rate(page, 8)
    keys.press("Space")
    expect(page.get_by_role("button", name="Play second video")).to_be_visible()
    set_rate(page, 8)
    keys.press("k")
    wait_until(page, AT_REST)
    expect(rationale(page)).to_be_enabled()
    set_rate(page, 1 / 16)
    page.get_by_role("button", name="Replay second video").focus()
    keys.press("Enter")
    wait_until(page, "document.querySelector('[data-clip=right] video').currentTime > 0")
    assert shown(page) == ["right"]
    keys.press("Space")
    expect(page.get_by_role("button", name="Play second video")).to_be_visible()
    page.get_by_role("button", name="Back to both pictures").focus()
    keys.press("Enter")
    assert shown(page) == ["left", "right"]
    expect(page.get_by_role("button", name="Replay first video")).to_be_focused()
    set_rate(page, 8)
    keys.press("r")
    wait_until(page, "document.querySelector('[data-trial]').dataset.inTurn === 'right'")
    wait_until(page, AT_REST)
    keys.press("ArrowLeft")
    expect(page.get_by_role("radio", name="First video")).to_be_checked()
    keys.press("2")
    expect(page.get_by_role("radio", name="Second video")).to_be_checked()
    rationale(page).fill("It looks round.")
    page.get_by_text("somewhat certain").click()
    save(page)
    expect_end(page)
    told = playback(walk)
    assert [told[side]["plays"] for side in ("left", "right")] == [2, 3]


@pytest.mark.exhaustive
def test_a_trial_goes_on_with_the_second_clip_after_a_reload(rig: Rig, visit: Visit) -> None:
    page = visit(rig.walk(trial(layout="sequential"), message()))
    wait_until_loaded(page)
    set_rate(page, 8)
    page.get_by_role("button", name="Play first video").click()
    expect(page.get_by_role("button", name="Play second video")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Play second video")).to_have_attribute("aria-disabled", "false")
    set_rate(page, 8)
    page.get_by_role("button", name="Play second video").click()
    expect(rationale(page)).to_be_enabled()
    page.reload()
    expect(rationale(page)).to_be_enabled()
    assert shown(page) == ["left", "right"]
    wait_until(page, "[...document.querySelectorAll('video')].every((video) => video.currentTime > 3.5)")


def test_by_width_a_narrow_window_shows_them_in_turn_and_a_wide_one_at_once(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(layout="by-width", watch="free"), trial(2, layout="by-width"), message())
    page = visit(walk)
    wait_until_loaded(page)
    assert shown(page) == ["left", "right"]
    expect(play_button(page)).to_be_visible()
    expect(page.get_by_role("radio", name="Left video")).to_be_visible()
    expect(page.locator("[data-turn]")).to_be_hidden()
    answer(page)
    page.set_viewport_size({"width": 390, "height": 844})
    save(page)
    expect(page.get_by_role("heading", name="Pair 2")).to_be_visible()
    assert playback(walk)["layout"] == "stacked"
    wait_until_loaded(page)
    assert shown(page) == ["left"]
    page.set_viewport_size(WIDE)
    page.reload()
    wait_until_loaded(page)
    assert shown(page) == ["left"]  # a trial keeps its layout
    watch_in_turn(page)
    answer(page, choice="First video")
    save(page)
    expect_end(page)
    assert playback(walk)["layout"] == "sequential"


def test_free_watching_leads_on_at_any_time(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(layout="sequential", watch="free"), message())
    page = visit(walk)
    wait_until_loaded(page)
    expect(rationale(page)).to_be_enabled()
    page.get_by_role("button", name="Go to the second video").click()
    assert shown(page) == ["right"]
    page.get_by_role("button", name="Back to both pictures").click()
    assert shown(page) == ["left", "right"]
    answer(page, choice="First video")
    save(page)
    expect_end(page)
    layout, flags = judged(walk)
    assert (layout, sorted(flags)) == (Layout.SEQUENTIAL, ["not-watched-left", "not-watched-right"])


def test_a_clip_that_does_not_play_has_a_way_on_at_its_turn(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(layout="sequential", right="c3"), message())
    walk.broken["c3"] = "missing"
    page = visit(walk)
    wait_until_loaded(page)
    set_rate(page, 8)
    page.get_by_role("button", name="Play first video").click()
    again = page.get_by_role("button", name="Try again")
    expect(again).to_be_visible()
    save(page)
    expect(page.get_by_role("alert").filter(has_text="Watch both videos first")).to_be_visible()
    expect(again).to_be_focused()
    again.click()
    page.get_by_role("button", name="This video does not play").click()
    expect_end(page)
    assert (walk.posts[0]["unplayable"], playback(walk)["right"]["failed"]) == ("1", True)


def test_without_scripts_both_are_there_one_above_the_other(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(layout="sequential"), message())
    page = visit(walk, java_script_enabled=False, viewport=NARROW)
    boxes = [page.locator(f"[data-clip={side}] video").bounding_box() for side in ("left", "right")]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    page.get_by_text("Second video", exact=True).last.click()
    rationale(page).fill("It turns in steps.")
    page.get_by_label("neutral").check()
    save(page)
    expect_end(page)
    assert (walk.posts[0]["choice"], walk.posts[0]["playback"]) == ("right", "")


def test_no_turn_of_a_trial_breaks_an_axe_rule_or_scrolls_sideways(
    rig: Rig, visit: Visit, check: Check
) -> None:
    page = visit(rig.walk(trial(layout="sequential"), message()), **AXE_CONTEXT)
    wait_until_loaded(page)
    check(page)
    watch_in_turn(page)
    check(page)


@pytest.mark.exhaustive
def test_evidence_of_each_is_of_its_member(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(trial(layout="sequential"), message())
    page = visit(walk)
    watch_in_turn(page)
    answer(page, choice="First video")
    save(page)
    expect_end(page)
    lasts_s = {Member.A: RIGHT_S, Member.B: LEFT_S}
    rows = read_pair(walk.posts[0]["playback"], Member.B, lasts_s, may_be_sequential=True).rows
    assert {slot: (row["watched"], row["plays"], row["drift_ms_max"]) for slot, row in rows.items()} == {
        Slot.A: (True, 1, None),
        Slot.B: (True, 1, None),
    }


def test_by_width_a_telephone_gets_turns_from_the_real_service_and_its_answers_count(
    browser: Browser, service: tuple[str, Database], tmp_path: Path
) -> None:
    address, database = service
    given = study_file()["trials"]
    assert isinstance(given, dict)
    with database.transaction() as session:
        loaded = load_file(
            session,
            tmp_path,
            study="turns",
            background=None,
            sample=DRAWN,
            trials=given | {"layout": "by-width"},
        )
        set_state(session, loaded.slug, State.LIVE)
    context = browser.new_context(base_url=address, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto("/s/turns")
    page.get_by_role("radio", name="Yes").check()
    page.get_by_role("button", name="I agree to take part").click()
    page.get_by_role("button", name="Continue").click()
    wait_until_loaded(page)
    for name in ("Play first video", "Play second video"):
        page.get_by_role("button", name=name).click()
    expect(rationale(page)).to_be_enabled()
    answer(page, choice="Second video")
    Clock.wait(WATCHING_S)  # the service's clock stands still by itself
    save(page)
    expect(page.get_by_text("DONE42")).to_be_visible()
    context.close()
    with database.reading() as session:
        rows = list(rows_of(session, "turns", "responses"))
    assert [(row["layout"], row["watched_a"], row["watched_b"], row["excluded"]) for row in rows] == [
        ("sequential", True, True, None)
    ]
    unlike = {
        "not-watched",
        "not-fetched",
        "too-fast",
        "short-interval",
        "out-of-step",
        "no-telemetry",
        "rt-odd",
    }
    assert not [row["flags"] for row in rows if unlike & set((row["flags"] or "").split(";"))]
    assert all(row["left"] != row["choice"] for row in rows)
