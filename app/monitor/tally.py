"""Incremental counts of a study's answers: each is read once, so that watching a large study costs little.

Answers are append-only and a session's come in sequence, so remembering the newest counted answer per session is
enough; a changed step shows which sessions have more. This holds in whatever order several processes commit. A tally
belongs to one process and one database, and starts anew with the process.
"""

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import ColumnElement, Row, Select, Text, bindparam, func, or_, select, type_coerce
from sqlmodel import Session, SQLModel

from app.monitor.counting import (
    AWAY,
    FLAGGED_PAGES,
    LAST_TRY,
    TRIALS,
    Group,
    SessionTally,
    add_trials,
    practice_pairs,
)
from app.trials.flags import Flag, split
from app.trials.tables import (
    BEGUN,
    COUNTED_ALONE,
    Exclusion,
    Mode,
    ParticipantSession,
    SessionVerdict,
    Status,
    StudyVersion,
)

CHUNK = 100  # sessions whose answers are read at once
OPEN = (Status.ARRIVED, Status.ACTIVE)

_tables = SQLModel.metadata.tables
_session, _version, _exclusion, _verdict = (
    _tables[str(table.__tablename__)]
    for table in (ParticipantSession, StudyVersion, Exclusion, SessionVerdict)
)
_VERSIONS = select(
    _version.c.id, _version.c.number, _version.c.sha256, _version.c.sides_known.is_not(False)
).where(_version.c.study_id == bindparam("study_id"))
_EXCLUDED = select(_exclusion.c.session_id).where(_exclusion.c.lifted_at.is_(None))
# Of all studies, as exclusions are: those not used are few, and there is an index of them.
_UNUSED = select(_verdict.c.session_id).where(_verdict.c.use.is_(False))
# Previews do not count.
_COUNTING = (
    _session.c.version_id.in_(bindparam("version_ids", expanding=True)),
    _session.c.mode != Mode.PREVIEW,
)
_WITHDRAWN = (
    select(func.count()).select_from(_session).where(*_COUNTING, _session.c.status == Status.WITHDRAWN)
)
_HOW_MANY = select(func.count()).select_from(_session).where(*_COUNTING)


def _rows(session: Session) -> Select[Any]:
    return select(
        _session.c.id,
        _session.c.version_id,
        _session.c.mode,
        _session.c.arm,
        _session.c.status,
        _session.c.step,
        _ten_minutes(session, _session.c.arrived_at).label("arrived"),
        _ten_minutes(session, _session.c.ended_at).label("ended"),
    ).where(*_COUNTING)


def _ten_minutes(session: Session, at: ColumnElement[Any]) -> ColumnElement[str]:
    """A time as text, cut to ten minutes: ten thousand of them are read faster so than as times."""
    if session.get_bind().dialect.name == "postgresql":
        at = func.to_char(func.timezone("UTC", at), "YYYY-MM-DD HH24:MI")
    return func.substr(type_coerce(at, Text), 1, 15)


# As `_rows` reads it: id, version_id, mode, arm, status, step, and `arrived` and `ended` to ten minutes, in text as
# `YYYY-MM-DD HH:M`.
SessionRow = Row[*tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Version:
    number: int
    sha256: str
    sides_known: bool


@dataclass(slots=True)
class Ended:
    """Sessions of one version and mode that will not change any more, counted by arm and status, time, arm and step,
    except completed ones, which may have had fewer trials than others.
    """

    statuses: Counter[tuple[str, str]] = field(default_factory=Counter)
    steps: Counter[tuple[str, int]] = field(default_factory=Counter)
    arrived: Counter[str] = field(default_factory=Counter)
    completed: Counter[str] = field(default_factory=Counter)

    def add(self, rows: Sequence[SessionRow]) -> None:
        _, _, _, arms, statuses, steps, arrived, ended = zip(*rows, strict=True)
        self.statuses.update(zip(arms, statuses, strict=True))
        self.steps.update(
            compress(zip(arms, steps, strict=True), (status != Status.COMPLETED for status in statuses))
        )
        # Of who did not take part only the date is kept, which is no time to show.
        self.arrived.update(compress(arrived, (status not in COUNTED_ALONE for status in statuses)))
        self.completed.update(compress(ended, (status == Status.COMPLETED for status in statuses)))


# GROUP BY over covering indexes took 475 ms for 100,000 answers, this takes 70 ms (decision 0019).
class Tally:
    """The tally of one study. Callers must hold `lock`. It is as of the last refresh.

    `sessions` has every session by id, `open` those that may still change; `ended` counts the others. `excluded` are
    sessions excluded by hand, `unused` those that an exclusion rule leaves out: answers of neither count, as in labels.
    """

    def __init__(self, study_id: int) -> None:
        self.study_id = study_id
        self.lock = threading.Lock()
        self._n_withdrawn = 0
        self._begin()

    def _begin(self) -> None:
        self.versions: Mapping[int, Version] = {}
        self.sessions: dict[int, SessionRow] = {}
        self.open: set[int] = set()
        self.ended: defaultdict[tuple[int, str], Ended] = defaultdict(Ended)
        self.by_session: dict[int, SessionTally] = {}
        self.groups: defaultdict[tuple[int, str], Group] = defaultdict(Group)
        self.excluded: frozenset[int] = frozenset()
        self.unused: frozenset[int] = frozenset()
        self.began = 0.0
        self._news: set[int] = set()
        self._practice: dict[tuple[int, str], frozenset[int]] = {}

    @property
    def left_out(self) -> frozenset[int]:
        """Sessions whose answers do not count: excluded by hand, or by a rule."""
        return self.excluded | self.unused

    @property
    def behind(self) -> int:
        """The number of sessions with uncounted answers."""
        return len(self._news)

    def refresh(self, session: Session, budget_s: float | None) -> None:
        """Count new answers, for about `budget_s` (None: all of them)."""
        self.began = time.monotonic()
        self._read(session)
        news = sorted(self._news)
        for start in range(0, len(news), CHUNK):
            # One chunk in any case: however long reading took, each request brings the count forward.
            if start and budget_s is not None and time.monotonic() - self.began > budget_s:
                break
            self._count(session, news[start : start + CHUNK])

    def catch_up(self, session: Session, ids: Collection[int]) -> None:
        """Count these sessions in any case."""
        if news := sorted(self._news.intersection(ids)):
            self._count(session, news)

    def _read(self, session: Session) -> None:
        connection = session.connection()
        found = connection.execute(_VERSIONS, {"study_id": self.study_id})
        versions = {id_: Version(*rest) for id_, *rest in found}
        n_withdrawn = connection.execute(_WITHDRAWN, {"version_ids": list(versions)}).scalar_one()
        if n_withdrawn != self._n_withdrawn:  # what was counted of them is no more
            began = self.began
            self._begin()
            self.began, self._n_withdrawn = began, n_withdrawn
        self.versions = versions
        of_study = {"version_ids": list(self.versions)}
        # Sessions that have ended are read once: what changes is open or new.
        newer = or_(_session.c.status.in_(OPEN), _session.c.id > max(self.sessions, default=0))
        self._note(connection.execute(_rows(session).where(newer), of_study).all())
        for ids in _parts(self.open):
            over = _session.c.id.in_(ids), _session.c.status.not_in(OPEN)
            self._note(connection.execute(_rows(session).where(*over), of_study).all())
        if connection.execute(_HOW_MANY, of_study).scalar_one() != len(self.sessions):
            self._note(connection.execute(_rows(session), of_study).all())  # another process was late
        excluded = frozenset(connection.execute(_EXCLUDED).scalars())
        unused = frozenset(connection.execute(_UNUSED).scalars())
        if (excluded, unused) != (self.excluded, self.unused):
            self._exclude(session, excluded, unused)

    def _note(self, rows: Sequence[SessionRow]) -> None:
        over: defaultdict[tuple[int, str], list[SessionRow]] = defaultdict(list)
        for row in rows:
            id_, version_id, mode, _, status, step, *_ = row
            if id_ in self.sessions and id_ not in self.open:
                continue  # ended, and counted so
            self.sessions[id_] = row
            if status in OPEN:
                self.open.add(id_)
            else:
                self.open.discard(id_)
                over[version_id, mode].append(row)
            known = self.by_session.get(id_)
            if status in BEGUN and (known is None or known.step != step):
                self._news.add(id_)
        for key, ended in over.items():
            self.ended[key].add(ended)

    def _count(self, session: Session, ids: Sequence[int]) -> None:
        connection, among = session.connection(), {"ids": ids}
        trials: dict[int, list[Row[Any]]] = {}
        for trial in connection.execute(TRIALS, among).all():
            trials.setdefault(trial[0], []).append(trial)
        away = {id_: (stalls, hidden_ms) for id_, stalls, hidden_ms in connection.execute(AWAY, among).all()}
        of_pages: defaultdict[int, Counter[Flag]] = defaultdict(Counter)
        for id_, raised in connection.execute(FLAGGED_PAGES, among).all():
            of_pages[id_].update(split(raised))
        last_tries = {row[0]: row[1] for row in connection.execute(LAST_TRY, among).all()}
        for id_ in ids:
            row = self.sessions[id_]
            empty = SessionTally(
                simulated=row.mode == Mode.SIMULATED, sides_known=self.versions[row.version_id].sides_known
            )
            tally = self.by_session.setdefault(id_, empty)
            practice = self._practice_of(session, row.version_id)
            group = self.groups[row.version_id, row.mode]
            counts = id_ not in self.excluded and id_ not in self.unused
            add_trials(tally, group, trials.get(id_, ()), away, practice, counts=counts)
            tally.step, tally.of_pages = row.step, of_pages[id_]
            if tally.last_try:
                group.tries[tally.last_try] -= 1
            if id_ in last_tries:
                tally.last_try = row.arm, row.step, last_tries[id_]
                group.tries[tally.last_try] += 1
            (group.flagged.add if tally.all_flags() else group.flagged.discard)(id_)
        self._news.difference_update(ids)

    def _exclude(self, session: Session, excluded: frozenset[int], unused: frozenset[int]) -> None:
        """Take the answers of sessions that are left out now out of what counts, and put others back."""
        left_out = excluded | unused
        changed = [id_ for id_ in left_out ^ self.left_out if id_ in self.by_session]
        # All is read before anything is changed: an error halfway must leave the tally as it was.
        trials = [
            trial
            for ids in _parts(changed)
            for trial in session.connection().execute(TRIALS, {"ids": ids}).all()
        ]
        practice = {id_: self._practice_of(session, self.sessions[id_].version_id) for id_ in changed}
        for session_id, _, pair_id, left, response_id, side, unplayable, unwatched, *_ in trials:
            row = self.sessions[session_id]
            is_counted = response_id is not None and response_id <= self.by_session[session_id].last_id
            if not is_counted or unplayable or unwatched:
                continue
            if pair_id not in practice[session_id]:
                n = -1 if session_id in left_out else 1
                self.groups[row.version_id, row.mode].count(pair_id, left, side, n)
        self.excluded, self.unused = excluded, unused

    def _practice_of(self, session: Session, version_id: int) -> frozenset[int]:
        key = (version_id, self.versions[version_id].sha256)
        if key not in self._practice:
            self._practice[key] = practice_pairs(session, version_id)
        return self._practice[key]


def _parts(ids: Iterable[int], most: int = 2_000) -> Iterable[list[int]]:
    """Chunks of at most `most` ids, for one query each."""
    listed = sorted(ids)
    # Each id is a parameter, of which SQLite takes 32,766 in a statement and PostgreSQL 65,535.
    return [listed[start : start + most] for start in range(0, len(listed), most)]


# By database, as ids are its own; then by study.
_tallies: WeakKeyDictionary[Any, dict[int, Tally]] = WeakKeyDictionary()
_making = threading.Lock()


def tally_of(session: Session, study_id: int) -> Tally:
    """The study's tally in this process. For sessions that only read: rolled-back answers cannot be uncounted."""
    with _making:
        known = _tallies.setdefault(session.get_bind().engine, {})
        return known.setdefault(study_id, Tally(study_id))
