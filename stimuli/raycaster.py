"""First-person frames of the map: what `rays` finds, painted.

Frames are painted column by column, each from the bottom up, so that what one element shows is one run of
pixels in memory; they are turned upright at the end.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from stimuli.arena import Goal
from stimuli.arrays import Bytes, Indices, Packed
from stimuli.beacon import draw_beacon
from stimuli.colours import pack
from stimuli.drawing import EYE_M as EYE_M
from stimuli.drawing import FOCAL, HORIZON
from stimuli.drawing import HEIGHT as HEIGHT
from stimuli.drawing import WIDTH as WIDTH
from stimuli.lens import Lens
from stimuli.minimap import SIZE as MAP_SIZE
from stimuli.minimap import MiniMap
from stimuli.pictures import OPAQUE, FloorPicture, Haze, Steps, WallPictures, look_up, step_of
from stimuli.rays import Rays, Runs, Surfaces
from stimuli.sky import paint_sky
from stimuli.world import World, build_world

LENS = Lens(WIDTH, HEIGHT, focal=FOCAL, horizon=HORIZON)
MAP_MARGIN = 8
MAP_LEFT, MAP_TOP = WIDTH - MAP_SIZE - MAP_MARGIN, MAP_MARGIN
SKY_COLUMNS = 2560


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
        sky = paint_sky(SKY_COLUMNS, math.ceil(LENS.horizon), LENS.focal)
        self.sky = np.ascontiguousarray(pack(sky[::-1]).T) | np.uint32(OPAQUE)


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
        # Rays through the very corner of the map meet no wall and leave haze.
        columns = np.full((WIDTH, HEIGHT), self._scenery.haze.colour, dtype=np.uint32)
        self._paint_sky(columns, pose.heading_rad)
        self._paint_floor(columns.ravel(), runs.only(floors), rays)
        self._paint_walls(columns.ravel(), runs.only(walls), rays)
        pixels = np.ascontiguousarray(columns[:, ::-1].T).view(np.uint8).reshape(HEIGHT, WIDTH, 4)
        draw_beacon(pixels, self._goal_m, runs, rays, pose.heading_rad, LENS, t_s)
        self._map.draw(pixels, pose.x_m, pose.y_m, pose.heading_rad)
        return pixels

    def _paint_sky(self, columns: Packed, heading_rad: float) -> None:
        sky = self._scenery.sky
        turn = (heading_rad - self._bearing_rad) * (SKY_COLUMNS / math.tau)
        columns[:, HEIGHT - sky.shape[1] :] = sky[turn.astype(np.intp) % SKY_COLUMNS]

    def _paint_floor(self, columns: Packed, runs: Runs, rays: Rays) -> None:
        pixel, row = _pixels(runs)
        depth = np.repeat(runs.rise, runs.n_pixels)
        depth /= LENS.slope_of(row) - np.repeat(runs.slope, runs.n_pixels)
        x_m = np.repeat(rays.east[runs.column], runs.n_pixels) * depth + np.float32(rays.x_m)
        y_m = np.repeat(rays.north[runs.column], runs.n_pixels) * depth + np.float32(rays.y_m)
        step = step_of(depth)
        texels = look_up(self._floor_texels, self._scenery.floor.at(x_m, y_m, step))
        columns[pixel] = self._scenery.haze.over(texels, look_up(self._scenery.haze.keep, step))

    def _paint_walls(self, columns: Packed, runs: Runs, rays: Rays) -> None:
        pixel, row = _pixels(runs)
        step = step_of(runs.depth_m)
        keep = np.repeat(self._scenery.haze.keep[step], runs.n_pixels)
        z_m = LENS.slope_of(row) * np.repeat(runs.depth_m, runs.n_pixels) + np.float32(rays.eye_m)
        texels = self._scenery.walls.texels(runs, step, z_m)
        columns[pixel] = self._scenery.haze.over(texels, keep)


@lru_cache(maxsize=1)
def scenery() -> Scenery:
    """Give this process's painted map."""
    return Scenery(build_world())


@lru_cache(maxsize=1)
def raycaster(goal: Goal) -> Raycaster:
    """Keep the last goal's: clips of one goal follow each other."""
    return Raycaster(scenery(), goal)


def _pixels(runs: Runs) -> tuple[Indices, Steps]:
    """Give the place in memory, and the row from the bottom, of every pixel of some runs."""
    before = np.cumsum(runs.n_pixels) - runs.n_pixels
    place = np.arange(runs.n_pixels.sum())
    row = place.astype(np.int32) + np.repeat((runs.first - before).astype(np.int32), runs.n_pixels)
    return place + np.repeat(runs.column * HEIGHT + runs.first - before, runs.n_pixels), row
