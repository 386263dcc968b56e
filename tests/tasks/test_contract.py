"""What every task owes: plans that are balanced, answers of which nothing is lost, rows that know of exclusion.

Each part of the contract is broken on purpose as well, to show that it would be noticed. Of matches, the configurations
are what is balanced, as they form, and the moves are the answers.
"""

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select
from starlette.testclient import TestClient

from app.core.database import Database
from app.library.clips.importing import ImportedClip
from app.library.clips.store import ClipStore
from app.reports import export
from app.reports.kinds import What
from app.sessions.design import Kind
from app.sessions.exclusions import leave_out
from app.sessions.tables import ParticipantSession, Response, Trial
from app.studies.tables import Unit
from app.tasks.game.matching import _Forming
from app.tasks.game.pages import posted_value
from app.tasks.registry import DESIGNS, task_named
from app.tasks.units import UNITS
from tests.factories import NOW, open_study
from tests.sessions.test_blocks import begin, pair_block, rating_block
from tests.sessions.walks import Walk
from tests.tasks.game.people import SLUG, Person, open_game, running
from tests.tasks.walk.walking import Walking

pytestmark = pytest.mark.any_database

Library = tuple[ClipStore, Sequence[ImportedClip]]
BLOCKS: Mapping[str, Mapping[str, Any]] = {
    "pair": pair_block(per_participant=4),
    "rating": rating_block(per_participant=4),
    "game": {"configs": [{"rounds": n, "messages": True} for n in (2, 3, 4)]},
    "walk": {"id": "walk", "task": "walk", "walks": 2},
}
TABLES = {
    "pair": [What.RESPONSES],
    "rating": [What.RATINGS],
    "game": [What.MOVES, What.SEATS_PLAYED],
    "walk": [What.WALKS, What.POSITIONS],
}
N_SESSIONS = 6
MESSAGE = "This would be fair."


def test_every_task_is_held_to_the_contract() -> None:
    assert {*BLOCKS} == {*TABLES} == {*DESIGNS} == {*UNITS}


@pytest.fixture(params=sorted(BLOCKS))
def task(request: pytest.FixtureRequest, database: Database, library: Library, tmp_path: Path) -> str:
    name: str = request.param
    if name == "game":
        open_game(database, tmp_path, **BLOCKS[name])
        return name
    keys = {"sample": None, "trials": None, "blocks": [BLOCKS[name]]}
    with database.transaction() as session:
        open_study(session, tmp_path, library[1], **keys)
    return name


def slug_of(task: str) -> str:
    return SLUG if task == "game" else "nav"


def is_balanced(client: TestClient, database: Database, task: str) -> None:
    """Of N sessions each main unit has its share, off by one session pair at most; pairs as often either way."""
    for seed in range(N_SESSIONS):
        if task == "game":
            assert Person(client, database).look() == ("playing" if seed % 2 else "waiting")
        else:
            with database.transaction() as session:
                begin(session, seed)
    with database.reading() as session:
        rows = session.exec(select(Unit.name, Trial.plan).join(Trial).where(Unit.kind == Kind.MAIN)).all()
        n_units = len(session.exec(select(Unit.id).where(Unit.kind == Kind.MAIN)).all())
    exposure = Counter(name for name, _ in rows)
    assert len(exposure) == n_units
    assert max(exposure.values()) - min(exposure.values()) <= 2
    ways = Counter((name, plan["left"]) for name, plan in rows if "left" in plan)
    assert all(ways[name, "a"] == ways[name, "b"] for name, _ in ways)


def played_match(client: TestClient, database: Database) -> list[tuple[str, Mapping[str, str]]]:
    """The moves of a match of two people to its end: by session, what the form posted."""
    people = [Person(client, database) for _ in range(2)]
    for person in people:
        person.look()
    rng, posted = random.Random(4), list[tuple[str, Mapping[str, str]]]()
    while running(database):
        before = len(posted)
        for person in people:
            form = person.move_form(rng)
            if form is None:
                continue
            person.look()
            person.post(**form, message=MESSAGE)
            values = {name: value for name, value in form.items() if name not in ("do", "phase_id")}
            posted.append((str(person.seat.session_id), values))
        assert len(posted) > before
    return posted


def _person(client: TestClient, task: str) -> Walk:
    return Walking(client, "nav") if task == "walk" else Walk(client)


def keeps_values(client: TestClient, database: Database, task: str) -> None:
    """Everything that was sent is in the task's table."""
    posted = played_match(client, database) if task == "game" else _person(client, task).to("end")
    with database.reading() as session:
        rows = [
            row
            for row in export.rows_of(session, slug_of(task), TABLES[task][0])
            if row["kind"] == ("move" if task == "game" else "main")
        ]
    if task == "pair":
        assert [row["choice"] == row["left"] for row in rows] == [True] * 4  # the left was pressed
        return
    if task == "game":
        moves = [json.loads(row["move"]) for row in rows]
        kept = [{name: posted_value(value) for name, value in move.items()} for move in moves]
        assert [(row["session"], values) for row, values in zip(rows, kept, strict=True)] == posted
        offers = [row["message"] for row, move in zip(rows, moves, strict=True) if "alice_gain" in move]
        assert offers == [MESSAGE] * len(offers) != []
        return
    if task == "walk":
        assert [(row["ended"], row["duration_s"] > 5, row["path_m"] > 10) for row in rows] == [
            ("arrived", True, True)
        ] * 2
        walks = session.exec(select(Response.answers).where(col(Response.trial_id).is_not(None))).all()
        assert [answers.get("walk") for answers in walks] == ["arrived"] * 3
        return
    values = Counter((row["question"], row["value"] or row["text"]) for row in rows)
    assert values["logic", 4.0] == 4
    assert values["reason", "It follows from what was known."] == 4


def knows_exclusion(client: TestClient, database: Database, task: str) -> None:
    """The rows of a session that was left out are marked, and no others."""
    if task == "game":
        played_match(client, database)
    else:
        _person(client, task).to("end")
    first = select(ParticipantSession.id).order_by(col(ParticipantSession.id)).limit(1)
    with database.transaction() as session:
        out = session.exec(first).one() or 0
        leave_out(session, slug_of(task), out, "by the contract", NOW)
    with database.reading() as session:
        for table in TABLES[task]:
            rows = list(export.rows_of(session, slug_of(task), table))
            assert [row for row in rows if row["session"] == str(out)]
            assert all(bool(row["excluded"]) == (row["session"] == str(out)) for row in rows)


def test_plans_are_balanced(client: TestClient, database: Database, task: str) -> None:
    is_balanced(client, database, task)


def test_no_value_is_lost(client: TestClient, database: Database, task: str) -> None:
    keeps_values(client, database, task)


def test_rows_know_of_exclusion(client: TestClient, database: Database, task: str) -> None:
    knows_exclusion(client, database, task)


def test_a_plan_that_ignores_balance_is_noticed(
    client: TestClient, database: Database, task: str, monkeypatch: pytest.MonkeyPatch
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

    if task == "game":  # whose plan only says how many; the configuration is chosen as a match forms
        monkeypatch.setattr(_Forming, "_next_unit", lambda self: self.units[0])
    else:
        monkeypatch.setattr(type(mine), "plan", lambda self, block, start: always_alike(block, start))
    with pytest.raises(AssertionError, match=r"len\(Counter|max\(dict_values|all\("):
        is_balanced(client, database, task)


def test_a_reading_that_drops_a_value_is_noticed(
    client: TestClient, database: Database, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = task_named(task)
    read: Any = mine.read

    def forgetful(self: object, *args: Any) -> Any:
        if task == "game":
            seen, where, block, form, now = args
            return read(seen, where, block, {**form, "message": ""}, now)
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
