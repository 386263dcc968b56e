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
from stimuli.walls import PAINTERS, WALL_SHAPE, WALL_TEXELS_PER_M, WALL_WIDTH_M, paint_wall
from stimuli.world import World

T = TypeVar("T", bound=np.generic)
Steps = npt.NDArray[np.int32]
Keep = npt.NDArray[np.uint64]

STEPS_PER_M = 16
N_STEPS = 1024
# From these distances on, pictures of half, a quarter and an eighth of the size.
SMALLER_FROM_M = (6.0, 12.0, 24.0)
N_LEVELS = len(SMALLER_FROM_M) + 1
# One row after all sizes of the floor: twice the rows of the first.
FLOOR_END = 2 * FLOOR_TEXELS
FACINGS_RAD = (math.pi, 0.0, -math.pi / 2, math.pi / 2)  # west, east, south, north

STEP_M = (np.arange(N_STEPS) + 0.5) / STEPS_PER_M
LEVEL = np.searchsorted(np.array(SMALLER_FROM_M), STEP_M, side="right").astype(np.int32)
# How much of 256 the haze leaves; in 256ths, so that the division is a shift.
KEEP = np.round(256 * np.exp(-np.maximum(STEP_M - HAZE_FROM_M, 0.0) / HAZE_LENGTH_M)).astype(np.uint64)
KEEP_BITS = 9  # for 0 to 256
LEVEL_AND_KEEP = LEVEL << KEEP_BITS | KEEP.astype(np.int32)


def step_of(distance_m: Floats32) -> Steps:
    steps: Steps = np.minimum(distance_m * np.float32(STEPS_PER_M), np.float32(N_STEPS - 1)).astype(np.int32)
    return steps


def look_up(table: npt.NDArray[T], at: Steps) -> npt.NDArray[T]:
    """Give `table[at]`. By 32 bits `take` needs half the time, as it is, and without looking for negative places."""
    found: npt.NDArray[T] = table.take(at, mode="wrap")
    return found


def level_and_keep(distance_m: Floats32) -> tuple[Steps, Keep]:
    """Give `LEVEL` and `KEEP` by distance: one look-up serves both."""
    both = look_up(LEVEL_AND_KEEP, step_of(distance_m))
    return both >> KEEP_BITS, (both & ((1 << KEEP_BITS) - 1)).astype(np.uint64)


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
        # The sizes lie one below the other: a row's place, counted back from the end, is halved as the size is.
        self._packed = np.zeros((FLOOR_END, FLOOR_TEXELS), dtype=np.uint32)
        self._put(self._packed, self._painted, 0, 0)

    def _put(self, packed: Packed, picture: Pixels, row: int, column: int) -> None:
        for level, smaller in enumerate(_levels(picture)):
            top, left = FLOOR_END + ((row - FLOOR_END) >> level), column >> level
            packed[top : top + smaller.shape[0], left : left + smaller.shape[1]] = pack(smaller)

    def with_goal(self, goal: Goal) -> Packed:
        """Give the texels, for `at`, with one goal alight."""
        packed = self._packed.copy()
        # Whole texels of the smallest size: a window that cuts one would mix lit and unlit floor.
        window = window_around(goal.x_m, goal.y_m, GOAL_GLOW_M, multiple=1 << (N_LEVELS - 1))
        self._put(packed, light_goal(self._painted, goal, window), window[0].start, window[1].start)
        return packed.ravel()

    def at(self, x_m: Floats32, y_m: Floats32, level: Steps) -> Steps:
        """Give the places of texels, counted back from the end."""
        place = (y_m * np.float32(FLOOR_TEXELS_PER_M)).astype(np.int32)
        place -= np.int32(FLOOR_END)
        place >>= level
        place *= np.int32(FLOOR_TEXELS)
        column = (x_m * np.float32(FLOOR_TEXELS_PER_M)).astype(np.int32)
        column >>= level
        place += column
        return place


class WallPictures:
    """Every material lit from each side."""

    def __init__(self, world: World) -> None:
        painted = [material for material in MATERIALS if material in PAINTERS]
        walls = [_levels(paint_wall(material, facing)) for material in painted for facing in FACINGS_RAD]
        # Column by column, as frames are painted: what one column of a frame shows lies together.
        by_level = [np.stack([wall[level].swapaxes(0, 1) for wall in walls]) for level in range(N_LEVELS)]
        self._texels = np.concatenate([pack(pictures).ravel() for pictures in by_level])
        sizes = np.array([math.prod(pictures.shape[1:3]) for pictures in by_level])
        self._size = sizes[LEVEL]
        self._start = np.concatenate(([0], np.cumsum(sizes * len(walls))))[LEVEL]
        self._scale = (WALL_TEXELS_PER_M / 2.0**LEVEL).astype(np.float32)
        self._n_rows, self._n_columns = WALL_SHAPE[0] >> LEVEL, WALL_SHAPE[1] >> LEVEL
        numbers = np.array([painted.index(name) if name in painted else 0 for name in MATERIALS])
        self._first_picture = numbers[world.material.ravel()] * len(FACINGS_RAD)

    def texels(self, runs: Runs, step: Steps, z_m: Floats32) -> Packed:
        """Look up the pixels of some walls: `step` by run, height above the ground by pixel, which is overwritten."""
        scale = self._scale[step]
        along_m = runs.along_m - WALL_WIDTH_M * np.floor(runs.along_m / WALL_WIDTH_M)
        # Rounding can reach one texel past the last column.
        across = np.minimum((along_m * scale).astype(np.intp), self._n_columns[step] - 1)
        picture = self._first_picture[runs.cell] + runs.facing
        start = self._start[step] + picture * self._size[step] + across * self._n_rows[step]
        # No wall is as high as its picture, and what rounding puts below the ground, whole numbers put on it.
        z_m *= np.repeat(scale, runs.n_pixels)
        place = z_m.astype(np.int32)
        place += np.repeat(start.astype(np.int32), runs.n_pixels)
        return look_up(self._texels, place)


class Haze:
    """Fades packed colours; how much of them stays is in 256ths."""

    def __init__(self) -> None:
        channels = [*(round(255 * float(channel)) for channel in HAZE), 255]
        self.colour = np.array(channels, dtype=np.uint8).view(np.uint32)[0]
        self._channels = np.array(channels, dtype=np.uint16).view(np.uint64)[0]

    def over(self, texels: Packed, keep: Keep) -> Packed:
        """Give RGBA, one `uint32` per pixel."""
        # Four channels of 16 bits share a word, so that one multiplication does all. A channel below the haze's
        # borrows from the one above it, and the last sum gives that back.
        mixed = texels.view(np.uint8).astype(np.uint16).view(np.uint64)
        mixed -= self._channels
        mixed *= keep
        mixed += self._channels << np.uint64(8)
        mixed >>= np.uint64(8)
        return mixed.view(np.uint16).astype(np.uint8).view(np.uint32)
