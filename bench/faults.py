"""Fault injection: people of every task at work while the service and its worker are killed, the disk is full, the
database is stopped, and connections are cut in the middle of forms. Then every row is verified.

`python -m bench.faults [PEOPLE] [ROUNDS]`: over SQLite on a disk of its own, then over a PostgreSQL server of its own.
Prints the table of docs/serving.md. Needs root, for the disk and for PostgreSQL's user. With the default rounds each
database meets more than 50 faults, cut connections not counted.
"""

import asyncio
import csv
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx2
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from app.accounts.audit import COMMAND_LINE
from app.accounts.logins import Who, token_hash
from app.accounts.tables import Role
from app.accounts.tokens import make_token
from app.accounts.users import add_user
from app.core.database import Database
from app.core.migrating import open_database
from app.core.settings import Settings
from app.demo.build import PLAY, RATE, SLUG, build_demo, build_play, build_rate
from app.demo.walks import FOLDER, listed, positions_file
from app.jobs import queue
from app.jobs.tables import Job, JobStatus, Kind
from app.judges.asking_training import TrainingWish
from app.library.places import training_folder
from app.library.tables import Upload
from app.sessions.coming import split_number
from app.sessions.entry import pass_for
from app.simulation.people import Person, Traits
from app.simulation.walk import Walk
from app.studies.file.load import load_study
from app.studies.file.templates import write_template
from app.studies.versions import load_version, set_state
from app.tasks.game.tables import GameEvent
from app.trials.responses import Response
from app.trials.tables import Mode, SessionToken, State, Study
from bench.chaos import Service, n_running
from bench.servers import free_address

WALK = "walk-the-map"
TASKS = {SLUG: "pairs", RATE: "ratings", PLAY: "matches", WALK: "walks"}
CUT, AGAIN_S = 0.02, 0.2
DISK_BYTES = 3_000_000_000
STOPPED_S, FULL_S = 20.0, 4.0
AGAIN, KILLS = 4, 6  # in each round
CUT_FORM = "connection cut in the middle of a form"
CLIPS, WALKS = FOLDER / "clips", "walks"
PATIENCE_S = 900.0


@dataclass(slots=True)
class Seen:
    """Acknowledgements that people received, and the faults injected into the service."""

    faults: Counter[str] = field(default_factory=Counter)
    taken: dict[str, set[str]] = field(default_factory=dict)
    refused: Counter[int] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)


class Stubborn(httpx2.AsyncBaseTransport):
    """A browser's way of sending: again until there is an answer. Some forms are cut off in the middle first."""

    def __init__(self, seen: Seen, rng: random.Random) -> None:
        self._seen, self._rng = seen, rng
        self._inner = httpx2.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        if request.method == "POST" and self._rng.random() < CUT:
            await self._half(request, body)
        while True:
            again = httpx2.Request(request.method, request.url, headers=request.headers, content=body)
            try:
                response = await self._inner.handle_async_request(again)
                content = await response.aread()
            except httpx2.TransportError:
                await asyncio.sleep(AGAIN_S)
                continue
            if response.status_code in (429, 500, 502, 503):
                self._seen.refused[response.status_code] += 1
                await asyncio.sleep(AGAIN_S)
                continue
            self._note(request, body, response)
            kept = [(k, v) for k, v in response.headers.multi_items() if k.lower() != "content-encoding"]
            return httpx2.Response(response.status_code, headers=kept, content=content, request=request)

    def _note(self, request: httpx2.Request, body: bytes, response: httpx2.Response) -> None:
        """A form that was taken: an answer, and not that the page was another one."""
        parts = request.url.path.split("/")
        if request.method != "POST" or len(parts) != 3 or parts[1] != "p":
            return
        fields = parse_qs(body.decode())
        if "do" in fields:  # on a game's rules: what is kept of them is how many tries there were
            return
        number = fields.get("submit_id", [""])[0]
        if response.status_code == 303 and "?" not in response.headers.get("location", "") and number:
            self._seen.taken.setdefault(parts[2], set()).add(split_number(number)[0])

    async def _half(self, request: httpx2.Request, body: bytes) -> None:
        """Send the head and half of the form, then abort the connection."""
        with suppress(OSError):
            _, writer = await asyncio.open_connection(request.url.host, request.url.port)
            head = f"POST {request.url.raw_path.decode()} HTTP/1.1\r\n"
            head += "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
            writer.write(head.encode() + b"\r\n" + body[: len(body) // 2])
            await writer.drain()
            writer.transport.abort()
            self._seen.faults[CUT_FORM] += 1

    async def aclose(self) -> None:
        await self._inner.aclose()


class Patient(Database):
    """The database in which simulated people look up their truth; it waits while the server is down."""

    async def read(self, job: Any, *args: Any, **kwargs: Any) -> Any:
        while True:
            try:
                return await super().read(job, *args, **kwargs)
            except DBAPIError:
                await asyncio.sleep(AGAIN_S)


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of its own, so that filling it affects nothing else."""
    folder.mkdir()
    image = folder.with_suffix(".image")
    with image.open("wb") as file:
        file.truncate(DISK_BYTES)
    subprocess.run(["mkfs.ext4", "-q", "-F", "-m", "0", str(image)], check=True)
    subprocess.run(["mount", "-o", "loop", str(image), str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@dataclass(slots=True)
class Postgres:
    """A server of our own, which may be stopped and killed."""

    folder: Path
    port: int = field(default_factory=lambda: free_address().port)

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def make(self) -> None:
        """A new cluster."""
        self.folder.mkdir()
        shutil.chown(self.folder, "postgres", "postgres")
        self._run("initdb", "-A", "trust", "-U", "postgres", "-D", str(self.folder))
        self.start()

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1"
        self._run(
            "pg_ctl", "-w", "-D", str(self.folder), "-l", str(self.folder / "log"), "-o", options, "start"
        )

    def stop(self) -> None:
        self._run("pg_ctl", "-w", "-D", str(self.folder), "-m", "immediate", "stop")

    def hold(self, sign: signal.Signals) -> None:
        """Stop all of its processes, or let them go on."""
        first = int((self.folder / "postmaster.pid").read_text().split()[0])
        found = subprocess.run(["pgrep", "-P", str(first)], capture_output=True, text=True, check=False)
        for pid in (first, *map(int, found.stdout.split())):
            with suppress(ProcessLookupError):
                os.kill(pid, sign)

    def _run(self, program: str, *words: str) -> None:
        binary = shutil.which(program) or max(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{program}")))
        subprocess.run([binary, *words], user="postgres", cwd="/", check=True, stdout=subprocess.DEVNULL)


@dataclass(slots=True)
class Run:
    """One service with its studies, people, jobs and faults."""

    service: Service
    settings: Settings
    database: Patient
    seen: Seen = field(default_factory=Seen)
    asked: list[int] = field(default_factory=list)
    token: str = ""

    def prepare(self) -> None:
        """Open a study of every task; create a user who may upload clips, and walks to train judges on."""
        build_demo(self.settings, self.database)
        build_play(self.database)
        build_rate(self.database)
        with tempfile.TemporaryDirectory() as text:
            write_template(WALK, Path(text) / WALK)
            with self.database.transaction() as session:
                design = load_study(Path(text) / WALK / "study.yaml", {})
                load_version(session, design, datetime.now(UTC))
                set_state(session, design.study, State.LIVE)
        with self.database.transaction() as session:
            now = datetime.now(UTC)
            user = add_user(session, "a@example.org", Role.OWNER, "none", by=COMMAND_LINE, now=now)
            self.token = make_token(session, Who(user, "a@example.org", Role.OWNER), "faults", now)
        keep_walks_to_train(training_folder(self.settings.data_dir) / WALKS)

    async def person(self, number: int) -> None:
        """One simulated participant of one of the studies, from the first page to the last."""
        slug = list(TASKS)[number % len(TASKS)]
        rng = random.Random(number)
        entry = f"/s/{slug}?as={pass_for(slug, Mode.SIMULATED, self.settings.secret)}"
        base = f"http://{self.service.address.host}:{self.service.address.port}"
        async with httpx2.AsyncClient(
            base_url=base, transport=Stubborn(self.seen, rng), follow_redirects=True, timeout=120
        ) as client:
            await Walk(client, self.database, Person(Traits(), rng, number)).through(entry)
        self.seen.ended[TASKS[slug]] += 1

    def ask(self, kind: Kind) -> int:
        """Give the worker something to do."""
        now = datetime.now(UTC)
        with self.database.transaction() as session:
            study = session.exec(select(Study.id).where(Study.slug == SLUG)).one()
            if kind is Kind.REPORT:
                params: Mapping[str, Any] = {"slug": SLUG, "mode": "simulated", "seed": 1}
            else:
                wish = TrainingWish(f"t{len(self.asked)}", "turn-speed-gru", folder=WALKS, epochs=3)
                params = {**asdict(wish), "slug": SLUG, "allowed": []}
            job = queue.ask(session, kind, params, now=now, study_id=study, asked_by=1)
        self.asked.append(job)
        return job

    async def send_clip(self, number: int) -> int:
        """Upload a clip; returns the worker's job to wait for."""
        data = sorted(CLIPS.glob("*.mp4"))[number].read_bytes()
        base = f"http://{self.service.address.host}:{self.service.address.port}/api/v1/uploads"
        transport = Stubborn(self.seen, random.Random(number))
        auth = {"Authorization": f"Bearer {self.token}"}
        async with httpx2.AsyncClient(transport=transport, headers=auth, timeout=120) as client:
            new = {"file_name": f"sent-{number}.mp4", "bytes": len(data), "source": "sent"}
            token = (await client.post(base, json=new)).json()["token"]
            await client.patch(f"{base}/{token}?offset=0", content=data)
        with self.database.reading() as session:
            job = session.exec(select(Upload.job_id).where(Upload.token == token)).one()
        assert job
        self.asked.append(job)
        return job

    async def kill_worker_at(self, job: int, words: str, doing: str) -> None:
        """Kill the worker while it is at a job, and says of it what begins so."""
        while True:
            status, said = await self.database.read(_status, job)
            if status == JobStatus.RUNNING and said.startswith(doing):
                pid = worker_of(self.service)
                if pid is not None:
                    os.kill(pid, signal.SIGKILL)
                    self.seen.faults[f"worker killed in the middle of {words}"] += 1
                return
            if status not in (JobStatus.QUEUED, JobStatus.RUNNING):
                return
            await asyncio.sleep(0.01)

    async def fill_disk(self) -> None:
        """Fill the disk until a request is refused, and for a while more. An open reader keeps SQLite from restarting
        its write-ahead log, so the log fills its space and cannot grow.
        """
        filler, refused = self.service.data / "filler", self.seen.refused[503]
        path = str(self.settings.database_url.database)
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM job").fetchone()
            await asyncio.to_thread(_fill, filler)
            async with asyncio.timeout(PATIENCE_S):
                while self.seen.refused[503] == refused:
                    await asyncio.sleep(0.05)
            self.seen.faults[f"disk full until answers were refused, and {FULL_S:g} s more"] += 1
            await asyncio.sleep(FULL_S)
            filler.unlink()

    async def wait_until_well(self) -> None:
        """Each fault finds people at work."""
        address = f"http://{self.service.address.host}:{self.service.address.port}/healthz"
        async with asyncio.timeout(PATIENCE_S):
            while True:
                with suppress(httpx2.TransportError):
                    async with httpx2.AsyncClient() as client:
                        if (await client.get(address)).status_code == 200:
                            return
                await asyncio.sleep(AGAIN_S)

    async def wait_for_jobs(self) -> Counter[str]:
        """The number of jobs by final status."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            found = [(await self.database.read(_status, job))[0] for job in self.asked]
            if not {JobStatus.QUEUED, JobStatus.RUNNING} & set(found):
                break
            await asyncio.sleep(0.2)
        return Counter(map(str, found))


def _status(session: Session, job: int) -> tuple[str, str]:
    return session.exec(select(Job.status, Job.doing).where(Job.id == job)).one()


def keep_walks_to_train(folder: Path) -> None:
    """Write positions of the demo's walks, each of a scene of its own: with fewer than five scenes no judge is
    trained.
    """
    folder.mkdir(parents=True)
    with (folder / "manifest.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["name", "source", "player", "positions", "scene"])
        for clip in listed():
            shutil.copyfile(FOLDER / positions_file(clip.name), folder / f"{clip.name}.csv")
            player = clip.attributes.get("player", "")
            table.writerow([clip.name, clip.source, player, f"{clip.name}.csv", clip.name])


def _fill(filler: Path) -> None:
    """Take all the space that there is, at once."""
    with filler.open("wb") as file:
        end, size = 0, DISK_BYTES
        while size >= 1024:
            try:
                os.posix_fallocate(file.fileno(), end, size)
                end += size
            except OSError:
                size //= 2


def worker_of(service: Service) -> int | None:
    """The process of the worker; None while there is none."""
    assert service.process
    command = ["pgrep", "-P", str(service.process.pid), "-f", "app.worker"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    return int(found[0]) if found else None


async def trouble(run: Run, rounds: int, postgres: Postgres | None) -> None:
    """One fault after another while people are at work."""
    for number in range(rounds):
        for clip in range(AGAIN):
            await run.kill_worker_at(await run.send_clip(AGAIN * number + clip), "a clip", "")
        report = await asyncio.to_thread(run.ask, Kind.REPORT)
        await run.kill_worker_at(report, "a report", "")
        training = await asyncio.to_thread(run.ask, Kind.TRAINING)
        await run.kill_worker_at(training, "a training", "Training")
        await run.wait_for_jobs()  # one at which the worker died four times is given up
        for _ in range(KILLS):
            await asyncio.to_thread(run.service.kill)
            run.seen.faults["service, or one of its processes, killed (`kill -9`)"] += 1
            await run.wait_until_well()
        if postgres is None:
            for _ in range(AGAIN):
                await run.fill_disk()
        else:
            postgres.hold(signal.SIGSTOP)
            await asyncio.sleep(STOPPED_S)
            postgres.hold(signal.SIGCONT)
            run.seen.faults[f"PostgreSQL stood still for {STOPPED_S:g} s"] += 1
            await run.wait_until_well()
            await asyncio.to_thread(postgres.stop)
            await asyncio.sleep(STOPPED_S)
            await asyncio.to_thread(postgres.start)
            run.seen.faults[f"PostgreSQL killed, and away for {STOPPED_S:g} s"] += 1
            await run.wait_until_well()


def wrongs(session: Session, seen: Seen) -> Sequence[str]:
    """Acknowledged answers and moves that are not stored exactly once."""
    of = {token.sha256: token.session_id for token in session.exec(select(SessionToken))}
    stored = Counter(map(tuple, session.execute(select(col(Response.session_id), col(Response.submit_id)))))
    moves = select(col(GameEvent.session_id), col(GameEvent.submit_id)).where(
        col(GameEvent.submit_id).is_not(None)
    )
    stored.update(map(tuple, session.execute(moves)))
    doubled = [f"{key} is stored {n} times" for key, n in stored.items() if n > 1 and key[1]]
    lost = [
        f"{TASKS.get(token, token)[:6]} {number} was taken and is not stored"
        for token, numbers in seen.taken.items()
        for number in numbers
        if not stored[(of[token_hash(token)], number)]
    ]
    return [*doubled, *lost]


def unfinished(session: Session, asked: Sequence[int]) -> Sequence[str]:
    """Jobs whose worker was killed, and that were not done by the next."""
    jobs = session.exec(select(Job).where(col(Job.id).in_(asked), col(Job.status) != JobStatus.DONE))
    return [f"job {job.id}, {job.kind}, is {job.status}: {job.message}" for job in jobs]


async def everything(run: Run, people: int, rounds: int, postgres: Postgres | None) -> Counter[str]:
    """All of it; people come until the last fault is over."""
    over = asyncio.Event()
    numbers = iter(range(10**6))

    async def coming() -> None:
        while not over.is_set():
            await run.person(next(numbers))

    async with asyncio.TaskGroup() as group:
        for _ in range(people):
            group.create_task(coming())
        await trouble(run, rounds, postgres)
        jobs = await run.wait_for_jobs()
        over.set()
    return jobs


@dataclass(frozen=True, slots=True)
class DatabaseResult:
    """Results of one database: its people's experiences, and the errors found at the end."""

    name: str
    seen: Seen
    jobs: Counter[str]
    seconds: float
    wrong: Sequence[str]

    def rows(self) -> Mapping[str, str]:
        """The cells of its column below the faults, by the first cell of each row."""
        faults, refused = self.seen.faults, self.seen.refused
        ended = (f"{self.seen.ended[task]:,}" for task in TASKS.values())
        return {
            "**faults in all, cut connections not counted**": f"{faults.total() - faults[CUT_FORM]:,}",
            f"people who came to the last page: {', '.join(TASKS.values())}": ", ".join(ended),
            "answers and moves acknowledged": f"{sum(map(len, self.seen.taken.values())):,}",
            "answered with 503, and sent again": f"{refused[503]:,}",
            "refused otherwise, and sent again": f"{refused.total() - refused[503]:,}",
            "lost, doubled or not done": f"{len(self.wrong):,}",
            "clips, reports and trainings done in the end, of those asked for": (
                f"{self.jobs[JobStatus.DONE]:,} of {self.jobs.total():,}"
            ),
            "seconds": f"{self.seconds:,.0f}",
        }


def table_text(passed: Sequence[DatabaseResult]) -> str:
    """Markdown: a row for each kind of fault, then what came of them; a column for each database."""
    kinds = sorted({fault for one in passed for fault in one.seen.faults})
    rows = [(kind, *(f"{one.seen.faults[kind]:,}" for one in passed)) for kind in kinds]
    below = [one.rows() for one in passed]
    rows += [(name, *(column[name] for column in below)) for name in below[0]]
    lines = [("fault", *(one.name for one in passed)), ("---",) * (1 + len(passed)), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def gone_through(data: Path, people: int, rounds: int, postgres: Postgres | None) -> DatabaseResult:
    """One database, from an empty place to its last row."""
    url = postgres.url if postgres else ""
    settings = Settings.model_validate({"LIKELY_HUMAN_DATA": str(data), "DATABASE_URL": url})
    open_database(settings).close()
    database = Patient(settings.database_url)
    service = Service(data, url, workers=2 if postgres else 1, more={"LIKELY_HUMAN_MAX_CONNECTIONS": "0"})
    run = Run(service, settings, database)
    run.prepare()
    service.start()
    began = time.monotonic()
    try:
        jobs = asyncio.run(everything(run, people, rounds, postgres))
        while n_running(database):
            time.sleep(0.2)
    finally:
        service.stop()
    with database.reading() as session:
        wrong = [*wrongs(session, run.seen), *unfinished(session, run.asked)]
    database.close()
    name = "PostgreSQL, 2 processes" if postgres else "SQLite, 1 process"
    return DatabaseResult(name, run.seen, jobs, time.monotonic() - began, wrong)


def main(people: int = 6, rounds: int = 4) -> int:
    """Run both databases, one after the other."""
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        folder.chmod(0o755)
        with small_disk(folder / "disk") as disk:
            passed = [gone_through(disk / "data", people, rounds, None)]
        print(table_text(passed), flush=True)
        postgres = Postgres(folder / "postgres")
        postgres.make()
        try:
            passed.append(gone_through(folder / "data", people, rounds, postgres))
        finally:
            postgres.stop()
    print(table_text(passed))
    wrong = [line for one in passed for line in one.wrong]
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
