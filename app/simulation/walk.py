"""Simulated participants walk the real pages over HTTP, from the study's address to the last page.

Each page is fetched as a browser would; what it asks is then read as the typed page that its template was given.
"""

import asyncio
import json
import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import httpx2
from sqlalchemy import and_, select
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from app.accounts.logins import token_hash
from app.core.database import Database
from app.core.dependencies import now
from app.core.errors import StudyError
from app.core.settings import Settings
from app.questions.base import FormField, Limits
from app.questions.checked import knows_answer, met_by
from app.questions.registry import TYPES
from app.questions.sides import TIE, Side
from app.sessions.entry import CAME, pass_for
from app.sessions.here import StudyWhere
from app.sessions.views import shown_at
from app.simulation.people import Person, Traits
from app.simulation.tasks import SIMULATING
from app.tasks.pair.design import Member, PairPlan, member_at, side_of
from app.tasks.pair.views import TrialPage
from app.trials.design import Layout
from app.trials.here import Where
from app.trials.pages import DECISION, OF_AGE, UNPLAYABLE, EndPage, Page
from app.trials.tables import Mode, SessionToken, Trial, Unit, UnitMember

AT_ONCE = 8
MAX_PAGES = 2_000
CLIP_PROBE_BYTES = 4096

# position -> the side of the clip to be found, whether it is the true one, and how long each side's clip is
Targets = dict[int, tuple[Side, bool, dict[Side, float]]]


class Stuck(StudyError):
    """A page did not lead on."""


async def simulate(
    settings: Settings,
    database: Database,
    base_url: str,
    slug: str,
    *,
    n: int,
    traits: Traits,
    seed: int,
    on_progress: Callable[[int, int, str], None] = lambda done, total, item: None,
) -> int:
    """Send `n` participants through a study served at `base_url`, a few at once; returns how many were given a trial.

    The others found the study full. Raises Stuck."""
    entry = f"/s/{slug}?as={pass_for(slug, Mode.SIMULATED, settings.secret)}"
    turns = asyncio.Semaphore(AT_ONCE)
    certificates = httpx2.create_ssl_context()  # read once: it takes 25 ms
    connect = partial(
        httpx2.AsyncClient, base_url=base_url, follow_redirects=True, timeout=60, verify=certificates
    )
    done = taken = 0

    async def walk(number: int) -> None:
        nonlocal done, taken
        # A stream for each person, as several walk at once and in no fixed order.
        person = Person(traits, random.Random(f"{seed}/{number}"), seed)
        async with turns, connect() as client:
            walker = Walk(client, database, person)
            await walker.through(entry)
        done += 1
        taken += walker.had_trials
        on_progress(done, n, "")

    on_progress(0, n, "")
    try:
        async with asyncio.TaskGroup() as group:
            for number in range(n):
                group.create_task(walk(number))
    # A TaskGroup raises a group of what failed; the caller needs one sentence.
    except* StudyError as errors:
        raise errors.exceptions[0] from None
    except* httpx2.HTTPError as errors:
        raise Stuck(f"{base_url} did not answer: {errors.exceptions[0]!r}") from None
    return taken


def filled(page: Page, person: Person) -> dict[str, str]:
    """A form filled by the page's typed fields, independent of their meaning: an option of each, a number within its
    bounds.
    """
    fields = {"submit_id": page.submit_id}
    for field in page.fields:
        if field.options:
            fields[field.name] = person.pick(field.options)
    for field in page.fields:
        if field.limits is not None:
            fields[field.name] = _number(field.limits, person)
        elif not field.options:
            fields[field.name] = "30"
    if DECISION in page.fields:
        fields["decision"] = "agree"
    if OF_AGE in page.fields:
        fields["of_age"] = "yes"
    return fields


def _number(limits: Limits, person: Person) -> str:
    low, high, step = limits.minimum, limits.maximum, limits.step
    if low is None or high is None or step is None:
        return person.number(low, high)
    return person.mark(low, high, step)


def right_answers(where: Where) -> dict[str, str]:
    """Answers to the page's checks with which a participant goes on."""
    assert isinstance(where, StudyWhere)
    return {
        question.id: met_by(question)
        for question in where.design.asked_at(where.page)
        if knows_answer(question)
    }


def of_types(page: Page, person: Person) -> dict[str, str]:
    """Entries of the questions whose types enter more than an option or a number for each field."""
    return {
        name: value
        for question in page.questions
        for name, value in TYPES[question.type].simulate(person, question).items()
    }


class Walk:
    """One simulated participant, on their way through a study."""

    def __init__(self, client: httpx2.AsyncClient, database: Database, person: Person) -> None:
        self._client, self._database, self._person = client, database, person
        self._targets: Targets | None = None
        self._items: Mapping[int, tuple[str, float]] | None = None
        self.had_trials = False
        self._tasks = [simulated(database, person.rng) for simulated in SIMULATING]

    async def through(self, entry: str) -> None:
        response = await self._client.get(entry)
        for _ in range(MAX_PAGES):
            if response.status_code != 200:
                raise Stuck(
                    f"{response.url.path} answered {response.status_code}; is the study loaded and open?"
                )
            address, came = response.url.path, response.url.params.get(CAME, "")
            if not address.startswith("/p/"):
                return
            # As the template was given it: fields were found in HTML by regular expressions before (decision 0035).
            shown = await self._database.read(shown_at, address.rpartition("/")[2], await now(), came)
            page = shown.page
            if not isinstance(page, Page) or isinstance(page, EndPage):
                return
            if task := next((each for each in self._tasks if each.is_mine(page)), None):
                self.had_trials = True
                response = await task.answer(self._client, shown)
            else:
                filled_in = await self._fill(page) | right_answers(shown.where)
                response = await self._client.post(page.action, data=filled_in)
        raise Stuck(f"no end after {MAX_PAGES} pages")

    async def _fill(self, page: Page) -> dict[str, str]:
        """The form posted from a page."""
        fields = filled(page, self._person)
        if page.submit_id.startswith("trial-"):
            self.had_trials = True
            choice = next((field for field in page.fields if {*field.options} - {TIE} == {*Side}), None)
            await (self._rate(page, fields) if choice is None else self._watch(page, choice, fields))
        return fields | of_types(page, self._person)

    async def _rate(self, page: Page, fields: dict[str, str]) -> None:
        await self._fetch(page.clips)
        if self._items is None:
            self._items = await self._database.read(_items, page.action.rpartition("/")[2])
        item, duration_s = self._items[position_of(fields)]
        for field in page.fields:
            if field.options == tuple(map(str, range(1, len(field.options) + 1))) and field.options:
                fields[field.name] = str(self._person.score(item, field.name, len(field.options)))
        self._say(page, fields, {"item": duration_s})

    def _say(self, page: Page, fields: dict[str, str], duration_s: Mapping[Any, float]) -> None:
        """Add texts, response time and playback, which every trial has."""
        for field in page.fields:
            if not field.options and field.limits is None:
                fields[field.name] = "Simulated participant."
        fields["rt_ms"] = str(self._person.rt_ms())
        if page.clips:
            fields["playback"] = _playback(duration_s, _layout_seen(page, self._person))
        fields.pop(UNPLAYABLE.name, None)

    async def _fetch(self, clips: Sequence[str]) -> None:
        for clip in clips:
            # The first bytes show that the clip is served; nobody watches the rest.
            response = await self._client.get(clip, headers={"Range": f"bytes=0-{CLIP_PROBE_BYTES - 1}"})
            if response.status_code != 206:
                raise Stuck(f"{clip} answered {response.status_code}")

    async def _watch(self, page: Page, choice: FormField, fields: dict[str, str]) -> None:
        await self._fetch(page.clips)
        targets = self._targets
        if targets is None:
            targets = self._targets = await self._database.read(targets_of, page.action.rpartition("/")[2])
        target, is_true, duration_s = targets[position_of(fields)]
        pressed = self._person.answer(target, is_true=is_true, allow_tie=TIE in choice.options)
        fields[choice.name] = pressed
        for field in page.fields:
            if field.name == "uncertainty" and field.options:
                fields[field.name] = str(self._person.point(len(field.options)))
        self._say(page, fields, duration_s)


def position_of(fields: Mapping[str, str]) -> int:
    """The position of a trial, from the number of its form."""
    return int(fields["submit_id"].partition(".")[0].rpartition("-")[2])


def _items(session: Session, token: str) -> Mapping[int, tuple[str, float]]:
    """The unit at each position, and how long its clip is, 0 where it is none: the pages do not name it."""
    rows = session.execute(
        select(col(Trial.position), col(Unit.name), col(UnitMember.duration_s))
        .join(Unit, col(Unit.id) == col(Trial.unit_id))
        .outerjoin(UnitMember, col(UnitMember.unit_id) == col(Unit.id))
        .join(SessionToken, col(SessionToken.session_id) == col(Trial.session_id))
        .where(col(SessionToken.sha256) == token_hash(token))
    )
    return {position: (name, seconds or 0.0) for position, name, seconds in rows}


def _layout_seen(page: Page, person: Person) -> Layout | None:
    """The layout in which a simulated person sees two clips; None of a study that says nothing about it."""
    if not isinstance(page, TrialPage) or page.layout == "side-by-side":
        return None
    if page.layout == "by-width" and not person.has_narrow_window:
        return Layout.SIDE_BY_SIDE
    return Layout.SEQUENTIAL


def _playback(duration_s: Mapping[Any, float], layout: Layout | None = None) -> str:
    """A browser's report of clips played once, in whole and without stalls; by place on the page."""
    clips = {str(place): _played(seconds) for place, seconds in duration_s.items()}
    drift = None if layout is Layout.SEQUENTIAL else 5
    laid = {"layout": layout} if layout else {}
    return json.dumps({"v": 1, "loads": 1, "drift_ms_max": drift, "hidden_ms": 0, **laid, **clips})


def _played(seconds: float) -> dict[str, object]:
    return {
        "duration_s": seconds,
        "played": [[0.0, seconds]],
        "watched": True,
        "plays": 1,
        "stalls": 0,
        "stall_ms": 0,
        "dropped_frames": 0,
        "frames": round(seconds * 30),
        "errors": [],
        "failed": False,
        "max_rate": 1,
    }


def targets_of(session: Session, token: str) -> Targets:
    """The place of each target clip, from the database, as the pages do not reveal it."""
    a, b = aliased(UnitMember), aliased(UnitMember)
    rows = session.execute(
        select(col(Trial.position), col(Trial.plan), col(Unit.truth), col(a.duration_s), col(b.duration_s))
        .join(Unit, col(Unit.id) == col(Trial.unit_id))
        .join(a, and_(col(a.unit_id) == col(Unit.id), col(a.slot) == Member.A))
        .join(b, and_(col(b.unit_id) == col(Unit.id), col(b.slot) == Member.B))
        .join(SessionToken, col(SessionToken.session_id) == col(Trial.session_id))
        .where(col(SessionToken.sha256) == token_hash(token))
    )
    return {
        position: _target(PairPlan.of(plan).left, truth, seconds_a or 0.0, seconds_b or 0.0)
        for position, plan, truth, seconds_a, seconds_b in rows
    }


def _target(
    left: Member, truth: str | None, seconds_a: float, seconds_b: float
) -> tuple[Side, bool, dict[Side, float]]:
    duration_s = {Member.A: seconds_a, Member.B: seconds_b}
    seen = {side: duration_s[member_at(side, left)] for side in Side}
    return side_of(Member(truth or "a"), left), truth is not None, seen
