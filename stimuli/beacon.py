"""The goal as it stands in the world: a glowing blue pillar of light."""

import math
from typing import NamedTuple

import numpy as np

from stimuli.arrays import Bytes, Pixels
from stimuli.colours import GOAL_BLUE
from stimuli.lens import Lens
from stimuli.rays import Rays, Runs, covered

RADIUS_M = 0.42
GLOW_M = 1.5
TOP_M = 9.0
# What each channel lacks to white.
WHITER = np.array([1.0 - blue for blue in GOAL_BLUE.tolist()], dtype=np.float32)
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
    hidden_below = lens.height - covered(runs, lens.width, place.depth_m - RADIUS_M)[place.columns]
    place = place._replace(rows=slice(place.rows.start, min(place.rows.stop, int(hidden_below.max()))))
    if place.rows.start >= place.rows.stop:
        return
    aside_m, above_m = _offsets(place, lens)
    strength, white = _light(aside_m, above_m, place.scale, t_s)
    strength *= np.arange(place.rows.start, place.rows.stop)[:, None] < hidden_below
    patch = frame[place.rows, place.columns, :3]
    colours = patch.transpose(2, 0, 1).astype(np.float32, order="C")
    colours *= 1.0 - strength
    colours += 255.0 * (GOAL_BLUE[:, None, None] + WHITER[:, None, None] * white) * strength
    patch[...] = colours.transpose(1, 2, 0)


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
    fade = _part((TOP_M - above_m) / (0.72 * TOP_M))
    cover = _part((RADIUS_M - aside_m) * scale + 0.5) * _part(above_m * scale + 0.5)
    rounding = np.sqrt(_part(1.0 - (aside_m / RADIUS_M) ** 2))
    ripple = 0.90 + 0.10 * np.sin(above_m * 5.0 - t_s * 7.0)
    solid = 0.95 * cover * fade * ripple * (0.70 + 0.30 * rounding)
    edge = _part(4.0 - 4.0 * aside_m / GLOW_M) * _part(above_m / 0.5 + 1.0)
    halo = 0.50 * np.exp(-((aside_m / (0.42 * GLOW_M)) ** 2)) * edge * fade
    white = 0.50 * _part(1.0 - aside_m / (0.5 * RADIUS_M)) * solid
    return 1.0 - (1.0 - solid) * (1.0 - halo), white


def _part(values: Pixels) -> Pixels:
    """Limit values to [0, 1]; `np.clip` needs three times as long for few."""
    part: Pixels = np.minimum(np.maximum(values, np.float32(0)), np.float32(1))
    return part
