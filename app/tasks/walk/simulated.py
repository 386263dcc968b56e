"""Simulated participants on the map: a walker of the demo presses keys and turns the mouse, and the page's own address
takes it, as from a browser."""

import asyncio
import json
import random
import re
from dataclasses import dataclass
from typing import Any

import httpx2
import numpy as np

from app.core.database import Database
from app.core.errors import StudyError
from app.tasks.walk.batches import MOST_STEPS
from stimuli.arena import GOALS, Goal
from stimuli.pressing import pressed_by
from stimuli.steps import M, Walker

SETTINGS = re.compile(r'<script type="application/json" id="walk-settings">(.*?)</script>', re.DOTALL)
_NUMBER = re.compile(r'name="submit_id" value="([^"]+)"')


ON_A_WALK = 'id="walk-settings"'


class LostWay(StudyError):
    """A walk was not taken as it was walked."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """One simulated participant's walks."""

    database: Database
    rng: random.Random

    def is_mine(self, html: str) -> bool:
        """True for the page of a walk."""
        return ON_A_WALK in html

    async def answer(self, client: httpx2.AsyncClient, response: httpx2.Response) -> httpx2.Response:
        """Walk to the end, and send the page's form. Raises LostWay."""
        return await client.post(response.url.path, data=await walked(client, response.text, self.rng))


async def walked(client: httpx2.AsyncClient, html: str, rng: random.Random) -> dict[str, str]:
    """Walk the walk of a page to its end; returns the form to send then. Raises LostWay."""
    found, number = SETTINGS.search(html), _NUMBER.search(html)
    if found is None or number is None:
        raise LostWay("the page has no walk")
    settings: dict[str, Any] = json.loads(found[1])
    goal = goal_at(settings)
    tick, over = int(settings["at"]["tick"]), settings["over"]
    if not over:
        own = np.random.default_rng(rng.getrandbits(32))
        walker = Walker(*settings["at"]["walker"])
        pressed = await asyncio.to_thread(
            lambda: list(pressed_by("human", goal, walker, own, settings["most_ticks"] - tick))
        )
        for first in range(0, len(pressed), MOST_STEPS):
            steps = pressed[first : first + MOST_STEPS]
            batch = {
                "trial": settings["trial"],
                "from": tick + first,
                "steps": steps,
                "fps": [len(steps), round(1000 * len(steps) / settings["ticks_per_s"])],
                "input": "mouse",
            }
            response = await client.post(settings["batches"], json=batch)
            if response.status_code != 200:
                raise LostWay(f"{response.url.path} answered {response.status_code}: {response.text[:200]}")
            over = response.json()["over"]
        tick += len(pressed)
    report = {"hidden_ms": 0, "loads": 1, "stalls": 0, "stall_ms": 0, "errors": []}
    return {
        "submit_id": number[1],
        "rt_ms": str(round(1000 * tick / settings["ticks_per_s"])),
        "walked": json.dumps(report),
        **({} if over else {"unable": "1"}),
    }


def goal_at(settings: dict[str, Any]) -> Goal:
    """The goal of a page's walk."""
    where = settings["goal"]
    return next(
        goal for goal in GOALS if (round(goal.x_m * M), round(goal.y_m * M)) == (where["x"], where["y"])
    )
