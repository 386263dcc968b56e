"""What every task owes: plans that are balanced, answers of which nothing is lost, rows that know of exclusion.

Each part of the contract is broken on purpose as well, to show that it would be noticed.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from app.core.database import Database
from app.library.clips.importing import ImportedClip
from app.library.clips.store import ClipStore
from app.reports import export
from app.reports.kinds import What
from app.sessions.design import Kind
from app.sessions.exclusions import leave_out
from app.sessions.tables import ParticipantSession, Trial
from app.studies.tables import Unit
from app.tasks.registry import DESIGNS, task_named
from tests.factories import NOW, open_study
from tests.sessions.test_blocks import begin, pair_block, rating_block
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database

Library = tuple[ClipStore, Sequence[ImportedClip]]
BLOCKS: Mapping[str, Mapping[str, Any]] = {
    "pair": pair_block(per_participant=4),
    "rating": rating_block(per_participant=4),
}
TABLES = {"pair": What.RESPONSES, "rating": What.RATINGS}
N_SESSIONS = 6


def test_every_task_is_held_to_the_contract() -> None:
    """But matches, which are balanced as they form and answered by moves: see tests/tasks/game/test_live.py."""
    assert {*BLOCKS, "game"} == {*DESIGNS}


@pytest.fixture(params=sorted(BLOCKS))
def task(request: pytest.FixtureRequest, database: Database, library: Library, tmp_path: Path) -> str:
    name: str = request.param
    keys = {"sample": None, "trials": None, "blocks": [BLOCKS[name]]}
    with database.transaction() as session:
        open_study(session, tmp_path, library[1], **keys)
    return name


def is_balanced(session: Session) -> None:
    """Of N sessions each main unit has its share, off by one session pair at most; pairs as often either way."""
    for seed in range(N_SESSIONS):
        begin(session, seed)
    rows = session.exec(select(Unit.name, Trial.plan).join(Trial).where(Unit.kind == Kind.MAIN)).all()
    exposure = Counter(name for name, _ in rows)
    n_units = len(session.exec(select(Unit.id).where(Unit.kind == Kind.MAIN)).all())
    assert len(exposure) == n_units
    assert max(exposure.values()) - min(exposure.values()) <= 2
    ways = Counter((name, plan["left"]) for name, plan in rows if "left" in plan)
    assert all(ways[name, "a"] == ways[name, "b"] for name, _ in ways)


def keeps_values(client: TestClient, database: Database, task: str) -> None:
    """Everything that was sent is in the task's table."""
    Walk(client).to("end")
    with database.reading() as session:
        rows = [row for row in export.rows_of(session, "nav", TABLES[task]) if row["kind"] == "main"]
    if task == "pair":
        assert [row["choice"] == row["left"] for row in rows] == [True] * 4  # the left was pressed
        return
    values = Counter((row["question"], row["value"] or row["text"]) for row in rows)
    assert values["logic", 4.0] == 4
    assert values["reason", "It follows from what was known."] == 4


def knows_exclusion(client: TestClient, database: Database, task: str) -> None:
    Walk(client).to("end")
    with database.transaction() as session:
        one = session.exec(select(ParticipantSession.id).order_by(col(ParticipantSession.id))).one()
        leave_out(session, "nav", one or 0, "by the contract", NOW)
    with database.reading() as session:
        rows = list(export.rows_of(session, "nav", TABLES[task]))
    assert rows
    assert all(row["excluded"] for row in rows)


def test_plans_are_balanced(database: Database, task: str) -> None:
    with database.transaction() as session:
        is_balanced(session)


def test_no_value_is_lost(client: TestClient, database: Database, task: str) -> None:
    keeps_values(client, database, task)


def test_rows_know_of_exclusion(client: TestClient, database: Database, task: str) -> None:
    knows_exclusion(client, database, task)


def test_a_plan_that_ignores_balance_is_noticed(
    database: Database, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = task_named(task)
    plan = mine.plan

    def always_alike(block: Any, start: Any) -> Any:
        planned = plan(block, replace(start, mirror=None))
        mains = [unit.id for unit in block.units if unit.kind is Kind.MAIN]
        firsts = iter(mains)
        return [
            replace(trial, unit_id=next(firsts), plan=dict.fromkeys(trial.plan, "a"))
            if trial.unit_id in mains
            else trial
            for trial in planned
        ]

    monkeypatch.setattr(type(mine), "plan", lambda self, block, start: always_alike(block, start))
    with pytest.raises(AssertionError), database.transaction() as session:
        is_balanced(session)


def test_a_reading_that_drops_a_value_is_noticed(
    client: TestClient, database: Database, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = task_named(task)
    read = mine.read

    def forgetful(self: object, *args: Any) -> Any:
        taken = read(*args)
        assert taken is not None
        return replace(taken, answers=replace(taken.answers, side=None, extra={}))

    monkeypatch.setattr(type(mine), "read", forgetful)
    with pytest.raises(AssertionError):
        keeps_values(client, database, task)


def test_rows_that_forget_exclusion_are_noticed(
    client: TestClient, database: Database, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows_of = export.rows_of
    monkeypatch.setattr(
        export, "rows_of", lambda *args: ({**row, "excluded": None} for row in rows_of(*args))
    )
    with pytest.raises(AssertionError):
        knows_exclusion(client, database, task)
