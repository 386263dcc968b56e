"""The painted surfaces as the ray caster reads them: packed texels at several sizes, and haze by distance.

What changes with distance is looked up by `step`, the distance in sixteenths of a metre.
"""

import math
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from stimuli.arena import MATERIALS, Goal
from stimuli.arrays import Floats32, Packed, Pixels
from stimuli.colours import HAZE, pack
from stimuli.drawing import HAZE_FROM_M, HAZE_LENGTH_M
from stimuli.floor import (
    FLOOR_TEXELS,
    FLOOR_TEXELS_PER_M,
    GOAL_GLOW_M,
    light_goal,
    paint_floor,
    window_around,
)
from stimuli.rays import Runs
from stimuli.walls import PAINTERS, WALL_HEIGHT_M, WALL_SHAPE, WALL_TEXELS_PER_M, WALL_WIDTH_M, paint_wall
from stimuli.world import World

T = TypeVar("T", bound=np.generic)
Steps = npt.NDArray[np.int32]

STEPS_PER_M = 16
N_STEPS = 1024
OPAQUE = 0xFF000000
# From these distances on, pictures of half, a quarter and an eighth of the size.
SMALLER_FROM_M = (6.0, 12.0, 24.0)
N_LEVELS = len(SMALLER_FROM_M) + 1
FACINGS_RAD = (math.pi, 0.0, -math.pi / 2, math.pi / 2)  # west, east, south, north

STEP_M = (np.arange(N_STEPS) + 0.5) / STEPS_PER_M
LEVEL = np.searchsorted(np.array(SMALLER_FROM_M), STEP_M, side="right")


def step_of(distance_m: Floats32) -> Steps:
    steps: Steps = np.minimum(distance_m * np.float32(STEPS_PER_M), np.float32(N_STEPS - 1)).astype(np.int32)
    return steps


def look_up(table: npt.NDArray[T], at: Steps) -> npt.NDArray[T]:
    """Give `table[at]`. By 32 bits `take` needs half the time, as it is, and without looking for negative places."""
    found: npt.NDArray[T] = table.take(at, mode="wrap")
    return found


def _levels(picture: Pixels) -> list[Pixels]:
    """Give a picture at full size, then each time at half the size before."""
    levels = [picture]
    while len(levels) < N_LEVELS:
        last = levels[-1]
        levels.append((last[0::2, 0::2] + last[1::2, 0::2] + last[0::2, 1::2] + last[1::2, 1::2]) / 4)
    return levels


class FloorPicture:
    """Every upward surface, looked up by place."""

    def __init__(self, world: World) -> None:
        self._painted = paint_floor(world)
        # The sizes lie one below the other at one row length, which spares a look-up per pixel.
        self._sizes = [FLOOR_TEXELS >> level for level in range(N_LEVELS)]
        self._tops = [sum(self._sizes[:level]) for level in range(N_LEVELS)]
        self._packed = np.zeros((sum(self._sizes), FLOOR_TEXELS), dtype=np.uint32)
        self._put(self._packed, self._painted, 0, 0)
        self._start = (np.array(self._tops)[LEVEL] * FLOOR_TEXELS).astype(np.int32)
        self._scale = (FLOOR_TEXELS_PER_M / 2.0**LEVEL).astype(np.float32)

    def _put(self, packed: Packed, picture: Pixels, row: int, column: int) -> None:
        for level, smaller in enumerate(_levels(picture)):
            top, left = self._tops[level] + (row >> level), column >> level
            packed[top : top + smaller.shape[0], left : left + smaller.shape[1]] = pack(smaller)

    def with_goal(self, goal: Goal) -> Packed:
        """Give the texels, for `at`, with one goal alight."""
        packed = self._packed.copy()
        # Whole texels of the smallest size: a window that cuts one would mix lit and unlit floor.
        window = window_around(goal.x_m, goal.y_m, GOAL_GLOW_M, multiple=1 << (N_LEVELS - 1))
        self._put(packed, light_goal(self._painted, goal, window), window[0].start, window[1].start)
        return packed.ravel()

    def at(self, x_m: Floats32, y_m: Floats32, step: Steps) -> Steps:
        scale = look_up(self._scale, step)
        index = (y_m * scale).astype(np.int32)
        index *= FLOOR_TEXELS
        index += (x_m * scale).astype(np.int32)
        index += look_up(self._start, step)
        return index


class WallPictures:
    """Every material lit from each side."""

    def __init__(self, world: World) -> None:
        painted = [material for material in MATERIALS if material in PAINTERS]
        walls = [_levels(paint_wall(material, facing)) for material in painted for facing in FACINGS_RAD]
        by_level = [np.stack([wall[level] for wall in walls]) for level in range(N_LEVELS)]
        self._texels = np.concatenate([pack(pictures).ravel() for pictures in by_level])
        sizes = np.array([math.prod(pictures.shape[1:3]) for pictures in by_level])
        self._size = sizes[LEVEL]
        self._start = np.concatenate(([0], np.cumsum(sizes * len(walls))))[LEVEL]
        self._scale = (WALL_TEXELS_PER_M / 2.0**LEVEL).astype(np.float32)
        self._row_length = WALL_SHAPE[1] >> LEVEL
        numbers = np.array([painted.index(name) if name in painted else 0 for name in MATERIALS])
        self._first_picture = numbers[world.material.ravel()] * len(FACINGS_RAD)

    def texels(self, runs: Runs, step: Steps, z_m: Floats32) -> Packed:
        """Look up the pixels of some walls: `step` by run, height above the ground by pixel."""
        scale, row_length = self._scale[step], self._row_length[step]
        # Rounding can reach one texel past the end of the row.
        across = np.minimum((runs.along_m % WALL_WIDTH_M * scale).astype(np.intp), row_length - 1)
        picture = self._first_picture[runs.cell] + runs.facing
        start = self._start[step] + picture * self._size[step] + across
        row = (_clipped(z_m) * np.repeat(scale, runs.n_pixels)).astype(np.int32)
        row *= np.repeat(row_length.astype(np.int32), runs.n_pixels)
        row += np.repeat(start.astype(np.int32), runs.n_pixels)
        return look_up(self._texels, row)


def _clipped(z_m: Floats32) -> Floats32:
    # As np.clip, which needs three times as long.
    return np.minimum(np.maximum(z_m, np.float32(0.0)), np.float32(WALL_HEIGHT_M - 0.01))


class Haze:
    """Fades packed colours with distance; `keep` is how much of 256 is left, by step."""

    def __init__(self) -> None:
        fade = np.exp(-np.maximum(STEP_M - HAZE_FROM_M, 0.0) / HAZE_LENGTH_M)
        # In 256ths, so that the division is a shift.
        self.keep = np.round(256 * fade).astype(np.uint32)
        red, green, blue = (round(255 * float(channel)) for channel in HAZE)
        self._red_blue, self._green = np.uint32(red | (blue << 16)), np.uint32(green << 8)
        self.colour = self._red_blue | self._green | np.uint32(OPAQUE)

    def over(self, texels: Packed, keep: Packed) -> Packed:
        """Give opaque RGBA, one `uint32` per pixel; red and blue share one multiplication."""
        lost = np.uint32(256) - keep
        # Red and blue share a word with eight free bits between: one multiplication does both.
        mixed = texels & np.uint32(0xFF00FF)
        mixed *= keep
        mixed += lost * self._red_blue
        mixed >>= 8
        mixed &= 0xFF00FF
        green = texels & np.uint32(0x00FF00)
        green *= keep
        green += lost * self._green
        green >>= 8
        green &= 0x00FF00
        mixed |= green
        mixed |= OPAQUE
        return mixed
