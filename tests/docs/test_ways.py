"""docs/architecture.md, "The way of ...": each names functions that a real request goes through, in their order."""

import asyncio
import random
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import httpx2
import pytest
from starlette.testclient import TestClient

from app.accounts.tables import Role
from app.core.database import Database
from app.core.settings import Settings
from app.main import create_app
from app.reports.report import build_report
from app.studies.file.load import load_study
from app.studies.versions import load_version, set_state
from app.trials.tables import State
from app.worker.worker import drain
from tests.admin.persons import make_api_token, make_user
from tests.factories import NOW, answer_for, make_small_video, submit_id_on
from tests.sessions.walks import Walk
from tests.tasks.game.people import Person, open_game
from tools.ways import counts, named_in, section, turns

pytestmark = pytest.mark.any_database
ROOT = Path(__file__).parents[2]
RATED = """
study: rated
title: Letters
consent: {version: "1", text: "# Consent\\n\\nVoluntary.\\n"}
blocks:
  - id: rate
    task: rating
    items: "item,text\\ni1,Some words.\\ni2,Other words.\\n"
    questions: [{id: clear, type: likert, ask: "How clear?", scale: agreement}]
"""
Ask = Callable[[httpx2.AsyncClient], Awaitable[None]]


@contextmanager
def calls() -> Iterator[list[str]]:
    """The functions of ours that this thread calls, `module.name`, each once, in the order of their first calls."""
    found: dict[str, None] = {}

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(f"{ROOT}/a"):
            found[f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}"] = None

    seen: list[str] = []
    sys.setprofile(note)
    try:
        yield seen
    finally:
        sys.setprofile(None)
        seen += found


def called_by(settings: Settings, database: Database, ask: Ask) -> list[str]:
    """The functions that the service calls for some requests, all in this thread."""
    other_loop = Database(database.url)
    app = create_app(settings, other_loop)

    async def asked() -> None:
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://testserver") as browser:
            await ask(browser)

    with calls() as called:
        asyncio.run(asked())
    other_loop.close()
    return called


def check(title: str, called: Sequence[str], most_turns: int) -> None:
    """The page's functions are called, in its order, and its counts are those of their code."""
    named = named_in(title)
    assert len(named) >= 8
    assert [name for name in named if name not in called] == []
    assert named == sorted(named, key=called.index), "in the order in which they are called"
    assert counts(named) in section(title), "run `make made`"
    assert turns(named) <= most_turns


def test_the_way_of_an_answer(
    client: TestClient, settings: Settings, database: Database, study: str, tmp_path: Path
) -> None:
    walk = Walk(client, study).to("trial-2")  # the first is for practice

    async def answer(browser: httpx2.AsyncClient) -> None:
        assert (await browser.post(walk.address, data=answer_for(walk.html))).status_code == 303

    called = called_by(settings, database, answer)
    with database.reading() as session, calls() as reported:
        build_report(session, study, tmp_path / "report")
    check("The way of an answer", [*called, *(name for name in reported if name not in called)], most_turns=1)


def test_the_way_of_a_rating(
    client: TestClient, settings: Settings, database: Database, tmp_path: Path
) -> None:
    (tmp_path / "rated.yaml").write_text(RATED, encoding="utf-8")
    with database.transaction() as session:
        load_version(session, load_study(tmp_path / "rated.yaml", {}), NOW)
        set_state(session, "rated", State.LIVE)
    walk = Walk(client, "rated").to("trial-1")

    async def answer(browser: httpx2.AsyncClient) -> None:
        assert (await browser.post(walk.address, data=answer_for(walk.html))).status_code == 303

    check("The way of a rating", called_by(settings, database, answer), most_turns=1)


def test_the_way_of_a_move(
    client: TestClient, settings: Settings, database: Database, tmp_path: Path
) -> None:
    open_game(database, tmp_path)
    people = [Person(client, database, PROLIFIC_PID=id_) for id_ in "12"]
    for person in (*people, people[0]):
        person.look()
    mover = next(person for person in people if person.legal() is not None)
    other = next(person for person in people if person is not mover)
    mover.look()
    form = mover.move_form(random.Random(1))
    assert form is not None

    async def move(browser: httpx2.AsyncClient) -> None:
        sent = await browser.post(mover.address, data={"submit_id": submit_id_on(mover.html), **form})
        assert sent.status_code == 303
        news = await browser.get(f"{other.address}/state", params={"after": "as it was"})
        assert "html" in news.json()

    check("The way of a move", called_by(settings, database, move), most_turns=2)


def test_the_way_of_an_upload(settings: Settings, database: Database, tmp_path: Path) -> None:
    video = tmp_path / "walk.mp4"
    make_small_video(video, 1)
    with database.transaction() as session:
        token = make_api_token(session, make_user(session, Role.OWNER, "owner@example.org"))
    bearer = {"Authorization": f"Bearer {token}"}

    async def upload(browser: httpx2.AsyncClient) -> None:
        data = video.read_bytes()
        new = {"file_name": "walk.mp4", "bytes": len(data), "source": "human", "name": "its-way"}
        begun = await browser.post("/api/v1/uploads", json=new, headers=bearer)
        assert begun.status_code == 201, begun.text
        at = f"/api/v1/uploads/{begun.json()['token']}"
        sent = await browser.patch(at, content=data, params={"offset": 0}, headers=bearer)
        assert sent.status_code == 200, sent.text

    called = called_by(settings, database, upload)
    with calls() as worked:
        drain(settings, database)
    check("The way of an upload", [*called, *(name for name in worked if name not in called)], most_turns=2)
