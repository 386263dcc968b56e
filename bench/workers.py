"""Answers per second on PostgreSQL with one process and with two, by turns, and what filled the cores meanwhile."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psycopg

from bench.chaos import fresh_postgres
from bench.client import Broken
from bench.library import SLUG, make_library
from bench.likely_human import ANSWERS, LikelyHuman
from bench.servers import BIN, environment, free_address, serving
from bench.usage import Usage, family_s
from bench.walks import walk

WORKERS = (1, 2)
AT_ONCE = 20
GOAL = 1.7
N_PAIRS = 10
WARM_UP_S = 8.0
COMING_S = 2.0  # or all would go on answering in step
FREE_CORES = 0.1


@dataclass(frozen=True, slots=True)
class Run:
    """One run with so many processes. Cores are processor seconds per second: `server` of all its processes, `database`
    of PostgreSQL's (other databases of the same server included), `client` of this one, `others` of everything else.
    """

    workers: int
    answers_per_s: float
    ms_per_answer: float
    database_ms_per_answer: float
    server: float
    database: float
    client: float
    others: float
    n_acknowledged: int
    n_stored: int
    n_lost: int


@dataclass(frozen=True, slots=True)
class OnPostgres(LikelyHuman):
    """The study of pairs, stored in PostgreSQL."""

    url: str = ""

    def stored(self) -> set[str]:
        with psycopg.connect(self.url) as connection:
            rows = connection.execute("SELECT submit_id FROM response WHERE trial_id IS NOT NULL")
            return {name for (name,) in rows}


def measure_workers(data: Path, seconds: float, repeats: int, warm_up_s: float = WARM_UP_S) -> list[Run]:
    """Runs with one process and with two, by turns over one database, in a data folder that is made anew; none without
    a PostgreSQL server.
    """
    try:
        with fresh_postgres() as url:
            print("Making the study on PostgreSQL ...", file=sys.stderr)
            make_library(data, N_PAIRS, width=64, height=64, frames=15, database_url=url)
            return [
                _run(data, url, workers, seconds, warm_up_s) for _ in range(repeats) for workers in WORKERS
            ]
    except psycopg.OperationalError as error:
        print(f"bench: PostgreSQL is left out: {error}", file=sys.stderr)
        return []


def is_sound(runs: Sequence[Run]) -> bool:
    """True if every answer that was acknowledged is stored, and no other."""
    return all(run.n_acknowledged == run.n_stored and not run.n_lost for run in runs)


@contextmanager
def _served(data: Path, url: str, workers: int) -> Iterator[OnPostgres]:
    address = free_address()
    words = ["--host", address.host, "--port", str(address.port), "--workers", str(workers)]
    env = environment(LIKELY_HUMAN_DATA=str(data), DATABASE_URL=url, LIKELY_HUMAN_MAX_STARTS="0")
    with serving([BIN / "likely-human", "serve", *words], address, env) as pid:
        yield OnPostgres(f"{workers}", address, pid, data, SLUG, ANSWERS, url)


def _run(data: Path, url: str, workers: int, seconds: float, warm_up_s: float) -> Run:
    postmaster = _postmaster(url)
    with _served(data, url, workers) as site:
        walk(site, AT_ONCE, 0, warm_up_s)  # every process starts, and makes its first pages
        before = site.stored()
        began, spent = Usage.of(site.pid), (family_s(site.pid), family_s(postmaster))
        walks = walk(site, AT_ONCE, COMING_S, seconds)
        ended, now_spent = Usage.of(site.pid), (family_s(site.pid), family_s(postmaster))
        stored = site.stored() - before
    took_s, n = ended.now - began.now, len(walks.acknowledged)
    if not n:
        raise Broken(f"no answer within {seconds:g} s; give it longer with --seconds")
    server, database = (now - then for now, then in zip(now_spent, spent, strict=True))
    client = ended.client - began.client
    run = Run(
        workers=workers,
        answers_per_s=n / took_s,
        ms_per_answer=1000 * server / n,
        database_ms_per_answer=1000 * database / n,
        server=server / took_s,
        database=database / took_s,
        client=client / took_s,
        others=max(ended.machine - began.machine - server - database - client, 0.0) / took_s,
        n_acknowledged=n,
        n_stored=len(stored),
        n_lost=len(set(walks.acknowledged) - stored),
    )
    print(f"{workers} processes: {run.answers_per_s:.0f} answers/s", file=sys.stderr)
    return run


def _postmaster(url: str) -> int:
    """The process of the database server that starts all others; 0 where it runs on another machine."""
    with psycopg.connect(url) as connection:
        backend = connection.info.backend_pid
        try:
            return int(Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return 0


def workers_text(runs: Sequence[Run], cores: int) -> str:
    """The medians as a table, the ratio of two processes to one, and whether there were cores for it."""
    if not runs:
        return "Answers on PostgreSQL were not measured."
    by_workers = {n: [run for run in runs if run.workers == n] for n in WORKERS}
    lines = [
        "| processes | answers/s | server ms per answer | database ms per answer | server cores | database cores | "
        "client cores | other cores |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        *(_row(n, of) for n, of in by_workers.items()),
        "",
    ]
    return "\n".join([*lines, *_ratio(by_workers, cores)])


def _row(workers: int, runs: Sequence[Run]) -> str:
    figures = (
        ("answers_per_s", 1), ("ms_per_answer", 2), ("database_ms_per_answer", 2), ("server", 2), ("database", 2),
        ("client", 2), ("others", 2),
    )  # fmt: skip
    cells = [f"{median(getattr(run, name) for run in runs):,.{digits}f}" for name, digits in figures]
    return f"| {workers} | {' | '.join(cells)} |"


def _ratio(by_workers: Mapping[int, Sequence[Run]], cores: int) -> Iterator[str]:
    one, two = (by_workers[n] for n in WORKERS)
    ratios = sorted(b.answers_per_s / a.answers_per_s for a, b in zip(one, two, strict=True))
    yield (
        f"Two processes: {median(ratios):.2f} times the answers per second of one "
        f"({ratios[0]:.2f} to {ratios[-1]:.2f}, {len(ratios)} turns; goal: {GOAL})."
    )
    busy = max(run.server + run.database + run.client + run.others for run in two)
    if busy < cores - FREE_CORES:
        return
    own = median(b.ms_per_answer / a.ms_per_answer for a, b in zip(one, two, strict=True))
    yield (
        f"NO CORE WAS FREE: with two processes {busy:.2f} of {cores} cores were busy, so the ratio is that of what was "
        f"left to them. An answer took the server {own:.2f} times the processor time that it takes with one process: "
        f"two that have a core each, as the database and the client, could reach {2 / own:.2f} times at most."
    )
