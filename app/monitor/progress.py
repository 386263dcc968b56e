"""A study's progress in numbers: arrivals, pages reached, votes and problems."""

import math
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from statistics import median
from typing import get_args

from sqlalchemy import and_, bindparam, exists, func, select
from sqlmodel import Session, SQLModel, col

from app.core.errors import NotFound, StudyError
from app.monitor.counting import Group, Trouble
from app.monitor.notices import notices_of
from app.monitor.precision import precision_of
from app.monitor.snapshots import (
    Choice,
    FlaggedLine,
    FunnelStep,
    PairLine,
    Snapshot,
    TrialTime,
    UnitLine,
)
from app.monitor.statuses import statuses_of
from app.monitor.tally import Ended, SessionRow, Tally, Version, tally_of
from app.monitor.timeline import timeline_of
from app.sessions.retargeting import places_for
from app.sessions.runs import StudyRun, run_of
from app.studies.access import StudyHere
from app.studies.file.arms import MAIN
from app.tasks.running import live_tasks
from app.trials.design import Kind, PageKey, PageKind, SessionPages, Slot
from app.trials.flags import in_order
from app.trials.loads import LEFT_AFTER, loads_of
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, State, Status, Unit, UnitMember

PAGE_BUDGET_S = 0.05  # how long a page may count before it shows what it has
MODES = (Mode.LIVE, Mode.PILOT, Mode.SIMULATED)
MOST_FLAGGED = 25
_OPEN = (Status.ARRIVED, Status.ACTIVE)


class BadChoice(StudyError):
    status_code = 422


def choice_of(version: str, mode: str) -> Choice:
    """Parse the version and mode of an address. Raises BadChoice."""
    # isdigit() alone lets superscripts through, on which int() fails.
    if version not in ("", "all") and not (
        version.isascii() and version.isdigit() and 0 < int(version[:10]) < 2**31
    ):
        raise BadChoice(f"{version[:40]!r} is not a version; give its number, or all.")
    if mode and mode not in MODES:
        raise BadChoice(f"{mode[:40]!r} is not a mode; use {', '.join(MODES)}.")
    number = None if not version else 0 if version == "all" else int(version)
    return Choice(number, Mode(mode) if mode else None)


def snapshot(
    session: Session,
    study: StudyHere,
    choice: Choice,
    now: datetime,
    budget_s: float | None = PAGE_BUDGET_S,
    *,
    sees_live: bool,
) -> Snapshot:
    """The study's numbers, brought up to date first; concurrent requests share one count.

    `sees_live` is whether live votes may be shown (`app.studies.blinding.may_look`).

    Raises NotFound for an unknown version.
    """
    came = time.monotonic()
    tally = tally_of(session, study.id)
    with tally.lock:
        # A count that began after this request came has everything that it asks for.
        if tally.began < came or tally.behind:
            tally.refresh(session, budget_s)
        return _snapshot(session, study, tally, choice, now, sees_live=sees_live)


def _snapshot(
    session: Session, study: StudyHere, tally: Tally, choice: Choice, now: datetime, *, sees_live: bool
) -> Snapshot:
    mode = choice.mode or _usual_mode(study, tally)
    numbers = {version.number: id_ for id_, version in tally.versions.items()}
    version = _usual_version(tally, mode) if choice.version is None else choice.version
    if version and version not in numbers:
        raise NotFound(f"Study {study.slug} has no version {version}.")
    chosen = {numbers[version]} if version else set(numbers.values())
    groups = {id_: tally.groups[id_, mode] for id_ in chosen}
    ended = {id_: tally.ended[id_, mode] for id_ in chosen}
    here = [
        row
        for row in map(tally.sessions.__getitem__, tally.open)
        if row.version_id in chosen and row.mode == mode
    ]
    runs = {id_: run_of(session, id_, tally.versions[id_].sha256) for id_ in sorted(chosen)}
    in_arms = {
        (id_, arm): run_of(session, id_, run.version_sha256, arm)
        for id_, run in runs.items()
        for arm in dict.fromkeys((*run.design.arm_ids, MAIN))
    }
    step, timeline = timeline_of(here, ended, now if study.state in (State.LIVE, State.PILOT) else None)
    flagged = sorted(chain.from_iterable(group.flagged for group in groups.values()), reverse=True)
    sides = sum((group.sides for group in groups.values()), Counter[tuple[int, str, str]]())
    several = {id_ for id_, run in runs.items() if run.design.arms}
    statuses = statuses_of(tally, several, MODES)
    is_blinded = mode is Mode.LIVE and not sees_live
    return Snapshot(
        at=now,
        version=version,
        mode=mode,
        versions=sorted(numbers, reverse=True),
        n_by_mode={each: sum(line.total for line in statuses if line.mode == each) for each in MODES},
        behind=tally.behind,
        statuses=[line for line in statuses if numbers[line.version] in chosen],
        funnel=_funnel(here, ended, groups, in_arms, _still_here(session, chosen, now)),
        step=step,
        timeline=timeline,
        times=_times(groups, in_arms),
        pairs=_pairs(session, groups, tally, is_blinded=is_blinded),
        units=_units(session, groups, in_arms, tally, mode, now),
        shows_clips=any(run.shows_clips for run in runs.values()),
        shows_reading=any(run.shows_reading for run in runs.values()),
        is_blinded=is_blinded,
        n_votes=sides.total(),
        left_pressed=sum(n for (_, _, side), n in sides.items() if side == "left")
        if all(tally.versions[id_].sides_known for id_ in chosen)
        else None,
        trouble=_sum(group.trouble for group in groups.values()),
        n_flagged=len(flagged),
        n_by_flag=in_order(Counter(flag for id_ in flagged for flag in tally.by_session[id_].all_flags())),
        flagged=_flagged(session, flagged[:MOST_FLAGGED], tally),
        notices=notices_of(session, study.id, now),
        places=places_for(session, study, now) if runs else None,
        precision=precision_of(session, study, runs, mode, now),
    )


def _used(tally: Tally) -> set[tuple[int, str]]:
    """The versions and modes that have sessions."""
    still = {(tally.sessions[id_].version_id, tally.sessions[id_].mode) for id_ in tally.open}
    return still | {key for key, ended in tally.ended.items() if ended.statuses}


def _usual_mode(study: StudyHere, tally: Tally) -> Mode:
    there = {mode for _, mode in _used(tally)}
    empty = Mode.PILOT if study.state is State.PILOT else Mode.LIVE
    return next((mode for mode in MODES if mode in there), empty)


def _usual_version(tally: Tally, mode: str) -> int:
    used = {version_id for version_id, of in _used(tally) if of == mode}
    numbers = [version.number for id_, version in tally.versions.items() if id_ in used or not used]
    return max(numbers, default=0)


def _funnel(
    still: Sequence[SessionRow],
    ended: Mapping[int, Ended],
    groups: Mapping[int, Group],
    runs: Mapping[tuple[int, str], StudyRun],
    here: frozenset[int],
) -> Sequence[FunnelStep]:
    """Pages in session order, with the sessions that reached, are on and left each; pages of some versions go last."""
    steps = Counter((row.version_id, row.arm, row.step) for row in still)
    gone = Counter[str]()
    for version_id, of in ended.items():
        steps.update({(version_id, arm, step): n for (arm, step), n in of.steps.items()})
        for (arm, status), n in of.statuses.items():
            gone[status] += n
            if status == Status.COMPLETED:
                steps[version_id, arm, len(_run(runs, version_id, arm).pages.keys) - 1] += n
    reached, on_it, stopped = Counter[str](), Counter[str](), Counter[str]()
    # Their step went with their answers; nobody is screened out elsewhere.
    reached["screening"] = gone[Status.SCREENED_OUT]
    for (version_id, arm, step), n in steps.items():
        for page in _run(runs, version_id, arm).pages.keys[: step + 1]:
            reached[str(page)] += n
    for version_id, group in groups.items():
        for (arm, step, last), n in group.tries.items():
            # Whoever was right is past the pages of further tries without having seen them.
            for page in _run(runs, version_id, arm).pages.keys[:step]:
                if page.kind == "comprehension" and page.position > PageKey.of(last).position:
                    reached[str(page)] -= n
    for row in still:
        (on_it if row.id in here else stopped)[
            str(_run(runs, row.version_id, row.arm).pages.keys[row.step])
        ] += 1
    return [
        FunnelStep(
            page=str(page),
            title=title,
            reached=reached[str(page)],
            here=on_it[str(page)],
            stopped=stopped[str(page)] + (gone[Status.LEFT] if page.kind == "consent" else 0),
            refused=gone[Status.REFUSED] if page.kind == "consent" else 0,
            under_age=gone[Status.UNDER_AGE] if page.kind == "consent" else 0,
            full=gone[Status.FULL] if page.kind == "consent" else 0,
            unsuited=gone[Status.UNSUITED] if page.kind == "consent" else 0,
            screened_out=gone[Status.SCREENED_OUT] if page.kind == "screening" else 0,
        )
        for page, title in _titles(runs)
    ]


def _run(runs: Mapping[tuple[int, str], StudyRun], version_id: int, arm: str) -> StudyRun:
    """The run of a version in an arm; with all blocks for sessions that have no arm of it yet."""
    return runs.get((version_id, arm)) or runs[version_id, MAIN]


def _titles(runs: Mapping[tuple[int, str], StudyRun]) -> Sequence[tuple[PageKey, str]]:
    kinds = get_args(PageKind)
    found: dict[PageKey, str] = {}
    for run in runs.values():
        for page in run.pages.keys:
            title = _title(page, run)
            # Arms may have another block at the same position.
            found[page] = title if found.get(page, title) == title else f"Trial {page.position}"
    return sorted(found.items(), key=lambda item: (kinds.index(item[0].kind), item[0].position))


def _title(page: PageKey, run: StudyRun) -> str:
    """A page's title; with blocks in random order a trial has only its position, as blocks differ by session."""
    if page.kind == "trial" and run.design.block_order == "random" and len(run.blocks) > 1:
        return f"Trial {page.position}"
    return page_title(page, run.pages)


def page_title(page: PageKey, pages: SessionPages) -> str:
    """A page in words, trials numbered as participants see them; with its block where there are several."""
    of_block = f" ({page.block})" if page.block else ""
    if page.kind != "trial":
        number = f", try {page.position}" if page.position else ""
        words = {"debrief": "Completed", "self": "About themselves"}.get(page.kind, page.kind.capitalize())
        return f"{words}{number}{of_block}"
    return trial_title(page.position, pages)


def trial_title(position: int, pages: SessionPages) -> str:
    part = pages.part_at(position)
    noun = "Practice" if part.is_practice(position) else part.noun
    of_block = f" ({part.block})" if len(pages.parts) > 1 else ""
    return f"{noun} {part.number(position)}{of_block}"


def _still_here(session: Session, version_ids: Iterable[int], now: datetime) -> frozenset[int]:
    """Open sessions with a sign of life in the last half hour, or on a page that they have not left."""
    ids = list(version_ids)
    values = {"version_ids": ids, "since": now - LEFT_AFTER}
    heard_of = frozenset(session.connection().execute(_STILL_HERE, values).scalars())
    return heard_of.union(*(task.present(session, ids) for task in live_tasks()))


_tables = SQLModel.metadata.tables
_s, _r = _tables[str(ParticipantSession.__tablename__)], _tables[str(Response.__tablename__)]
_LAST_ANSWER = (
    select(func.max(_r.c.answered_at)).where(_r.c.session_id == _s.c.id).correlate(_s).scalar_subquery()
)
_STILL_HERE = select(_s.c.id).where(
    _s.c.version_id.in_(bindparam("version_ids", expanding=True)),
    _s.c.status.in_(_OPEN),
    func.coalesce(_s.c.page_shown_at, _LAST_ANSWER, _s.c.arrived_at) >= bindparam("since"),
)


def _times(groups: Mapping[int, Group], runs: Mapping[tuple[int, str], StudyRun]) -> Sequence[TrialTime]:
    titles = {page.position: title for page, title in _titles(runs) if page.kind == "trial"}
    found = []
    for position in sorted({position for group in groups.values() for position in group.times}):
        parts = [group.times[position] for group in groups.values() if position in group.times]
        for part in parts:
            part.sort()  # nearly sorted already: cheap
        times = parts[0] if len(parts) == 1 else sorted(chain.from_iterable(parts))
        # The nearest rank, so that it is a time that somebody took however few there are.
        p90 = times[math.ceil(0.9 * len(times)) - 1]
        found.append(TrialTime(position, titles[position], len(times), median(times), p90))
    return found


def _pairs(
    session: Session, groups: Mapping[int, Group], tally: Tally, *, is_blinded: bool
) -> Sequence[PairLine]:
    of_pair = and_(col(UnitMember.unit_id) == col(Unit.id), col(UnitMember.slot) == Slot.A)
    pairs = select(Unit).where(col(Unit.version_id).in_(list(groups)), exists().where(of_pair))
    pairs = pairs.order_by(col(Unit.version_id), col(Unit.position))
    lines = [
        _pair_line(pair, groups[pair.version_id], tally.versions[pair.version_id])
        for pair in session.execute(pairs).scalars()
        if pair.kind != Kind.PRACTICE
    ]
    return [
        replace(line, a=None, b=None) if is_blinded and line.kind == Kind.MAIN else line for line in lines
    ]


def _pair_line(pair: Unit, group: Group, version: Version) -> PairLine:
    def sides(left: str, side: str) -> int:
        return group.sides[pair.id or 0, left, side]

    def if_known(n: int) -> int | None:
        return n if version.sides_known else None

    a, b = sides("a", "left") + sides("b", "right"), sides("a", "right") + sides("b", "left")
    return PairLine(
        version=version.number,
        pair=pair.name,
        condition=pair.condition,
        kind=pair.kind,
        truth=pair.truth or "",
        n=a + b,
        a=a,
        b=b,
        left_a=if_known(sides("a", "left") + sides("a", "right")),
        left_b=if_known(sides("b", "left") + sides("b", "right")),
        planned_a=if_known(group.planned[pair.id or 0, "a"]),
        planned_b=if_known(group.planned[pair.id or 0, "b"]),
    )


def _units(
    session: Session,
    groups: Mapping[int, Group],
    runs: Mapping[tuple[int, str], StudyRun],
    tally: Tally,
    mode: Mode,
    now: datetime,
) -> Sequence[UnitLine]:
    """Lines for units shown alone, without practice."""
    lines = []
    for (id_, of_arm), run in runs.items():
        for block in run.blocks if of_arm == MAIN else ():
            design, wanted = block.design, block.design.wanted_per_unit
            if design.sides:
                continue
            given: Counter[int] | None = None
            if wanted:
                since, arms = now - LEFT_AFTER, design.arms or run.design.arm_ids
                given = sum(
                    (Counter(loads_of(session, id_, mode, block.id, since, arm)) for arm in arms),
                    Counter[int](),
                )
                wanted *= len(arms)  # each arm is balanced by itself
            lines += [
                UnitLine(
                    version=tally.versions[id_].number,
                    block=block.id,
                    noun=design.noun,
                    nouns=design.nouns,
                    unit=words[0],
                    condition=words[1],
                    kind=unit.kind,
                    answers=groups[id_].answered[unit.id],
                    given=None if given is None else given.get(unit.id, 0),
                    wanted=wanted if unit.kind is Kind.MAIN else None,
                )
                for unit in block.units
                if unit.kind is not Kind.PRACTICE
                for words in [design.unit_in_words(unit.name, unit.group or unit.condition)]
            ]
    return lines


def _sum(troubles: Iterable[Trouble]) -> Trouble:
    total = Trouble()
    for trouble in troubles:
        for name in Trouble.__slots__:
            setattr(total, name, getattr(total, name) + getattr(trouble, name))
    return total


def _flagged(session: Session, ids: Sequence[int], tally: Tally) -> Sequence[FlaggedLine]:
    """The newest first."""
    names = {row.id: row for row in session.connection().execute(_NAMES, {"ids": list(ids)})}
    return [
        FlaggedLine(
            session_id=id_,
            participant=names[id_].participant or "",
            status=names[id_].status,
            flags=in_order(tally.by_session[id_].all_flags()),
            is_excluded=id_ in tally.left_out,
        )
        for id_ in ids
    ]


_NAMES = select(_s.c.id, _s.c.participant, _s.c.status).where(_s.c.id.in_(bindparam("ids", expanding=True)))
