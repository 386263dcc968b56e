"""The page on which one stimulus is rated, in a real browser."""

import json
from typing import Any

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from app.library.records import Record, Table
from app.tasks.rating.evidence import read_reading
from app.tasks.rating.views import RatingPage
from app.trials.design import Slot
from app.trials.evidence import read_playback, read_rt_ms

from .conftest import Visit
from .pages import message
from .rating_pages import auction, essay, rating, rubric
from .rig import Rig, Walk
from .steps import AXE_CONTEXT, NARROW, Check, expect_end, save, set_rate, wait_until, wait_until_loaded

pytestmark = pytest.mark.browser

LOGIC = "Reasons from what happened"
WHY = "What in the record made you decide so?"
KEPT = "JSON.parse(Object.values({...localStorage})[0] ?? '{}').reading"
UNREAD = f"({KEPT}?.parts ?? [0]).filter((ms) => ms === 0).length"
OVER = "document.querySelector('[data-state]').textContent === 'Watched'"
HIGH_TEXTS = """[...document.querySelectorAll("body *")]
    .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height > 10)
    .map((each) => each.textContent.trim())"""
# Every 300 pixels, for as long as it takes until that much more has been seen.
STEP = 300


def shown(rig: Rig, visit: Visit, page: RatingPage, **options: Any) -> tuple[Walk, Page]:
    walk = rig.walk(page, message())
    return walk, visit(walk, **options)


def scale(page: Page, ask: str = LOGIC) -> Locator:
    return page.get_by_role("radiogroup", name=ask)


def level(page: Page, at: int, ask: str = LOGIC) -> Locator:
    return scale(page, ask).get_by_role("radio").nth(at - 1)


def reason(page: Page) -> Locator:
    return page.get_by_label(WHY)


def rate(page: Page, at: int = 4, why: str = "The third day follows from the second.") -> None:
    level(page, at).check()
    reason(page).fill(why)


def reading(walk: Walk) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(walk.posts[-1]["reading"])
    return told


def read_all(page: Page) -> None:
    """Scroll down by steps until the script has seen every part."""
    for at in range(0, int(page.evaluate("document.body.scrollHeight")) + STEP, STEP):
        before = page.evaluate(f"{KEPT}?.read_ms ?? 0")
        page.evaluate(f"scrollTo(0, {at})")
        wait_until(page, f"{KEPT}?.read_ms > {before} + 500")
    wait_until(page, f"{UNREAD} === 0")


def box(target: Locator) -> FloatRect:
    found = target.bounding_box()
    assert found
    return found


def test_a_record_is_rated_and_what_was_asked_for_is_posted(rig: Rig, visit: Visit) -> None:
    walk, page = shown(rig, visit, rating(7))
    expect(page.get_by_role("heading", name="Record 7 of 12")).to_be_visible()
    expect(page.get_by_text("0 of 2 answered")).to_be_visible()
    rate(page)
    expect(page.get_by_text("2 of 2 answered")).to_be_visible()
    save(page)
    expect_end(page)
    post = walk.posts[0]
    assert set(post) == {"submit_id", "logic", "reason", "rt_ms", "reading", "typed"}
    assert (post["logic"], post["reason"]) == ("4", "The third day follows from the second.")
    assert page.evaluate("Object.keys(localStorage)") == []


def test_evidence_tells_what_was_in_view_and_what_was_not(rig: Rig, visit: Visit) -> None:
    walk, page = shown(rig, visit, rating(record=auction(5)))
    wait_until(page, f"{KEPT}?.parts[0] > 0")
    rate(page)
    save(page)
    expect_end(page)
    found = read_reading(walk.posts[0], 6)
    assert "not-read" in found.words
    assert found.reading
    assert found.reading.parts_ms[0] > 0
    assert found.reading.parts_ms[-1] == 0
    assert found.reading.depth < 1
    assert (found.reading.page_loads, found.reading.layout) == (1, "side-by-side")


@pytest.mark.exhaustive
def test_scrolling_through_a_record_brings_all_of_it_into_view(rig: Rig, visit: Visit) -> None:
    walk, page = shown(rig, visit, rating(record=auction(5)))
    read_all(page)
    rate(page)
    save(page)
    expect_end(page)
    found = read_reading(walk.posts[0], 6)
    assert found.words == ()
    assert found.reading
    assert found.reading.is_complete
    assert max(found.reading.parts_ms) <= found.reading.read_ms <= (found.rt_ms or 0)


@pytest.mark.exhaustive
def test_evidence_of_a_text_counts_its_paragraphs(rig: Rig, visit: Visit) -> None:
    walk, page = shown(rig, visit, rating(text=essay(20), heading="What somebody wrote"), viewport=NARROW)
    expect(page.get_by_role("heading", name="Text 1 of 12")).to_be_visible()
    expect(page.get_by_role("heading", name="What somebody wrote")).to_be_visible()
    read_all(page)
    rate(page)
    save(page)
    expect_end(page)
    assert len(reading(walk)["parts"]) == 22  # a heading, 20 paragraphs, a list
    found = read_reading(walk.posts[0], None)
    assert found.words == ()
    assert found.reading
    assert found.reading.layout == "stacked"


@pytest.mark.exhaustive
def test_time_away_from_the_page_is_no_reading_time(rig: Rig, visit: Visit) -> None:
    hide = """(hidden) => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event('visibilitychange'));
    }"""
    walk, page = shown(rig, visit, rating())
    page.evaluate(hide, True)
    read = page.evaluate(f"{KEPT}.read_ms")
    wait_until(page, f"{KEPT}.hidden_ms > 1500")
    assert page.evaluate(f"{KEPT}.read_ms") == read
    page.evaluate(hide, False)
    rate(page)
    save(page)
    expect_end(page)
    told = reading(walk)
    assert told["hidden_ms"] > 1500
    assert abs(int(walk.posts[0]["rt_ms"]) - told["read_ms"] - told["hidden_ms"]) <= 2


@pytest.mark.exhaustive
def test_a_reload_keeps_what_was_chosen_and_what_was_read(rig: Rig, visit: Visit) -> None:
    walk, page = shown(rig, visit, rating())
    rate(page, 2, "It says so on day 2.")
    wait_until(page, f"{KEPT}?.read_ms > 500")
    page.reload()
    expect(level(page, 2)).to_be_checked()
    expect(reason(page)).to_have_value("It says so on day 2.")
    expect(page.get_by_text("2 of 2 answered")).to_be_visible()
    save(page)
    expect_end(page)
    assert reading(walk)["loads"] == 2
    assert reading(walk)["read_ms"] > 500
    assert walk.posts[0]["logic"] == "2"


@pytest.mark.exhaustive
def test_an_answer_whose_reply_was_lost_is_sent_again_and_stored_once(rig: Rig, visit: Visit) -> None:
    walk, page = shown(rig, visit, rating())
    walk.faults.extend(["unavailable", "lose the reply"])
    rate(page)
    save(page)
    expect_end(page)
    assert len(walk.posts) == 3
    assert walk.posts[0] == walk.posts[1] == walk.posts[2]
    assert len(walk.answers) == 1


def test_by_keyboard_alone(rig: Rig, visit: Visit) -> None:
    walk, page = shown(rig, visit, rating(questions=rubric()))
    keys = page.keyboard
    asks = [group.get_attribute("aria-labelledby") for group in page.get_by_role("radiogroup").all()]
    assert len(asks) == 6
    reached = "document.activeElement.name"
    for _ in range(30):
        if page.evaluate(reached) == "logic":
            break
        keys.press("Tab")
    keys.press("4")
    expect(level(page, 4)).to_be_checked()
    keys.press("7")  # no such level
    keys.press("ArrowRight")
    expect(level(page, 5)).to_be_checked()
    for name, key in (("planning", "1"), ("others", "2"), ("adapts", "3"), ("identity", "4"), ("plain", "5")):
        keys.press("Tab")
        assert page.evaluate(reached) == name
        keys.press(key)
    keys.press("Tab")
    keys.type("On day 4 it bids 1 more.")
    keys.press("Tab")
    keys.press("Enter")
    expect_end(page)
    post = walk.posts[0]
    assert [post[id] for id in ("logic", "planning", "others", "adapts", "identity", "plain")] == list(
        "512345"
    )
    assert post["reason"] == "On day 4 it bids 1 more."


def test_without_scripts_it_is_a_plain_form(rig: Rig, visit: Visit) -> None:
    walk, page = shown(rig, visit, rating(), java_script_enabled=False)
    expect(page.get_by_text("choose a level")).to_be_hidden()
    rate(page, 3)
    save(page)
    expect_end(page)
    post = walk.posts[0]
    assert (post["logic"], post["rt_ms"], post["reading"]) == ("3", "", "")


def test_a_reason_that_is_asked_for_is_missed_at_its_field(rig: Rig, visit: Visit) -> None:
    walk, page = shown(rig, visit, rating())
    level(page, 1).check()
    save(page)
    expect(page.get_by_text("Please answer this question.")).to_have_count(1)
    expect(reason(page)).to_be_focused()
    expect(reason(page)).to_have_accessible_description("Please answer this question.")
    assert walk.posts == []
    reason(page).fill("Because.")
    walk.faults.append({"reason": "Please write a full sentence."})
    save(page)
    expect(page.get_by_text("Please write a full sentence.")).to_be_visible()
    expect(level(page, 1)).to_be_checked()
    reason(page).fill("Because it says so.")
    save(page)
    expect_end(page)


def test_every_anchor_is_read_without_hovering(rig: Rig, visit: Visit) -> None:
    _, page = shown(rig, visit, rating(questions=rubric()))
    anchors = {option.anchor for question in rubric() for option in question.options if option.anchor}
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert anchors <= set(page.evaluate(HIGH_TEXTS))
    expect(level(page, 4)).to_have_accessible_name("4 Mostly nearly every day")


def test_the_questions_stay_in_view_beside_the_record(rig: Rig, visit: Visit) -> None:
    _, page = shown(rig, visit, rating(questions=rubric()))
    for width in (1280, 900):
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate("scrollTo(0, 1200)")
        record, form = box(page.locator(".stimulus")), box(page.locator(".rubric"))
        assert record["x"] + record["width"] <= form["x"]
        assert record["y"] < 0 <= form["y"]
        assert form["y"] + form["height"] <= 800
        button = box(page.get_by_role("button", name="Save and continue"))
        assert button["y"] + button["height"] <= 800


def test_a_table_wider_than_its_place_is_scrolled_by_keys_and_no_other_is_a_stop(
    rig: Rig, visit: Visit, check: Check
) -> None:
    many = Table(columns=tuple(f"Measure {n}" for n in range(14)), rows=(tuple(range(14)),))
    few = Table(columns=("Player", "Bid"), rows=(("Alex", 1),))
    _, page = shown(rig, visit, rating(record=Record(title="Two tables", parts=(many, few))), **AXE_CONTEXT)
    tables = page.locator(".sheet")
    expect(tables.nth(0)).to_have_attribute("tabindex", "0")
    assert tables.nth(1).get_attribute("tabindex") is None
    tables.nth(0).focus()
    page.keyboard.press("ArrowRight")
    wait_until(page, "document.querySelector('.sheet').scrollLeft > 0")
    check(page)  # at last on a telephone, where a row takes several lines
    expect(tables.nth(0)).not_to_have_attribute("tabindex", "0")


def test_on_a_telephone_the_questions_come_below_and_links_lead_to_both(rig: Rig, visit: Visit) -> None:
    _, page = shown(rig, visit, rating(questions=rubric()), viewport=NARROW)
    record, form = box(page.locator(".stimulus")), box(page.locator(".rubric"))
    assert record["y"] + record["height"] <= form["y"]
    page.get_by_role("link", name="Go to the questions").click()
    wait_until(page, "Math.abs(document.querySelector('.rubric').getBoundingClientRect().top) < 100")
    page.get_by_role("link", name="Back to the record").click()
    wait_until(page, "Math.abs(document.querySelector('.stimulus').getBoundingClientRect().top) < 100")
    ways = page.get_by_role("navigation", name="On this page").get_by_role("link")
    for place in (".round:last-of-type", ".criterion:last-of-type"):
        page.locator(place).last.evaluate("each => each.scrollIntoView({ block: 'end' })")
        for way in ways.all():
            expect(way).to_be_in_viewport(ratio=1)
            assert box(way)["height"] >= 44
    for label in page.locator(".level").all():
        assert box(label)["height"] >= 44


def play(page: Page) -> Locator:
    return page.get_by_role("button", name="Play", exact=True)


def watch(page: Page) -> None:
    """As a participant does: where the browser stops the clip before its end, they press again."""
    for _ in range(5):
        wait_until_loaded(page)
        play(page).click()
        wait_until(page, f"{OVER} || !document.querySelector('[data-play]').classList.contains('playing')")
        if page.evaluate(OVER):
            return
    raise AssertionError(page.locator("[data-state]").inner_text())


def test_a_clip_is_watched_to_its_end_and_then_rated(rig: Rig, visit: Visit) -> None:
    walk, page = shown(rig, visit, rating(clip="c3", to_end=True, heading="Somebody walks"))
    expect(page.get_by_role("heading", name="Video 1 of 12")).to_be_visible()
    expect(page.get_by_role("heading", name="Somebody walks")).to_be_visible()
    wait_until_loaded(page)
    expect(level(page, 3)).to_be_disabled()
    save(page)
    expect(page.get_by_text("Watch the video first. The questions open at its end.")).to_be_visible()
    expect(play(page)).to_be_focused()
    watch(page)
    expect(page.get_by_text("You have watched the video.")).to_be_visible()
    rate(page, 3)
    expect(page.get_by_text("2 of 2 answered")).to_be_visible()
    page.reload()
    expect(level(page, 3)).to_be_checked()
    expect(page.get_by_text("2 of 2 answered")).to_be_visible()
    expect(page.get_by_text("You have watched the video.")).to_be_visible()
    save(page)
    expect_end(page)
    post = walk.posts[0]
    assert set(post) == {"submit_id", "logic", "reason", "rt_ms", "playback"}
    found = read_playback(post["playback"], {Slot.ITEM: (Slot.ITEM, 1.0)})
    assert (found.flags, found.odd, found.layout) == ((), None, None)
    [row] = found.rows.values()
    assert (row["watched"], row["page_loads"]) == (True, 2)
    assert read_rt_ms(post["rt_ms"], found)[1] == ()
    assert walk.clip_requests == {"c3": 1}  # kept over the reload


@pytest.mark.exhaustive
def test_a_clip_by_keyboard_alone(rig: Rig, visit: Visit) -> None:
    walk, page = shown(rig, visit, rating(clip="c1"))
    wait_until_loaded(page)
    set_rate(page, 1 / 16)  # or the clip is over before the next key is pressed
    keys = page.keyboard
    keys.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    keys.press("k")
    expect(play(page)).to_be_visible()
    keys.press("3")  # no scale has the focus
    expect(page.get_by_text("0 of 2 answered")).to_be_visible()
    level(page, 1).focus()
    keys.press("4")
    expect(level(page, 4)).to_be_checked()
    keys.press("ArrowLeft")
    expect(level(page, 3)).to_be_checked()
    keys.press("Tab")
    keys.type("r k 1 2")
    save(page)
    expect_end(page)
    post = walk.posts[0]
    assert (post["logic"], post["reason"]) == ("3", "r k 1 2")
    assert "not-watched-item" in read_playback(post["playback"], {Slot.ITEM: (Slot.ITEM, 4.0)}).flags


@pytest.mark.exhaustive
def test_a_clip_that_does_not_play_has_a_way_on(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(rating(clip="c3", to_end=True), message())
    walk.broken["c3"] = "missing"
    page = visit(walk)
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("button", name="This video does not play").click()
    expect_end(page)
    post = walk.posts[0]
    assert post["unplayable"] == "1"
    assert "failed-item" in read_playback(post["playback"], {Slot.ITEM: (Slot.ITEM, 1.0)}).flags


def test_a_clip_without_scripts(rig: Rig, visit: Visit) -> None:
    walk = rig.walk(rating(clip="c3", to_end=True), rating(2, clip="c4"), message())
    page = visit(walk, java_script_enabled=False)
    expect(page.locator("noscript .gate")).to_have_text(
        "Please watch the video to the end before you answer."
    )
    expect(page.locator("video[controls]")).to_have_count(1)
    rate(page, 2)
    save(page)
    page.get_by_role("button", name="The video does not play").click()
    expect_end(page)
    assert (walk.posts[0]["logic"], walk.posts[0]["playback"]) == ("2", "")
    assert walk.posts[1]["unplayable"] == "1"


def test_no_state_of_the_page_breaks_an_axe_rule_wide_or_narrow_light_or_dark(
    rig: Rig, visit: Visit, check: Check
) -> None:
    walk = rig.walk(rating(questions=rubric()), rating(2, text=essay(), practice=True), rating(3, clip="c3"))
    page = visit(walk, **AXE_CONTEXT)
    for numbers in page.get_by_text("The numbers").all():
        numbers.click()
    check(page)
    save(page)
    expect(page.get_by_text("Please answer this question.")).to_have_count(7)
    check(page)
    for position in (1, 2):
        walk.position = position
        page.goto(walk.action)
        check(page)
