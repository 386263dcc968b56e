"""A person at the keyboard of the walk page: looks where they are, and presses real keys until they are at the goal.

The page's clock and the service's go on together, and only while a key is held or let go: no walk is a matter of time.
"""

import json
from typing import Any

import numpy as np
from playwright.sync_api import Error, Page, Request, expect

from app.tasks.walk.simulated import goal_at
from stimuli import steps
from stimuli.body import Body, Guide, wrap
from stimuli.planning import route_to
from stimuli.steps import Walker
from stimuli.walkers import path_of
from stimuli.world import build_world
from tests.clock import Clock

MS_PER_TICK = 1000 / steps.TICKS_PER_S
MS_PER_FRAME = 150  # five ticks: the page catches up on six
LOOK_TICKS = 10
AHEAD_M = 2.5
# Closer to the way than this, one walks on.
ASKEW_RAD = 0.2
# A page that cannot hold the mouse, as on a telephone: the headless shell holds it by moving it at every frame.
NO_LOCK = "delete Element.prototype.requestPointerLock"
STATE = """() => {
  const settings = JSON.parse(document.getElementById("walk-settings")?.textContent || "{}");
  return {
    trial: settings.trial,
    isOver: document.querySelector("[data-say]")?.textContent !== "",
    kept: sessionStorage.getItem(`likely-human.walk.${settings.trial}`),
  };
}"""


class Keyboard:
    """The walk of one page. `pressed` has every step that the page has shown to have made."""

    def __init__(self, page: Page, seed: int = 1) -> None:
        self.page = page
        self.settings: dict[str, Any] = json.loads(page.locator("#walk-settings").text_content() or "")
        self.goal = goal_at(**self.settings["goal"])
        self.pressed: list[list[int]] = []
        self.began = Walker(*self.settings["at"]["walker"])
        world, at = build_world(), steps.pose(self.began)
        self._body = Body(world, at[0], at[1])
        path = path_of("human", world, route_to(self.goal), (at[0], at[1]), np.random.default_rng(seed))
        self._guide = Guide(path)
        page.on("request", self._hear)

    def start(self) -> None:
        """Press the button by key."""
        button = self.page.locator("[data-start]")
        expect(button).to_be_visible()
        button.press("Enter")
        expect(button).to_be_hidden()

    def wait(self, ms: float) -> None:
        """For the page and the service alike."""
        Clock.wait(ms / 1000)
        left = round(ms)
        while left > 0:
            # One frame, where `run_for` would draw ten of this time.
            self.page.clock.fast_forward(min(left, MS_PER_FRAME))
            left -= MS_PER_FRAME

    def hold(self, key: str, ticks: int) -> None:
        self.page.keyboard.down(key)
        self.wait(ticks * MS_PER_TICK)
        self.page.keyboard.up(key)

    def look(self) -> Walker | None:
        """Where one is, by all steps that the page has kept or sent; None once the walk is over."""
        try:
            state = self.page.evaluate(STATE)
        except Error:  # the page goes on to the next
            self.page.wait_for_load_state()
            return None
        if state["trial"] != self.settings["trial"] or state["isOver"]:
            return None
        if state["kept"]:
            self._note(json.loads(state["kept"]))
        return self.walker

    @property
    def walker(self) -> Walker:
        """Where all steps lead that were kept or sent."""
        walker = self.began
        for keys, turn in self.pressed:
            walker = steps.step(walker, keys, turn)
        return walker

    def go(self, decisions: int = 400) -> None:
        """Until the walk is over, or for so many looks."""
        for _ in range(decisions):
            walker = self.look()
            if walker is None:
                return
            x_m, y_m, _, heading_rad = steps.pose(walker)
            self._body.x_m, self._body.y_m = x_m, y_m
            aside = wrap(self._guide.bearing_rad(self._body, AHEAD_M) - heading_rad)
            ticks = round(abs(aside) * steps.TURN / (2 * np.pi) / steps.KEY_TURN)
            if abs(aside) > ASKEW_RAD:
                self.hold("ArrowLeft" if aside > 0 else "ArrowRight", ticks)
            self.hold("w", LOOK_TICKS)

    def _hear(self, request: Request) -> None:
        if request.url.endswith("/walk") and request.method == "POST":
            self._note(json.loads(request.post_data or ""))

    def _note(self, batch: dict[str, Any]) -> None:
        if batch.get("trial", self.settings["trial"]) == self.settings["trial"]:
            first = batch["from"]
            self.pressed[first : first + len(batch["steps"])] = batch["steps"]
