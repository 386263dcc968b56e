"""Live matches under everything that goes wrong: people who reload, click twice, send again, use two tabs, are offline
or gone, or whose clocks are an hour off, and a service whose processes are killed. Then every row is looked at.

`python -m bench.chaos [PEOPLE] [ROUNDS]`: over SQLite, and over PostgreSQL with two processes where a server answers.
"""

import asyncio
import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import psycopg
import yaml
from sqlalchemy.engine import make_url
from sqlmodel import Session, col, select

from app.accounts.logins import token_hash
from app.core.database import Database
from app.core.migrating import open_database
from app.core.settings import Settings
from app.reports.export import export
from app.reports.kinds import Format
from app.studies.file.load import load_study
from app.studies.versions import load_version, set_state
from app.tasks.game.replay import ReplayError, replayed
from app.tasks.game.tables import GameEvent, Match, Seat
from app.trials.responses import Response
from app.trials.tables import SessionToken, State
from bench.client import Address, Broken
from bench.players import Person, PlayerNotes
from bench.servers import BIN, environment, free_address

SLUG, PLAYERS = "chaos", 5
HABITS = (
    "steady",
    "reloads",
    "two tabs",
    "double click",
    "sends again",
    "offline",
    "closes",
    "out of turn",
    "clock fast",
    "clock slow",
)
CLOCKS_OFF_S = {"clock fast": 3600.0, "clock slow": -3600.0}
PATIENCE_S = 120.0
_POSTGRES = os.environ.get("LIKELY_HUMAN_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")


def game_study(slug: str, players: int, rounds: int, **keys: Any) -> Mapping[str, Any]:
    """A study of one match of the ultimatum game; everybody agrees to take part first."""
    block = {
        "id": "play",
        "task": "game",
        "game": "sug",
        "configs": {"players": players, "rounds": rounds},
        "seats": "any",
        "bonus": {"minor_per_unit": 0.5},
        **keys,
    }
    return {
        "study": slug,
        "title": "A game",
        "consent": {"version": "1", "text": "# Consent\n\nVoluntary.\n"},
        "blocks": [block],
        "completion": {"code": "DONE"},
    }


def deadline_s(offline_s: float) -> int:
    """The time people have for a move, in seconds."""
    return max(2, round(2 * offline_s))


def chaos_study(rounds: int, offline_s: float) -> Mapping[str, Any]:
    """Short times: who is offline for longer than `offline_s` has left, and comes back to a seat that an agent has."""
    return game_study(
        SLUG,
        PLAYERS,
        rounds,
        deadlines={"default_s": deadline_s(offline_s)},
        leaving={"grace_s": max(1, round(offline_s / 2)), "then": "agent"},
        matching={"wait_max_s": 15, "ready_s": 5, "at_bound": "agents"},
    )


def opened(database: Database, study: Mapping[str, Any]) -> None:
    """Load a study and let people in."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.yaml"
        path.write_text(yaml.safe_dump(dict(study)))
        with database.transaction() as session:
            load_version(session, load_study(path, {}), datetime.now(UTC))
            set_state(session, str(study["study"]), State.LIVE)


@dataclass(slots=True)
class Service:
    """`likely-human serve` in a process of its own, always at the same address."""

    data: Path
    database_url: str = ""
    workers: int = 1
    address: Address = field(default_factory=free_address)
    more: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        given = {"LIKELY_HUMAN_DATA": str(self.data), "LIKELY_HUMAN_MAX_STARTS": "0", **self.more}
        if self.database_url:
            given["DATABASE_URL"] = self.database_url
        host, port = self.address.host, self.address.port
        command: list[str | Path] = [BIN / "likely-human", "serve", "--host", host, "--port", str(port)]
        log = (self.data / "server.log").open("ab")
        with log:
            self.process = subprocess.Popen(
                [*command, "--workers", str(self.workers)] if self.workers > 1 else command,
                env=environment(**given),
                stdout=log,
                stderr=log,
            )
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            try:
                socket.create_connection((host, port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise Broken(f"the service did not start: {(self.data / 'server.log').read_text()[-500:]}")

    def kill(self) -> None:
        """Kill -9: one worker of several, which its supervisor replaces; or all of it, which is started again."""
        assert self.process
        if self.workers > 1:
            os.kill(random.choice(self.pids()), signal.SIGKILL)
            return
        self.process.kill()
        self.process.wait()
        self.start()

    def pids(self) -> list[int]:
        """The processes that answer requests."""
        assert self.process
        if self.workers == 1:
            return [self.process.pid]
        found = subprocess.run(
            ["pgrep", "-P", str(self.process.pid), "-f", "spawn_main"],
            capture_output=True,
            text=True,
            check=False,
        )
        return [int(pid) for pid in found.stdout.split()]

    def stop(self) -> None:
        """End it."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


async def troubled(
    address: Address,
    noted: PlayerNotes,
    people: int,
    seed: int,
    offline_s: float,
    kill: Callable[[], None],
    kills: Sequence[int],
) -> None:
    """Let everybody play by their habit; `kill` is called after so many acknowledged moves."""
    everybody = []
    for number in range(people):
        person, habit = Person(address, SLUG, noted, seed * 1000 + number), HABITS[number % len(HABITS)]
        person.clock_off_s = CLOCKS_OFF_S.get(habit, 0.0)
        everybody.append(_Life(person, habit, offline_s))

    async def killing() -> None:
        for n in kills:
            while len(noted.answered) < n:
                await asyncio.sleep(0.01)
            await asyncio.to_thread(kill)

    async with asyncio.TaskGroup() as group:
        killer = group.create_task(killing())
        lives = [group.create_task(each.live()) for each in everybody]
        group.create_task(_ended(lives, killer))


async def _ended(lives: Sequence[asyncio.Task[None]], killer: asyncio.Task[None]) -> None:
    await asyncio.wait(lives)
    killer.cancel()


@dataclass(slots=True)
class _Life:
    """The life of one person, from arriving to the last page, or to closing the tab."""

    me: Person
    habit: str
    offline_s: float
    n_moves: int = 0
    is_gone: bool = False
    last: Mapping[str, str] | None = None

    async def live(self) -> None:
        me = self.me
        await me.enter()
        try:
            while me.stage != "end" and not self.is_gone:
                await self._step(me.stage)
        finally:
            await me.close()
        if not self.is_gone:
            me.noted.ended.add(me.path)

    async def _step(self, stage: str) -> None:
        me = self.me
        if self.habit == "reloads":
            await me.look()
            stage = me.stage
        match stage:
            case "move":
                await self._move()
                self.n_moves += 1
                await me.look()
            case "ready":
                await me.act("ready")
                await me.look()
            case "left":
                await me.act("return")
                await me.look()
            case "asks":
                await me.act("again")
                await me.look()
            case "result":
                await me.act("next")
                await me.look()
            case "wait":
                await me.poll()

    async def _move(self) -> None:
        me, form = self.me, self.me.move()
        match self.habit:
            case "double click":
                again = self._other_tab()
                await asyncio.gather(me.send(form), again.send(form))
                await again.close()
            case "two tabs":
                other = self._other_tab()
                await other.look()
                if other.stage == "move":
                    await asyncio.gather(me.send(form), other.send(other.move()))
                else:
                    await me.send(form)
                await other.close()
            case "sends again":
                if self.last is not None:
                    await me.asked("POST", me.path, self.last)
                for _ in range(2):
                    await me.send(form)
            case "out of turn":
                wrong = {**form, "submit_id": f"{form['submit_id']}x", "phase_id": "99-offer"}
                await me.asked("POST", me.path, wrong)
                await me.send(form)
            case "offline" if self.n_moves == 1:
                await me.close()
                await asyncio.sleep(self.offline_s)
                await me.send(form)
            case "closes" if self.n_moves == 2:
                self.is_gone = True
            case _:
                await me.send(form)
        self.last = form

    def _other_tab(self) -> Person:
        other = Person(self.me.address, self.me.slug, self.me.noted, self.me.rng.randrange(2**30))
        other.path, other.html = self.me.path, self.me.html
        return other


@dataclass(slots=True)
class Findings:
    """Findings in the rows. `late_s` is the longest that a deadline was exceeded before its default move was
    written.
    """

    matches: int = 0
    running: int = 0
    moves: int = 0
    auto: int = 0
    acknowledged: int = 0
    late_s: float = 0.0
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.matches} matches, {self.moves} moves stored ({self.auto} automatic), {self.acknowledged} "
            "acknowledged, latest default move "
            f"{self.late_s:.1f} s after its deadline; wrong: {len(self.wrong)}"
        )


def n_running(database: Database) -> int:
    """The number of running matches."""
    with database.reading() as session:
        return len(session.exec(select(Match.id).where(Match.status == "running")).all())


@dataclass(frozen=True, slots=True)
class Times:
    """The start of the run, and the time people have for a move."""

    began: datetime
    deadline: timedelta


def examined(database: Database, slug: str, noted: PlayerNotes, folder: Path, times: Times) -> Findings:
    """Look at every row, and at the export."""
    found = Findings()
    with database.reading() as session:
        matches = session.exec(select(Match)).all()
        found.matches = len(matches)
        found.running = sum(match.status == "running" for match in matches)
        found.wrong += [f"match {match.id} still runs" for match in matches if match.status == "running"]
        _look_for_moves(session, noted, found)
        _look_at_times(session, matches, found, times)
        _count_money(session, matches, found)
        for what in ("moves", "seats_played"):
            export(session, slug, what, Format.CSV, folder / f"{what}.csv")
    try:
        n = sum(1 for _ in replayed(folder / f"{'moves'}.csv"))
        if n != found.matches:
            found.wrong.append(f"{n} of {found.matches} matches are in the export")
    except ReplayError as error:
        found.wrong.append(f"replay: {error}")
    return found


def _look_for_moves(session: Session, noted: PlayerNotes, found: Findings) -> None:
    """Each acknowledged move is stored once."""
    events = session.exec(select(GameEvent).where(GameEvent.kind == "move")).all()
    found.moves, found.auto = len(events), sum(bool(event.auto) for event in events)
    late = [
        (e.received_at - e.deadline_at).total_seconds()
        for e in events
        if e.auto == "timeout" and e.deadline_at
    ]
    found.late_s = max(late, default=0.0)
    forms = Counter((event.session_id, event.submit_id) for event in events if event.submit_id)
    tokens = {token.sha256: token.session_id for token in session.exec(select(SessionToken))}
    for path, moves in noted.moves.items():
        session_id = tokens[token_hash(path.rpartition("/")[2])]
        found.acknowledged += len(moves)
        times = {submit_id: forms[session_id, submit_id] for submit_id in moves}
        found.wrong += [
            f"{path}: {submit_id} is stored {n} times" for submit_id, n in times.items() if n != 1
        ]


def _look_at_times(session: Session, matches: Sequence[Match], found: Findings, times: Times) -> None:
    """Verify that every time is the service's: within the run; each deadline counts from the start of its phase, no
    move was accepted after it, and no default move was made before it.
    """
    ended = datetime.now(UTC)
    for match in matches:
        events = session.exec(
            select(GameEvent).where(GameEvent.match_id == match.id).order_by(col(GameEvent.seq))
        ).all()
        last, opened, phase_id = match.formed_at, match.formed_at, ""
        for event in events:
            if event.phase_id != phase_id:
                opened, phase_id = last, event.phase_id
            wrong = []
            if not times.began <= event.received_at <= ended:
                wrong.append(f"received at {event.received_at}")
            if event.kind == "move" and event.deadline_at != opened + times.deadline:
                wrong.append(f"deadline {event.deadline_at} of a phase that began at {opened}")
            if event.deadline_at and event.submit_id and event.received_at >= event.deadline_at:
                wrong.append(f"taken at {event.received_at}, deadline {event.deadline_at}")
            if event.deadline_at and event.auto == "timeout" and event.received_at < event.deadline_at:
                wrong.append(f"made at {event.received_at}, deadline {event.deadline_at}")
            if event.shown_at is not None:
                took = round((event.received_at - event.shown_at).total_seconds() * 1000)
                if not opened <= event.shown_at <= event.received_at or event.rt_ms != took:
                    wrong.append(f"shown at {event.shown_at}, {event.rt_ms} ms")
            found.wrong += [f"match {match.id}, event {event.seq}: {each}" for each in wrong]
            last = event.received_at


def _count_money(session: Session, matches: Sequence[Match], found: Findings) -> None:
    """Verify that the earnings of a match's seats equal what its accepted offers divided, and the amounts of responses
    and bonuses.
    """
    seats = session.exec(select(Seat)).all()
    for match in matches:
        if match.status == "running":  # nobody is paid yet
            continue
        resolved = session.exec(
            select(GameEvent)
            .where(GameEvent.match_id == match.id, GameEvent.kind == "resolve")
            .order_by(col(GameEvent.seq))
        ).all()
        mine = [seat for seat in seats if seat.match_id == match.id]
        totals = {event.seat: Fraction(event.payoff_total or 0) for event in resolved}
        for number, total in totals.items():
            paid = sum(Fraction(seat.payoff or 0) for seat in mine if seat.seat == number)
            if paid != total:
                found.wrong.append(f"match {match.id}, seat {number}: occupants have {paid} of {total}")
        answers = session.exec(
            select(GameEvent.move).where(
                GameEvent.match_id == match.id, GameEvent.kind == "move", GameEvent.phase == "answer"
            )
        ).all()
        accepted = sum(
            value == "accept" for move in answers for name, value in move.items() if name != "kind"
        )
        divided = accepted * match.config["endowment"]
        if match.status == "finished" and sum(totals.values()) != divided:
            found.wrong.append(f"match {match.id}: {sum(totals.values())} paid, {divided} divided")
    earned: Counter[int] = Counter()
    for seat in seats:
        if seat.session_id is not None:
            earned[seat.session_id] += Fraction(seat.payoff or 0)  # type: ignore[assignment]
    for response in session.exec(select(Response).where(col(Response.trial_id).is_not(None))):
        said = response.answers.get("payoff_units")
        if said is not None and Fraction(said) != earned[response.session_id]:
            found.wrong.append(
                f"session {response.session_id}: {said} said, {earned[response.session_id]} earned"
            )


def went_through(
    service: Service,
    folder: Path,
    *,
    people: int,
    rounds: int,
    offline_s: float,
    kills: Sequence[int],
    seed: int = 1,
) -> tuple[PlayerNotes, Findings]:
    """One run over a service that is not started yet, to its last row."""
    given = {"LIKELY_HUMAN_DATA": str(service.data), "DATABASE_URL": service.database_url}
    database = open_database(Settings.model_validate(given))
    times = Times(datetime.now(UTC), timedelta(seconds=deadline_s(offline_s)))
    try:
        opened(database, chaos_study(rounds, offline_s))
        service.start()
        noted = PlayerNotes()
        asyncio.run(
            troubled(service.address, noted, people, seed, offline_s, service.kill, kills),
        )
        end = time.monotonic() + PATIENCE_S
        while n_running(database) and time.monotonic() < end:
            time.sleep(0.1)
        return noted, examined(database, SLUG, noted, folder, times)
    finally:
        service.stop()
        database.close()


@contextmanager
def fresh_postgres() -> Iterator[str]:
    """The address of a new database, dropped at the end. Raises psycopg.OperationalError without a server."""
    name = f"lh_bench_{secrets.token_hex(6)}"
    with psycopg.connect(_POSTGRES, autocommit=True, connect_timeout=3) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield make_url(_POSTGRES).set(database=name).render_as_string(hide_password=False)
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def main(people: int, rounds: int) -> int:
    """Run both databases, one after the other; the exit status is 1 if anything was wrong."""
    wrong = 0
    kills = (people, 3 * people)
    for backend in ("SQLite, 1 process", "PostgreSQL, 2 processes"):
        with tempfile.TemporaryDirectory() as text:
            folder = Path(text)
            started = time.perf_counter()
            try:
                if backend.startswith("SQLite"):
                    service = Service(folder)
                    noted, found = went_through(
                        service, folder, people=people, rounds=rounds, offline_s=30, kills=kills
                    )
                else:
                    with fresh_postgres() as url:
                        service = Service(folder, url, workers=2)
                        noted, found = went_through(
                            service, folder, people=people, rounds=rounds, offline_s=30, kills=kills
                        )
            except psycopg.OperationalError as error:
                print(f"{backend}: left out, {error}")
                continue
            took = time.perf_counter() - started
            print(
                f"{backend}: {took:.0f} s, {found}; {len(noted.errors)} answers of 500 and above", flush=True
            )
            for line in [*found.wrong, *noted.errors][:20]:
                print(f"  {line}")
            wrong += len(found.wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    sys.exit(main(*numbers, *(40, 20)[len(numbers) :]))
