"""Key presses of a walk come in batches; each is replayed from the last stored state, and stored with the result."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from sqlalchemy import bindparam, select
from sqlmodel import Session, SQLModel

from app.core.errors import Conflict, StudyError
from app.core.schema import clean
from app.tasks.walk.settings import WalkDesign
from app.tasks.walk.tables import Over, Walk, WalkSteps
from app.trials.here import Where
from app.trials.tables import Mode, Trial
from stimuli import steps
from stimuli.arena import Goal
from stimuli.steps import Walker

# 20 seconds of walking, at 30 ticks a second.
MOST_STEPS = 600
MOST_BYTES = 32_000
LONGEST_INPUT = 20
# A walk cannot be faster than time; a page's clock may be, a little.
FASTER, SLACK_S = 1.05, 2.0
FEWEST_FRAMES_PER_S = 20

walk_table = SQLModel.metadata.tables[str(Walk.__tablename__)]
steps_table = SQLModel.metadata.tables[str(WalkSteps.__tablename__)]
_trial = SQLModel.metadata.tables[str(Trial.__tablename__)].c
_w, _s = walk_table.c, steps_table.c
_HERE = (
    select(
        _trial.plan, _w.id, _w.tick, _w.walker, _w.length_um, _w.over, _w.frames, _w.drawn_ms, _w.slow_ms, _w.input
    )
    .select_from(
        SQLModel.metadata.tables[str(Trial.__tablename__)].outerjoin(walk_table, _w.trial_id == _trial.id)
    )
    .where(_trial.id == bindparam("trial_id"))
)  # fmt: skip

Pressed = Sequence[tuple[int, int]]
"""Keys held and turn of the mouse, for each tick."""


class Malformed(StudyError):
    """A batch that is none. Nothing was stored."""

    status_code = 422


class Moved(Conflict):
    """The walk of a batch is not the session's current one any more."""


class Gap(Conflict):
    """Steps before those of a batch are missing, or others were stored in their place."""


class TooSoon(StudyError):
    """More steps than the elapsed time allows."""

    status_code = 429


@dataclass(frozen=True, slots=True)
class Batch:
    """Steps from one tick on, the number of frames drawn and the milliseconds that took, and the input device."""

    trial: str
    start: int
    pressed: Pressed
    frames: int | None = None
    drawn_ms: int | None = None
    input: str = ""


@dataclass(frozen=True, slots=True)
class WalkProgress:
    """The progress of a walk: `walk_id` is None before its first batch."""

    goal: Goal
    walker: Walker
    walk_id: int | None = None
    tick: int = 0
    length_um: int = 0
    over: str | None = None
    frames: int = 0
    drawn_ms: int = 0
    slow_ms: int = 0
    input: str = ""

    @property
    def state(self) -> dict[str, Any]:
        """The state from which the page continues."""
        return {"tick": self.tick, "walker": list(self.walker), "over": self.over}


@dataclass(frozen=True, slots=True)
class WalkState:
    """A session on a walk's page, as a batch found it."""

    where: Where
    here: WalkProgress
    stored: tuple[tuple[int, Pressed], ...]

    @property
    def trial_id(self) -> int:
        assert self.where.trial is not None
        return self.where.trial.id


def read_batch(body: bytes) -> Batch:
    """Parse a batch; invalid values for frames and devices are left out. Raises Malformed."""
    try:
        sent = json.loads(body)
        trial, start, pressed = sent["trial"], sent["from"], sent["steps"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Malformed("A batch is a JSON object with trial, from and steps.") from None
    if not isinstance(trial, str) or not _is_whole(start, 0, 2**31 - 1):
        raise Malformed("trial is a text, and from the whole number of a tick.")
    if (
        not isinstance(pressed, list)
        or not 1 <= len(pressed) <= MOST_STEPS
        or not all(map(_is_step, pressed))
    ):
        raise Malformed(
            f"steps are 1 to {MOST_STEPS} pairs of keys (0 to {steps.ALL_KEYS}) and turn (at most "
            f"{steps.MOST_TURN} either way)."
        )
    fps, device = sent.get("fps"), sent.get("input")
    frames, drawn_ms = fps if isinstance(fps, list) and len(fps) == 2 else (None, None)
    if not (_is_whole(frames, 0, 10**6) and _is_number(drawn_ms, 0, 10**7)):
        frames = drawn_ms = None
    return Batch(
        trial=trial,
        start=start,
        pressed=[(keys, turn) for keys, turn in pressed],
        frames=frames,
        drawn_ms=None if drawn_ms is None else round(drawn_ms),
        input=clean(device).replace(";", " ")[:LONGEST_INPUT] if isinstance(device, str) else "",
    )


def _is_whole(value: object, least: int, most: int) -> bool:
    # JSON's true is a bool in Python, and so an int.
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _is_number(value: object, least: float, most: float) -> bool:
    return (isinstance(value, float) and math.isfinite(value) and least <= value <= most) or _is_whole(
        value, int(least), int(most)
    )


def _is_step(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and _is_whole(value[0], 0, steps.ALL_KEYS)
        and _is_whole(value[1], -steps.MOST_TURN, steps.MOST_TURN)
    )


def here_at(session: Session, trial_id: int) -> WalkProgress:
    """The progress of a trial's walk."""
    row = session.connection().execute(_HERE, {"trial_id": trial_id}).one()
    plan, walk_id, tick, walker, *rest = row
    goal = steps.goal_named(plan["goal"])
    if walk_id is None:
        return WalkProgress(goal, Walker(int(plan["x"]), int(plan["y"]), int(plan["heading"])))
    return WalkProgress(goal, Walker(*walker), walk_id, tick, *rest)


def name_of(where: Where) -> str:
    """The key of the current trial for its page, and in the browser's storage."""
    return f"{where.token}.{where.page.position}"


def new_steps(found: WalkState, batch: Batch, now: datetime) -> Pressed:
    """The steps of a batch not stored yet. Raises Gap, and TooSoon for more than the elapsed time allows."""
    here = found.here
    if here.over is not None:
        return []
    if batch.start > here.tick:
        raise Gap("Steps before these are missing.")
    known = [
        step for tick, held in found.stored for at, step in enumerate(held, start=tick) if at >= batch.start
    ]
    # A batch whose reply was lost comes again: steps that are stored are passed over, if they are the same.
    overlap = here.tick - batch.start
    if list(batch.pressed[:overlap]) != known[: len(batch.pressed)]:
        raise Gap("Other steps were stored there.")
    new = batch.pressed[overlap:]
    if here.tick + len(new) > _most_by(found.where, now):
        raise TooSoon("A walk cannot be faster than time.")
    return new


def _most_by(where: Where, now: datetime) -> float:
    """The most ticks possible since the page was first shown. Simulated participants walk at any speed."""
    if where.mode == Mode.SIMULATED:
        return math.inf
    since = (now - where.shown_at).total_seconds() if where.shown_at else 0.0
    return (max(since, 0.0) * FASTER + SLACK_S) * steps.TICKS_PER_S


def walked(here: WalkProgress, pressed: Pressed, batch: Batch, most_ticks: int) -> tuple[WalkProgress, int]:
    """The resulting state, and the number of steps used: none after arrival, none beyond the walk's time."""
    walker, length_um, over, taken = here.walker, here.length_um, here.over, 0
    for keys, turn in pressed:
        after = steps.step(walker, keys, turn)
        length_um += math.isqrt((after.x - walker.x) ** 2 + (after.y - walker.y) ** 2)
        walker, taken = after, taken + 1
        if steps.has_arrived(walker, here.goal):
            over = Over.ARRIVED
        elif here.tick + taken >= most_ticks:
            over = Over.TIME
        if over is not None:
            break
    frames, drawn_ms = batch.frames or 0, batch.drawn_ms or 0
    is_slow = frames * 1000 < FEWEST_FRAMES_PER_S * drawn_ms
    devices = dict.fromkeys([*filter(None, here.input.split(";")), *filter(None, [batch.input])])
    there = replace(
        here,
        walker=walker,
        tick=here.tick + taken,
        length_um=length_um,
        over=over,
        frames=here.frames + frames,
        drawn_ms=here.drawn_ms + drawn_ms,
        slow_ms=here.slow_ms + (drawn_ms if is_slow else 0),
        input=";".join([*devices][:4]),
    )
    return there, taken


def most_ticks_of(where: Where) -> int:
    """The tick at which the current walk ends by itself."""
    return cast(WalkDesign, where.block.design).most_ticks


def pressed_in(rows: Sequence[Mapping[str, Any]]) -> Pressed:
    """All steps of a walk, of its batches in order."""
    return [(keys, turn) for row in rows for keys, turn in row["steps"]]
