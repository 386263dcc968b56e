"""What a participant does, by real clicks and keys."""

import json
from typing import Any

from playwright.sync_api import Locator, Page, expect

from .rig import Walk

POLL_MS, POLLS = 20, 1500


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
    wait_until_loaded(page)
    set_rate(page, 8)
    play_button(page).click()
    expect(page.get_by_text("Watched", exact=True)).to_have_count(2)


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
