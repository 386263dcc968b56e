"""Walks as tables: a row for each walk that was answered, and where its walker was, thirty times a second."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, select
from sqlmodel import Session, col

from app.exports.tables import OfStudy, answered_in
from app.tasks.walk.answered import duration_s, with_walks
from app.tasks.walk.batches import pressed_in, steps_table, walk_table
from app.trials.responses import Evidence
from app.trials.tables import Trial, Unit
from stimuli import steps
from stimuli.arena import Goal
from stimuli.arrays import Bools, Floats
from stimuli.sight import goal_in_view
from stimuli.steps import Walker
from stimuli.world import build_world

BATCH_ROWS = 500
_w = walk_table.c
UNABLE = "unable"

Row = Mapping[str, Any]
Pose = tuple[float, float, float, float]


def walks(
    session: Session, study: OfStudy, modes: Sequence[str] | None = None, *, by_arrival: bool = True
) -> Iterator[Row]:
    """A row for each walk that was answered, by session and position; sessions left out are marked."""
    for row in _answered(session, study, modes, by_arrival=by_arrival):
        start = start_of(row["plan"])
        drawn_ms = row["drawn_ms"]
        x_m, y_m, _, heading_rad = steps.pose(start)
        yield {
            **row,
            "goal": row["plan"]["goal"],
            "ended": row["over"] or UNABLE,
            "duration_s": duration_s(row["tick"]),
            "path_m": round((row["length_um"] or 0) / steps.M, 4),
            "frames_per_s": round(1000 * row["frames"] / drawn_ms, 2) if drawn_ms else None,
            "start_x_m": round(x_m, 4),
            "start_y_m": round(y_m, 4),
            "start_heading_rad": round(heading_rad, 6),
        }


def positions(
    session: Session, study: OfStudy, modes: Sequence[str] | None = None, *, by_arrival: bool = True
) -> Iterator[Row]:
    """A row for each tick of each answered walk, computed from the key presses."""
    for row in _answered(session, study, modes, by_arrival=by_arrival):
        goal = steps.goal_named(row["plan"]["goal"])
        shared = {
            **{name: row[name] for name in ("study", "version", "arm", "mode", "participant", "session")},
            **{name: row[name] for name in ("trial", "course", "kind", "excluded", "use", "pay", "rules")},
            "goal_x_m": goal.x_m,
            "goal_y_m": goal.y_m,
        }
        pressed = pressed_in(_batches(session, row["walk_id"])) if row["walk_id"] else ()
        poses = list(poses_of(start_of(row["plan"]), pressed))
        walls, seen = _perceived(goal, poses)
        for tick, (pose, (keys, turn)) in enumerate(zip(poses, pressed, strict=True)):
            x_m, y_m, z_m, heading_rad = pose
            yield {
                **shared,
                "t_s": round(tick / steps.TICKS_PER_S, 6),
                "x_m": round(x_m, 4),
                "y_m": round(y_m, 4),
                "z_m": round(z_m, 4),
                "heading_rad": round(heading_rad, 6),
                "keys": keys,
                "turn_rad": round(turn / steps.TURN * math.tau, 6),
                "wall_m": round(float(walls[tick]), 4),
                "goal_in_view": int(seen[tick]),
            }


def _perceived(goal: Goal, poses: Sequence[Pose]) -> tuple[Floats, Bools]:
    """The distance to the nearest wall after each tick, and whether the goal is in view."""
    x_m, y_m, z_m, heading_rad = np.array(poses, dtype=np.float64).reshape(-1, 4).T
    world = build_world()
    return world.wall_m(x_m, y_m), goal_in_view(world, goal, x_m, y_m, z_m, heading_rad)


def start_of(plan: Mapping[str, str]) -> Walker:
    """The start of a trial's walk."""
    return Walker(int(plan["x"]), int(plan["y"]), int(plan["heading"]))


def poses_of(walker: Walker, pressed: Sequence[tuple[int, int]]) -> Iterator[Pose]:
    """The walker's pose after each tick: metres, and radians counter-clockwise from east."""
    for keys, turn in pressed:
        walker = steps.step(walker, keys, turn)
        yield steps.pose(walker)


def pressed_of(session: Session, walk_id: int) -> Sequence[tuple[int, int]]:
    """All key presses of a walk."""
    return pressed_in(_batches(session, walk_id))


def _batches(session: Session, walk_id: int) -> Sequence[Row]:
    found = (
        select(steps_table.c.steps).where(steps_table.c.walk_id == walk_id).order_by(steps_table.c.from_tick)
    )
    return [{"steps": row.steps} for row in session.execute(found)]


def _answered(
    session: Session, study: OfStudy, modes: Sequence[str] | None, *, by_arrival: bool
) -> Iterator[Row]:
    found = answered_in(session, study, "walk", _OWN, modes, by_arrival=by_arrival, joined=with_walks)
    # Read whole: the walks' steps are read in between.
    for row in list(found):
        yield {**row, "course": row["course"].rpartition(":")[2]}


_OWN: Sequence[ColumnElement[Any]] = (
    col(Unit.name).label("course"),
    col(Trial.plan).label("plan"),
    _w.id.label("walk_id"),
    _w.over,
    _w.tick,
    _w.length_um,
    _w.input,
    _w.frames,
    _w.drawn_ms,
    _w.slow_ms,
    _w.began_at,
    col(Evidence.hidden_ms).label("hidden_ms"),
    col(Evidence.stalls).label("stalls"),
    col(Evidence.page_loads).label("page_loads"),
)
