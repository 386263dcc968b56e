"""A cohort of honest people and planted cheaters, sent through the real pages one after the other in simulated time.

They are live sessions of a study that exists for this purpose: rules spare simulated participants, whose browsers watch
nothing. So this is for a data folder of its own and is no option of `simulate`.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Any

import httpx2
from sqlalchemy import select
from sqlmodel import Session, col

from app.accounts.logins import token_hash
from app.core import dependencies
from app.core.database import Database
from app.questions.sides import TIE, Side
from app.sessions.entry import CAME
from app.sessions.views import shown_at
from app.simulation.people import Person, Traits
from app.simulation.visitors import CHEATS, HONEST, REMARKED, USUAL, Doing, Habits, Shown, Visitor
from app.simulation.walk import MAX_PAGES, Stuck, filled, of_types, position_of, targets_of
from app.trials.pages import UNPLAYABLE, EndPage, Page
from app.trials.tables import SessionToken, Trial, Unit

REFUSED = (403, 409)


@dataclass(frozen=True, slots=True)
class Sent:
    """A visitor's session, None where they were refused at entry. `kind` is `honest`, or what was planted."""

    kind: str
    session_id: str | None


class SimulatedClock:
    """The time of the service while a cohort is there; it goes on by what visitors take."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self, _tz: tzinfo | None = None) -> datetime:
        return self.at

    def wait(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


@contextmanager
def simulated(began: datetime, seed: int) -> Iterator[SimulatedClock]:
    """The time that the service in this process stores and decides by, and its draws, for as long as the block runs."""
    clock, names = SimulatedClock(began), vars(dependencies)
    usual = {name: names[name] for name in ("datetime", "_RNG")}
    # Routes are made once for all applications of a process, so `dependency_overrides` of one do not reach them.
    names.update({"datetime": clock, "_RNG": random.Random(f"{seed}/service")})
    try:
        yield clock
    finally:
        names.update(usual)


@dataclass(frozen=True, slots=True)
class Cohort:
    """Sizes of a cohort: honest people, and cheaters of each kind."""

    honest: int
    planted_each: int
    seed: int
    habits: Habits = USUAL

    def visitors(self) -> Sequence[Visitor]:
        """All visitors in the order of their arrival; each with draws of their own."""
        planted = [kind for kind in (*CHEATS, *REMARKED) for _ in range(self.planted_each)]
        kinds = [*[HONEST] * self.honest, *planted]
        random.Random(f"{self.seed}/order").shuffle(kinds)
        return [
            Visitor(kind, random.Random(f"{self.seed}/{at}"), self.habits) for at, kind in enumerate(kinds)
        ]


async def send_cohort(
    app: Any,
    database: Database,
    slug: str,
    cohort: Cohort,
    began: datetime,
    on_progress: Callable[[int, int, str], None] = lambda done, total, item: None,
) -> list[Sent]:
    """Send a cohort through a live study of an application made by `create_app`, whose time is then simulated.

    Raises Stuck.
    """
    visitors = cohort.visitors()
    sent: list[Sent] = []
    with simulated(began, cohort.seed) as clock:
        for at, visitor in enumerate(visitors):
            name = f"{cohort.seed:x}v{at:05d}"
            clock.wait(visitor.rng.uniform(5, 60))
            one = await _one(app, database, slug, clock, visitor, name)
            if visitor.comes_twice:
                clock.wait(visitor.rng.uniform(600, 6000))
                # Another browser, which has no cookies, and the same id.
                one = await _one(app, database, slug, clock, visitor, name)
            sent.append(one)
            on_progress(at + 1, len(visitors), "")
    return sent


async def _one(
    app: Any, database: Database, slug: str, clock: SimulatedClock, visitor: Visitor, name: str
) -> Sent:
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(
        transport=transport, base_url="http://cohort.invalid", follow_redirects=True, timeout=60
    ) as client:
        walk = _Walk(client, database, clock, visitor)
        return Sent(visitor.kind, await walk.through(f"/s/{slug}?PROLIFIC_PID={name}"))


class _Walk:
    """One visitor on their way."""

    def __init__(
        self, client: httpx2.AsyncClient, database: Database, clock: SimulatedClock, visitor: Visitor
    ) -> None:
        self._client, self._database, self._clock, self._visitor = client, database, clock, visitor
        self._answers = Person(Traits(), random.Random(visitor.rng.random()))
        self._shown: Mapping[int, Shown] = {}
        self._session_id: str | None = None

    async def through(self, entry: str) -> str | None:
        """The number of the session; None where there is none, as they were refused."""
        response = await self._client.get(entry)
        for _ in range(MAX_PAGES):
            if response.status_code in REFUSED:
                return None
            if response.status_code != 200:
                raise Stuck(f"{response.url.path} answered {response.status_code}: {response.text[:200]}")
            address, came = response.url.path, response.url.params.get(CAME, "")
            if not address.startswith("/p/"):
                return self._session_id
            token = address.rpartition("/")[2]
            page = (await self._database.read(shown_at, token, self._clock.at, came)).page
            if not isinstance(page, Page) or isinstance(page, EndPage):
                return self._session_id
            response = await self._client.post(page.action, data=await self._fields(page, token))
        raise Stuck(f"no end after {MAX_PAGES} pages")

    async def _fields(self, page: Page, token: str) -> dict[str, str]:
        fields = filled(page, self._answers)
        if page.submit_id.startswith("trial-") and page.clips:
            if not self._shown:
                self._session_id, self._shown = await self._database.read(_trials, token)
            await self._try(page, fields)
            return fields | of_types(page, self._answers)
        self._clock.wait(self._visitor.page_s())
        return fields | of_types(page, self._answers)

    async def _try(self, page: Page, fields: dict[str, str]) -> None:
        doing = self._visitor.does(self._shown[position_of(fields)])
        for clip in page.clips:
            await self._fetch(clip, doing)
        self._clock.wait(doing.wait_s)
        for field in page.fields:
            if {*field.options} - {TIE} == {*Side}:
                fields[field.name] = doing.choice
            elif field.options and field.name == "uncertainty":
                fields[field.name] = str(
                    1 + min(len(field.options) - 1, int(doing.certainty * len(field.options)))
                )
            elif not field.options and field.limits is None:
                fields[field.name] = doing.reason
        fields |= {"rt_ms": str(doing.rt_ms) if doing.rt_ms >= 0 else "", "playback": doing.playback}
        fields |= {"typed": doing.typed} if doing.typed else {}
        fields.pop(UNPLAYABLE.name, None)

    async def _fetch(self, clip: str, doing: Doing) -> None:
        """Ask for a clip in ranges, as players do; the last range of an honest one goes to its end."""
        if not doing.fetch:
            return
        head = await self._client.get(clip, headers={"Range": "bytes=0-1"})
        size = int(head.headers["content-range"].rpartition("/")[2])
        upto = round(size * doing.fetch)
        step = max(1, -(-upto // doing.parts))
        for start in range(0, upto, step):
            self._clock.wait(doing.fetch_s / doing.parts)
            stop = min(start + step, upto) - 1
            got = await self._client.get(clip, headers={"Range": f"bytes={start}-{stop}"})
            if got.status_code != 206:
                raise Stuck(f"{clip} answered {got.status_code}")


def _trials(session: Session, token: str) -> tuple[str, Mapping[int, Shown]]:
    """The session and its trials by position, from the database, as the pages do not tell what is true."""
    kinds = session.execute(
        select(col(Trial.session_id), col(Trial.position), col(Unit.kind))
        .join(Unit, col(Unit.id) == col(Trial.unit_id))
        .join(SessionToken, col(SessionToken.session_id) == col(Trial.session_id))
        .where(col(SessionToken.sha256) == token_hash(token))
    ).all()
    kind_at = {position: kind for _, position, kind in kinds}
    found = {
        position: Shown(kind_at[position], *rest) for position, rest in targets_of(session, token).items()
    }
    return str(kinds[0][0]), found
