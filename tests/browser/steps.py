"""What a participant does, by real clicks and keys; and what axe-core finds on a page."""

import json
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from .rig import Walk

AXE = Axe().axe_script
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
FAULTS = """async (options) => (await axe.run(options)).violations.flatMap(({ id, nodes }) =>
  nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`))"""
POLL_MS, POLLS = 20, 3000
PRESSES = 5
WATCHED = "[...document.querySelectorAll('[data-state]')].every((state) => state.textContent === 'Watched')"
STOPPED = "document.querySelector('[data-play] [data-label]').textContent === 'Play both'"


def axe_faults(page: Page, **options: object) -> list[str]:
    """What breaks a rule now. Axe is brought in once for each document, and only what it found comes back."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    options = {"runOnly": RULES, "resultTypes": ["violations"], **options}
    return list(page.evaluate(FAULTS, options))


def play_button(page: Page) -> Locator:
    return page.get_by_role("button", name="Play both", exact=True)


def wait_until_loaded(page: Page) -> None:
    expect(page.locator("[data-play]")).to_have_attribute("aria-disabled", "false")


def wait_until(page: Page, condition: str) -> None:
    """Until an expression holds; Playwright's own waiting needs an `eval`, which the policy denies."""
    for _ in range(POLLS):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(POLL_MS)
    raise AssertionError(f"never came true: {condition}")


def set_rate(page: Page, rate: float) -> None:
    """Make watching quick; only where no timing is tested."""
    page.evaluate(f"for (const video of document.querySelectorAll('video')) video.playbackRate = {rate}")


def watch_both(page: Page) -> None:
    """As a participant does: where the browser stops a clip before its end, they press again."""
    for _ in range(PRESSES):
        wait_until_loaded(page)
        set_rate(page, 8)
        play_button(page).click()
        wait_until(page, f"{WATCHED} || {STOPPED}")
        if page.evaluate(WATCHED):
            return
        if (again := page.get_by_role("button", name="Try again")).count():
            again.first.click()
    raise AssertionError(f"not watched: {page.locator('[data-state]').all_inner_texts()}")


def rationale(page: Page) -> Locator:
    """One of the fields that the gate closes."""
    return page.get_by_label("Why do you think")


def answer(page: Page, why: str = "It looks round before it turns.", choice: str = "Left video") -> None:
    page.get_by_text(choice, exact=True).last.click()
    rationale(page).fill(why)
    page.get_by_text("somewhat certain").click()


def save(page: Page) -> None:
    page.get_by_role("button", name="Save and continue").click()


def expect_end(page: Page) -> None:
    expect(page.get_by_role("heading", name="This study is closed")).to_be_visible()


def playback(walk: Walk) -> dict[str, Any]:
    recorded: dict[str, Any] = json.loads(walk.posts[-1]["playback"])
    return recorded
