"""The goal as it stands in the world: a glowing blue pillar of light."""

import math
from typing import NamedTuple

import numpy as np

from stimuli.arrays import Bytes, Indices, Pixels
from stimuli.colours import GOAL_BLUE
from stimuli.lens import Lens
from stimuli.rays import Rays, Runs

RADIUS_M = 0.42
GLOW_M = 1.5
TOP_M = 9.0
# Nearer than this the eye is inside the pillar, which is not drawn then.
NEAREST_M = RADIUS_M + 0.1


class _Place(NamedTuple):
    """The position of the pillar in a frame: depth and height of the eye above its foot, in metres; pixels."""

    depth_m: float
    eye_above_m: float
    scale: float
    middle: float
    rows: slice
    columns: slice


def draw_beacon(
    frame: Bytes,
    goal_m: tuple[float, float, float],
    runs: Runs,
    rays: Rays,
    heading_rad: float,
    lens: Lens,
    t_s: float,
) -> None:
    """Blend the pillar over `frame` (rows, columns, RGBA) wherever nothing nearer stands, in place."""
    place = _place(goal_m, rays, heading_rad, lens)
    if place is None:
        return
    aside_m, above_m = _offsets(place, lens)
    hidden_below = lens.height - _covered(runs, place.depth_m - RADIUS_M, lens)[place.columns]
    visible = np.arange(place.rows.start, place.rows.stop)[:, None] < hidden_below
    strength, white = _light(aside_m, above_m, place.scale, t_s)
    strength *= visible
    patch = frame[place.rows, place.columns]
    for channel, blue in enumerate(GOAL_BLUE.tolist()):
        colour = 255.0 * (blue + (1.0 - blue) * white)
        patch[..., channel] = patch[..., channel] * (1.0 - strength) + colour * strength


def _place(goal_m: tuple[float, float, float], rays: Rays, heading_rad: float, lens: Lens) -> _Place | None:
    """Find the part of the frame that the pillar and its glow take up, if any."""
    east, north, eye_above_m = goal_m[0] - rays.x_m, goal_m[1] - rays.y_m, rays.eye_m - goal_m[2]
    depth_m = east * math.cos(heading_rad) + north * math.sin(heading_rad)
    right_m = east * math.sin(heading_rad) - north * math.cos(heading_rad)
    if depth_m < NEAREST_M:
        return None
    scale = lens.focal / depth_m
    middle = lens.width / 2 + right_m * scale
    top = math.floor(lens.horizon - (TOP_M - eye_above_m) * scale)
    bottom = math.ceil(lens.horizon + eye_above_m * lens.focal / (depth_m - RADIUS_M)) + 1
    rows = slice(max(0, top), min(lens.height, bottom))
    columns = slice(
        max(0, math.floor(middle - GLOW_M * scale)),
        min(lens.width, math.ceil(middle + GLOW_M * scale) + 1),
    )
    if rows.start >= rows.stop or columns.start >= columns.stop:
        return None
    return _Place(depth_m, eye_above_m, scale, middle, rows, columns)


def _offsets(place: _Place, lens: Lens) -> tuple[Pixels, Pixels]:
    """Give, in metres, how far from the axis each column is, and how far above the foot each pixel is."""
    column = np.arange(place.columns.start, place.columns.stop, dtype=np.float32)
    row = np.arange(place.rows.start, place.rows.stop, dtype=np.float32)
    aside_m = np.abs(column + 0.5 - place.middle) / place.scale
    # The front of a round pillar is nearer than its middle, so its foot is an arc on the floor.
    front_m = place.depth_m - np.sqrt(np.clip(RADIUS_M**2 - aside_m**2, 0, None))
    return aside_m, place.eye_above_m + (lens.horizon - row - 0.5)[:, None] / lens.focal * front_m


def _light(aside_m: Pixels, above_m: Pixels, scale: float, t_s: float) -> tuple[Pixels, Pixels]:
    """Give how much of a pixel is the pillar's, and how white that is; ripples rise with time."""
    fade = np.clip((TOP_M - above_m) / (0.72 * TOP_M), 0, 1)
    cover = np.clip((RADIUS_M - aside_m) * scale + 0.5, 0, 1) * np.clip(above_m * scale + 0.5, 0, 1)
    rounding = np.sqrt(np.clip(1.0 - (aside_m / RADIUS_M) ** 2, 0, 1))
    ripple = 0.90 + 0.10 * np.sin(above_m * 5.0 - t_s * 7.0)
    solid = 0.95 * cover * fade * ripple * (0.70 + 0.30 * rounding)
    edge = np.clip(4.0 - 4.0 * aside_m / GLOW_M, 0, 1) * np.clip(above_m / 0.5 + 1.0, 0, 1)
    halo = 0.50 * np.exp(-((aside_m / (0.42 * GLOW_M)) ** 2)) * edge * fade
    white = 0.50 * np.clip(1.0 - aside_m / (0.5 * RADIUS_M), 0, 1) * solid
    return 1.0 - (1.0 - solid) * (1.0 - halo), white


def _covered(runs: Runs, depth_m: float, lens: Lens) -> Indices:
    """Count the rows of each column, from the bottom, that show something nearer than a depth."""
    covered = np.zeros(lens.width, dtype=np.intp)
    # Runs go upwards in each column: of several the last one written, the highest, stays.
    nearer = runs.only(runs.depth_m < depth_m)
    covered[nearer.column] = nearer.first + nearer.n_pixels
    return covered
