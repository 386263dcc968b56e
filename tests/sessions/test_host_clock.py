"""Hosts whose clocks are wrong, with one PostgreSQL database: deadlines and stored times are the database's."""

import random
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select
from starlette.testclient import TestClient

from app.core import clock, dependencies
from app.core.database import Database
from app.core.settings import Settings
from app.main import create_app
from app.tasks.game.tables import GameEvent
from app.trials.responses import Response
from tests.tasks.game.people import Person, forget, open_game, running

HOUR = timedelta(hours=1)
SOON = timedelta(minutes=5)


def clock_of_a_host(off: timedelta) -> Any:
    class HostClock:
        """Stands for `datetime` where a host is asked for its time."""

        @staticmethod
        def now(tz: tzinfo) -> datetime:
            return datetime.now(tz) + off

    return HostClock


@pytest.mark.parametrize(
    "database_url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)
@pytest.mark.parametrize("off", [HOUR, -HOUR], ids=["fast", "slow"])
def test_a_host_whose_clock_is_an_hour_off_ends_no_phase_and_stores_the_right_times(
    database: Database,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    off: timedelta,
) -> None:
    monkeypatch.setattr(clock, "_behind", timedelta(0))
    monkeypatch.setattr(dependencies, "datetime", datetime)
    open_game(database, tmp_path)
    with TestClient(create_app(settings, Database(database.url))) as right:
        people = [Person(right, database) for _ in range(2)]
        assert [person.look() for person in people] == ["playing"] * 2
    forget(database)
    for module in (clock, dependencies):
        monkeypatch.setattr(module, "datetime", clock_of_a_host(off))
    rng = random.Random(1)
    with TestClient(create_app(settings, Database(database.url))) as wrong:
        for person in people:
            person.client = wrong
            assert person.look() == "playing"
        assert not any(moved.auto for moved in moves(database)), "no deadline was over"
        while running(database):
            assert sum(person.move(rng) for person in people)
        for person in people:
            person.look()
            person.act("next")
    made = moves(database)
    with database.reading() as session:
        trials = select(Response).where(col(Response.trial_id).is_not(None))
        answered = [response.answered_at for response in session.exec(trials)]
    now = datetime.now(UTC)
    assert len(answered) == 2
    for at in (*(moved.received_at for moved in made), *answered):
        assert at is not None
        assert now - SOON < at <= now + clock.SAME
    for moved in made:
        assert moved.auto == ""
        assert moved.deadline_at is not None
        assert moved.received_at < moved.deadline_at < moved.received_at + SOON
    assert f"clock is 3600 s {'ahead of' if off > timedelta(0) else 'behind'} the database" in caplog.text


def moves(database: Database) -> list[GameEvent]:
    with database.reading() as session:
        found = select(GameEvent).where(col(GameEvent.kind) == "move").order_by(col(GameEvent.seq))
        return list(session.exec(found))
