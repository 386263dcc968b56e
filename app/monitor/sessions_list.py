"""Finding sessions: by participant, number, status, mode, flag, or whether they are excluded."""

import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Integer, Row, Select, cast, func, literal, or_, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Session, SQLModel

from analysis.quality.registry import RULES
from app.core.errors import StudyError
from app.core.schema import clean
from app.core.spans import span
from app.monitor.counting import SessionTally
from app.monitor.progress import MODES, PAGE_BUDGET_S, page_title
from app.monitor.snapshots import STATUS_TITLES
from app.monitor.strips import Mark, strips_of
from app.monitor.tally import Tally, tally_of
from app.sessions.identity import with_external_id
from app.sessions.runs import run_of
from app.studies.access import StudyHere
from app.trials.flags import Flag, in_order
from app.trials.tables import (
    COUNTED_ALONE,
    Exclusion,
    Mode,
    ParticipantSession,
    SessionNote,
    SessionVerdict,
    Status,
    StudyVersion,
)

PER_PAGE = 50
LONGEST_QUERY = 200
ANY_FLAG = "any"

_tables = SQLModel.metadata.tables
_s, _v, _excluded, _note, _verdict = (
    _tables[str(table.__tablename__)]
    for table in (ParticipantSession, StudyVersion, Exclusion, SessionNote, SessionVerdict)
)
# By hand, by a rule, or whom a rule leaves unpaid; `no` is neither of the first two.
EXCLUDED = ("yes", "rule", "unpaid", "no")


class BadSearch(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class Search:
    """Search criteria; empty means any. `q` is part of a participant's id, or a session's number, `rule` an exclusion
    rule that the session met.

    `excluded` is one of `EXCLUDED`; `after` is the last session of the previous page.
    """

    q: str = ""
    status: str = ""
    mode: str = ""
    flag: str = ""
    excluded: str = ""
    rule: str = ""
    after: int = 0


@dataclass(frozen=True, slots=True)
class SessionLine:
    """One session for the list; `page` is the one it is on."""

    id: int
    participant: str
    mode: str
    arm: str
    version: int
    status: str
    page: str
    arrived_at: datetime
    ended_at: datetime | None
    answered: int
    planned: int
    flags: Sequence[tuple[Flag, int]]
    is_excluded: bool
    notes: int
    is_unused: bool = False
    is_unpaid: bool = False
    rules: Sequence[str] = ()
    strip: Sequence[Mark] = ()

    @property
    def status_words(self) -> str:
        return STATUS_TITLES[Status(self.status)].lower()

    @property
    def has_time(self) -> bool:
        return has_time(self.status)

    @property
    def took(self) -> str:
        return span(self.ended_at - self.arrived_at) if self.ended_at and self.has_time else ""


def has_time(status: str) -> bool:
    """False for who has not consented, or whose answers are deleted: of these the day alone is kept."""
    return status not in (Status.ARRIVED, *COUNTED_ALONE)


@dataclass(frozen=True, slots=True)
class SessionList:
    """The sessions found, newest first; `next` is the `after` of the next page, 0 where there is none.

    `behind` sessions have answers that are still to be counted: a search for a flag may miss them. `counts` has for
    each of `KINDS` how many are found of it, whatever kind is looked for.
    """

    found: int
    lines: Sequence[SessionLine]
    next: int
    behind: int
    counts: Mapping[str, int] = field(default_factory=dict)


def checked_search(fields: Search) -> Search:
    """Raises BadSearch for what cannot be looked for."""
    allowed: Sequence[tuple[str, str, Collection[str]]] = (
        ("status", fields.status, tuple(Status)),
        ("mode", fields.mode, MODES),
        ("flag", fields.flag, (ANY_FLAG, *Flag)),
        ("excluded", fields.excluded, EXCLUDED),
        ("rule", fields.rule, tuple(RULES)),
    )
    for name, value, values in allowed:
        if value and value not in values:
            raise BadSearch(f"{value[:40]!r} is no {name}; use one of {', '.join(values)}.")
    if len(fields.q) > LONGEST_QUERY:
        raise BadSearch(f"The search text is too long; {LONGEST_QUERY} characters are allowed.")
    return replace(fields, q=clean(fields.q))


# Kinds of sessions that a link shows; each is all that a search has beside words, mode and rule.
KINDS: Mapping[str, Search] = {
    "all": Search(),
    "under-way": Search(status=Status.ACTIVE),
    "completed": Search(status=Status.COMPLETED),
    "flagged": Search(flag=ANY_FLAG),
    "excluded": Search(excluded="yes"),
    "by-rule": Search(excluded="rule"),
    "unpaid": Search(excluded="unpaid"),
}


def of_kind(search: Search, kind: str) -> Search:
    """The same search for sessions of one of `KINDS`, from its first page."""
    other = KINDS[kind]
    return replace(search, status=other.status, flag=other.flag, excluded=other.excluded, after=0)


def find_sessions(
    session: Session,
    study: StudyHere,
    search: Search,
    budget_s: float | None = PAGE_BUDGET_S,
    *,
    limit: int = PER_PAGE,
    with_counts: bool = False,
) -> SessionList:
    """One page of the sessions that are looked for; previews are in no list. `with_counts` counts each kind."""
    came, tally = time.monotonic(), tally_of(session, study.id)
    with tally.lock:
        if tally.began < came or tally.behind:
            tally.refresh(session, budget_s)
        where = _where(session, study, search, tally)
        found = _count(session, where)
        counts = {}
        if with_counts:
            kinds = {kind: of_kind(search, kind) for kind in KINDS}
            counts = {
                kind: _count(session, _where(session, study, each, tally)) for kind, each in kinds.items()
            }
        # By the last id and not by OFFSET: sessions that arrive meanwhile would move every page.
        page = _LINES.where(*where, *([_s.c.id < search.after] if search.after else []))
        rows = session.connection().execute(page.order_by(_s.c.id.desc()).limit(limit + 1)).all()
        shown = rows[:limit]
        tally.catch_up(session, {row.id for row in shown})
        strips = strips_of(session, [row.id for row in shown])
        lines = [_line(session, row, tally, strips.get(row.id, ())) for row in shown]
    return SessionList(found, lines, shown[-1].id if len(rows) > limit else 0, tally.behind, counts)


def _count(session: Session, where: Sequence[ColumnElement[bool]]) -> int:
    n: int = session.connection().execute(_from(select(func.count())).where(*where)).scalar_one()
    return n


def found_ids(session: Session, study: StudyHere, search: Search) -> Sequence[int]:
    """All sessions that are looked for, in order, however many."""
    tally = tally_of(session, study.id)
    with tally.lock:
        tally.refresh(session, None)
        where = _where(session, study, search, tally)
        return list(
            session.connection().execute(_from(select(_s.c.id)).where(*where).order_by(_s.c.id)).scalars()
        )


def _from(statement: Select[Any]) -> Select[Any]:
    sessions = _s.join(_v, _v.c.id == _s.c.version_id)
    return statement.select_from(sessions.outerjoin(_verdict, _verdict.c.session_id == _s.c.id))


_LINES = _from(
    select(
        _s.c.id,
        _s.c.participant,
        _s.c.mode,
        _s.c.arm,
        _s.c.version_id,
        _v.c.number,
        _v.c.sha256,
        _s.c.status,
        _s.c.step,
        _s.c.blocks,
        _s.c.arrived_at,
        _s.c.ended_at,
        _verdict.c.use,
        _verdict.c.pay,
        _verdict.c.names,
        select(func.count()).where(_note.c.session_id == _s.c.id).scalar_subquery().label("notes"),
    )
)


def _where(session: Session, study: StudyHere, search: Search, tally: Tally) -> list[ColumnElement[bool]]:
    where = [_v.c.study_id == study.id, _s.c.mode != Mode.PREVIEW]
    if search.mode:
        where.append(_s.c.mode == search.mode)
    if search.status:
        where.append(_s.c.status == search.status)
    if q := search.q.strip():
        is_number = q.isascii() and q.isdigit() and len(q) < 10
        # Escaped, as ids have `_`, which LIKE takes for any character.
        named = or_(_s.c.participant.icontains(q, autoescape=True), _s.c.id.in_(with_external_id(q)))
        where.append(or_(named, _s.c.id == int(q)) if is_number else named)
    if search.excluded:
        out = select(_excluded.c.id).where(_excluded.c.session_id == _s.c.id, _excluded.c.lifted_at.is_(None))
        unused, unpaid = _verdict.c.use.is_(False), _verdict.c.pay.is_(False)
        wanted = {"yes": out.exists(), "rule": unused, "unpaid": unpaid}
        where.append(wanted.get(search.excluded, ~out.exists() & unused.is_not(True)))
    if search.rule:
        # Rules are joined by `;`, and no name is part of another between two of them.
        names = literal(";") + _verdict.c.names + literal(";")
        where.append(names.contains(f";{search.rule};"))
    if search.flag:
        flagged = (id_ for group in tally.groups.values() for id_ in group.flagged)
        ids = [id_ for id_ in flagged if _has(tally.by_session[id_], search.flag)]
        where.append(_s.c.id.in_(_listed(session, ids)))
    return where


def _has(tally: SessionTally, flag: str) -> bool:
    return flag == ANY_FLAG or flag in tally.all_flags()


def _listed(session: Session, ids: Sequence[int]) -> Any:
    """Any number of ids as one parameter."""
    # Not a parameter each: SQLite takes 32,766 in a statement, and PostgreSQL 65,535.
    if session.get_bind().dialect.name == "postgresql":
        return select(cast(func.jsonb_array_elements_text(cast(ids, JSONB)), Integer))
    return select(func.json_each(json.dumps(ids)).table_valued("value").c.value)


def _line(session: Session, row: Row[Any], tally: Tally, strip: Sequence[Mark]) -> SessionLine:
    pages = run_of(session, row.version_id, row.sha256, row.arm).pages_for(row.blocks)
    counted = tally.by_session.get(row.id, SessionTally())
    return SessionLine(
        id=row.id,
        participant=row.participant or "",
        mode=row.mode,
        arm=row.arm,
        version=row.number,
        status=row.status,
        page=page_title(pages.keys[row.step], pages),
        arrived_at=row.arrived_at,
        ended_at=row.ended_at,
        answered=counted.n_answered,
        planned=counted.n_planned,
        flags=in_order(counted.all_flags()),
        is_excluded=row.id in tally.excluded,
        notes=row.notes,
        is_unused=row.use is False,
        is_unpaid=row.pay is False,
        rules=[RULES[name].title if name in RULES else name for name in (row.names or "").split(";") if name],
        strip=strip,
    )
