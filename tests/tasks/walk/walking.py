"""People in tests who walk over HTTP, as the page's script sends what they press."""

import json
import re
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import yaml
from sqlmodel import Session
from starlette.testclient import TestClient

from app.studies.file.load import load_study
from app.studies.versions import Loaded, load_version, set_state
from app.tasks.walk.simulated import goal_at
from app.trials.tables import State
from stimuli.pressing import pressed_by
from stimuli.steps import Walker
from tests.clock import Clock
from tests.factories import NOW
from tests.sessions.walks import Walk

SLUG = "walks"
Keys = tuple[tuple[int, int], ...]
SETTINGS = re.compile(r'<script type="application/json" id="walk-settings">(.*?)</script>', re.DOTALL)


def walk_block(**keys: Any) -> dict[str, Any]:
    return {"id": "walk", "task": "walk", "walks": 2, "practice": 0, **keys}


def load_walks(
    session: Session, folder: Path, *, consent: Any = None, exclude: Any = None, **keys: Any
) -> Loaded:
    """A study of one block of walks, open."""
    study = {
        "study": SLUG,
        "title": "Walk the map",
        "consent": consent or {"version": "1", "text": "# Consent\n\nVoluntary.\n", "play_shown": True},
        "blocks": [walk_block(**keys)],
        "completion": {"code": "WALKED"},
        **({"exclude": exclude} if exclude else {}),
    }
    path = folder / "walks.yaml"
    path.write_text(yaml.safe_dump(study))
    loaded = load_version(session, load_study(path, {}), NOW)
    set_state(session, SLUG, State.LIVE)
    return loaded


@lru_cache
def _pressed(at: tuple[int, ...], goal: tuple[tuple[str, Any], ...], most_ticks: int, seed: int) -> Keys:
    """Worked out once for all tests who walk from there: half a second for each."""
    walker, rng = Walker(*at), np.random.default_rng(seed)
    return tuple(pressed_by("human", goal_at(**dict(goal)), walker, rng, most_ticks))


class Walking(Walk):
    """One session on a study of walks."""

    def __init__(self, client: TestClient, slug: str = SLUG) -> None:
        super().__init__(client, slug)

    @property
    def settings(self) -> dict[str, Any]:
        """The page's statement on its walk."""
        found = SETTINGS.search(self.html)
        assert found
        settings: dict[str, Any] = json.loads(found[1])
        return settings

    def pressed(self, seed: int = 1) -> list[tuple[int, int]]:
        """The keys a walker presses from here to the goal."""
        at, goal = self.settings["at"]["walker"], self.settings["goal"]
        return list(_pressed(tuple(at), tuple(goal.items()), self.settings["most_ticks"], seed))

    def send(self, steps: Any, start: int = 0, **more: Any) -> httpx2.Response:
        settings = self.settings
        batch = {"trial": settings["trial"], "from": start, "steps": steps, **more}
        return self.client.post(settings["batches"], json=batch)

    def walk(self, seed: int = 1) -> str:
        """To the goal, and on to the next page."""
        Clock.wait(60)
        pressed = self.pressed(seed)
        for _ in range(500):
            reply = self.send(pressed, fps=[60, 2000], input="keys")
            # That the page was shown is noted after it is sent; until then no time has passed for a walk.
            if reply.status_code != 429:
                break
            time.sleep(0.02)
        assert reply.json()["over"] == "arrived", reply.text
        return self.answer(walked='{"hidden_ms": 0, "loads": 1}')

    def to(self, page: str) -> "Walking":
        while self.page != page:
            before = self.page
            assert (self.walk() if before.startswith("trial") else self.answer()) != before
        return self
