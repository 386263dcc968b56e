"""The monitor and the sessions of a study with 10,000 sessions and 100,000 answers: milliseconds and queries a page.

Through the whole service in one process: request, login, domain, template. `cold` is the first look of a process that
has just started and has counted nothing yet.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import psycopg
from sqlalchemy import URL, Engine, event, make_url, text, update
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from app.accounts.audit import COMMAND_LINE
from app.accounts.logins import log_in
from app.accounts.tables import Role
from app.accounts.users import add_user
from app.admin.access import COOKIE
from app.core.database import Database
from app.core.migrating import open_database
from app.core.settings import Settings
from app.main import create_app
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, Status, Trial
from bench.client import Broken
from bench.crowd import SLUG, fill
from bench.servers import HERE, WORK, environment

N_SESSIONS = 10_000
GOAL_MS = 200
WARM_PER_START = 5
NEWS = 20  # answers that come in between two looks
POSTGRES = os.environ.get("LIKELY_HUMAN_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")
COLD, WARM, LATER = "monitor, cold", "monitor, warm", f"monitor, {NEWS} answers later"
_STUDY = f"/admin/studies/{SLUG}"
PAGES = {
    WARM: f"{_STUDY}/monitor",
    "sessions": f"{_STUDY}/sessions",
    "sessions with a flag": f"{_STUDY}/sessions?flag=any",
    "sessions by participant": f"{_STUDY}/sessions?q=abc",
    "one session": f"{_STUDY}/sessions/5000",
}


@dataclass(slots=True)
class PageTimes:
    """One page on one database: milliseconds by the clock and of the processor, and the queries of the last request."""

    page: str
    ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    queries: int = 0

    def add(self, ms: Sequence[float], cpu_ms: Sequence[float], queries: int) -> None:
        self.ms += ms
        self.cpu_ms += cpu_ms
        self.queries = queries

    @property
    def median_ms(self) -> float:
        return median(self.ms)

    @property
    def row(self) -> str:
        cells = (
            self.page,
            f"{self.median_ms:.0f}",
            f"{max(self.ms):.0f}",
            f"{median(self.cpu_ms):.0f}",
            self.queries,
        )
        return f"| {' | '.join(map(str, cells))} |"


@dataclass(frozen=True, slots=True)
class Watched:
    """`caught_up_s` is how long, and over how many pages, a process that begins needs to have counted everything."""

    backend: str
    rows: dict[str, int]
    pages: Sequence[PageTimes]
    caught_up_s: float
    caught_up_pages: int


def measure_monitor(repeats: int) -> list[Watched]:
    """Measure on SQLite, and on PostgreSQL where a server answers."""
    found = []
    for backend, url in (("SQLite", _sqlite()), ("PostgreSQL", _postgres())):
        if url is None:
            print("bench: PostgreSQL is left out, no server answers", file=sys.stderr)
            continue
        print(f"Filling {backend} with {N_SESSIONS:,} sessions ...", file=sys.stderr)
        found.append(_measure(backend, url, repeats))
        if backend == "PostgreSQL":
            _drop(url)
    return found


def monitor_text(watched: Sequence[Watched]) -> str:
    lines = []
    for each in watched:
        rows = ", ".join(f"{n:,} rows of {table}" for table, n in each.rows.items())
        lines += [f"{each.backend}: {rows}.", "", "| page | median ms | worst ms | processor ms | queries |"]
        lines += ["| --- | --- | --- | --- | --- |", *(page.row for page in each.pages)]
        worst = max(page.median_ms for page in each.pages)
        lines += [
            "",
            f"Slowest median {worst:.0f} ms (goal: under {GOAL_MS}). After a start everything was counted within "
            f"{each.caught_up_s:.1f} s and {each.caught_up_pages} pages.",
            "",
        ]
    return "\n".join(lines).rstrip()


def _measure(backend: str, url: URL, repeats: int) -> Watched:
    settings = _settings(url)
    rows, cookie = _prepare(settings)
    pages = {name: PageTimes(name) for name in (COLD, *PAGES, LATER)}
    caught: list[tuple[float, int]] = []
    for repeat in range(1, repeats + 1):
        start = _start(url, cookie)
        for name, times in start["pages"].items():
            pages[name].add(**times)
        caught.append((start["caught_up_s"], start["caught_up_pages"]))
        print(f"{backend}, {repeat} of {repeats}: cold {pages[COLD].ms[-1]:.0f} ms", file=sys.stderr)
    took, n_pages = sorted(caught)[len(caught) // 2]
    return Watched(backend, rows, list(pages.values()), took, n_pages)


def _start(url: URL, cookie: str) -> dict[str, Any]:
    """Measure a service of its own, in a process that has just begun; see `one_start`."""
    command = [sys.executable, "-m", "bench.monitor", url.render_as_string(hide_password=False), cookie]
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE.parent, env=environment())
    if done.returncode:
        raise Broken(f"the monitor: {(done.stderr.strip().splitlines() or [''])[-1]}")
    return dict(json.loads(done.stdout))


def one_start(url: str, cookie: str) -> dict[str, Any]:
    """Look at every page, first when nothing is counted yet, then again and again."""
    pages = {name: PageTimes(name) for name in (COLD, *PAGES, LATER)}
    with _service(_settings(make_url(url)), cookie) as (client, database, queries):
        _get(client, "/admin", queries, PageTimes(""))  # whoever comes here has come through other pages
        began, n_pages = time.perf_counter(), 1
        html = _get(client, PAGES[WARM], queries, pages[COLD])
        while "Still counting" in html:
            html, n_pages = _get(client, PAGES[WARM], queries, PageTimes("")), n_pages + 1
        took = time.perf_counter() - began
        for _ in range(WARM_PER_START):
            for name, address in PAGES.items():
                _get(client, address, queries, pages[name])
            _answer(database)
            _get(client, PAGES[WARM], queries, pages[LATER])
    times = {
        page.page: {"ms": page.ms, "cpu_ms": page.cpu_ms, "queries": page.queries} for page in pages.values()
    }
    return {"pages": times, "caught_up_s": took, "caught_up_pages": n_pages}


def _get(client: TestClient, address: str, queries: list[str], times: PageTimes) -> str:
    queries.clear()
    began, worked = time.perf_counter(), time.process_time()
    response = client.get(address)
    ms, cpu_ms = 1000 * (time.perf_counter() - began), 1000 * (time.process_time() - worked)
    times.add([ms], [cpu_ms], len(queries))
    if response.status_code != 200:
        raise Broken(f"{address}: status {response.status_code}")
    return response.text


@contextmanager
def _service(settings: Settings, cookie: str) -> Iterator[tuple[TestClient, Database, list[str]]]:
    """The service as a process that starts has it: nothing counted. `queries` are the statements it sends."""
    queries: list[str] = []

    def count(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        queries.append(statement)

    event.listen(Engine, "before_cursor_execute", count)
    database = Database(settings.database_url, checkpointing=True)
    try:
        with TestClient(create_app(settings, database)) as client:
            client.cookies.set(COOKIE, cookie, path="/admin")
            client.get("/healthz")
            yield client, database, queries
    finally:
        event.remove(Engine, "before_cursor_execute", count)


def _answer(database: Database) -> None:
    """The next answers of people who are inside."""
    now = datetime.now(UTC)
    with database.transaction() as session:
        for one in session.exec(_inside()).all():
            trials = select(Trial).where(Trial.session_id == one.id).order_by(col(Trial.position))
            answered = select(Response.trial_id).where(Response.session_id == one.id)
            trial = session.exec(trials.where(col(Trial.id).not_in(answered))).first()
            if trial is None:
                continue
            session.add(
                Response(
                    session_id=one.id or 0, trial_id=trial.id, page=f"trial-{trial.position}",
                    submit_id=f"trial-{trial.position}.new", side="left", uncertainty=1, rationale="x", answers={},
                    rt_ms=9_000, shown_at=now, answered_at=now, flags=[],
                )
            )  # fmt: skip
            one.step += 1
            session.add(one)


def _inside() -> Any:
    """The active sessions that came the least far; different ones each time."""
    active = select(ParticipantSession).where(ParticipantSession.status == Status.ACTIVE)
    return active.where(ParticipantSession.step < 12).order_by(col(ParticipantSession.step)).limit(NEWS)


def _prepare(settings: Settings) -> tuple[dict[str, int], str]:
    """Tables, rows and a login; returns how many rows, and the login's cookie."""
    database = open_database(settings)
    now = datetime.now(UTC)
    with database.transaction() as session:
        rows = dict(fill(session, N_SESSIONS, now))
        session.execute(text("UPDATE study SET state = 'live'"))
        owner = add_user(session, "owner@example.org", Role.OWNER, "none", by=COMMAND_LINE, now=now)
        cookie = log_in(session, owner, "bench", now)
        _still_inside(session, now)
    with database.transaction() as session:
        session.execute(text("ANALYZE"))
    database.close()
    return rows, cookie


def _still_inside(session: Session, now: datetime) -> None:
    """Mark a few of the unfinished sessions as present now."""
    recent = select(ParticipantSession.id).where(ParticipantSession.status == Status.ACTIVE).limit(60)
    ids = session.exec(recent).all()
    here = update(ParticipantSession).where(col(ParticipantSession.id).in_(ids))
    session.execute(here.values(page_shown_at=now - timedelta(minutes=1)))


def _settings(url: URL) -> Settings:
    data = WORK / "monitor"
    data.mkdir(parents=True, exist_ok=True)
    address = url.render_as_string(hide_password=False)
    return Settings(LIKELY_HUMAN_DATA=data, DATABASE_URL=address, LIKELY_HUMAN_SECRET="bench")  # type: ignore[call-arg]


def _sqlite() -> URL:
    folder = WORK / "monitor"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return URL.create("sqlite", database=str(Path(folder / "monitor.sqlite3").absolute()))


def _postgres() -> URL | None:
    url = make_url(POSTGRES).set(drivername="postgresql+psycopg", database=f"lh_bench_{os.getpid()}")
    try:
        with psycopg.connect(POSTGRES, autocommit=True, connect_timeout=3) as server:
            server.execute(f"CREATE DATABASE {url.database}")
    except psycopg.OperationalError:
        return None
    return url


def _drop(url: URL) -> None:
    with psycopg.connect(POSTGRES, autocommit=True) as server:
        server.execute(f"DROP DATABASE {url.database} WITH (FORCE)")


if __name__ == "__main__":
    print(json.dumps(one_start(*sys.argv[1:])))
