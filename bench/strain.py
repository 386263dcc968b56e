"""Load test: one person holding a thousand connections on one session, against everybody else.

`python -m bench.strain [CONNECTIONS]`: streams of `/p/TOKEN/state/events`, and connections that ask for eight clips at
once and read nothing. Meanwhile, and for a while after, a client from another network opens pages; each of its pages
must arrive.
"""

import asyncio
import re
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from app.core.database import Database
from app.core.migrating import open_database
from app.core.settings import Settings
from app.demo.build import SLUG, build_demo
from bench.chaos import Service, game_study, opened
from bench.client import Address, Broken, Connection
from bench.players import Person, PlayerNotes, hidden

WAITS = "waits"
CONNECTIONS, PIPELINED = 1_050, 8
DURING_S, AFTER_S, EVERY_S, PATIENCE_S = 15.0, 10.0, 0.25, 30.0
MOST_PAGES = 10
_CLIP = re.compile(r'src="(/p/[^"]+/clips/[^"]+\.mp4)"')
_ASKED = re.compile(r'type="radio" name="(\w+)"')
ELSEWHERE = "X-Forwarded-For: 203.0.113.77\r\n"
"""Another network than that of who strains the service: this machine is believed when it says who asks."""


@dataclass(slots=True)
class OtherClientTimes:
    """Measurements of another client: milliseconds of each page, and errors in place of one."""

    ms: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        ordered = sorted(self.ms) or [0.0]
        return (
            f"{len(self.ms)} pages, median {ordered[len(ordered) // 2]:.0f} ms, slowest {ordered[-1]:.0f} ms, "
            f"{len(self.failed)} that did not come"
        )


@dataclass(slots=True)
class Held:
    """The connections of one person, and how many of them the service still serves."""

    writers: list[asyncio.StreamWriter] = field(default_factory=list)
    readers: list[asyncio.StreamReader] = field(default_factory=list)

    async def open(self, address: Address, sent: bytes) -> None:
        """One more, that says this and reads nothing."""
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(address.host, address.port, limit=1 << 12)
            self.readers.append(reader)
            self.writers.append(writer)
            writer.write(sent)

    def close(self) -> None:
        for writer in self.writers:
            writer.transport.abort()


def streams(path: str) -> bytes:
    """A stream of events."""
    return f"GET {path}/state/events HTTP/1.1\r\nHost: t\r\nAccept: text/event-stream\r\n\r\n".encode()


def clips(path: str) -> bytes:
    """Eight clips at once."""
    return f"GET {path} HTTP/1.1\r\nHost: t\r\n\r\n".encode() * PIPELINED


async def felt(address: Address, path: str, seconds: float) -> OtherClientTimes:
    """Open a page now and then, each on a connection of its own."""
    found = OtherClientTimes()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.perf_counter()
        try:
            async with asyncio.timeout(PATIENCE_S):
                connection = await Connection.to(address, ELSEWHERE)
                reply = await connection.get(path)
                await connection.close()
            if reply.status in (200, 303):
                found.ms.append(1000 * (time.perf_counter() - began))
            else:
                found.failed.append(str(reply.status))
        except (Broken, OSError, TimeoutError) as error:
            found.failed.append(type(error).__name__)
        await asyncio.sleep(EVERY_S)
    return found


async def strained(
    address: Address, sent: bytes, n: int, during_s: float, after_s: float
) -> tuple[OtherClientTimes, OtherClientTimes]:
    """Measurements of others while one person held so many connections, and after."""
    held = Held()
    page = asyncio.create_task(felt(address, f"/s/{SLUG}/full", during_s))
    for _ in range(n):
        await held.open(address, sent)
    during = await page
    held.close()
    return during, await felt(address, f"/s/{SLUG}/full", after_s)


def open_waiting(database: Database) -> None:
    """A study of a match whose people wait for each other, for half an hour."""
    opened(database, game_study(WAITS, 5, 20, matching={"wait_max_s": 1800, "at_bound": "agents"}))


async def match_of(address: Address) -> str:
    """The address of a session that waits in a match."""
    person = Person(address, WAITS, PlayerNotes(), 1)
    await person.enter()
    await person.close()
    return person.path


async def clip_of(address: Address) -> str:
    """The address of a clip that a session is shown."""
    person = Person(address, SLUG, PlayerNotes(), 1)
    await person.enter()
    for _ in range(MOST_PAGES):
        if found := _CLIP.search(person.html):
            await person.close()
            return found[1]
        answers = dict.fromkeys(_ASKED.findall(person.html), "1")
        await person.asked("POST", person.path, {**hidden(person.html), **answers})
        await person.look()
    raise Broken("no clip was shown")


async def everything(
    address: Address, n: int, during_s: float = DURING_S, after_s: float = AFTER_S
) -> Sequence[tuple[str, OtherClientTimes, OtherClientTimes]]:
    """Run both kinds of load, one after the other."""
    ways: Sequence[tuple[str, bytes]] = (
        ("streams of events", streams(await match_of(address))),
        (f"{PIPELINED} clips each, nothing read", clips(await clip_of(address))),
    )
    return [(name, *await strained(address, sent, n, during_s, after_s)) for name, sent in ways]


def raise_files() -> None:
    """Raise the limit of open files to the system's maximum."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536) if hard > 0 else 65_536, hard))


def main(n: int) -> int:
    raise_files()
    failed = 0
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        settings = Settings.model_validate({"LIKELY_HUMAN_DATA": str(folder)})
        database = open_database(settings)
        build_demo(settings, database)
        open_waiting(database)
        database.close()
        service = Service(folder)
        service.start()
        try:
            for name, during, after in asyncio.run(everything(service.address, n)):
                print(f"{n} connections, {name}: others during it {during}; after it {after}", flush=True)
                failed += len(during.failed) + len(after.failed)
        finally:
            service.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*[int(word) for word in sys.argv[1:]] or [CONNECTIONS]))
