"""Matching of waiting participants: oldest present and ready first, never the same partner twice, agents at the time
limit.

A pool is a version, mode, arm and block. A change locks the version's row, so that nobody is matched twice. The
configuration is chosen when a match forms (the one with the fewest matches), not when a session begins: participants
with different ones could never meet.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from sqlalchemy import Row, bindparam, case, func, insert, or_, select, update
from sqlmodel import Session, SQLModel

from app.tasks.game.fold import match_table, seat_table
from app.tasks.game.live import Live
from app.tasks.game.logged import Sitter
from app.tasks.game.match import stream
from app.tasks.game.settings import ANY, HUMAN, GameDesign
from app.tasks.game.tables import Entry, EntryStatus, MatchStatus, Occupant
from app.trials.design import UnitToPlan
from app.trials.loads import HOLD_VERSION
from app.trials.news import changed
from app.trials.tables import Mode, ParticipantSession, Trial

PRESENT = timedelta(seconds=20)
"""Who has been heard of so recently is there."""
SIMULATED_WAIT_S = 3

waiting_table = SQLModel.metadata.tables[str(Entry.__tablename__)]
_trial = SQLModel.metadata.tables[str(Trial.__tablename__)]
_session = SQLModel.metadata.tables[str(ParticipantSession.__tablename__)]
_w = waiting_table.c
_LAST_ENTRY = (
    select(waiting_table)
    .where(_w.session_id == bindparam("session_id"), _w.block == bindparam("block"))
    .order_by(_w.id.desc())
    .limit(1)
)
IN_POOL = (EntryStatus.WAITING, EntryStatus.ASKED, EntryStatus.READY)
_POOL = (
    select(waiting_table)
    .where(
        _w.version_id == bindparam("version_id"),
        _w.mode == bindparam("mode"),
        _w.arm == bindparam("arm"),
        _w.block == bindparam("block"),
        _w.status.in_(IN_POOL),
    )
    .order_by(_w.since, _w.id)
)
_MATCHES = (
    select(match_table.c.unit_id, func.count().label("n"))
    .where(
        match_table.c.version_id == bindparam("version_id"),
        match_table.c.mode == bindparam("mode"),
        match_table.c.arm == bindparam("arm"),
        match_table.c.block == bindparam("block"),
    )
    .group_by(match_table.c.unit_id)
)
_PLAYING = (
    select(seat_table.c.session_id)
    .join(match_table, match_table.c.id == seat_table.c.match_id)
    .where(
        match_table.c.version_id.in_(bindparam("version_ids", expanding=True)),
        match_table.c.status == MatchStatus.RUNNING,
        seat_table.c.session_id.is_not(None),
        seat_table.c.to_seq.is_(None),
        seat_table.c.away_at.is_(None),
    )
)
_SET = update(waiting_table).where(_w.id == bindparam("entry_id"))
_WAITS = (_w.session_id == bindparam("of")) & _w.status.in_(IN_POOL)
_now = bindparam("now", type_=_w.seen_at.type)
_WILL_BE_CHECKED = or_(_w.seen_at >= bindparam("gone"), _w.due_at <= _now)
_SEEN = (
    update(waiting_table)
    .where(_WAITS, _w.seen_at < _now)
    .values(seen_at=_now, due_at=case((_WILL_BE_CHECKED, _w.due_at), else_=_now))
)


@dataclass(frozen=True, slots=True)
class Pool:
    """The group within which matches are formed."""

    version_id: int
    mode: str
    arm: str
    block: str

    @property
    def columns(self) -> dict[str, Any]:
        return {"version_id": self.version_id, "mode": self.mode, "arm": self.arm, "block": self.block}


def last_entry(session: Session, session_id: int, block: str) -> Row[Any] | None:
    """The newest entry of a session in a block's pool; None before the first."""
    mine = {"session_id": session_id, "block": block}
    return session.connection().execute(_LAST_ENTRY, mine).first()


def pool_of(entry: Mapping[str, Any]) -> Pool:
    """The pool of an entry."""
    return Pool(entry["version_id"], entry["mode"], entry["arm"], entry["block"])


def wait_s(design: GameDesign, mode: str) -> int:
    """The maximum wait in seconds; shorter for simulated people."""
    asked = design.matching.wait_max_s
    return min(asked, SIMULATED_WAIT_S) if mode == Mode.SIMULATED else asked


def ready_s(design: GameDesign, mode: str) -> int:
    """The duration of the ready check; none for previews and simulated people."""
    return 0 if mode in (Mode.SIMULATED, Mode.PREVIEW) else design.matching.ready_s


def add_entry(session: Session, pool: Pool, session_id: int, trial_id: int, **values: Any) -> None:
    """Add a participant to the queue."""
    row = {"session_id": session_id, "trial_id": trial_id, **pool.columns, **values}
    session.connection().execute(insert(waiting_table), row)
    changed(session, [session_id])


def set_entry(session: Session, entry: Mapping[str, Any], **values: Any) -> None:
    """Change it; its page may change."""
    session.connection().execute(_SET.values(**values), {"entry_id": entry["id"]})
    changed(session, [entry["session_id"]])


def to_pool(design: GameDesign, mode: str, now: datetime, *, extended: bool = False) -> dict[str, Any]:
    """The columns of a participant who begins to wait."""
    until = now + timedelta(seconds=wait_s(design, mode))
    return {
        **{"status": EntryStatus.WAITING, "since": now, "until": until, "due_at": until},
        **{"ask_until": None, "seen_at": now, "extended": extended},
    }


def waited(entry: Mapping[str, Any], now: datetime) -> int:
    """The time a participant has waited, in whole seconds."""
    since = entry["since"]
    return int(entry["waited_s"]) + (0 if since is None else max(0, int((now - since).total_seconds())))


def form_matches(
    session: Session, pool: Pool, design: GameDesign, units: Sequence[UnitToPlan], now: datetime
) -> None:
    """Take the next steps of a pool: end waits and ready checks that are over, ask who is there, form matches."""
    HOLD_VERSION.all(session, {"version_id": pool.version_id})
    for _ in range(2):  # who was ready in vain waits again, and may be asked at once
        if not _Forming(session, pool, design, units, now).step():
            return


class _Forming:
    def __init__(
        self, session: Session, pool: Pool, design: GameDesign, units: Sequence[UnitToPlan], now: datetime
    ) -> None:
        self.session, self.pool, self.design, self.units, self.now = session, pool, design, units, now
        found = session.connection().execute(_POOL, pool.columns)
        self.entries = [dict(row._mapping) for row in found]
        self.ready_s = ready_s(design, pool.mode)
        self.can_fill = pool.mode in (Mode.PREVIEW, Mode.SIMULATED) or design.matching.at_bound == "agents"

    def step(self) -> bool:
        """Process the pool once; returns whether another pass is useful."""
        for entry in self.entries:
            if entry["status"] == EntryStatus.ASKED and entry["ask_until"] <= self.now:
                self._set(
                    entry, status=EntryStatus.AWAY, since=None, waited_s=waited(entry, self.now), due_at=None
                )
        self._end_waits()
        while self._form():
            pass
        again = False
        for entry in self.entries:
            if entry["status"] == EntryStatus.READY and entry["ask_until"] <= self.now:
                self._set(entry, status=EntryStatus.WAITING, ask_until=None, due_at=self._due(entry))
                again = True
        return again

    def _set(self, entry: dict[str, Any], **values: Any) -> None:
        set_entry(self.session, entry, **values)
        entry.update(values)

    def _due(self, entry: Mapping[str, Any]) -> datetime | None:
        """The end of a wait; None if it has passed, as a present participant is then checked at each change."""
        until: datetime = entry["until"]
        return until if until > self.now else None

    def _end_waits(self) -> None:
        """The bound of a wait is reached, and agents may not take the seats."""
        n_here = sum(map(self._is_here, self.entries))
        for entry in self.entries:
            if entry["status"] != EntryStatus.WAITING or entry["until"] > self.now:
                continue
            if self.can_fill and self._n_human() <= max(1, n_here):
                if entry["due_at"] is not None:
                    self._set(entry, due_at=None)
            elif self.design.matching.at_bound == "wait-once-more" and not entry["extended"]:
                self._over(entry, EntryStatus.BOUND, "")
            else:
                self._over(entry, EntryStatus.OUT, "nobody")

    def _over(self, entry: dict[str, Any], status: EntryStatus, reason: str) -> None:
        values = {"status": status, "reason": reason, "waited_s": waited(entry, self.now)}
        self._set(entry, **values, since=None, due_at=None)

    def _n_human(self) -> int:
        """The number of seats that only people can have."""
        return min(len([word for word in self._words(unit.name) if word == HUMAN]) for unit in self.units)

    def _words(self, unit: str) -> list[str]:
        """The study file's words for each seat of a configuration."""
        n = len(self.design.rules.seats(self.design.config(unit)))
        return [self.design.seat_word(seat) for seat in range(1, n + 1)]

    def _form(self) -> bool:
        """Form one match if possible; else start the ready check that one needs."""
        present = [each for each in self.entries if self._is_here(each)]
        if not present:
            return False
        unit = self._next_unit()
        words = self._words(unit.name)
        most, least = sum(word in (HUMAN, ANY) for word in words), words.count(HUMAN)
        overdue = (
            next((each for each in present if each["until"] <= self.now), None) if self.can_fill else None
        )
        if self.pool.mode == Mode.PREVIEW:
            # A preview is one person against agents, who is not to wait for others.
            most, least, overdue = 1, 0, present[0]
        group = self._group(present, most)
        if len(group) < most and overdue is not None:
            group = self._group([overdue, *(each for each in present if each is not overdue)], most)
            if len(group) < max(1, least):
                group = []
        elif len(group) < most:
            group = []
        if not group:
            return False
        if self.ready_s == 0:
            self._begin(unit, words, group)
            return True
        ready = [each for each in present if each["status"] == EntryStatus.READY]
        chosen = self._group(ready, most)
        asked = any(each["status"] == EntryStatus.ASKED for each in present)
        if len(chosen) == most or (overdue in chosen and not asked and len(chosen) >= max(1, least)):
            self._begin(unit, words, chosen)
            return True
        ask_until = self.now + timedelta(seconds=self.ready_s)
        # As many groups as there are people for: one after the other, the last would wait for all ready checks.
        rest = list(present)
        while group:
            for each in group:
                if each["status"] == EntryStatus.WAITING:
                    self._set(each, status=EntryStatus.ASKED, ask_until=ask_until, due_at=ask_until)
            rest = [each for each in rest if each not in group]
            group = self._group(rest, most) if len(rest) >= most else []
            group = group if len(group) == most else []
        return False

    def _is_here(self, entry: Mapping[str, Any]) -> bool:
        return entry["status"] in IN_POOL and entry["seen_at"] >= self.now - PRESENT

    def _next_unit(self) -> UnitToPlan:
        """The configuration with the fewest matches, the first of equals."""
        found = self.session.connection().execute(_MATCHES, self.pool.columns)
        counts = {row.unit_id: row.n for row in found}
        return min(self.units, key=lambda unit: counts.get(unit.id, 0))

    def _group(self, entries: Sequence[dict[str, Any]], n: int) -> list[dict[str, Any]]:
        """Up to `n` entries, in order, no two of whom have met; the largest such group."""
        # Greedy from each start, the oldest first: the exact answer is a maximum clique, which is NP-hard.
        best: list[dict[str, Any]] = []
        for at in range(len(entries)):
            chosen: list[dict[str, Any]] = []
            for entry in entries[at:]:
                mine = entry["session_id"]
                if len(chosen) < n and not any((mine, each["session_id"]) in self._met for each in chosen):
                    chosen.append(entry)
            if len(chosen) > len(best):
                best = chosen
            if len(best) == n:
                break
        return best

    @cached_property
    def _met(self) -> set[tuple[int, int]]:
        """Pairs of sessions in the pool that were in a match together, in any block; both ways."""
        ids = [entry["session_id"] for entry in self.entries]
        if len(ids) < 2:
            return set()
        other = seat_table.alias()
        found = self.session.connection().execute(
            select(seat_table.c.session_id, other.c.session_id)
            .join(other, other.c.match_id == seat_table.c.match_id)
            .where(seat_table.c.session_id.in_(ids), other.c.session_id.in_(ids))
        )
        return {(one, two) for one, two in found if one != two}

    def _begin(self, unit: UnitToPlan, words: Sequence[str], group: Sequence[dict[str, Any]]) -> None:
        seed = self._seed(group)
        # A stream of its own, so that who sits where moves no other draw of the match.
        rng = stream(seed, "pairing")
        people = rng.sample(group, len(group))
        for_people = [at for at, word in enumerate(words) if word == HUMAN]
        free = [at for at, word in enumerate(words) if word == ANY]
        if self.pool.mode == Mode.PREVIEW and not for_people + free:
            free = [0]
        places = [*for_people, *rng.sample(free, len(free))][: len(people)]
        by_place = dict(zip(places, people, strict=False))
        sitters = [self._sitter(at, by_place.get(at)) for at in range(len(words))]
        of = {**self.pool.columns, "unit_id": unit.id}
        Live.begin(self.session, self.design, of, unit.name, sitters, seed, self.now)
        for entry in group:
            self._over(entry, EntryStatus.MATCHED, "")
        # The trial was planned with some unit, as configurations are chosen only here (decision 0018).
        self.session.connection().execute(
            update(_trial)
            .where(_trial.c.id.in_([entry["trial_id"] for entry in group]))
            .values(unit_id=unit.id)
        )

    def _sitter(self, at: int, entry: Mapping[str, Any] | None) -> Sitter:
        if entry is None:
            agent = (
                self.design.stand_in(at + 1) if self.pool.mode == Mode.SIMULATED else self.design.fill(at + 1)
            )
            return Sitter(occupant=Occupant(agent.occupant), agent=agent)
        is_person = self.pool.mode != Mode.SIMULATED
        occupant = Occupant.HUMAN if is_person else Occupant.SIMULATED
        return Sitter(entry["session_id"], entry["trial_id"], occupant)

    def _seed(self, group: Sequence[Mapping[str, Any]]) -> int:
        """A seed from the sessions' secret seeds, so that nobody can predict the draws."""
        ids = [entry["session_id"] for entry in group]
        found = self.session.connection().execute(
            select(_session.c.id, _session.c.seed).where(_session.c.id.in_(ids)).order_by(_session.c.id)
        )
        trials = sorted(entry["trial_id"] for entry in group)
        text = f"{[tuple(row) for row in found]}/{trials}"
        # 48 bits, which every reader of CSV and JSON holds exactly.
        return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16)


def playing(session: Session, version_ids: Collection[int]) -> frozenset[int]:
    """The sessions of these versions that have a seat in a match under way and have not left it."""
    return frozenset(session.connection().execute(_PLAYING, {"version_ids": list(version_ids)}).scalars())


def note_present(session: Session, session_id: int, now: datetime) -> None:
    """Record a heartbeat of a waiting participant; one who seemed gone is checked again."""
    session.connection().execute(_SEEN, {"of": session_id, "now": now, "gone": now - PRESENT})
