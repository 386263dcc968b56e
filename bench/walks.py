"""Participants who walk whole sessions without a pause, so many at once, and the time it took."""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Protocol

import uvloop

from bench.client import Address, Broken, Connection, Reply

RATIONALE = "It slows before each corner, looks around, and then goes on."


@dataclass(frozen=True, slots=True)
class Form:
    """A filled-in form, ready to send; `answer` names the answer it holds, and is empty where it holds none."""

    body: bytes
    answer: str


class Site(Protocol):
    """A served study and how its pages are answered."""

    @property
    def name(self) -> str: ...

    @property
    def address(self) -> Address: ...

    @property
    def pid(self) -> int: ...

    def prepare(self, at_once: int, seconds: float) -> None:
        """Make room for a run of so many participants at once."""

    def entry(self) -> str:
        """The address at which one more participant comes in."""

    def form_on(self, page: Reply) -> Form | None:
        """The page's form, filled in; None on the last page."""

    def stored(self) -> set[str]:
        """The answers in the database, by name."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One answered page: when its form was sent, its reply was there, and the next page was there."""

    sent_s: float
    answered_s: float
    turned_s: float


@dataclass(slots=True)
class Walks:
    """The results of the participants of one run; no participant starts after `until_s`."""

    until_s: float
    turns: list[Turn] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)
    n_finished: int = 0

    def is_over(self) -> bool:
        return time.perf_counter() >= self.until_s


def walk(site: Site, n: int, warm_up_s: float, seconds: float) -> Walks:
    """Run `walk_at_once` to its end. Raises Broken."""
    try:
        return uvloop.run(walk_at_once(site, n, warm_up_s, seconds))
    except* Broken as errors:
        raise errors.exceptions[0] from None


async def walk_at_once(site: Site, n: int, warm_up_s: float, seconds: float) -> Walks:
    """Keep `n` participants walking; each who finishes makes room for the next.

    They come in one by one while it warms up: starting together, they would go on answering in step.
    """
    walks = Walks(time.perf_counter() + warm_up_s + seconds)

    async def keep_walking(delay_s: float) -> None:
        await asyncio.sleep(delay_s)
        while not walks.is_over():
            await _walk(site, walks)

    async with asyncio.TaskGroup() as group:
        for number in range(n):
            group.create_task(keep_walking(number / n * warm_up_s / 2))
    return walks


async def _walk(site: Site, walks: Walks) -> None:
    connection = await Connection.to(site.address)
    page = await connection.follow(await connection.get(site.entry()))
    while (form := site.form_on(page)) and not walks.is_over():
        page = await _send(connection, page.path, form, walks)
    walks.n_finished += form is None
    await connection.close()


async def _send(connection: Connection, path: str, form: Form, walks: Walks) -> Reply:
    sent_s = time.perf_counter()
    reply = await connection.post(path, form.body)
    answered_s = time.perf_counter()
    # A study that did not take the form sends the page again (200, 422) or says so in the address.
    if reply.status not in (302, 303) or "?" in reply.location:
        raise Broken(f"POST {path} answered {reply.status} {reply.location}: {reply.body[-300:]!r}")
    if form.answer:
        walks.acknowledged.append(form.answer)
    page = await connection.follow(reply)
    if form.answer:
        walks.turns.append(Turn(sent_s, answered_s, time.perf_counter()))
    return page
