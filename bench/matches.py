"""Live matches of five people while others wait: moves acknowledged per second, how long each took, and how long until
the others saw its result. `python -m bench.matches [SECONDS] [REPEATS]`, oTree in the same run.

Two paces: at once, where everybody answers as soon as the page lets them, which gives the highest rate of moves that a
server takes; and like people, who think for some seconds, which gives the times that people meet.
"""

import asyncio
import math
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import psycopg
from sqlmodel import select

from app.accounts.logins import token_hash
from app.core.database import Database
from app.core.migrating import open_database
from app.core.settings import Settings
from app.tasks.game.tables import Seat
from app.trials.tables import SessionToken
from bench import otree, otree_matches
from bench.chaos import Findings, Service, Times, examined, fresh_postgres, game_study, opened
from bench.figures import median_of, percentile
from bench.machine import this_machine
from bench.players import Person, PlayerNotes
from bench.report import machine_text
from bench.usage import Usage

MATCHES, PLAYERS, WAITING, ROUNDS = 40, 5, 200, 40
WARM_UP_S = 4.0
THINK_S = 6.0
DEADLINE_S = 600
"""Mean of the exponential time that people think, at their pace."""
PACES: Mapping[str, float] = {"at once": 0.0, "like people": THINK_S}
_PLAYING, _WAITING = "playing", "waiting"


@dataclass(frozen=True, slots=True)
class Run:
    """One run, or the medians of its repeats. `wake` is from sending the move that ended a phase to having the page
    that shows it; cores are of all processes of the server, of this one, and of all others.
    """

    moves_per_s: float
    move_ms_p50: float
    move_ms_p99: float
    wake_ms_p50: float
    wake_ms_p99: float
    client_cores: float
    all_cores: float


class Tables(Protocol):
    """A site at which everybody is seated, or waits."""

    name: str

    async def play(self, noted: PlayerNotes, think_s: float, until: float) -> None:
        """Let everybody play until the given time, while the others wait."""

    def match_of(self) -> Mapping[str, int]:
        """The number of the match of each path."""


@dataclass(slots=True)
class Ours:
    """Likely Human over one database; a fresh one for each run."""

    name: str
    service: Service
    database: Database
    began: datetime
    everybody: list[Person] = field(default_factory=list)
    waiting: list[Person] = field(default_factory=list)

    async def play(self, noted: PlayerNotes, think_s: float, until: float) -> None:
        address = self.service.address
        self.everybody = [Person(address, _PLAYING, noted, at) for at in range(MATCHES * PLAYERS)]
        self.waiting = [Person(address, _WAITING, noted, at) for at in range(WAITING)]
        for at in range(0, WAITING, 20):
            await asyncio.gather(*(person.enter() for person in self.waiting[at : at + 20]))
        for at in range(0, len(self.everybody), 20):
            await asyncio.gather(*(person.enter() for person in self.everybody[at : at + 20]))
        end = time.perf_counter() + until
        lives = [
            *(_plays(person, think_s, end) for person in self.everybody),
            *(_waits(person, end) for person in self.waiting),
        ]
        await asyncio.gather(*lives)

    def match_of(self) -> Mapping[str, int]:
        with self.database.reading() as session:
            seats = {seat.session_id: seat.match_id for seat in session.exec(select(Seat))}
            tokens = {token.sha256: token.session_id for token in session.exec(select(SessionToken))}
        found = {person.path: tokens[token_hash(person.path.rpartition("/")[2])] for person in self.everybody}
        return {path: seats[session_id] for path, session_id in found.items() if session_id in seats}


async def _plays(person: Person, think_s: float, end: float) -> None:
    async def on() -> None:
        while person.stage != "end":
            if person.stage == "move":
                if think_s:
                    await asyncio.sleep(person.rng.expovariate(1 / think_s))
                await person.send(person.move())
            elif person.stage == "result":
                return
            await person.poll()

    await _until(on(), end, person)


async def _waits(person: Person, end: float) -> None:
    async def on() -> None:
        while True:
            await person.poll()

    await _until(on(), end, person)


async def _until(life: Any, end: float, person: Person) -> None:
    try:
        await asyncio.wait_for(life, max(0.01, end - time.perf_counter()))
    except TimeoutError:
        pass
    finally:
        person.drop()


@contextmanager
def served(folder: Path, database_url: str, workers: int) -> Iterator[Ours]:
    """A fresh database with its service; those who wait are in a study of their own, whose matches need 20 people and
    whose ready check nobody answers.
    """
    service = Service(folder, database_url, workers)
    given = {"LIKELY_HUMAN_DATA": str(folder), "DATABASE_URL": database_url}
    database = open_database(Settings.model_validate(given))
    try:
        began = datetime.now(UTC)
        times: dict[str, Any] = {"deadlines": {"default_s": DEADLINE_S}, "leaving": {"grace_s": 600}}
        bound = {"wait_max_s": 3600, "ready_s": 0}
        opened(database, game_study(_PLAYING, PLAYERS, ROUNDS, **times, matching=bound))
        opened(database, game_study(_WAITING, 20, ROUNDS, **times, matching={**bound, "ready_s": 600}))
        service.start()
        many = "process" if workers == 1 else "processes"
        backend = "PostgreSQL" if database_url else "SQLite"
        yield Ours(f"Likely Human, {backend}, {workers} {many}", service, database, began)
    finally:
        service.stop()
        database.close()


def figures(
    noted: PlayerNotes, match_of: Mapping[str, int], since: float, until: float, used: tuple[Usage, Usage]
) -> Run:
    """The numbers of what ended between two times."""
    ms = [took for at, took in noted.answered if since <= at < until]
    ends: dict[tuple[int, str], float] = {}
    for path, phase, sent in noted.sent:
        key = match_of.get(path, 0), phase
        ends[key] = max(ends.get(key, 0.0), sent)
    last: dict[int, list[float]] = {}
    for (match, _), sent in ends.items():
        last.setdefault(match, []).append(sent)
    woken = []
    for path, seen in noted.shown:
        before = [sent for sent in last.get(match_of.get(path, 0), ()) if sent < seen]
        if since <= seen < until and before:
            woken.append(1000 * (seen - max(before)))
    began, ended = used
    cores = began.until(ended)
    return Run(
        moves_per_s=len(ms) / (until - since),
        move_ms_p50=_percentile(ms, 0.5),
        move_ms_p99=_percentile(ms, 0.99),
        wake_ms_p50=_percentile(woken, 0.5),
        wake_ms_p99=_percentile(woken, 0.99),
        client_cores=cores.client,
        all_cores=cores.client + cores.others + cores.server,
    )


def _percentile(ms: Sequence[float], share: float) -> float:
    """The percentile; NaN if nothing ended within the time, as may happen with oTree."""
    return percentile(ms, share) if ms else math.nan


def measured(site: Tables, think_s: float, seconds: float) -> tuple[PlayerNotes, Run]:
    """One run at one pace."""
    noted = PlayerNotes()
    marks: dict[str, Any] = {}

    async def run() -> None:
        async def clock() -> None:
            while not noted.answered:
                await asyncio.sleep(0.05)
            await asyncio.sleep(WARM_UP_S)
            marks["since"], marks["began"] = time.perf_counter(), Usage.of(1)
            await asyncio.sleep(seconds)
            marks["until"], marks["ended"] = time.perf_counter(), Usage.of(1)

        timer = asyncio.create_task(clock())
        await site.play(noted, think_s, WARM_UP_S + seconds + 2 * think_s + 1)
        await timer

    asyncio.run(run())
    used = marks["began"], marks["ended"]
    return noted, figures(noted, site.match_of(), marks["since"], marks["until"], used)


COLUMNS: Mapping[str, Callable[[Run], str]] = {
    "moves/s": lambda run: f"{run.moves_per_s:,.1f}",
    "move p50 ms": lambda run: f"{run.move_ms_p50:,.0f}",
    "move p99 ms": lambda run: f"{run.move_ms_p99:,.0f}",
    "wake p50 ms": lambda run: f"{run.wake_ms_p50:,.0f}",
    "wake p99 ms": lambda run: f"{run.wake_ms_p99:,.0f}",
    "client cores": lambda run: f"{run.client_cores:.2f}",
    "busy cores": lambda run: f"{run.all_cores:.2f}",
}


def _row(run: Run) -> str:
    return " | ".join(cell(run).replace("nan", "–") for cell in COLUMNS.values())


def main(seconds: float, repeats: int) -> int:
    """Print a table in Markdown, each number the median of the repeats; 1 where a row was wrong."""
    print(machine_text(this_machine()))
    with_otree = True
    try:
        otree.install()
    except otree.NotInstalled as error:
        print(f"oTree is left out, it could not be installed: {error}")
        with_otree = False
    runs: dict[tuple[str, str], list[Run]] = {}
    wrong: list[str] = []

    def measure(site: Tables, pace: str) -> PlayerNotes:
        noted, run = measured(site, PACES[pace], seconds)
        runs.setdefault((site.name, pace), []).append(run)
        failed = f", {len(noted.errors)} answers of 500 and above" if noted.errors else ""
        print(f"{site.name}, {pace}: {_row(run)}{failed}", file=sys.stderr)
        return noted

    for _ in range(repeats):
        for pace in PACES:
            for workers in (1, 2):
                with tempfile.TemporaryDirectory() as text, _database(workers) as url:
                    if url is None:
                        continue
                    with served(Path(text), url, workers) as ours:
                        noted = measure(ours, pace)
                        wrong += _wrong(ours, noted, Path(text))
            if with_otree:
                with otree_matches.served(MATCHES, WAITING // 4) as theirs:
                    measure(theirs, pace)
    print(f"\n|  | pace | {' | '.join(COLUMNS)} |\n|{' --- |' * (len(COLUMNS) + 2)}")
    for (name, pace), each in sorted(runs.items(), key=lambda item: item[0][1]):
        run = median_of(each)
        print(f"| {name} | {pace} | {_row(run)} |")
    print("\n".join(["", *wrong[:20]]))
    return 1 if wrong else 0


@contextmanager
def _database(workers: int) -> Iterator[str | None]:
    """SQLite for one process, a new PostgreSQL database for several; None without a server."""
    if workers == 1:
        yield ""
        return
    try:
        with fresh_postgres() as url:
            yield url
    except psycopg.OperationalError as error:
        print(f"PostgreSQL is left out: {error}", file=sys.stderr)
        yield None


def _wrong(ours: Ours, noted: PlayerNotes, folder: Path) -> list[str]:
    """Acknowledged moves that are not stored once, wrong times, and money that does not add up."""
    times = Times(ours.began, timedelta(seconds=DEADLINE_S))
    found: Findings = examined(ours.database, _PLAYING, noted, folder, times)
    unfinished = ("still runs", "has no moves")  # the export has matches that are over
    return [line for line in found.wrong if not line.endswith(unfinished)]


if __name__ == "__main__":
    random.seed(1)
    given: Sequence[str] = sys.argv[1:]
    sys.exit(main(float(given[0]) if given else 10.0, int(given[1]) if len(given) > 1 else 3))
