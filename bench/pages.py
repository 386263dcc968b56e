"""`python -m bench.pages`: the server's time for every experimenter's page on a lab's folder (`make lab`).

Each GET route of `/admin` is asked for, for a study of each kind and state, through the whole service in one process:
request, login, domain, template. A page is asked for once before it is measured; of three times the median counts. They
are milliseconds of the processor, as other work on the machine would make those of the clock longer.
"""

import argparse
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from sqlalchemy import Engine, event
from sqlmodel import Session, col, func, select
from starlette.routing import Route
from starlette.testclient import TestClient

from app.accounts.logins import log_in
from app.accounts.tables import Role, User
from app.admin.access import COOKIE
from app.admin.router import PARTS
from app.core.migrating import open_database
from app.core.settings import Settings
from app.library.tables import Stimulus
from app.main import create_app
from app.trials.tables import ParticipantSession, Study, StudyVersion
from app.worker.worker import drain

FOLDER = Path(__file__).parents[1] / "build" / "lab"
GOAL_MS = 200
TIMES = 3
# Files to be downloaded, streams that do not end, and addresses of scripts and files are no pages.
NO_PAGES = re.compile(
    r"/events$|\.(csv|jsonl|parquet|json|zip|mp4|jpg|yaml|html|md|mjs|js|css|svg|png)$|/jobs/|/export|/download"
)
# The lists as they are longest, or take the most to find.
LISTS = (
    "",
    "?show=60",
    "?state=draft",
    "?state=closed&sort=missing",
    "/studies/{slug}/sessions?flag=any",
    "/studies/{slug}/sessions?q=p-0",
    "/studies/{slug}/sessions?excluded=no&status=completed",
)
_HOLE = re.compile(r"\{(\w+)(?::\w+)?\}")


@dataclass(frozen=True, slots=True)
class Timed:
    """One page: its route, its address, what came of it, and the median of milliseconds, with its queries."""

    route: str
    address: str
    status: int
    ms: float
    queries: int


def measure(folder: Path) -> list[Timed]:
    settings = Settings(LIKELY_HUMAN_DATA=folder, DATABASE_URL="", LIKELY_HUMAN_MAX_STARTS=0)  # type: ignore[call-arg]
    database = open_database(settings)
    with database.transaction() as session:
        owner = session.exec(select(User.id).where(User.role == Role.OWNER)).first() or 0
        cookie = log_in(session, owner, "bench", datetime.now(UTC))
    with database.reading() as session:
        slugs, values = _kinds(session), _values(session)
    found = []
    with _counted() as queries, TestClient(create_app(settings, database)) as client:
        client.cookies.set(COOKIE, cookie, path="/admin")
        client.get("/healthz")
        for slug in slugs:  # results are computed by the worker, which a page only asks
            client.get(f"/admin/studies/{slug}/results")
        drain(settings, database)
        for route in _routes():
            for address in _addresses(route, slugs, values):
                found.append(_time(client, route, address, queries))
    return found


def _routes() -> list[str]:
    """The path of every page."""
    found = {
        route.path
        for part in PARTS
        for route in part.routes
        if isinstance(route, Route) and "GET" in (route.methods or ())
    }
    return [*LISTS, *sorted(path for path in found if not NO_PAGES.search(path))]


def _kinds(session: Session) -> list[str]:
    """A study of each state and each set of tasks: of those alike, the one with the most sessions."""
    counted = (
        select(Study.slug, Study.state, StudyVersion.design, func.count(col(ParticipantSession.id)))
        .outerjoin(StudyVersion, col(StudyVersion.study_id) == Study.id)
        .outerjoin(ParticipantSession, col(ParticipantSession.version_id) == StudyVersion.id)
        .group_by(Study.slug, Study.state, StudyVersion.design)
        .order_by(func.count(col(ParticipantSession.id)).desc(), col(Study.slug))
    )
    found: dict[tuple[str, str], str] = {}
    for slug, state, design, _ in session.exec(counted):
        tasks = ",".join(sorted(set(re.findall(r'"task":\s*"(\w+)"', design or ""))))
        found.setdefault((state, tasks), slug)
    return list(found.values())


def _values(session: Session) -> Mapping[str, Mapping[str, str]]:
    """Values for the holes of addresses, by the study's slug; those of `` hold everywhere."""
    first = select(Stimulus.name, Stimulus.clip_sha256).order_by(Stimulus.name).limit(1)
    name, sha256 = session.exec(first).one()
    everywhere = {
        "name": name,
        "clip": sha256 or "",
        "number": "1",
        "user_id": "1",
        "page": "README",
        "document": "studies",
    }
    sessions = (
        select(Study.slug, func.max(ParticipantSession.id))
        .join(StudyVersion, col(StudyVersion.study_id) == Study.id)
        .join(ParticipantSession, col(ParticipantSession.version_id) == StudyVersion.id)
        .group_by(Study.slug)
    )
    return {"": everywhere, **{slug: {"session_id": str(id_)} for slug, id_ in session.exec(sessions)}}


def _addresses(route: str, slugs: Sequence[str], values: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    holes = _HOLE.findall(route)
    for slug in slugs if "slug" in holes else ("",):
        given = {**values[""], **values.get(slug, {}), "slug": slug}
        if all(given.get(hole) for hole in holes):
            address = route
            for hole in holes:
                address = re.sub(rf"\{{{hole}(:\w+)?\}}", given[hole], address)
            yield "/admin" + address.removeprefix("/admin")


def _time(client: TestClient, route: str, address: str, queries: list[str]) -> Timed:
    reply, took = client.get(address, follow_redirects=False), []
    for _ in range(TIMES):
        queries.clear()
        began = time.process_time()
        reply = client.get(address, follow_redirects=False)
        took.append(1000 * (time.process_time() - began))
    return Timed(route, address, reply.status_code, median(took), len(queries))


@contextmanager
def _counted() -> Iterator[list[str]]:
    queries: list[str] = []

    def count(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        queries.append(statement)

    event.listen(Engine, "before_cursor_execute", count)
    try:
        yield queries
    finally:
        event.remove(Engine, "before_cursor_execute", count)


def text(found: Sequence[Timed]) -> str:
    slow = [each for each in found if each.ms > GOAL_MS]
    shown = sorted(found, key=lambda each: -each.ms)
    lines = ["| page | ms | queries | status |", "| --- | --- | --- | --- |"]
    lines += [f"| {each.address} | {each.ms:.0f} | {each.queries} | {each.status} |" for each in shown]
    return "\n".join([*lines, "", f"{len(slow)} of {len(found)} pages take more than {GOAL_MS} ms."])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.pages", description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    asked = parser.parse_args(arguments)
    if not asked.folder.is_dir():
        sys.stderr.write(f"bench: there is no {asked.folder}; make it with `make lab`\n")
        return 1
    sys.stdout.write(text(measure(asked.folder)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
