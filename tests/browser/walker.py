"""Somebody at the keyboard of the walk page: looks where they are, and presses real keys until they are at the goal.

The page's clock and the service's go on together, and only while a key is held or let go: no walk is a matter of time.
"""

import json
from typing import Any

import numpy as np
from playwright.sync_api import Page, Request, expect

from app.simulation.walks import goal_at
from stimuli import steps
from stimuli.body import Body, Guide, wrap
from stimuli.planning import route_to
from stimuli.steps import Walker
from stimuli.walkers import path_of
from stimuli.world import build_world
from tests.clock import Clock

MS_PER_TICK = 1000 / steps.TICKS_PER_S
LOOK_TICKS = 10
AHEAD_M = 2.5
# Closer to the way than this, one walks on.
ASKEW_RAD = 0.2
KEPT = "JSON.stringify({...sessionStorage})"
OVER = "document.querySelector('[data-say]').textContent !== ''"


class Keyboard:
    """The walk of one page. `pressed` has every step that the page has shown to have made."""

    def __init__(self, page: Page, seed: int = 1) -> None:
        self.page = page
        self.settings: dict[str, Any] = json.loads(page.locator("#walk-settings").text_content() or "")
        self.goal = goal_at(self.settings)
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
        self.page.clock.run_for(round(ms))

    def hold(self, key: str, ticks: int) -> None:
        self.page.keyboard.down(key)
        self.wait(ticks * MS_PER_TICK)
        self.page.keyboard.up(key)

    def look(self) -> Walker:
        """Where one is, by all steps that the page has kept or sent."""
        kept = json.loads(self.page.evaluate(KEPT))
        for name, value in kept.items():
            if name == f"likely-human.walk.{self.settings['trial']}":
                self._note(json.loads(value))
        walker = self.began
        for keys, turn in self.pressed:
            walker = steps.step(walker, keys, turn)
        return walker

    def go(self, decisions: int = 400) -> None:
        """Until the walk is over, or for so many looks."""
        for _ in range(decisions):
            if self.page.evaluate(OVER):
                return
            x_m, y_m, _, heading_rad = steps.pose(self.look())
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
