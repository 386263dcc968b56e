"""docs/developers.md, "How one answer travels", names what an answer really goes through."""

import asyncio
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import httpx2
import pytest
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.settings import Settings
from app.main import create_app
from app.reports.report import build_report
from tests.factories import answer_for
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database
ROOT = Path(__file__).parents[2]


@contextmanager
def calls() -> Iterator[list[tuple[str, str]]]:
    """The functions of ours that this thread calls, as (file, name), each once, in the order of their first calls."""
    found: dict[tuple[str, str], None] = {}

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(f"{ROOT}/a"):
            found[frame.f_code.co_filename[len(str(ROOT)) + 1 :], frame.f_code.co_name] = None

    seen: list[tuple[str, str]] = []
    sys.setprofile(note)
    try:
        yield seen
    finally:
        sys.setprofile(None)
        seen += found


def test_one_answer_goes_through_every_function_that_the_developers_page_names(
    client: TestClient, settings: Settings, database: Database, study: str, tmp_path: Path
) -> None:
    walk = Walk(client, study).to("trial-2")  # the first is for practice
    other_loop = Database(database.url)
    app = create_app(settings, other_loop)

    async def answer() -> httpx2.Response:
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://testserver") as browser:
            return await browser.post(walk.address, data=answer_for(walk.html))

    with calls() as of_the_answer:
        assert asyncio.run(answer()).status_code == 303
    other_loop.close()
    with database.reading() as session, calls() as of_the_report:
        build_report(session, study, tmp_path / "report")
    page = (ROOT / "docs" / "developers.md").read_text(encoding="utf-8")
    way = page.partition("## How one answer travels")[2]
    named = re.findall(r"`((?:app|analysis)/[\w/]+\.py): ([a-z]\w*)`", way.partition("\n## ")[0])
    stored = [step for step in named if step in of_the_answer]
    reported = [step for step in named if step in of_the_report]
    assert named == [*stored, *reported]
    assert len(stored) >= 9
    assert stored == sorted(stored, key=of_the_answer.index), "in the order in which they are called"
