"""Places of a study that runs, changed on the launch page and by programs."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlmodel import select

from app.accounts.tables import AuditEntry
from app.core.database import Database
from app.studies.launch import study_here
from tests.admin.persons import Person, Program
from tests.sessions.arms import begin, finish, put_study

HERE = "/admin/studies/arms"
TWO = "arms:\n  - {id: slow, target: 2}\n  - {id: fast, target: 4}\n"


@pytest.fixture
def arms(database: Database, tmp_path: Path) -> str:
    put_study(database, tmp_path, TWO)
    # The service sweeps by its own clock: sessions of another day would have lost their places to it.
    at = datetime.now(UTC)
    with database.transaction() as session:
        finish(session, begin(session, at, seed=1), at)
        begin(session, at, seed=2)
        begin(session, at, seed=3)
    return "arms"


def test_the_monitor_shows_how_filled_each_arm_is(owner: Person, arms: str) -> None:
    page = owner.get(f"{HERE}/monitor").text
    assert "1 of 6 completed, 2 under way." in page
    words = [
        f"{done} of {of}, {active} active"
        for done, of in ((0, 2), (1, 2), (0, 4), (1, 4))
        for active in (1, 2)
    ]
    assert sum(word in page for word in words) == 2


def test_the_launch_page_changes_targets_dates_and_arms(owner: Person, arms: str, database: Database) -> None:
    page = owner.get(f"{HERE}/launch").text
    assert 'placeholder="4"' in page
    form = {
        "target": "5",
        "ends": "2026-12-31T18:00+01:00",
        "target-slow": "3",
        "pause-slow": "yes",
        "target-fast": "",
    }
    page = owner.post(f"{HERE}/places", form).text
    assert "The places are changed." in page
    assert 'value="2026-12-31T17:00+00:00"' in page
    with database.reading() as session:
        entry = session.exec(select(AuditEntry).where(AuditEntry.action == "study.places")).one()
    assert entry.after == {
        "target": 5,
        "ends": "2026-12-31T17:00:00+00:00",
        "arms": {"slow": {"target": 3, "paused": True}},
    }


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"target": "many"}, "is not a whole number"),
        ({"target": "0"}, "A target goes from 1"),
        ({"ends": "tomorrow"}, "is no date and time"),
        ({"opens": "2026-12-31T18:00"}, "has no time zone"),
    ],
)
def test_what_cannot_be_is_said_with_what_was_typed(
    owner: Person, arms: str, form: dict[str, str], said: str
) -> None:
    reply = owner.post(f"{HERE}/places", form)
    assert reply.status_code == 422
    assert said in reply.text
    assert all(f'value="{value}"' in reply.text for value in form.values())


def test_programs_read_and_change_places(api: Program, arms: str, database: Database) -> None:
    places = api.get("/studies/arms/places").json()
    assert [(arm["arm"], arm["target"]) for arm in places["arms"]] == [("slow", 2), ("fast", 4)]
    assert sum(arm["completed"] for arm in places["arms"]) == 1
    changed = api.put("/studies/arms/places", {"arms": {"fast": {"target": 1}}, "target": 1}).json()
    assert changed["state"] == "closed"  # one has completed
    with database.reading() as session:
        assert study_here(session, "arms").state == "closed"
