"""Clips of walks through the data page and the API: drawn in the background into the library, each once."""

from pathlib import Path

import pytest
from sqlmodel import select
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.settings import Settings
from app.library.clips.store import ClipStore
from app.library.tables import Stimulus
from app.studies.versions import set_state
from app.trials.tables import State
from app.worker.worker import drain
from tests.admin.persons import Person, Program
from tests.tasks.walk.walking import SLUG, Walking, load_walks

pytestmark = [pytest.mark.any_database, pytest.mark.slow]
HERE = f"/admin/studies/{SLUG}"


def test_walks_go_into_the_library_once_each(
    owner: Person, api: Program, client: TestClient, database: Database, settings: Settings, tmp_path: Path
) -> None:
    with database.transaction() as session:
        load_walks(session, tmp_path, walks=1)
    Walking(client).to("end")
    with database.transaction() as session:
        set_state(session, SLUG, State.CLOSED)
    assert "Waiting to begin" in owner.post(f"{HERE}/walk-clips", {"mode": "live"}).text
    drain(settings, database)
    assert "live: 1 new clip" in owner.get(f"{HERE}/data").text
    with database.reading() as session:
        (clip,) = session.exec(select(Stimulus).where(Stimulus.source == "human")).all()
    assert (clip.attributes["scene"], clip.attributes["simulated"], clip.uploaded_by) == ("1-1-1", "no", 1)
    assert clip.positions_sha256
    assert ClipStore(settings.data_dir).clip_path(clip.clip_sha256 or "").exists()
    # Asked for again, by a program: it is there. And nobody has walked in a simulation.
    for mode in ("live", "simulated"):
        assert api.post(f"/studies/{SLUG}/walk-clips", json={"mode": mode}).status_code == 202
        drain(settings, database)
    none, again, _ = api.get(f"/studies/{SLUG}/walk-clips").json()
    assert again["result"] == {"clips": 0, "there": 1, "left_out": "", "mode": "live"}
    assert (none["status"], none["message"]) == (
        "failed",
        f"{SLUG} has no simulated walk that can be shown",
    )
    assert api.post(f"/studies/{SLUG}/walk-clips", json={"mode": "dreamt"}).status_code == 400


def test_experimenters_see_the_first_walk_and_what_came_of_each(
    owner: Person, client: TestClient, database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        load_walks(session, tmp_path)
    Walking(client).to("trial-2")
    shown = owner.get(f"{HERE}/sessions/1").text
    assert "Course <strong>walk:1-1</strong> (goal 1)" in shown
    assert "arrived" in shown
    assert "walks on 6 courses" in owner.get(HERE).text
    assert "2 walks for each participant" in owner.get(f"{HERE}/launch").text
    assert "Walk 1 of 2" in owner.get(f"{HERE}/draft/page/block-1").text
