"""A participant in a test: goes through the pages and keeps what came back."""

from starlette.testclient import TestClient

from tests.factories import answer_for, page_on


class Walk:
    """One session over HTTP, without scripts, as a browser's forms send it."""

    def __init__(self, client: TestClient, slug: str = "nav", **params: str) -> None:
        self.client = client
        client.cookies.clear()
        response = client.get(f"/s/{slug}", params=params)
        self.address = response.url.path
        self.html = response.text

    @property
    def page(self) -> str:
        return page_on(self.html)

    def look(self) -> str:
        self.html = self.client.get(self.address).text
        return self.page

    def answer(self, **fields: str) -> str:
        """Answer the page as it was last seen; returns the page that follows."""
        response = self.client.post(self.address, data=answer_for(self.html, **fields))
        assert response.status_code == 200, response.text
        self.html = response.text
        return self.page

    def to(self, page: str) -> "Walk":
        while self.page != page:
            before = self.page
            assert self.answer() != before
        return self
