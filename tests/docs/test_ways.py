"""docs/architecture.md, "The way of ...": each names the functions that a real request goes through, in order."""

import asyncio
import random
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import httpx2
import yaml
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.settings import Settings
from app.main import create_app
from app.studies.file.load import load_study
from app.studies.versions import load_version, set_state
from app.trials.tables import State
from tests.factories import NOW, answer_for
from tests.sessions.walks import Walk
from tests.tasks.game.people import Person, open_game

ROOT = Path(__file__).parents[2]


@contextmanager
def calls() -> Iterator[list[str]]:
    """The functions of ours that this thread calls, `module.qualified_name`, each once, in the order of first calls."""
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


def of_request(
    settings: Settings, database: Database, ask: Callable[[httpx2.AsyncClient], Awaitable[None]]
) -> list[str]:
    """The functions that a service calls for some requests, all in this thread."""
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


def test_x_answer(
    client: TestClient, settings: Settings, database: Database, study: str, tmp_path: Path
) -> None:
    walk = Walk(client, study).to("trial-2")

    async def answer(browser: httpx2.AsyncClient) -> None:
        assert (await browser.post(walk.address, data=answer_for(walk.html))).status_code == 303

    print("\n".join(["ANSWER", *of_request(settings, database, answer)]))


def test_x_rating(client: TestClient, settings: Settings, database: Database, tmp_path: Path) -> None:
    study = {
        "study": "rated",
        "title": "R",
        "consent": {"version": "1", "text": "# C\n\nV.\n"},
        "blocks": [
            {
                "id": "rate",
                "task": "rating",
                "items": "item,text\ni1,Some words.\ni2,Other words.\n",
                "questions": [{"id": "clear", "type": "likert", "ask": "Clear?", "scale": "agreement"}],
            }
        ],
    }
    path = tmp_path / "s.yaml"
    path.write_text(yaml.safe_dump(study))
    with database.transaction() as session:
        load_version(session, load_study(path, {}), NOW)
        set_state(session, "rated", State.LIVE)
    walk = Walk(client, "rated").to("trial-1")

    async def answer(browser: httpx2.AsyncClient) -> None:
        assert (await browser.post(walk.address, data=answer_for(walk.html))).status_code == 303

    print("\n".join(["RATING", *of_request(settings, database, answer)]))


def test_x_move(client: TestClient, settings: Settings, database: Database, tmp_path: Path) -> None:
    open_game(database, tmp_path)
    one, two = Person(client, database, PROLIFIC_PID="1"), Person(client, database, PROLIFIC_PID="2")
    one.look()
    two.look()
    one.look()
    mover, other = (one, two) if one.legal() else (two, one)
    mover.look()
    other.look()
    form = mover.move_form(random.Random(1))
    assert form is not None
    from tests.factories import submit_id_on

    async def move(browser: httpx2.AsyncClient) -> None:
        r = await browser.post(mover.address, data={"submit_id": submit_id_on(mover.html), **form})
        assert r.status_code == 303, r.text
        print("=== then the other")
        r = await browser.get(other.address + "/state", params={"after": "x"})
        assert r.status_code == 200

    print("\n".join(["MOVE", *of_request(settings, database, move)]))
