"""Places of a study that runs, changed on the launch page and by programs."""

import re
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from sqlmodel import select

from app.accounts.tables import AuditEntry
from app.core.database import Database
from app.monitor.snapshots import STATUS_TITLES
from app.sessions.state_machine import submit
from app.studies.launch import study_here
from app.trials.tables import Status
from tests.admin.persons import Person, Program
from tests.sessions.arms import arrive, begin, finish, one, put_study

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


def test_who_left_before_consent_is_in_no_arm_and_has_no_time(
    owner: Person, arms: str, database: Database
) -> None:
    with database.transaction() as session:
        at = datetime.now(UTC)
        submit(session, arrive(session, at), {"submit_id": "consent.1", "decision": "refuse"}, at, Random(1))
    page = owner.get(f"{HERE}/monitor").text
    assert "none yet" in page
    assert "main" not in re.findall(r'data-label="Arm">([^<]*)<', page)
    line = owner.get(f"{HERE}/sessions?status=refused").text
    assert f'<time datetime="{at:%Y-%m-%d}">' in line
    assert "Took: </span>–<" in line
    page = owner.get(f"{HERE}/sessions/4").text
    assert "live, none" in page
    assert f"{at.day} {at:%b %Y}, 00:00" not in page


def test_each_status_has_a_column_and_each_session_stands_in_one(
    owner: Person, arms: str, database: Database
) -> None:
    assert set(STATUS_TITLES) == set(Status)
    with database.transaction() as session:
        for status in Status:
            token = arrive(session, datetime.now(UTC))
            one(session, token).status = status
            session.flush()
    page = owner.get(f"{HERE}/monitor").text
    table = page.partition('aria-label="Sessions, as a table"')[2].partition("</table>")[0]
    for words in STATUS_TITLES.values():
        assert f">{words}</th>" in table
    for row in table.split("<tr")[2:]:
        cells = [int(n) for n in re.findall(r">(\d+)</td>", row)]
        assert sum(cells[1:-2]) == cells[-2]  # between the version, and all and the excluded


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


def test_what_another_changed_meanwhile_is_not_undone_unseen(owner: Person, arms: str) -> None:
    def mark() -> str:
        page = owner.get(f"{HERE}/launch").text
        return page.partition('name="mark" value="')[2].partition('"')[0]

    stale = mark()
    assert (
        owner.post(f"{HERE}/places", {"mark": stale, "target-slow": "", "pause-slow": "yes"}).status_code
        == 200
    )
    reply = owner.post(f"{HERE}/places", {"mark": stale, "target": "9"})
    assert reply.status_code == 409
    assert "Somebody else has changed the places" in reply.text
    assert "paused" in owner.get(f"{HERE}/monitor").text
    form = {"mark": mark(), "target": "9", "target-slow": "", "pause-slow": "yes"}
    assert "The places are changed." in owner.post(f"{HERE}/places", form).text


def test_opening_a_study_that_would_close_at_once_says_so(
    owner: Person, arms: str, database: Database, tmp_path: Path
) -> None:
    assert owner.post(f"{HERE}/places", {"target": "1"}).status_code == 200  # one has completed
    page = owner.get(f"{HERE}/launch").text
    assert "by the service itself: its target is reached (1 completed)" in page
    assert "It would close again by itself within seconds: its target is reached." in page
    owner.post(f"{HERE}/places", {"target": "5"})
    assert "It would close again" not in owner.get(f"{HERE}/launch").text


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
