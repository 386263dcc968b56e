"""The cost of a start in a rating study with 10,000 sessions: loads read, items chosen, trials stored.

Sessions, trials and answers are written straight into a database and drawn with a seed: a tenth of the sessions are
left unfinished, two in a hundred are excluded. One start is one transaction, as planning is: it locks the version,
takes the next ordinal, reads the load of every item, assigns and stores.
"""

import os
import random
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

import psycopg
from sqlalchemy import URL, insert, make_url, text
from sqlmodel import Session, col

from app.core.database import Database
from app.core.migrating import open_database
from app.core.settings import Settings
from app.sessions import beginning_queries
from app.tasks.rating.assignment import ItemToAssign, assign_items
from app.trials.design import Kind
from app.trials.loads import HOLD_VERSION, loads_of
from app.trials.responses import Response
from app.trials.tables import Exclusion, Mode, ParticipantSession, Status, Study, StudyVersion, Trial, Unit
from bench.monitor import POSTGRES
from bench.servers import WORK

N_SESSIONS, N_ITEMS, PER_PARTICIPANT = 10_000, 200, 15
STARTS_A_REPEAT = 20
STALLED = timedelta(minutes=30)
_BATCH = 1_000
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_BLOCK = "rate"

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Planned:
    """Medians over all starts, in milliseconds by the clock: reading the loads, assigning, the whole.

    `cpu_ms` is the whole start's time of this process' processor: on SQLite all of it, on PostgreSQL the client's.
    """

    backend: str
    loads_ms: float
    assign_ms: float
    start_ms: float
    cpu_ms: float


def measure_planning(repeats: int) -> list[Planned]:
    """Measure on SQLite, and on PostgreSQL where a server answers."""
    found = []
    for backend, databases in (("SQLite", _sqlite), ("PostgreSQL", _postgres)):
        with databases() as url:
            if url is None:
                print("bench: PostgreSQL is left out, no server answers", file=sys.stderr)
                continue
            print(f"Filling {backend} with {N_SESSIONS:,} rating sessions ...", file=sys.stderr)
            found.append(_measure(backend, url, repeats))
    return found


def planning_text(planned: Sequence[Planned]) -> str:
    lines = ["| a start in a rating study | loads ms | assigning ms | whole start ms | processor ms |"]
    lines += ["| --- | --- | --- | --- | --- |"]
    lines += [
        f"| {each.backend} | {each.loads_ms:.1f} | {each.assign_ms:.1f} | {each.start_ms:.1f} | {each.cpu_ms:.1f} |"
        for each in planned
    ]
    size = f"{N_SESSIONS:,} sessions of {PER_PARTICIPANT} of {N_ITEMS} items"
    return "\n".join([*lines, "", f"{size}; medians of all starts."])


def _measure(backend: str, url: URL, repeats: int) -> Planned:
    address = url.render_as_string(hide_password=False)
    settings = Settings(LIKELY_HUMAN_DATA=WORK, DATABASE_URL=address, LIKELY_HUMAN_SECRET="bench")  # type: ignore[call-arg]
    database = open_database(settings)
    with database.transaction() as session:
        version_id, unit_ids = _fill(session)
    with database.transaction() as session:
        session.execute(text("ANALYZE"))
    _start(database, version_id, unit_ids, 0)  # unmeasured, so that what it reads is in memory
    times = [_start(database, version_id, unit_ids, n) for n in range(1, STARTS_A_REPEAT * repeats + 1)]
    database.close()
    loads_ms, assign_ms, start_ms, cpu_ms = (1000 * median(each) for each in zip(*times, strict=True))
    return Planned(backend, loads_ms, assign_ms, start_ms, cpu_ms)


def _start(database: Database, version_id: int, unit_ids: Sequence[int], seed: int) -> tuple[float, ...]:
    """Seconds of reading the loads, of assigning, of the whole, and of the processor for the whole."""
    began, worked = time.perf_counter(), time.process_time()
    now = _BEGAN + timedelta(minutes=N_SESSIONS)
    with database.transaction() as session:
        HOLD_VERSION.all(session, {"version_id": version_id})
        asked = {"version_id": version_id, "mode": Mode.LIVE}
        ordinal = beginning_queries.LAST_ORDINAL.first(session, {**asked, "first": 1, "step": 1})[0] + 1
        before = beginning_queries.PLANS_OF.all(session, {**asked, "ordinal": ordinal - 1})
        reading = time.perf_counter()
        had = loads_of(session, version_id, Mode.LIVE, _BLOCK, now - STALLED)
        read = time.perf_counter()
        items = assign_items(
            [ItemToAssign(unit_id, load=had.get(unit_id, 0)) for unit_id in unit_ids],
            per_participant=PER_PARTICIPANT,
            per_item=N_SESSIONS,
            rng=random.Random(seed),
            mirror_of=[row.unit_id for row in before],
        )
        assigned = time.perf_counter()
        one = _session(version_id, ordinal, Status.ACTIVE, now)
        session_id = _added(session, one)
        trials = [_trial(session_id, position, item.id) for position, item in enumerate(items or (), start=1)]
        beginning_queries.ADD_TRIALS.run(session, *trials)
    return read - reading, assigned - read, time.perf_counter() - began, time.process_time() - worked


def _fill(session: Session) -> tuple[int, Sequence[int]]:
    rng = random.Random(1)
    session.add(study := Study(slug="rate", created_at=_BEGAN))
    session.flush()
    version = StudyVersion(
        study_id=study.id or 0, number=1, sha256="", design="", padded_bytes=0, created_at=_BEGAN
    )
    session.add(version)
    session.flush()
    version_id = version.id or 0
    units = [
        Unit(version_id=version_id, name=f"item-{n}", position=n, condition="", kind=Kind.MAIN, block=_BLOCK)
        for n in range(1, N_ITEMS + 1)
    ]
    session.add_all(units)
    session.flush()
    unit_ids = [unit.id or 0 for unit in units]
    for first in range(1, N_SESSIONS + 1, _BATCH):
        _add_sessions(session, version_id, unit_ids, range(first, first + _BATCH), rng)
    return version_id, unit_ids


def _add_sessions(
    session: Session, version_id: int, unit_ids: Sequence[int], ordinals: range, rng: random.Random
) -> None:
    connection = session.connection()
    trials: list[Row] = []
    responses: list[Row] = []
    for ordinal in ordinals:
        at = _BEGAN + timedelta(minutes=ordinal)
        n_answered = PER_PARTICIPANT if rng.random() < 0.9 else rng.randrange(PER_PARTICIPANT)
        status = Status.COMPLETED if n_answered == PER_PARTICIPANT else Status.ACTIVE
        row = _session(version_id, ordinal, status, at)
        session_id = _added(session, row)
        if rng.random() < 0.02:
            session.add(Exclusion(session_id=session_id, reason="speeding", excluded_at=at))
        for position, unit_id in enumerate(rng.sample(unit_ids, PER_PARTICIPANT), start=1):
            trials.append(_trial(session_id, position, unit_id))
            if position <= n_answered:
                responses.append(_response(session_id, position, at + timedelta(minutes=position)))
    connection.execute(insert(Trial), trials)
    connection.execute(insert(Response), responses)
    session.flush()


def _added(session: Session, row: Row) -> int:
    """The id of a new session's row."""
    made = insert(ParticipantSession).values(**row).returning(col(ParticipantSession.id))
    return int(session.connection().execute(made).scalar_one() or 0)


def _session(version_id: int, ordinal: int, status: Status, at: datetime) -> Row:
    return {
        "version_id": version_id, "mode": Mode.LIVE, "recruiter": {}, "ordinal": ordinal, "status": status,
        "page_shown_at": None if status == Status.COMPLETED else at, "arrived_at": at, "consented_at": at,
    }  # fmt: skip


def _trial(session_id: int, position: int, unit_id: int) -> Row:
    return {"session_id": session_id, "position": position, "unit_id": unit_id, "plan": {}, "sent": {}}


def _response(session_id: int, position: int, at: datetime) -> Row:
    page = f"trial-{position}"
    return {
        "session_id": session_id, "page": page, "submit_id": page, "answers": {"logic": 3}, "flags": [],
        "answered_at": at,
    }  # fmt: skip


@contextmanager
def _sqlite() -> Iterator[URL | None]:
    folder = WORK / "planning"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield URL.create("sqlite", database=str((folder / "planning.sqlite3").absolute()))
    finally:
        shutil.rmtree(folder)


@contextmanager
def _postgres() -> Iterator[URL | None]:
    url = make_url(POSTGRES).set(drivername="postgresql+psycopg", database=f"lh_planning_{os.getpid()}")
    try:
        server = psycopg.connect(POSTGRES, autocommit=True, connect_timeout=3)
    except psycopg.OperationalError:
        yield None
        return
    with server:
        server.execute(f"CREATE DATABASE {url.database}")
        try:
            yield url
        finally:
            server.execute(f"DROP DATABASE {url.database} WITH (FORCE)")
