"""oTree with the same ultimatum game: pages and wait pages, and browsers that hear of the others by its web sockets.

Only wait pages open a web socket here; in a browser every page of oTree does, so this favours it.
"""

import asyncio
import base64
import html
import json
import os
import random
import re
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlencode

from bench import otree
from bench.client import REDIRECTS, Address, Broken, Connection, Reply
from bench.players import AGAIN_S, KEPT_S, PlayerNotes
from bench.servers import WORK

PLAYERS = 5
START_S = 900
_SOCKET = re.compile(rb'makeReconnectingWebSocket\("([^"]+)"\)')
_OFFERED = re.compile(rb'name="(offer_\d)"')


@dataclass(slots=True)
class Tables:
    """All participants of one session: the first `groups` groups of five play; four of each other five wait for the
    fifth.
    """

    name: str
    address: Address
    groups: int
    codes: list[str]
    started: list["_Browser"] = field(default_factory=list)

    async def play(self, noted: PlayerNotes, think_s: float, until: float) -> None:
        """Like `bench.matches.Tables`."""
        players = self.codes[: self.groups * PLAYERS]
        others = [code for at, code in enumerate(self.codes) if at >= len(players) and at % PLAYERS]
        self.started = [_Browser(self.address, code, noted) for code in [*others, *players]]
        waiting, playing = self.started[: len(others)], self.started[len(others) :]
        for at in range(0, len(self.started), 10):
            await asyncio.gather(*(browser.begin() for browser in self.started[at : at + 10]))
        for at in range(0, len(waiting), 10):  # one move, and then the page on which the fifth is waited for
            await asyncio.gather(*(browser.move(noted_too=False) for browser in waiting[at : at + 10]))
        end = time.perf_counter() + until
        await asyncio.gather(*(each.plays(think_s, end) for each in [*playing, *waiting]))

    def match_of(self) -> Mapping[str, int]:
        """Like `bench.matches.Tables`."""
        return {code: at // PLAYERS for at, code in enumerate(self.codes)}


@dataclass(slots=True)
class _Browser:
    """One participant."""

    address: Address
    code: str
    noted: PlayerNotes
    page: Reply | None = None
    _connection: Connection | None = None
    _used_s: float = 0.0
    _rng: random.Random = field(default_factory=lambda: random.Random(1))

    async def begin(self) -> None:
        self._rng = random.Random(self.code)
        await self._follow(await self._get(f"/InitializeParticipant/{self.code}"))

    async def plays(self, think_s: float, end: float) -> None:
        """Play, or wait, until then."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._plays(think_s), max(0.01, end - time.perf_counter()))
        self._drop()

    async def _plays(self, think_s: float) -> None:
        while True:
            assert self.page
            if found := _SOCKET.search(self.page.body):
                try:
                    await self._ready(html.unescape(found[1].decode()))
                except (asyncio.IncompleteReadError, ConnectionError):  # let go, as where many wait
                    await asyncio.sleep(AGAIN_S)
                await self._reload()
                continue
            self.noted.shown.append((self.code, time.perf_counter()))
            if think_s:
                await asyncio.sleep(self._rng.expovariate(1 / think_s))
            await self.move()

    async def move(self, *, noted_too: bool = True) -> None:
        """Send the form of the page that is shown, and follow to the next."""
        assert self.page
        body, path = self.page.body, self.page.path
        if offers := set(_OFFERED.findall(body)):
            fields = {name.decode(): self._rng.choice(("accept", "reject")) for name in offers}
        elif b'name="amount"' in body:
            mine = int(re.findall(rb"You are player (\d)", body)[0])
            to = self._rng.choice([seat for seat in range(1, PLAYERS + 1) if seat != mine])
            fields = {"to": str(to), "amount": str(self._rng.randint(0, 10))}
        else:
            raise Broken(f"{path}: a page of oTree's that the benchmark does not know: {body[-300:]!r}")
        connection = await self._open()
        began = time.perf_counter()
        reply = await connection.post(path, urlencode(fields).encode())
        now = time.perf_counter()
        if reply.status >= 500:
            await self._failed(reply)
            return
        if reply.status not in (302, 303):
            raise Broken(f"POST {path} answered {reply.status}: {reply.body[-300:]!r}")
        if noted_too:
            self.noted.answered.append((now, 1000 * (now - began)))
            self.noted.sent.append((self.code, path.rpartition("/")[2], began))
        await self._follow(reply)

    async def _follow(self, reply: Reply) -> None:
        """Follow redirects to the page; try again while oTree answers that its database is locked."""
        while True:
            while reply.status in REDIRECTS:
                reply = await self._get(reply.location)
            self._used_s = time.perf_counter()
            if reply.status == 200:
                self.page = reply
                return
            await self._failed(reply)
            reply = await self._get(reply.path)

    async def _get(self, path: str) -> Reply:
        """Asked again where oTree hangs up, which it does now and then with 450 people."""
        while True:
            try:
                return await (await self._open()).get(path)
            except Broken as error:
                self.noted.errors.append(str(error))
                self._drop()
                await asyncio.sleep(AGAIN_S)

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.drop()
            self._connection = None

    async def _failed(self, reply: Reply) -> None:
        self.noted.errors.append(f"{reply.path}: {reply.status}")
        await asyncio.sleep(AGAIN_S)

    async def _open(self) -> Connection:
        """A connection that oTree has not closed: it does so after a few seconds."""
        now = time.perf_counter()
        if self._connection is None or now - self._used_s > KEPT_S:
            self._drop()
            self._connection = await Connection.to(self.address)
        self._used_s = now
        return self._connection

    async def _reload(self) -> None:
        assert self.page
        await self._follow(await self._get(self.page.path))

    async def _ready(self, address: str) -> None:
        """Wait until oTree's web socket reports that everybody is there."""
        reader, writer = await asyncio.open_connection(self.address.host, self.address.port)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {address} HTTP/1.1",
            f"Host: {self.address.host}:{self.address.port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
        ]
        try:
            writer.write("\r\n".join([*lines, "", ""]).encode())
            head = await reader.readuntil(b"\r\n\r\n")
            if b" 101 " not in head:
                raise Broken(f"{address}: oTree's web socket answered {head!r}")
            while "ready" not in await _message(reader):
                pass
        finally:
            writer.transport.abort()


async def _message(reader: asyncio.StreamReader) -> str:
    """One frame of a web socket, as the server sends them."""
    _, length = await reader.readexactly(2)
    if length == 126:
        length = int.from_bytes(await reader.readexactly(2))
    elif length == 127:
        length = int.from_bytes(await reader.readexactly(8))
    return (await reader.readexactly(length)).decode(errors="replace")


@contextmanager
def served(groups: int, waiting_groups: int) -> Iterator[Tables]:
    """A fresh session with room for all, on oTree's production server."""
    with otree.served(WORK / "otree-project") as site:
        n = (groups + waiting_groups) * PLAYERS
        body = json.dumps({"session_config_name": "ultimatum", "num_participants": n}).encode()
        url = f"http://{site.address.host}:{site.address.port}/api/sessions"
        with urllib.request.urlopen(urllib.request.Request(url, body), timeout=START_S) as reply:
            code = json.loads(reply.read())["code"]
        yield Tables(f"{site.name}, SQLite, 1 process", site.address, groups, site.codes(code))
