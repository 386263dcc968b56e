"""A person walks to the goal by real keys in Chromium, through the real service, which has every step once."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from sqlmodel import col, select

from app.core.database import Database
from app.core.settings import Settings
from app.tasks.walk.tables import Walk, WalkSteps
from app.trials.responses import Response
from stimuli import steps
from tests.browser.conftest import WAIT_MS, fresh_sqlite
from tests.browser.served import served
from tests.browser.steps import axe_faults
from tests.browser.walker import NO_LOCK, Keyboard
from tests.tasks.walk.walking import SLUG, load_walks

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def walks(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Iterator[tuple[str, Database]]:
    """The service with a study of one walk for each participant."""
    folder = tmp_path_factory.mktemp("walks")
    url = fresh_sqlite(migrated_sqlite, folder)
    settings = Settings(LIKELY_HUMAN_DATA=folder, DATABASE_URL=str(url), LIKELY_HUMAN_SECRET="test")  # type: ignore[call-arg]
    database = Database(url, checkpointing=True)
    with database.transaction() as session:
        load_walks(session, folder, walks=1, goals=6)
    with served(settings, database) as address:
        yield address, database


@pytest.fixture
def opened(browser: Browser, walks: tuple[str, Database]) -> Iterator[Open]:
    """The page of a walk, in a browser of its own. Nothing may go wrong in it, and no other host may be asked."""
    contexts: list[BrowserContext] = []
    foreign: list[str] = []
    faults: list[str] = []

    def open_page(*, runs: bool = False, **options: object) -> Page:
        context = browser.new_context(base_url=walks[0], **options)  # type: ignore[arg-type]
        contexts.append(context)
        context.set_default_timeout(WAIT_MS)
        context.add_init_script(NO_LOCK)
        context.on("request", lambda request: foreign.append(request.url))
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        if not runs:
            page.clock.install()
        page.goto(f"/s/{SLUG}")
        page.get_by_role("button", name="agree").first.click()
        expect(page.get_by_role("heading", name="Walk 1 of 1")).to_be_visible()
        if not runs:
            page.clock.pause_at(page.evaluate("Date.now()") + 1000)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [url for url in foreign if not url.startswith((walks[0], "blob:"))] == []
    assert faults == []


def stored(database: Database) -> tuple[Walk, list[list[int]]]:
    """The last walk and all its steps."""
    with database.reading() as session:
        walk = session.exec(select(Walk).order_by(col(Walk.id).desc())).first()
        assert walk is not None
        rows = session.exec(
            select(WalkSteps).where(WalkSteps.walk_id == walk.id).order_by(col(WalkSteps.from_tick))
        )
        return walk, [list(step) for row in rows for step in row.steps]


def test_who_walks_by_keys_arrives_over_a_reload_and_a_lost_line(
    opened: Open, walks: tuple[str, Database]
) -> None:
    page = opened()
    expect(page.get_by_text("the mouse or")).to_be_visible()
    expect(page.get_by_text("Drag on the left half")).to_be_hidden()
    walker = Keyboard(page)
    walker.start()
    walker.go(8)
    page.context.set_offline(True)
    walker.go(8)
    expect(page.locator("[data-line]")).to_be_visible()
    page.context.set_offline(False)
    walker.go(6)
    page.reload()
    walker.start()
    assert page.locator("[data-left]").text_content() != "90 s"
    walker.go()
    expect(page.get_by_text("WALKED")).to_be_visible()
    walk, kept = stored(walks[1])
    assert kept == walker.pressed
    assert (walk.over, walk.input) == ("arrived", "keys")
    assert walk.walker == list(walker.walker)
    assert steps.has_arrived(steps.Walker(*walk.walker), walker.goal)


@pytest.mark.exhaustive
def test_the_mouse_turns_while_a_button_is_held(opened: Open, walks: tuple[str, Database]) -> None:
    page = opened()
    walker = Keyboard(page)
    walker.start()
    box = page.locator("[data-view]").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 200, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 260, box["y"] + 100, steps=3)
    page.mouse.up()
    walker.wait(1500)
    walker.look()
    assert sum(turn for _, turn in walker.pressed) < 0  # to the right
    walker.wait(1500)
    expect(page.locator("[data-line]")).to_be_hidden()


@pytest.mark.exhaustive
def test_fingers_walk_on_the_left_and_turn_on_the_right(opened: Open) -> None:
    page = opened(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    expect(page.get_by_text("Drag on the left half")).to_be_visible()
    expect(page.get_by_text("the mouse or")).to_be_hidden()
    walker = Keyboard(page)
    walker.start()
    box = page.locator("[data-view]").bounding_box()
    assert box is not None
    fingers = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        places = [
            {"x": box["x"] + x * box["width"], "y": box["y"] + y * box["height"], "id": number}
            for number, (x, y) in enumerate(points)
        ]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    touch("touchStart", (0.25, 0.8))
    touch("touchMove", (0.25, 0.3))
    walker.wait(1000)
    touch("touchEnd")
    touch("touchStart", (0.75, 0.5))
    touch("touchMove", (0.85, 0.5))
    touch("touchEnd")
    walker.wait(500)
    walker.look()
    keys = [held for held, _ in walker.pressed]
    assert keys[5:25] == [steps.FORWARD] * 20
    assert keys[-1] == 0
    assert sum(turn for _, turn in walker.pressed) < 0


def test_the_whole_picture_and_its_button_are_on_every_screen(opened: Open, exhaustive: bool) -> None:
    """A telephone crosswise and upright, and a laptop: nobody has to scroll to start, nor past a picture that turns."""
    screens = ((844, 390, True), (390, 844, True), (1280, 720, False))
    for width, height, is_mobile in screens if exhaustive else screens[:1]:
        page = opened(has_touch=is_mobile, is_mobile=is_mobile, viewport={"width": width, "height": height})
        expect(page.locator("[data-start]")).to_be_visible()
        box = page.locator("[data-view]").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height, (width, height)
        assert box["x"] >= 0
        assert box["width"] >= min(340, width - 40), (width, height)


@pytest.mark.exhaustive
def test_who_hides_the_page_walks_on_when_back(opened: Open) -> None:
    page = opened()
    walker = Keyboard(page)
    walker.start()
    page.keyboard.down("w")
    walker.wait(500)
    hide = "is => { Object.defineProperty(document, 'hidden', {configurable: true, get: () => is}); }"
    tell = "document.dispatchEvent(new Event('visibilitychange'))"
    page.evaluate(hide, True)
    page.evaluate(tell)
    walker.look()
    before = len(walker.pressed)
    walker.wait(3000)
    page.evaluate(hide, False)
    page.evaluate(tell)
    button = page.get_by_role("button", name="Go on")
    expect(button).to_be_visible()
    page.keyboard.up("w")
    button.press("Enter")
    walker.hold("w", 30)
    walker.look()
    assert before < len(walker.pressed) <= before + 40  # nothing of the three seconds


def test_who_cannot_walk_goes_on_without_a_script(opened: Open, walks: tuple[str, Database]) -> None:
    page = opened(runs=True, java_script_enabled=False)
    assert "Walking needs a script, and this browser runs none." in page.content()
    page.get_by_role("button", name="I cannot walk here").click()
    expect(page.get_by_role("heading", name="This did not work on your device")).to_be_visible()
    with walks[1].reading() as session:
        response = session.exec(select(Response).order_by(col(Response.id).desc())).first()
        assert response is not None
        assert response.unplayable


def test_the_page_of_a_walk_is_accessible(opened: Open) -> None:
    page = opened(runs=True)
    expect(page.locator("[data-start]")).to_be_visible()
    assert axe_faults(page) == []
