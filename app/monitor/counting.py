"""Per-session answer tallies: votes and sides, times, problems, flags. Read in few and short queries."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Integer,
    bindparam,
    func,
    join,
    literal_column,
    null,
    or_,
    outerjoin,
    select,
    type_coerce,
)
from sqlmodel import Session, SQLModel, col

from app.tasks.registry import DESIGNS
from app.trials.design import Kind
from app.trials.flags import Flag, is_one_sided, split
from app.trials.responses import Evidence, Response
from app.trials.tables import Trial, Unit

_tables = SQLModel.metadata.tables
_trial, _response, _evidence, _unit = (
    _tables[str(table.__tablename__)] for table in (Trial, Response, Evidence, Unit)
)
# A literal: with a bound parameter neither database can tell that the partial index covers the condition.
_NONE: ColumnElement[int] = literal_column("0")
_NOT_AWAY = (0, 0)
_ODD = frozenset({Flag.ODD, Flag.NO_TELEMETRY, Flag.RT_ODD})
_AMONG: BindParameter[Any] = bindparam("ids", expanding=True)
_SIDES = frozenset(side for design in DESIGNS.values() for side in design.sides)


def _first_slots() -> ColumnElement[str]:
    """SQL for the slot on the first side, for any task."""
    keys = dict.fromkeys(design.slot_key for design in DESIGNS.values() if design.slot_key)
    slots = [col(Trial.plan)[key].as_string() for key in keys]
    # SQLite's coalesce refuses a single argument.
    return func.coalesce(*slots, null())


# Every trial planned for some sessions, with its response if there is one.
TRIALS = (
    select(
        _trial.c.session_id,
        _trial.c.position,
        _trial.c.unit_id,
        _first_slots(),
        _response.c.id,
        _response.c.side,
        type_coerce(_response.c.unplayable, Integer),
        type_coerce(or_(_response.c.unwatched, _response.c.study_rule.is_not(None)), Integer),
        _response.c.rt_ms,
        _response.c.raised,
    )
    .select_from(outerjoin(_trial, _response, _response.c.trial_id == _trial.c.id))
    .where(_trial.c.session_id.in_(_AMONG))
    .order_by(_trial.c.session_id, _trial.c.position)
)
# The flags of pages without a trial: checks that were failed.
FLAGGED_PAGES = select(_response.c.session_id, _response.c.raised).where(
    _response.c.session_id.in_(_AMONG), _response.c.trial_id.is_(None), _response.c.raised.is_not(None)
)
# The last try of the questions on the instructions that was answered: pages of tries not needed are passed over.
LAST_TRY = (
    select(_response.c.session_id, func.max(_response.c.page))
    .where(_response.c.session_id.in_(_AMONG), _response.c.page.like("comprehension-%"))
    .group_by(_response.c.session_id)
)
# Responses during which a clip stood still or the page was hidden: how often, and how long. There is an index of these.
AWAY = (
    select(_response.c.id, func.sum(_evidence.c.stalls), func.max(_evidence.c.hidden_ms))
    .select_from(join(_response, _evidence, _evidence.c.response_id == _response.c.id))
    .where(_response.c.session_id.in_(_AMONG), or_(_evidence.c.stalls > _NONE, _evidence.c.hidden_ms > _NONE))
    .group_by(_response.c.id)
)


@dataclass(slots=True)
class SessionTally:
    """Tally of one session's answers; `flags` counts trials without practice, `of_pages` those of other pages.

    `sides_known` is false for imported answers without side information. `last_try` is the
    session as `Group.tries` counts it, once it answered questions on the instructions.
    """

    step: int = -1
    last_try: tuple[str, int, str] | None = None
    last_id: int = 0
    n_planned: int = 0
    n_answered: int = 0
    n_left: int = 0
    n_chosen: int = 0
    flags: dict[Flag, int] = field(default_factory=dict)
    of_pages: Counter[Flag] = field(default_factory=Counter)
    simulated: bool = False
    sides_known: bool = True

    def all_flags(self) -> Mapping[Flag, int]:
        flags = dict(Counter(self.flags) + self.of_pages) if self.of_pages else self.flags
        if self.sides_known and not self.simulated and is_one_sided(self.n_left, self.n_chosen):
            return {**flags, Flag.ONE_SIDED: self.n_chosen}
        return flags


@dataclass(slots=True)
class Trouble:
    """Answered trials, and how many of them had each problem; `stalls` counts every stall.

    `excluded` are those excluded by the rule `unwatched` or a rule of the study's own.
    """

    answered: int = 0
    unplayable: int = 0
    stalled: int = 0
    stalls: int = 0
    hidden: int = 0
    not_watched: int = 0
    not_read: int = 0
    sped_up: int = 0
    out_of_step: int = 0
    dropped: int = 0
    odd: int = 0
    excluded: int = 0

    def add(self, flags: frozenset[Flag]) -> None:
        self.unplayable += Flag.UNPLAYABLE in flags
        self.not_watched += Flag.NOT_WATCHED in flags
        self.not_read += Flag.NOT_READ in flags
        self.sped_up += Flag.SPED_UP in flags
        self.out_of_step += Flag.OUT_OF_STEP in flags
        self.dropped += Flag.DROPPED in flags
        self.odd += not flags.isdisjoint(_ODD)


@dataclass(slots=True)
class Group:
    """One version in one mode. `answered`, by unit, and `sides` count answers to trials that are no practice, as far as
    no rule excludes them.

    `planned` is by pair and member on the left, `sides` also by the side pressed; `times` by position, in ms;
    `flagged` names the sessions that have a flag; `tries` counts sessions by arm, step and page of their last try at
    the questions on the instructions.
    """

    planned: Counter[tuple[int, str]] = field(default_factory=Counter)
    sides: Counter[tuple[int, str, str]] = field(default_factory=Counter)
    answered: Counter[int] = field(default_factory=Counter)
    times: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    trouble: Trouble = field(default_factory=Trouble)
    flagged: set[int] = field(default_factory=set)
    tries: Counter[tuple[str, int, str]] = field(default_factory=Counter)

    def count(self, unit_id: int, left: str | None, side: str | None, n: int) -> None:
        """Add an answer that counts, or take it out again by an `n` of -1."""
        self.answered[unit_id] += n
        if side in _SIDES:
            self.sides[unit_id, left or "", side] += n


def add_trials(
    tally: SessionTally,
    group: Group,
    trials: Sequence[Sequence[Any]],
    away: Mapping[int, tuple[int, int]],
    practice: Collection[int],
    *,
    counts: bool = True,
) -> None:
    """Add a session's trials, as far as they were not added before. `away` is response to stalls and time hidden.

    `practice` names the pairs that are for practice.
    """
    trouble = group.trouble
    if not tally.n_planned:
        tally.n_planned = len(trials)
        group.planned.update((pair_id, left) for _, _, pair_id, left, *_ in trials)
    for _, position, pair_id, left, response_id, side, unplayable, left_out, rt_ms, raised in trials:
        if response_id is None or response_id <= tally.last_id:
            continue
        tally.last_id = response_id
        tally.n_answered += 1
        trouble.answered += 1
        stalls, hidden_ms = away.get(response_id, _NOT_AWAY)
        if stalls or hidden_ms:
            trouble.stalled += stalls > 0
            trouble.stalls += stalls
            trouble.hidden += hidden_ms > 0
        if rt_ms is not None and not unplayable:
            group.times[position].append(rt_ms)
        flags = split(raised)
        if flags:
            trouble.add(flags)
        trouble.excluded += bool(left_out)
        if pair_id in practice:
            continue
        for flag in flags:
            tally.flags[flag] = tally.flags.get(flag, 0) + 1
        if side in _SIDES and not unplayable:
            tally.n_chosen += 1
            tally.n_left += side == "left"
        if counts and not unplayable and not left_out:
            group.count(pair_id, left, side, 1)


def practice_pairs(session: Session, version_id: int) -> frozenset[int]:
    """Ids of a version's practice pairs."""
    found = select(_unit.c.id).where(_unit.c.version_id == version_id, _unit.c.kind == Kind.PRACTICE)
    return frozenset(session.connection().execute(found).scalars())
