"""The amount of sun and sky that reaches each place on the map."""

import math

import numpy as np

from stimuli.arena import SIZE_M
from stimuli.arrays import Pixels
from stimuli.colours import SUN_AZIMUTH_RAD, SUN_SLOPE
from stimuli.world import World

TEXELS_PER_M = 10
HIGHEST_M = 4.6


def _blur(values: Pixels, reach: int) -> Pixels:
    """Average over a square of `2 * reach + 1`, the edges repeated."""
    for axis in (0, 1):
        pad = [(0, 0), (0, 0)]
        pad[axis] = (reach + 1, reach)
        # Running sums in doubles: the blur is a difference of two of them, which floats would round away.
        total = np.cumsum(np.pad(values, pad, mode="edge"), axis=axis, dtype=np.float64)
        width = 2 * reach + 1
        ahead = np.take(total, np.arange(width, total.shape[axis]), axis=axis)
        behind = np.take(total, np.arange(0, total.shape[axis] - width), axis=axis)
        values = ((ahead - behind) / width).astype(np.float32)
    return values


def enlarge(values: Pixels, size: int) -> Pixels:
    """Stretch a square picture with linear interpolation."""
    at = np.clip((np.arange(size) + 0.5) * (values.shape[0] / size) - 0.5, 0, values.shape[0] - 1.001)
    low, part = at.astype(int), (at % 1.0).astype(np.float32)
    rows = values[low] + (values[low + 1] - values[low]) * part[:, None]
    enlarged: Pixels = rows[:, low] + (rows[:, low + 1] - rows[:, low]) * part[None, :]
    return enlarged


def _heights(world: World, texels_per_m: int) -> Pixels:
    """Sample the height field, rows by y and columns by x."""
    middle = (np.arange(SIZE_M * texels_per_m) + 0.5) / texels_per_m
    x, y = np.meshgrid(middle, middle)
    return world.height_m(x, y).astype(np.float32)


def light_from_above(world: World, size: int) -> tuple[Pixels, Pixels]:
    """Give the share of the sun and of the sky that reaches each point, in [0, 1]."""
    heights = _heights(world, TEXELS_PER_M)
    dark = np.zeros(heights.shape, dtype=np.bool_)
    row, column = np.indices(heights.shape)
    last = len(heights) - 1
    for step_m in np.arange(0.1, HIGHEST_M / SUN_SLOPE, 0.1):
        shift = step_m * TEXELS_PER_M
        to_row = np.clip(row + round(math.sin(SUN_AZIMUTH_RAD) * shift), 0, last)
        to_column = np.clip(column + round(math.cos(SUN_AZIMUTH_RAD) * shift), 0, last)
        # 0.02 m, so that rounding lets no surface shade itself.
        dark |= heights[to_row, to_column] > heights + SUN_SLOPE * step_m + 0.02
    sun = enlarge(_blur(_blur(1.0 - dark.astype(np.float32), 1), 1), size)
    closed_in = np.clip(_blur(_blur(np.minimum(heights, 3.0), 4), 3) - heights, 0, 1.4)
    return sun, enlarge(1.0 - 0.42 * closed_in, size)
