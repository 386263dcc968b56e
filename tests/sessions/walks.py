"""A participant in a test: goes through the pages and keeps what came back."""

import re

from starlette.testclient import TestClient

from tests.clock import Clock
from tests.factories import answer_for, page_on

WATCHING_S = 20  # longer than any clip of these tests, and than any reaction time


class Walk:
    """One session over HTTP, without scripts, as a browser's forms send it."""

    def __init__(self, client: TestClient, slug: str = "nav", *, link: str = "", **params: str) -> None:
        self.client = client
        client.cookies.clear()
        response = client.get(link or f"/s/{slug}", params=params or None)
        self.address = response.url.path
        self.html = response.text

    @property
    def page(self) -> str:
        return page_on(self.html)

    def look(self) -> str:
        self.html = self.client.get(self.address).text
        return self.page

    def answer(self, **fields: str) -> str:
        """Answer the page as it was last seen, a trial's after watching it; returns the page that follows."""
        if self.page.startswith("trial"):
            self.watch()
        response = self.client.post(self.address, data=answer_for(self.html, **fields))
        assert response.status_code == 200, response.text
        self.html = response.text
        return self.page

    def watch(self) -> None:
        """Fetch the page's clips, as far as there are files, and take the time that they last."""
        for clip in re.findall(rf'src="({self.address}/clips/[^"]+)"', self.html):
            self.client.get(clip)
        Clock.wait(WATCHING_S)

    def to(self, page: str) -> "Walk":
        while self.page != page:
            before = self.page
            assert self.answer() != before
        return self
