"""Simulated participants who count right, but for one dot now and then."""

import random
from dataclasses import dataclass

import httpx2

from app.core.database import Database
from app.tasks.base import Shown
from app.trials.pages import Page
from tests.tasks.toy.page import DotsPage


@dataclass(frozen=True, slots=True)
class Simulated:
    database: Database
    rng: random.Random

    def is_mine(self, page: Page) -> bool:
        return isinstance(page, DotsPage)

    async def answer(self, client: httpx2.AsyncClient, shown: Shown) -> httpx2.Response:
        assert isinstance(shown.page, DotsPage)
        counted = shown.page.dots + self.rng.choice((0, 0, 0, 1))
        form = {"submit_id": shown.page.submit_id, "dots": str(counted)}
        return await client.post(shown.page.action, data=form)
