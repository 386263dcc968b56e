"""Loads as the database has them: which sessions count for a unit, and what many see who start at once."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import URL
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from app.core.database import Database
from app.sessions import beginning_queries
from app.sessions.entering import Visit, enter
from app.sessions.exclusions import leave_out
from app.sessions.state_machine import mark_shown, submit
from app.sessions.where import locate
from app.studies.versions import set_state
from app.tasks.pair.assignment import choose_pairs, plan_session
from app.tasks.pair.design import Member, PairToPlan
from app.tasks.rating.assignment import ItemToAssign, assign_items, planned_sessions
from app.trials.design import BLOCK, Kind
from app.trials.loads import HOLD_VERSION, loads_of
from app.trials.tables import (
    Exclusion,
    Mode,
    ParticipantSession,
    State,
    Status,
    Study,
    StudyVersion,
    Trial,
    Unit,
)
from tests.factories import NOW

MINUTE = timedelta(minutes=1)
ANSWERS = {
    "consent": {"decision": "agree", "of_age": "yes"},
    "background": {"familiarity": "3"},
    "instructions": {},
    "trial": {"choice": "left", "uncertainty": "2", "rationale": "moves smoothly", "rt_ms": "9000"},
}


@pytest.fixture
def session(database: Database, study: str) -> Iterator[Session]:
    with database.transaction() as session:
        yield session


def arrive(session: Session, *, mode: Mode = Mode.LIVE) -> str:
    session.flush()
    return enter(session, Visit("nav", mode), NOW)


def walk(session: Session, token: str, to: str, at: datetime = NOW) -> None:
    """Answer pages as far as `to`, each a minute after the one before."""
    while str(page := locate(session, token).page) != to:
        at += MINUTE
        form = {"submit_id": f"{page}.1", **ANSWERS[page.kind]}
        submit(session, token, form, at, random.Random(token))


def loads(session: Session, *, mode: Mode = Mode.LIVE, since: datetime = NOW, block: str = BLOCK) -> set[int]:
    """The different loads of the study's units: they are equal, as everybody gets every pair."""
    version = session.exec(select(StudyVersion)).one()
    units = session.exec(select(Unit.id)).all()
    found = loads_of(session, version.id or 0, mode, block, since)
    return {found.get(unit or 0, 0) for unit in units}


def test_a_session_counts_from_its_consent_to_its_end(session: Session) -> None:
    token = arrive(session)
    assert loads(session) == {0}
    walk(session, token, "background")
    assert loads(session) == {1}
    walk(session, token, "trial-3")
    assert loads(session) == {1}
    walk(session, token, "debrief")
    assert loads(session, since=NOW + 1000 * MINUTE) == {1}


def test_who_refuses_or_could_play_nothing_does_not_count(session: Session) -> None:
    refusing, unplayable = arrive(session), arrive(session)
    submit(session, refusing, {"submit_id": "consent.1", "decision": "refuse"}, NOW, random.Random(1))
    walk(session, unplayable, "trial-1")
    while (page := locate(session, unplayable).page).kind == "trial":
        form = {"submit_id": f"{page}.1", "unplayable": "1"}
        submit(session, unplayable, form, NOW, random.Random(1))
    assert locate(session, unplayable).status == Status.UNPLAYABLE
    assert loads(session) == {0}


def test_who_was_last_seen_before_the_bound_is_a_dropout_until_seen_again(session: Session) -> None:
    token = arrive(session)
    walk(session, token, "trial-2")  # the fourth answer, four minutes later
    answered = NOW + 4 * MINUTE
    assert loads(session, since=answered) == {1}
    assert loads(session, since=answered + MINUTE) == {0}
    where = locate(session, token)
    mark_shown(session, where.session_id, where.step, answered + 5 * MINUTE)
    assert loads(session, since=answered + 5 * MINUTE) == {1}
    assert loads(session, since=answered + 6 * MINUTE) == {0}
    walk(session, token, "trial-3", at=answered + 9 * MINUTE)
    assert loads(session, since=answered + 10 * MINUTE) == {1}


def test_an_excluded_session_does_not_count_until_it_is_included_again(session: Session) -> None:
    first, second = arrive(session), arrive(session)
    walk(session, first, "debrief")
    walk(session, second, "trial-4")
    assert loads(session) == {2}
    for token in (first, second):
        leave_out(session, "nav", locate(session, token).session_id, "speeding", NOW)
    session.flush()
    assert loads(session) == {0}
    for exclusion in session.exec(select(Exclusion)):
        exclusion.lifted_at = NOW
        session.add(exclusion)
    session.flush()
    assert loads(session) == {2}


def test_modes_and_blocks_are_counted_apart(session: Session) -> None:
    set_state(session, "nav", State.PILOT)
    walk(session, arrive(session, mode=Mode.PILOT), "trial-1")
    set_state(session, "nav", State.LIVE)
    for _ in range(2):
        walk(session, arrive(session), "trial-1")
    assert (loads(session), loads(session, mode=Mode.PILOT), loads(session, mode=Mode.PREVIEW)) == (
        {2},
        {1},
        {0},
    )
    assert loads(session, block="another") == {0}
    unit = session.exec(select(Unit).order_by(col(Unit.position))).first()
    assert unit is not None
    unit.block = "another"
    session.add(unit)
    session.flush()
    assert loads(session, block="another") == {0, 2}


N_ITEMS, PER_ITEM, PER_PARTICIPANT, AT_ONCE = 30, 100, 15, 12


@pytest.fixture
def items(database: Database) -> list[ItemToAssign]:
    """The items of a study that 200 people fill, in the database: half of them of one group, half of another."""
    with database.transaction() as session:
        session.add(study := Study(slug="rate", created_at=NOW))
        session.flush()
        version = StudyVersion(
            study_id=study.id or 0, number=1, sha256="", design="", padded_bytes=0, created_at=NOW
        )
        session.add(version)
        session.flush()
        units = [
            Unit(
                version_id=version.id or 0,
                name=f"item-{n}",
                position=n,
                condition="" if n % 2 else "human",
                kind=Kind.MAIN,
                block="rate",
                item_group="ab"[n % 2],
            )
            for n in range(1, N_ITEMS + 1)
        ]
        session.add_all(units)
        session.flush()
        return [ItemToAssign(unit.id or 0, unit.item_group) for unit in units]


Start = Callable[[Session, random.Random], int]


def at_once(url: URL, start: Start, n: int) -> list[int]:
    """The results of `n` starts, each a transaction of its own, a dozen at a time; waits for SQLite's lock for ever."""
    database = Database(url)

    def one(number: int) -> int:
        while True:
            try:
                with database.transaction() as session:
                    return start(session, random.Random(number))
            except OperationalError as error:
                if "locked" not in str(error.orig):
                    raise

    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(one, range(n)))
    database.close()
    return found


def hold(session: Session, version_id: int) -> int:
    """Hold the version as planning does; returns the next ordinal."""
    HOLD_VERSION.all(session, {"version_id": version_id})
    last = {"version_id": version_id, "mode": Mode.LIVE, "first": 1, "step": 1}
    return (beginning_queries.LAST_ORDINAL.first(session, last)[0] or 0) + 1


def before(session: Session, version_id: int, ordinal: int) -> Sequence[Any]:
    """The previous session's blocks, in its order."""
    asked = {"version_id": version_id, "mode": Mode.LIVE, "ordinal": ordinal - 1}
    return beginning_queries.PLANS_OF.all(session, asked)


def store(session: Session, version_id: int, ordinal: int, plans: list[tuple[int, dict[str, str]]]) -> None:
    one = ParticipantSession(
        version_id=version_id, mode=Mode.LIVE, recruiter={}, ordinal=ordinal, status=Status.ACTIVE,
        page_shown_at=NOW, arrived_at=NOW,
    )  # fmt: skip
    session.add(one)
    session.flush()
    for position, (unit_id, plan) in enumerate(plans, start=1):
        session.add(Trial(session_id=one.id or 0, position=position, unit_id=unit_id, plan=plan))
    session.flush()


def planned(database: Database, version_id: int) -> list[list[int]]:
    """The units of each session by its ordinal, in its order."""
    with database.reading() as session:
        rows = session.exec(
            select(ParticipantSession.ordinal, Trial.unit_id)
            .join(Trial)
            .where(ParticipantSession.version_id == version_id)
            .order_by(col(ParticipantSession.ordinal), col(Trial.position))
        ).all()
    ordinals = sorted({ordinal or 0 for ordinal, _ in rows})
    assert ordinals == list(range(1, len(ordinals) + 1))
    return [[unit for ordinal, unit in rows if ordinal == number] for number in ordinals]


@pytest.mark.slow
def test_200_who_start_at_once_fill_a_rating_study_exactly(
    database: Database, database_url: URL, items: list[ItemToAssign]
) -> None:
    with database.reading() as session:
        version_id = session.exec(select(StudyVersion.id)).one() or 0

    def start(session: Session, rng: random.Random) -> int:
        ordinal = hold(session, version_id)
        had = loads_of(session, version_id, Mode.LIVE, "rate", NOW)
        given = assign_items(
            [ItemToAssign(item.id, item.group, load=had.get(item.id, 0)) for item in items],
            per_participant=PER_PARTICIPANT,
            per_item=PER_ITEM,
            rng=rng,
            mirror_of=[row.unit_id for row in before(session, version_id, ordinal)],
        )
        if given is None:
            return 0
        store(session, version_id, ordinal, [(item.id, {}) for item in given])
        return len(given)

    assert planned_sessions(items, PER_ITEM, PER_PARTICIPANT) == 200
    found = at_once(database_url, start, 205)
    assert Counter(found) == {PER_PARTICIPANT: 200, 0: 5}  # the study is full for the last five
    had: Counter[int] = Counter({item.id: 0 for item in items})
    for units in planned(database, version_id):
        had.update(units)
        assert len(set(units)) == len(units)
        assert max(had.values()) - min(had.values()) <= 1
    assert set(had.values()) == {PER_ITEM}


@pytest.mark.slow
@pytest.mark.both_databases
def test_200_who_start_at_once_see_the_pairs_of_a_condition_equally_often_and_both_ways(
    database: Database, database_url: URL, items: list[ItemToAssign]
) -> None:
    with database.reading() as session:
        version_id = session.exec(select(StudyVersion.id)).one() or 0
    pairs = [PairToPlan(item.id, item.group or "", Kind.MAIN, Member.A) for item in items]

    def start(session: Session, rng: random.Random) -> int:
        ordinal = hold(session, version_id)
        had = loads_of(session, version_id, Mode.LIVE, "rate", NOW)
        chosen, mirror_of = choose_pairs(pairs, had, 8, rng), None
        if ordinal % 2 == 0:
            plans = before(session, version_id, ordinal)
            mirror_of = {row.unit_id: Member(row.plan["left"]) for row in plans}
            chosen = tuple(pair for pair in pairs if pair.id in mirror_of)
        trials = plan_session(chosen, order="random", sides="balanced", rng=rng, mirror_of=mirror_of)
        store(session, version_id, ordinal, [(trial.pair_id, {"left": trial.left}) for trial in trials])
        return len(trials)

    assert set(at_once(database_url, start, 200)) == {8}
    had: Counter[int] = Counter({pair.id: 0 for pair in pairs})
    for number, units in enumerate(planned(database, version_id), start=1):
        had.update(units)
        if number % 2 == 0:
            for condition in "ab":
                seen = [had[pair.id] for pair in pairs if pair.condition == condition]
                assert max(seen) - min(seen) in (0, 2)  # one session pair, which is two sessions
    with database.reading() as session:
        shown = Counter((trial.unit_id, trial.plan["left"]) for trial in session.exec(select(Trial)))
    assert all(shown[pair.id, "a"] == shown[pair.id, "b"] for pair in pairs)
