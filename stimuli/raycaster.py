"""First-person frames of the map: what `rays` finds, painted.

Frames are painted column by column, each from the bottom up, so that what one element shows is one run of
pixels in memory; they are turned upright at the end.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stimuli.arena import Goal
from stimuli.arrays import Bytes, Floats32, Packed
from stimuli.beacon import draw_beacon
from stimuli.colours import pack
from stimuli.drawing import EYE_M as EYE_M
from stimuli.drawing import FOCAL, HORIZON
from stimuli.drawing import HEIGHT as HEIGHT
from stimuli.drawing import WIDTH as WIDTH
from stimuli.lens import Lens
from stimuli.minimap import SIZE as MAP_SIZE
from stimuli.minimap import MiniMap
from stimuli.pictures import KEEP, FloorPicture, Haze, WallPictures, level_and_keep, look_up, step_of
from stimuli.rays import Rays, Runs, Surfaces, covered
from stimuli.sky import paint_sky
from stimuli.world import World, build_world

LENS = Lens(WIDTH, HEIGHT, focal=FOCAL, horizon=HORIZON)
MAP_MARGIN = 8
MAP_LEFT, MAP_TOP = WIDTH - MAP_SIZE - MAP_MARGIN, MAP_MARGIN
SKY_COLUMNS = 2560
NUMBERS = np.arange(WIDTH * HEIGHT, dtype=np.float32)
FLOOR, WALL = 1, 2


class Pose(NamedTuple):
    """A walker's position (metres, ground height) and heading (radians, counter-clockwise from east)."""

    x_m: float
    y_m: float
    z_m: float
    heading_rad: float


class Scenery:
    """The painted map: the same for every clip, and slow to make, so made once per process."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.surfaces = Surfaces(world)
        self.floor = FloorPicture(world)
        self.walls = WallPictures(world)
        self.haze = Haze()
        # What no surface covers: the sky, and below it haze, which rays through the very corner of the map show.
        self.sky = np.full((SKY_COLUMNS, HEIGHT), self.haze.colour, dtype=np.uint32)
        sky = pack(paint_sky(SKY_COLUMNS, math.ceil(LENS.horizon), LENS.focal)[::-1]).T
        self.sky[:, HEIGHT - sky.shape[1] :] = sky


class Raycaster:
    """Draws a walker's view on the way to one goal."""

    def __init__(self, scenery: Scenery, goal: Goal) -> None:
        self._scenery = scenery
        self._goal_m = (goal.x_m, goal.y_m, float(scenery.world.height_m(goal.x_m, goal.y_m)))
        self._floor_texels = scenery.floor.with_goal(goal)
        self._map = MiniMap(scenery.world, goal, MAP_LEFT, MAP_TOP)
        self._across = LENS.across()
        self._bearing_rad = np.arctan(self._across)

    def frame(self, pose: Pose, t_s: float) -> Bytes:
        """Draw one frame: rows, columns, RGBA. The pillar of the goal moves with the time `t_s`."""
        cos, sin = np.float32(math.cos(pose.heading_rad)), np.float32(math.sin(pose.heading_rad))
        east, north = cos + self._across * sin, sin - self._across * cos
        rays = Rays(pose.x_m, pose.y_m, pose.z_m + EYE_M, east, north)
        runs = self._scenery.surfaces.runs(rays, LENS)
        floors, walls = np.flatnonzero(~runs.is_wall), np.flatnonzero(runs.is_wall)
        columns = self._sky(pose.heading_rad)
        shows = _shows(runs)
        columns[shows == FLOOR] = self._floor(runs.only(floors), rays)
        columns[shows == WALL] = self._walls(runs.only(walls), rays)
        pixels = _upright(columns).view(np.uint8).reshape(HEIGHT, WIDTH, 4)
        draw_beacon(pixels, self._goal_m, runs, rays, pose.heading_rad, LENS, t_s)
        self._map.draw(pixels, pose.x_m, pose.y_m, pose.heading_rad)
        return pixels

    def _sky(self, heading_rad: float) -> Packed:
        turn = (heading_rad - self._bearing_rad) * (SKY_COLUMNS / math.tau)
        columns: Packed = self._scenery.sky.take(turn.astype(np.intp), axis=0, mode="wrap")
        return columns

    def _floor(self, runs: Runs, rays: Rays) -> Packed:
        slope = _slopes(runs)
        slope -= np.repeat(runs.slope, runs.n_pixels)
        depth = np.repeat(runs.rise, runs.n_pixels)
        depth /= slope
        x_m = np.repeat(rays.east[runs.column], runs.n_pixels)
        x_m *= depth
        x_m += np.float32(rays.x_m)
        y_m = np.repeat(rays.north[runs.column], runs.n_pixels)
        y_m *= depth
        y_m += np.float32(rays.y_m)
        level, keep = level_and_keep(depth)
        texels = look_up(self._floor_texels, self._scenery.floor.at(x_m, y_m, level))
        return self._scenery.haze.over(texels, keep)

    def _walls(self, runs: Runs, rays: Rays) -> Packed:
        step = step_of(runs.depth_m)
        z_m = _slopes(runs)
        z_m *= np.repeat(runs.depth_m, runs.n_pixels)
        z_m += np.float32(rays.eye_m)
        texels = self._scenery.walls.texels(runs, step, z_m)
        return self._scenery.haze.over(texels, np.repeat(KEEP[step], runs.n_pixels))


@lru_cache(maxsize=1)
def scenery() -> Scenery:
    """Give this process's painted map."""
    return Scenery(build_world())


@lru_cache(maxsize=1)
def raycaster(goal: Goal) -> Raycaster:
    """Keep the last goal's: clips of one goal follow each other."""
    return Raycaster(scenery(), goal)


def _shows(runs: Runs) -> npt.NDArray[np.uint8]:
    """Say of each pixel, by column and then from the bottom up, whether a floor or a wall is there; 0: neither."""
    # Above the runs of each column goes one more, to its top.
    place = np.arange(len(runs.column)) + runs.column
    kind = np.zeros(len(place) + WIDTH, dtype=np.uint8)
    kind[place] = np.where(runs.is_wall, WALL, FLOOR)
    n_pixels = np.empty(len(kind), dtype=np.intp)
    n_pixels[place], n_pixels[kind == 0] = runs.n_pixels, HEIGHT - covered(runs, WIDTH)
    return np.repeat(kind, n_pixels).reshape(WIDTH, HEIGHT)


def _slopes(runs: Runs) -> Floats32:
    """Give the slope of the ray of every pixel of some runs."""
    before = np.cumsum(runs.n_pixels) - runs.n_pixels
    row = np.repeat((runs.first - before).astype(np.float32), runs.n_pixels)
    row += NUMBERS[: len(row)]
    return LENS.slope_of(row)


def _upright(columns: Packed) -> Packed:
    """Turn columns from the bottom up into rows from the top down."""
    rows = np.empty((HEIGHT, WIDTH), dtype=np.uint32)
    # In strips of two cache lines, which needs two thirds of the time.
    for left in range(0, WIDTH, 32):
        rows[:, left : left + 32] = columns[left : left + 32, ::-1].T
    return rows
