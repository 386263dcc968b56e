"""Participants' actions, by real clicks and keys; and what axe-core finds on a page."""

import json
from collections.abc import Callable
from itertools import pairwise, product
from typing import Any, Final, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from .rig import Walk

AXE = Axe().axe_script
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
FAULTS = """async ([within, options]) =>
  (await axe.run(document.querySelectorAll(within), options)).violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`))"""
POLL_MS, POLLS = 50, 1200
WIDTHS = (1280, 390)
SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
NARROW = {"width": 390, "height": 844}
# Axe is brought in by an `eval`, and colours are measured at rest.
AXE_CONTEXT = {"bypass_csp": True, "reduced_motion": "reduce"}
PRESSES = 5
# No test lasts so long; a page whose clock is moved on can be left for as long, or hidden.
AWAY_MS = 24 * 3600 * 1000
WATCHED = "[...document.querySelectorAll('[data-state]')].every((state) => state.textContent === 'Watched')"
STOPPED = "document.querySelector('[data-play] [data-label]').textContent === 'Play both'"


def axe_faults(page: Page, within: str = "html", **options: object) -> list[str]:
    """Current violations of rules in the elements of a selector.

    Axe is loaded once for each document, and only what it found comes back.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    options = {"runOnly": RULES, "resultTypes": ["violations"], **options}
    return list(page.evaluate(FAULTS, [within, options]))


def fits(page: Page) -> bool:
    """True for a page that is no wider than its window, once its style sheets are there."""
    page.wait_for_load_state()  # a text can be seen, and pressed, before them
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


Check = Callable[..., None]


class Looks:
    """The sizes and schemes in which a test looks at its pages: all at each, or one after the other."""

    def __init__(self, at_all: bool) -> None:
        self._at_all, self._n = at_all, 0

    def next(self) -> list[tuple[int, str]]:
        turn = self._n % 2
        self._n += 1
        return list(product(WIDTHS, SCHEMES)) if self._at_all else [(WIDTHS[turn], SCHEMES[turn])]

    def check(self, page: Page, y: str = "0", within: str = "html", **options: object) -> None:
        """At the height `y`: a bar that stays in view lies over some field half-way down a page. Ends narrow.

        `within`, a selector, leaves out what another test has looked at: a large page takes two seconds.
        """
        page.wait_for_load_state()  # a text can be seen before the style sheet is there
        looks = self.next()
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate(f"window.scrollTo(0, {y})")
            for scheme in SCHEMES:
                if (width, scheme) in looks:
                    page.emulate_media(color_scheme=scheme)
                    faults = axe_faults(page, within, **options)
                    assert not faults, (page.url, width, scheme, *faults)
            assert fits(page), f"{page.url} scrolls sideways at {width}"


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


SAMPLE = """
    window.samples = [];
    const videos = [...document.querySelectorAll("video")];
    const shown = new Map();
    for (const video of videos) {
      const listen = () => video.requestVideoFrameCallback((_, { mediaTime }) => {
        shown.set(video, mediaTime);
        listen();
      });
      listen();
    }
    const sample = () => {
      const both = shown.size === 2 && videos.every((video) => !video.paused && !video.ended && !video.seeking);
      window.samples.push(both ? Math.abs(shown.get(videos[0]) - shown.get(videos[1])) : null);
      requestAnimationFrame(sample);
    };
    sample();
"""
SYNC_S = 0.1
UNSEEN_RATE = """(rate) => {
  const { set } = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, "playbackRate");
  for (const video of document.querySelectorAll("video")) {
    Object.defineProperty(video, "playbackRate", { configurable: true, get: () => 1, set() {} });
    set.call(video, rate);
  }
}"""


def is_kept_in_step(page: Page) -> bool:
    """True if no two frames in a row had both clips playing and their pictures, as presented, more than 100 ms apart,
    since `SAMPLE` was run.

    A machine that is busy may be late with one frame of one clip; the page has seen it by the next.
    """
    samples: list[float | None] = page.evaluate("window.samples")
    is_out = [apart is not None and apart > SYNC_S for apart in samples]
    return any(apart is not None for apart in samples) and not any(map(all, pairwise(is_out)))


def set_rate(page: Page, rate: float) -> None:
    """Make watching quick, unseen by the page, which would put the rate back; only where no timing is tested."""
    page.evaluate(UNSEEN_RATE, rate)


def watch_both(page: Page, press: Callable[[], None] | None = None) -> int:
    """The number of presses that it took, of "Play both" where `press` is not another: a participant whom the browser
    stops before the end presses again.

    Chromium says of a clip that is held some 35 ms before its end that it has ended, and counts the rest as not played:
    eight times as fast that is .28 s, which is too much to count as watched.
    """
    for presses in range(1, PRESSES + 1):
        wait_until_loaded(page)
        set_rate(page, 8)
        (press or play_button(page).click)()
        wait_until(page, f"{WATCHED} || {STOPPED}")
        if page.evaluate(WATCHED):
            return presses
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
