"""Simulated participants on the map: a walker of the demo presses keys and turns the mouse, and the page's own address
takes it, as from a browser."""

import asyncio
import json
import random
from dataclasses import dataclass

import httpx2
import numpy as np

from app.core.database import Database
from app.core.errors import StudyError
from app.tasks.base import Shown
from app.tasks.walk.batches import MOST_STEPS
from app.tasks.walk.views import WalkPage
from app.trials.pages import Page
from stimuli.arena import GOALS, Goal
from stimuli.pressing import pressed_by
from stimuli.steps import M, Walker


class LostWay(StudyError):
    """A walk was not taken as it was walked."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """One simulated participant's walks."""

    database: Database
    rng: random.Random

    def is_mine(self, page: Page) -> bool:
        """True for the page of a walk."""
        return isinstance(page, WalkPage)

    async def answer(self, client: httpx2.AsyncClient, shown: Shown) -> httpx2.Response:
        """Walk to the end, and send the page's form. Raises LostWay."""
        page = shown.page
        assert isinstance(page, WalkPage)
        return await client.post(page.action, data=await walked(client, page, self.rng))


async def walked(client: httpx2.AsyncClient, page: WalkPage, rng: random.Random) -> dict[str, str]:
    """Walk the walk of a page to its end; returns the form to send then. Raises LostWay."""
    walk = page.walk
    tick, over = walk.at.tick, walk.over
    if not over:
        goal, own = goal_at(walk.goal.x, walk.goal.y), np.random.default_rng(rng.getrandbits(32))
        walker = Walker(*walk.at.walker)
        # In a thread, as a walk takes long to compute and other participants are simulated meanwhile.
        pressed = await asyncio.to_thread(
            lambda: list(pressed_by("human", goal, walker, own, walk.most_ticks - tick))
        )
        for first in range(0, len(pressed), MOST_STEPS):
            steps = pressed[first : first + MOST_STEPS]
            batch = {
                "trial": walk.trial,
                "from": tick + first,
                "steps": steps,
                "fps": [len(steps), round(1000 * len(steps) / walk.ticks_per_s)],
                "input": "mouse",
            }
            response = await client.post(walk.batches, json=batch)
            if response.status_code != 200:
                raise LostWay(f"{response.url.path} answered {response.status_code}: {response.text[:200]}")
            over = response.json()["over"]
        tick += len(pressed)
    report = {"hidden_ms": 0, "loads": 1, "stalls": 0, "stall_ms": 0, "errors": []}
    return {
        "submit_id": page.submit_id,
        "rt_ms": str(round(1000 * tick / walk.ticks_per_s)),
        "walked": json.dumps(report),
        **({} if over else {"unable": "1"}),
    }


def goal_at(x: int, y: int) -> Goal:
    """The goal that a page's walk has at a place on the map."""
    return next(goal for goal in GOALS if (round(goal.x_m * M), round(goal.y_m * M)) == (x, y))
