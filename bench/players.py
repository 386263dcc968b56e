"""People who play matches of the Social Ultimatum Game over HTTP, as the script of its page does: poll, read, send.

A move is sent until it is answered, with the same `submit_id`; acknowledged moves are noted, to be looked up in the
rows.
"""

import asyncio
import json
import random
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from urllib.parse import quote, urlencode

from bench.client import Address, Broken, Connection, Reply

AGAIN_S = 0.2
"""After a lost connection."""
KEPT_S = 3.0
"""How long a connection is used again: servers close one that says nothing for five seconds, as browsers know."""
_HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
_RADIO = re.compile(r'<(?:input type="radio"|button [^>]*?) name="(\w+)" value="([^"]*)"')
_VERSION = re.compile(r'data-version="(\w+)"')
_PHASE = re.compile(r'name="phase_id" value="([^"]*)"')
_MOVE = re.compile(r'<form [^>]*data-act="move".*?</form>', re.DOTALL)
_SAID = re.compile(rb'class="(?:error|problem)"[^>]*>([^<]+)')
_STAGES = (
    ("ready", 'data-act="ready"'),
    ("asks", 'data-act="again"'),
    ("left", 'data-act="return"'),
    ("move", 'data-act="move"'),
    ("result", 'data-act="next"'),
)


@dataclass(slots=True)
class PlayerNotes:
    """Observations of the people of a run, times by `time.perf_counter`.

    `moves` are the numbers of the forms of acknowledged moves, by session; `late` counts those that came too late, or
    second. `answered` are the ends and milliseconds of moves; `sent` when each was sent, by session and phase; `shown`
    when a session saw that it may move again. `errors` are answers of 500 and above.
    """

    moves: dict[str, set[str]] = field(default_factory=dict)
    late: int = 0
    ended: set[str] = field(default_factory=set)
    answered: list[tuple[float, float]] = field(default_factory=list)
    sent: list[tuple[str, str, float]] = field(default_factory=list)
    shown: list[tuple[str, float]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Person:
    """One browser: `path` is its session's address. Its connections are opened anew when they are lost.

    `clock_off_s` is how far its clock is ahead: it then tells that time wherever a browser can tell one.
    """

    clock_off_s = 0.0

    def __init__(self, address: Address, slug: str, noted: PlayerNotes, seed: int) -> None:
        self.address, self.slug, self.noted, self.rng = address, slug, noted, random.Random(seed)
        self.path, self.html = "", ""
        self._connection: Connection | None = None
        self._used_s = 0.0

    async def enter(self) -> None:
        """Come in and agree. Each line may be said again: an address that was given leads back to the same session."""
        page = await self.asked("GET", f"/s/{self.slug}", follow=True)
        self.path = page.path.partition("?")[0]  # the consent page's says who has come
        fields = {**hidden(page.body.decode()), "decision": "agree", "of_age": "yes"}
        await self.asked("POST", self.path, fields)
        await self.look()

    async def look(self) -> None:
        """The page as it is now: a reload."""
        self.html = (await self.asked("GET", self.path, follow=True)).body.decode()

    async def poll(self) -> bool:
        """Wait until something has changed; False where a poll said nothing."""
        phase = self.phase
        reply = await self.asked("GET", f"{self.path}/state?after={quote(self.version)}")
        if reply.status == 204:
            return False
        news = json.loads(reply.body)
        if news.get("reload"):
            await self.look()
        else:
            self.html = news["html"]
        if self.phase not in ("", phase):
            self.noted.shown.append((self.path, time.perf_counter()))
        return True

    @property
    def version(self) -> str:
        found = _VERSION.search(self.html)
        return found[1] if found else ""

    @property
    def phase(self) -> str:
        """The phase of the move that the page asks for; empty where it asks for none."""
        found = _PHASE.search(self.html)
        return found[1] if found else ""

    @property
    def stage(self) -> str:
        """`move`, `ready`, `left` ... where there is something to do; `wait` where there is not; `end`."""
        if not self.version:
            return "end"
        return next((stage for stage, sign in _STAGES if sign in self.html), "wait")

    def move(self) -> dict[str, str]:
        """The page's form of a move, filled in by chance."""
        found = _MOVE.search(self.html)
        assert found
        options: dict[str, list[str]] = {}
        for name, value in _RADIO.findall(found[0]):
            options.setdefault(name, []).append(value)
        return {**hidden(found[0]), **{name: self.rng.choice(values) for name, values in options.items()}}

    async def send(self, form: Mapping[str, str]) -> bool:
        """Send a move until it is answered; note it if it was accepted, and not reported as too late."""
        began = time.perf_counter()
        reply = await self.asked("POST", self.path, form)
        if "?" in reply.location:
            self.noted.late += 1
            return False
        now = time.perf_counter()
        self.noted.moves.setdefault(self.path, set()).add(form["submit_id"])
        self.noted.answered.append((now, 1000 * (now - began)))
        self.noted.sent.append((self.path, form["phase_id"], began))
        return True

    async def act(self, do: str) -> None:
        """Press a button of the page."""
        await self.asked("POST", self.path, {**hidden(self.html), "do": do})

    async def close(self) -> None:
        """Close the tab."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            await connection.close()

    def drop(self) -> None:
        """Close the connection, even if a request is under way."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            connection.drop()

    def claims(self, form: Mapping[str, str]) -> dict[str, str]:
        """The fields that a wrong clock would put into a form, under every name that a time has here or in the
        export."""
        if not self.clock_off_s or not form:
            return {}
        here, ms = self._clock(), str(round(1000 * self.clock_off_s))
        times = ("now", "at", "shown_at", "received_at", "deadline_at", "opened_at", "sent_at")
        return {**dict.fromkeys(times, here.isoformat()), **dict.fromkeys(("rt_ms", "hidden_ms"), ms)}

    def _clock(self) -> datetime:
        return datetime.now(UTC) + timedelta(seconds=self.clock_off_s)

    def _dates(self) -> str:
        if not self.clock_off_s:
            return ""
        date = format_datetime(self._clock(), usegmt=True)
        names = ("Date", "If-Modified-Since", "If-Unmodified-Since")
        return "".join(f"{name}: {date}\r\n" for name in names)

    async def asked(
        self, method: str, path: str, form: Mapping[str, str] | None = None, *, follow: bool = False
    ) -> Reply:
        """The answer to a request that is sent until there is one. Raises Broken for an answer that is none."""
        while True:
            try:
                connection = await self._open()
                if method == "POST":
                    reply = await connection.post(
                        path, urlencode({**self.claims(form or {}), **(form or {})}).encode()
                    )
                else:
                    reply = await connection.get(path)
                if follow:
                    reply = await connection.follow(reply)
                self._used_s = time.perf_counter()
            except Broken as error:
                if "answered" in str(error):
                    raise
            except OSError:
                pass
            else:
                if reply.status in (200, 204, 303):
                    return reply
                if reply.status not in (500, 502, 503):
                    raise Broken(
                        f"{method} {path} answered {reply.status}: {form} {_SAID.findall(reply.body)!r}"
                    )
                self.noted.errors.append(f"{method} {path.rpartition('/')[2]}: {reply.status}")
            await self._lost()

    async def _open(self) -> Connection:
        if self._connection is not None and time.perf_counter() - self._used_s > KEPT_S:
            self.drop()
        if self._connection is None:
            self._connection = await Connection.to(self.address, self._dates())
        return self._connection

    async def _lost(self) -> None:
        if self._connection is not None:
            with suppress(OSError):
                await self._connection.close()
            self._connection = None
        await asyncio.sleep(AGAIN_S)


def hidden(html: str) -> dict[str, str]:
    """The hidden fields of a form."""
    found = _HIDDEN.findall(html)
    return dict(reversed(found))
