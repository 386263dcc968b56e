"""The contract of every task: plans that are balanced, answers of which nothing is lost, rows that know of exclusion.

Each part of the contract is broken on purpose as well, where the task's own code does it, to show that it would be
noticed. Of matches, the configurations are what is balanced, as they form, and the moves are the answers.
"""

import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from app.core.database import Database
from app.exports import rows as exported_rows
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.reports import selects
from app.reports.export import rows_of
from app.reports.tasks import EXPORTS
from app.sessions.exclusions import leave_out
from app.tasks.game import acting as game
from app.tasks.game import matching, played
from app.tasks.game.posted import posted_value
from app.tasks.listed import TASKS
from app.tasks.pair import responses
from app.tasks.pair import task as pair
from app.tasks.rating import evidence as reading
from app.tasks.rating import rated
from app.tasks.rating import task as rating
from app.tasks.walk import task as walk
from app.tasks.walk.assignment import walks_of
from app.trials.design import Kind
from app.trials.tables import Exclusion, ParticipantSession, SessionVerdict, Trial, Unit
from stimuli import steps
from tests.factories import NOW, UNCERTAINTY, answer_for, open_study
from tests.sessions.test_blocks import begin, pair_block, rating_block
from tests.sessions.walks import Walk
from tests.tasks.game.people import SLUG, Person, open_game, running
from tests.tasks.walk.walking import Walking

pytestmark = pytest.mark.any_database

Library = tuple[ClipStore, Sequence[ImportedClip]]
Values = list[Mapping[str, Any]]
Patch = pytest.MonkeyPatch
QUESTIONS = [
    {"id": "choice", "type": "2afc", "ask": "Which?"},
    {"id": "uncertainty", "type": "likert", "ask": "How certain are you?", "labels": UNCERTAINTY},
    {"id": "rationale", "type": "text", "ask": "Why?"},
    {"id": "certainty", "type": "slider", "ask": "How certain?"},
    {"id": "lively", "type": "number", "ask": "How lively?"},
]
BLOCKS: Mapping[str, Mapping[str, Any]] = {
    "pair": pair_block(per_participant=4, trials={"questions": QUESTIONS}),
    "rating": rating_block(per_participant=4),
    "game": {"configs": [{"rounds": n, "messages": True} for n in (2, 3, 4)], "reasons": "required"},
    "walk": {"id": "walk", "task": "walk", "walks": 2},
}
# The tables of each task whose rows may be left out, the one of its answers first.
TABLES = {
    task: [t.what for t in EXPORTS[task].tables if t.rows and any(c.name == "excluded" for c in t.columns)]
    for task in TASKS
}
# How far apart the trials of two main units may be after any session pair: a session pair, a judge, a match, a turn of
# the walks' orders; in the end, when everybody has had a turn, nothing is left of that but a session pair.
MOST_APART = {"pair": 2, "rating": 1, "game": 2, "walk": 2}
N_SESSIONS = 12
MESSAGE = "This would be fair."
REASON = "It is the best that I can get."


def test_every_task_is_held_to_the_contract() -> None:
    assert {*BLOCKS} == {*TABLES} == {*MOST_APART} == {*DROPPED} == {*TASKS}
    assert {task for task, _ in IGNORED} == {*TASKS}
    for task in TASKS:
        assert TABLES[task], task
        assert {table.what for table in EXPORTS[task].tables} == {*TASKS[task].tables}, task


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
    """After every session pair main units have had as many trials as each other, as far as that goes; pairs as often
    either way."""
    for seed in range(0, N_SESSIONS, 2):
        for each in (seed, seed + 1):
            if task == "game":
                assert Person(client, database).look() == ("playing" if each % 2 else "waiting")
            else:
                with database.transaction() as session:
                    begin(session, each)
        _is_balanced_so_far(database, task)
    with database.reading() as session:
        of_main = select(Unit.id).where(Unit.kind == Kind.MAIN)
        unused = of_main.where(col(Unit.id).not_in(select(Trial.unit_id)))
        assert not session.exec(unused).all()


def _is_balanced_so_far(database: Database, task: str) -> None:
    with database.reading() as session:
        trials = select(Unit.name, Unit.condition, Trial.plan).outerjoin(Trial).where(Unit.kind == Kind.MAIN)
        rows = session.exec(trials).all()
    exposure: dict[str, Counter[str]] = defaultdict(Counter)
    for name, condition, plan in rows:  # pairs have their share by condition
        exposure[condition if task == "pair" else ""][name] += plan is not None
    for of_condition in exposure.values():
        assert max(of_condition.values()) - min(of_condition.values()) <= MOST_APART[task], exposure
    ways = Counter((name, plan["left"]) for name, _, plan in rows if plan and "left" in plan)
    assert all(ways[name, "a"] == ways[name, "b"] for name, _ in ways), ways


def played_match(client: TestClient, database: Database) -> Values:
    """The moves of a match of two people to its end, with who made each."""
    people = [Person(client, database) for _ in range(2)]
    for person in people:
        person.look()
    rng, posted = random.Random(4), Values()
    while running(database):
        before = len(posted)
        for person in people:
            form = person.move_form(rng)
            if form is None:
                continue
            person.look()
            said = {"reason": REASON, **({"message": MESSAGE} if "alice_gain" in form else {})}
            person.post(**form, **said)
            values = {name: value for name, value in form.items() if name not in ("do", "phase_id")}
            posted.append({"session": str(person.seat.session_id), **values, **said})
        assert len(posted) > before
    return posted


def answered(client: TestClient, database: Database, task: str) -> Values:
    """The answers posted about each main trial, in order; each answer another, as far as there are others."""
    if task == "game":
        return played_match(client, database)
    one, posted = (Walking(client, "nav") if task == "walk" else Walk(client)), Values()
    while one.page != "end":
        if not one.page.startswith("trial"):
            one.answer()
            continue
        form = _form(one, task)
        if one.page != "trial-1":  # which is practice
            posted.append(
                {name: value for name, value in form.items() if name not in ("submit_id", "walked")}
            )
        one.answer(**{name: value for name, value in form.items() if name not in ("pressed", "hidden_ms")})
    assert posted
    return posted


def _form(one: Walk, task: str) -> Mapping[str, Any]:
    n = int(one.page.partition("-")[2])
    if isinstance(one, Walking):
        pressed = one.pressed(n)
        one.watch()
        assert one.send(pressed, fps=[60, 2000], input="keys").json()["over"] == "arrived"
        walked = json.dumps({"hidden_ms": 10 * n, "loads": 1})
        return {"pressed": [list(keys) for keys in pressed], "hidden_ms": 10 * n, "walked": walked}
    usual = answer_for(one.html, rt_ms=str(9_000 + n))
    if task == "rating":
        return {**usual, "logic": str(1 + n % 5), "reason": f"It is number {n}."}
    likert = str(1 + n % len(UNCERTAINTY))
    chosen = {"choice": "left" if n % 2 else "right", "uncertainty": likert, "rationale": f"Number {n}."}
    return {**usual, **chosen, "certainty": str(n), "lively": str(100 + n)}


def kept(session: Session, task: str) -> Values:
    """The content of the task's tables on the last session, or match, in the words of what was posted."""
    rows = list(rows_of(session, slug_of(task), TABLES[task][0]))
    by = "match" if task == "game" else "session"
    wanted = "move" if task == "game" else "main"
    rows = [row for row in rows if row["kind"] == wanted and row[by] == rows[-1][by]]
    return _KEPT[task](session, rows)


def _of_pairs(session: Session, rows: Sequence[Mapping[Any, Any]]) -> Values:
    asked: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows_of(session, "nav", "answers"):
        asked[row["trial"]][row["question"]] = row["value"]
    own = ("uncertainty", "rationale", "rt_ms", "certainty")
    return [
        {
            "choice": "left" if row["choice"] == row["left"] else "right",
            **{name: str(row[name]).removesuffix(".0") for name in own},
            **{name: value for name, value in asked[row["trial"]].items() if name == "lively"},
        }
        for row in rows
    ]


def _of_ratings(session: Session, rows: Sequence[Mapping[Any, Any]]) -> Values:
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for row in rows:
        value = row["text"] if row["value"] is None else f"{row['value']:g}"
        found[row["trial"]] |= {row["question"]: value, "rt_ms": str(row["rt_ms"])}
    return [*found.values()]


def _of_games(session: Session, rows: Sequence[Mapping[Any, Any]]) -> Values:
    return [
        {
            "session": row["session"],
            **{name: posted_value(value) for name, value in json.loads(row["move"]).items()},
            **({"message": row["message"]} if row["message"] else {}),
            "reason": row["reason"],
        }
        for row in rows
    ]


def _of_walks(session: Session, rows: Sequence[Mapping[Any, Any]]) -> Values:
    pressed: dict[str, list[list[int]]] = defaultdict(list)
    for row in rows_of(session, "nav", "positions"):
        pressed[row["trial"]].append([row["keys"], round(row["turn_rad"] / math.tau * steps.TURN)])
    said = {(row["trial"], row["question"]): row["value"] for row in rows_of(session, "nav", "answers")}
    for row in rows:
        assert (row["ended"], row["input"]) == ("arrived", "keys")
        assert float(said[row["trial"], "seconds"]) == pytest.approx(row["duration_s"], abs=0.01)
    return [{"pressed": pressed[row["trial"]], "hidden_ms": row["hidden_ms"]} for row in rows]


_KEPT: Mapping[str, Callable[[Session, Sequence[Mapping[Any, Any]]], Values]] = {
    "pair": _of_pairs,
    "rating": _of_ratings,
    "game": _of_games,
    "walk": _of_walks,
}


def keeps_values(client: TestClient, database: Database, task: str) -> None:
    """All sent answers are in the task's tables."""
    posted = answered(client, database, task)
    with database.reading() as session:
        assert kept(session, task) == posted


def knows_exclusion(client: TestClient, database: Database, task: str) -> None:
    """The rows of a session that was left out are marked in each of the task's tables, and no others."""
    for _ in range(1 if task == "game" else 2):
        answered(client, database, task)
    first = select(ParticipantSession.id).order_by(col(ParticipantSession.id)).limit(1)
    with database.transaction() as session:
        out = session.exec(first).one() or 0
        leave_out(session, slug_of(task), out, "by the contract", NOW)
    for table in TABLES[task]:
        assert rows_know(database, task, table, str(out)), table


def rows_know(database: Database, task: str, table: str, out: str) -> bool:
    """True if the rows of one table mark exclusions."""
    with database.reading() as session:
        rows = list(rows_of(session, slug_of(task), table))
    assert {row["session"] == out for row in rows} == {True, False}
    return all(bool(row["excluded"]) == (row["session"] == out) for row in rows)


def test_plans_are_balanced(client: TestClient, database: Database, task: str) -> None:
    is_balanced(client, database, task)


def _no_mirror(patch: Patch) -> None:
    plan = pair.Pair.plan
    patch.setattr(
        pair.Pair, "plan", lambda self, block, start: plan(self, block, replace(start, mirror=None))
    )


def _one_turn(ordinal: int, **courses: int) -> Any:
    return walks_of(1, **courses)


# What balances the plans of each task, and a plan that does not look at it.
IGNORED: Mapping[tuple[str, str], Callable[[Patch], None]] = {
    ("pair", "loads"): lambda patch: patch.setattr(pair, "loads_of", lambda *about: {}),
    ("pair", "mirror"): _no_mirror,
    ("rating", "loads"): lambda patch: patch.setattr(rating, "loads_of", lambda *about: {}),
    ("game", "loads"): lambda patch: patch.setattr(matching, "_MATCHES", matching._MATCHES.where(sa.false())),
    ("walk", "ordinal"): lambda patch: patch.setattr(walk, "walks_of", _one_turn),
}


@pytest.mark.parametrize(("task", "ignored"), list(IGNORED), indirect=["task"])
def test_a_plan_that_ignores_balance_is_noticed(
    client: TestClient, database: Database, task: str, ignored: str, monkeypatch: Patch
) -> None:
    IGNORED[task, ignored](monkeypatch)
    with pytest.raises(AssertionError, match=r"max\(|all\("):
        is_balanced(client, database, task)


def _answers_without(module: Any, name: str) -> Callable[[Patch], None]:
    """One of the values that a form is read into is lost."""
    read = module.read_answers

    def forgetful(*args: Any, **keys: Any) -> Any:
        answers = read(*args, **keys)
        extra = {key: value for key, value in answers.extra.items() if key != name}
        return answers._replace(extra=extra, **({name: None} if hasattr(answers, name) else {}))

    return lambda patch: patch.setattr(module, "read_answers", forgetful)


def _no_time(module: Any) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(module, "read_rt_ms", lambda *about: (None, ()))


def _without(name: str) -> Callable[[Patch], None]:
    move_of: Any = vars(game)["move_of"]
    return lambda patch: patch.setattr(game, "move_of", lambda *about: move_of(*about)._replace(**{name: ""}))


def _no_report(patch: Patch) -> None:
    read = walk.read_report
    patch.setattr(walk, "read_report", lambda text: ({**read(text)[0], "hidden_ms": 0}, (), None))


# What each task reads from a form, and a reading that drops it.
DROPPED: Mapping[str, Sequence[Callable[[Patch], None]]] = {
    "pair": [
        *(_answers_without(pair, name) for name in ("side", "uncertainty", "rationale", "certainty")),
        _answers_without(pair, "lively"),
        _no_time(pair),
    ],
    "rating": [
        *(_answers_without(rating, name) for name in ("logic", "persona", "reason")),
        _no_time(reading),
    ],
    "game": [_without("message"), _without("reason")],
    "walk": [_no_report],
}


def test_no_value_is_lost_and_a_reading_that_drops_one_is_noticed(
    client: TestClient, database: Database, task: str, monkeypatch: Patch
) -> None:
    for drop in DROPPED[task]:
        with monkeypatch.context() as patch:
            drop(patch)
            with pytest.raises(AssertionError, match=r"== \["):
                keeps_values(client, database, task)
    keeps_values(client, database, task)


def test_rows_know_of_exclusion_and_those_that_forget_it_are_noticed(
    client: TestClient, database: Database, task: str, monkeypatch: Patch
) -> None:
    knows_exclusion(client, database, task)
    with database.reading() as session:
        out = str(session.exec(select(Exclusion.session_id)).one())

    def forgetful(statement: Any, session_id: Any = exported_rows._SESSION_ID) -> Any:
        for table in (Exclusion, SessionVerdict):
            # The key finds what is joined to; no row has both.
            of_session, none = col(table.session_id) == session_id, col(table.session_id) < 0
            statement = statement.outerjoin(table, sa.and_(of_session, none))
        return statement

    for module in (responses, selects, played, exported_rows, rated):
        monkeypatch.setattr(module, "with_exclusion", forgetful)
    assert not any(rows_know(database, task, table, out) for table in TABLES[task])
