"""The service is killed in the middle of its work: every answer that it acknowledged is on disk."""

import shutil
import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from app.core.migrating import open_database
from app.core.settings import Settings
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from tests.factories import answer_for, open_study, page_on
from tests.program import Program, is_there
from tests.serving.services import serving

pytestmark = pytest.mark.slow

ENOUGH = 60


def walk_for_ever(address: str, acknowledged: list[str]) -> None:
    """One participant after the other, until the service is gone; notes each trial answer that was redirected."""
    while True:
        with httpx2.Client(base_url=address, timeout=10) as client:
            try:
                token_page = client.get("/s/nav").headers["location"]
                html = client.get(token_page).text
                while page_on(html) != "end":
                    form = answer_for(html)
                    if client.post(token_page, data=dict(form)).status_code == 303 and page_on(
                        html
                    ).startswith("trial"):
                        acknowledged.append(form["submit_id"])
                    html = client.get(token_page).text
            except httpx2.TransportError:
                return


def test_kill_9_loses_no_acknowledged_answer(
    program: Program,
    tmp_path: Path,
    library: tuple[ClipStore, Sequence[ImportedClip]],
    migrated_sqlite: Path,
) -> None:
    shutil.copy(migrated_sqlite, tmp_path / "likely-human.sqlite3")
    settings = Settings(LIKELY_HUMAN_DATA=tmp_path)  # type: ignore[call-arg]
    database = open_database(settings)
    with database.transaction() as session:
        open_study(session, tmp_path, library[1])
    database.close()
    acknowledged: list[str] = []
    with serving(program, tmp_path) as service:  # which leaving kills
        address = f"http://127.0.0.1:{service.port}"
        people = [threading.Thread(target=walk_for_ever, args=(address, acknowledged)) for _ in range(6)]
        for person in people:
            person.start()
        while len(acknowledged) < ENOUGH:
            assert is_there(service.process.pid)
            time.sleep(0.01)
    for person in people:
        person.join()
    with closing(sqlite3.connect(tmp_path / "likely-human.sqlite3")) as disk:
        stored = [row[0] for row in disk.execute("SELECT submit_id FROM response WHERE trial_id IS NOT NULL")]
    assert set(acknowledged) <= set(stored)
    assert len(stored) == len(set(stored))
    assert len(acknowledged) >= ENOUGH
