"""The API for what pages do: notes, links to results, simulated people, sessions with counts and marks."""

from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.settings import Settings
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from app.studies.versions import set_state
from app.trials.tables import State
from app.worker.context import Work
from app.worker.handlers import simulating
from app.worker.worker import drain
from tests.admin.conftest import ProgramOf, ShareWith
from tests.admin.persons import Person, Program
from tests.factories import NOW
from tests.sessions.walks import Walk

pytestmark = pytest.mark.slow

HERE = "/studies/nav"


def test_notes_are_written_read_and_changed_by_their_author_alone(
    api: Program, editor: Person, viewer: Person, study: str, program_of: ProgramOf, share_with: ShareWith
) -> None:
    share_with(editor)
    share_with(viewer)
    other, looking = program_of(editor), program_of(viewer)
    made = api.post(f"{HERE}/notes", {"text": "Pilot on Monday"})
    assert made.status_code == 201
    at = f"{HERE}/notes/{made.json()['id']}"
    assert [(each["text"], each["is_own"]) for each in looking.get(f"{HERE}/notes").json()] == [
        ("Pilot on Monday", False)
    ]
    assert looking.post(f"{HERE}/notes", {"text": "Mine"}).status_code == 403
    assert [other.put(at, {"text": "x"}).status_code, other.delete(at).status_code] == [403, 403]
    assert api.put(at, {"text": " "}).status_code == 422
    assert api.put(at, {"text": "Pilot on Tuesday"}).status_code == 204
    (note,) = api.get(f"{HERE}/notes").json()
    assert (note["text"], note["by"], note["edited_at"] is None) == (
        "Pilot on Tuesday",
        "owner@example.org",
        False,
    )
    assert api.delete(at).status_code == 204
    assert (api.get(f"{HERE}/notes").json(), api.delete(at).status_code) == ([], 404)


def test_links_to_results_are_made_listed_and_taken_back(
    api: Program, study: str, database: Database, client: TestClient, viewer: Person, program_of: ProgramOf,
    share_with: ShareWith,
) -> None:  # fmt: skip
    day = (datetime.now(UTC) + timedelta(days=3)).date().isoformat()
    made = api.post(f"{HERE}/results-links", {"name": "A reviewer", "mode": "pilot", "ends": day})
    assert made.status_code == 201
    path = "/r/" + made.json()["link"].rpartition("/r/")[2]
    assert client.get(path).status_code == 200
    (link,) = api.get(f"{HERE}/results-links").json()
    assert (link["name"], link["mode"], link["expires_at"][:10]) == ("A reviewer", "pilot", day)
    assert "link" not in link
    for wrong in ({"name": ""}, {"name": "x", "mode": "preview"}, {"name": "x", "ends": "2001-01-01"}, {}):
        assert api.post(f"{HERE}/results-links", wrong).status_code in (400, 422), wrong
    share_with(viewer)
    assert program_of(viewer).delete(f"{HERE}/results-links/{link['id']}").status_code == 403
    assert api.delete(f"{HERE}/results-links/{link['id']}").status_code == 204
    assert client.get(path).status_code == 410
    assert api.delete(f"{HERE}/results-links/{link['id']}").status_code == 404


def test_simulated_people_are_sent_counted_stopped_and_removed(
    api: Program, study: str, database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def walk(work: Work, slug: str, n: int) -> None:
        """Run the simulation in this process; tests/admin/test_simulated.py starts one of its own."""
        run_simulation(work.settings, work.database, slug, n=n, traits=Traits(), seed=1)

    monkeypatch.setattr(simulating, "_simulate", walk)
    assert api.post(f"{HERE}/simulated", {"n": 2}).status_code == 409, "it is live"
    with database.transaction() as session:
        set_state(session, "nav", State.PILOT, now=NOW)
    assert api.post(f"{HERE}/simulated", {"n": 0}).status_code == 422
    assert api.post(f"{HERE}/simulated/stop").status_code == 409
    assert api.post(f"{HERE}/simulated", {"n": 2, "accuracy": 1.0, "seed": 3}).status_code == 202
    assert api.post(f"{HERE}/simulated", {"n": 2}).status_code == 409
    state = api.get(f"{HERE}/simulated").json()
    assert (state["n"], state["is_open"], state["run"]["status"]) == (0, True, "queued")
    assert api.post(f"{HERE}/simulated/stop").status_code == 204
    assert api.get(f"{HERE}/simulated").json()["run"]["status"] == "cancelled"
    api.post(f"{HERE}/simulated", {"n": 2})
    drain(settings, database)
    state = api.get(f"{HERE}/simulated").json()
    assert (state["n"], state["n_completed"], state["run"]["status"]) == (2, 2, "done")
    assert api.delete(f"{HERE}/simulated").status_code == 204
    assert api.get(f"{HERE}/simulated").json()["n"] == 0


def test_sessions_come_with_counts_by_kind_and_a_mark_for_each_trial(
    api: Program, study: str, client: TestClient
) -> None:
    Walk(client, study).to("end")
    Walk(client, study).to("trial-2")
    found = api.get(f"{HERE}/sessions?status=completed").json()
    assert (found["found"], found["counts"]["all"], found["counts"]["completed"]) == (1, 2, 1)
    assert found["counts"]["under-way"] == 1
    (line,) = found["lines"]
    assert set(line["strip"]) <= {"done", "flagged"}
    assert len(line["strip"]) == 11, "practice has its mark"
    (standing,) = api.get(f"{HERE}/sessions?status=active").json()["lines"]
    assert standing["strip"][-1] == "open"
