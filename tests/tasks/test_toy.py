"""A new task is a folder and a line: a toy is registered, planned, answered, exported, simulated and watched."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.settings import Settings
from app.monitor.progress import snapshot
from app.monitor.sessions_view import one_session
from app.monitor.snapshots import Choice
from app.reports.export import rows_of
from app.reports.kinds import What
from app.sessions.tables import ParticipantSession, Response, Status, Trial
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from app.studies.file.design import StudyDesign
from app.studies.launch import study_here
from app.studies.tables import State, Unit
from app.studies.versions import load_version, set_state
from app.tasks.registry import DESIGNS
from app.tasks.units import UNITS
from tests.factories import NOW, answer_for
from tests.sessions.walks import Walk
from tests.tasks.toy.settings import DotsDesign

FOLDER = Path(__file__).parent / "toy"
STUDY: dict[str, Any] = {
    "study": "dots",
    "title": "How many dots?",
    "consent": {"version": "1", "text": "# Consent", "minimum_age": None},
    "background": [],
    "instructions": None,
    "blocks": [
        {
            "id": "count",
            "task": "dots",
            "instructions": "# Count",
            "cards": {"one": 1, "four": 4, "nine": 9},
            "questions": [
                {"id": "dots", "type": "number", "ask": "How many?", "required": True, "minimum": 0}
            ],
        }
    ],
    "completion": {"message": "# Thank you", "code": "DOTS1"},
}


@pytest.fixture
def dots(database: Database, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(DESIGNS, "dots", DotsDesign)
    monkeypatch.setitem(UNITS, "dots", ("{} card", "{} cards"))
    design = StudyDesign.model_validate_json(json.dumps(STUDY))
    assert StudyDesign.model_validate_json(design.canonical_json()) == design
    with database.transaction() as session:
        load_version(session, design, NOW)
        set_state(session, "dots", State.LIVE)
    return "dots"


def test_the_toy_is_small() -> None:
    assert sum(len(path.read_text().splitlines()) for path in FOLDER.glob("*.py")) < 80


def test_it_is_planned_shown_answered_exported_and_watched(
    client: TestClient, dots: str, database: Database
) -> None:
    orders = []
    for _ in range(2):
        walk, order = Walk(client, dots), []
        while walk.page != "end":
            if not walk.page.startswith("trial"):
                walk.answer()
                continue
            order.append(walk.html.count("•"))
            response = client.post(
                walk.address, data={"submit_id": answer_for(walk.html)["submit_id"], "dots": str(order[-1])}
            )
            assert response.status_code == 200
            walk.html = response.text
        assert "DOTS1" in walk.html
        orders.append(order)
    assert sorted(orders[0]) == [1, 4, 9]
    assert orders[1] == orders[0][::-1], "counterbalanced within the session pair"
    with database.reading() as session:
        told = [row for row in rows_of(session, dots, What.ANSWERS) if row["question"] == "dots"]
        assert sorted(int(row["value"]) for row in told) == [1, 1, 4, 4, 9, 9]
        stored = (
            select(Response.answers, Unit.name).join(Trial, col(Trial.id) == Response.trial_id).join(Unit)
        )
        assert {name: answers["dots"] for answers, name in session.exec(stored)} == STUDY["blocks"][0][
            "cards"
        ]
        assert list(session.exec(select(ParticipantSession.status))) == [Status.COMPLETED] * 2
        here = study_here(session, dots)
        first = session.exec(select(ParticipantSession.id).order_by(col(ParticipantSession.id))).first()
        events = one_session(session, here, first or 0).events
        assert sorted(event.trial.pair for event in events if event.trial) == ["four", "nine", "one"]
        seen = snapshot(session, here, Choice(), NOW, None, sees_live=True)
        assert [step.title for step in seen.funnel][1:5] == [
            "Instructions (count)",
            "Card 1",
            "Card 2",
            "Card 3",
        ]
        assert [step.reached for step in seen.funnel] == [2] * 6


def test_simulated_participants_go_through_it(settings: Settings, database: Database, dots: str) -> None:
    run_simulation(settings, database, dots, n=2, traits=Traits(), seed=1)
    with database.reading() as session:
        found = session.exec(select(ParticipantSession.mode, ParticipantSession.status)).all()
    assert found == [("simulated", Status.COMPLETED)] * 2
