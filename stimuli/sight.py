"""Visibility of the goal: by geometry, at any number of places at once, without drawing a frame."""

import math

import numpy as np

from stimuli.arena import SIZE_M, Goal
from stimuli.arrays import Bools, Floats
from stimuli.beacon import NEAREST_M, RADIUS_M
from stimuli.drawing import EYE_M, FOCAL, HORIZON, WIDTH
from stimuli.world import World

BRIGHT_M = 6.0
"""The pillar of light fades out towards its top at 9 m; up to here it can be made out before a wall or the sky."""
_STEP_M = 0.1
_ASIDE_M = (-0.7 * RADIUS_M, 0.0, 0.7 * RADIUS_M)
"""Where the pillar is looked for: its axis, and near both edges, which a post may leave free."""
_MOST_PLACES = 1_000
"""Of which the heights on the way are held at once: some megabytes."""


def goal_in_view(
    world: World, goal: Goal, x_m: Floats, y_m: Floats, z_m: Floats, heading_rad: Floats
) -> Bools:
    """True where the goal's pillar is in the picture and not wholly behind what stands before it.

    Places in metres on the ground, `heading_rad` counter-clockwise from east. The mini map, which has the goal in every
    frame, does not count.
    """
    parts = [slice(at, at + _MOST_PLACES) for at in range(0, len(x_m), _MOST_PLACES)]
    seen = [_in_view(world, goal, x_m[at], y_m[at], z_m[at], heading_rad[at]) for at in parts]
    return np.concatenate(seen) if seen else np.zeros(0, dtype=np.bool_)


def _in_view(world: World, goal: Goal, x_m: Floats, y_m: Floats, z_m: Floats, heading_rad: Floats) -> Bools:
    foot_m, eye_m = float(world.height_m(goal.x_m, goal.y_m)), z_m + EYE_M
    east, north = goal.x_m - x_m, goal.y_m - y_m
    away_m = np.maximum(np.hypot(east, north), NEAREST_M)
    # Rays by their slope. What rises above the picture's upper edge is in no frame.
    top = np.minimum((foot_m + BRIGHT_M - eye_m) / away_m, HORIZON / FOCAL)
    seen = np.zeros(len(x_m), dtype=np.bool_)
    # Three lines across the pillar: at 352 of 360 places this agreed with the picture (docs/signatures.md).
    for aside_m in _ASIDE_M:
        to_x, to_y = goal.x_m - aside_m * north / away_m, goal.y_m + aside_m * east / away_m
        ahead_m = (to_x - x_m) * np.cos(heading_rad) + (to_y - y_m) * np.sin(heading_rad)
        right_m = (to_x - x_m) * np.sin(heading_rad) - (to_y - y_m) * np.cos(heading_rad)
        framed = (ahead_m >= NEAREST_M) & (np.abs(right_m) < ahead_m * (WIDTH / 2 / FOCAL))
        seen |= framed & (_highest(world, x_m, y_m, eye_m, to_x, to_y) < top)
    return seen


def _highest(world: World, x_m: Floats, y_m: Floats, eye_m: Floats, to_x: Floats, to_y: Floats) -> Floats:
    """The steepest slope from each eye to what stands on the way to a place, up to the pillar's radius before it."""
    away_m = np.hypot(to_x - x_m, to_y - y_m)
    along_m = _STEP_M * np.arange(1, math.ceil(SIZE_M * math.sqrt(2) / _STEP_M))
    along_m = along_m[along_m < away_m.max()]
    if not len(along_m):
        return np.full(len(x_m), -np.inf)
    share = np.minimum(along_m / np.maximum(away_m, _STEP_M)[:, None], 1.0)
    height_m = world.height_m(
        x_m[:, None] + share * (to_x - x_m)[:, None], y_m[:, None] + share * (to_y - y_m)[:, None]
    )
    slope = (height_m - eye_m[:, None]) / along_m
    found: Floats = np.where(along_m < (away_m - RADIUS_M)[:, None], slope, -np.inf).max(axis=1)
    return found
