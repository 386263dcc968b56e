"""The intersections of a frame's rays with the map, for all columns at once.

A ray needs no stepping: it meets the grid line `x = i` at depth `(i - x) / direction`. Only crossings where the surface
changes matter. Each gives a column up to two elements: the surface that ends there, and the wall that rises there. A
height field has no space underneath, so going away from the eye an element shows exactly where its upper edge stands
above all nearer ones.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stimuli.arena import SIZE_M
from stimuli.arrays import Bools, Floats, Floats32, Indices
from stimuli.lens import Lens
from stimuli.world import World

NEAREST_M = 0.02
# A surface is edge-on when the eye is no higher than this above the plane it lies in.
EDGE_ON_M = -0.02
# A slope so steep that the equation of `Runs` gives one depth for every pixel.
UPRIGHT = 1.0e6


class Rays(NamedTuple):
    """The eye's position in metres, and how far each column's ray goes east and north per metre of depth."""

    x_m: float
    y_m: float
    eye_m: float
    east: Floats32
    north: Floats32


@dataclass(frozen=True, slots=True)
class Runs:
    """Vertical runs of pixels that show one element each, by column and then from the bottom up.

    The pixels are the `n_pixels` from row `first` up, rows counted from the bottom. A pixel whose ray rises
    by `s` per metre of depth sees a surface at depth `rise / (s - slope)`, a wall at `depth_m`. For walls,
    `cell` is what lies behind, `along_m` the place on the grid line, and `facing` the side: 0 west, 1 east,
    2 south, 3 north.
    """

    column: Indices
    first: Indices
    n_pixels: Indices
    is_wall: Bools
    depth_m: Floats32
    rise: Floats32
    slope: Floats32
    cell: Indices
    along_m: Floats32
    facing: Indices

    def only(self, which: Bools | Indices) -> "Runs":
        """Keep some of the runs."""
        return Runs(
            self.column[which],
            self.first[which],
            self.n_pixels[which],
            self.is_wall[which],
            self.depth_m[which],
            self.rise[which],
            self.slope[which],
            self.cell[which],
            self.along_m[which],
            self.facing[which],
        )


class _Crossings(NamedTuple):
    """Ray by grid line, by column and then depth: the cells before and behind, and where on the line."""

    depth_m: Floats32
    column: Indices
    before: Indices
    behind: Indices
    along_m: Floats32
    facing: Indices


class Surfaces:
    """The map's cells, as planes that rays run into."""

    def __init__(self, world: World) -> None:
        self._planes = [
            plane.ravel().astype(np.float32) for plane in (world.base, world.slope_x, world.slope_y)
        ]
        planes = np.stack([world.base, world.slope_x, world.slope_y])
        self._changes_x = _changes(planes)
        self._changes_y = _changes(planes.transpose(0, 2, 1))

    def runs(self, rays: Rays, lens: Lens) -> Runs:
        """Find what each column shows."""
        crossings = self._crossings(rays)
        depth, column, before, behind, along, facing = crossings
        east, north = rays.east[column], rays.north[column]
        x, y = rays.x_m + east * depth, rays.y_m + north * depth
        base, slope_x, slope_y = (plane[before] for plane in self._planes)
        rise = base + slope_x * np.float32(rays.x_m) + slope_y * np.float32(rays.y_m) - np.float32(rays.eye_m)
        slope = slope_x * east + slope_y * north
        # Seen edge-on, a surface has no depth that single precision could find: its far edge has.
        edge_on = rise > EDGE_ON_M
        rise[edge_on], slope[edge_on] = depth[edge_on] * UPRIGHT, -UPRIGHT
        z_before = base + slope_x * x + slope_y * y
        base, slope_x, slope_y = (plane[behind] for plane in self._planes)
        z_behind = base + slope_x * x + slope_y * y
        # Even places hold the surface that ends at a crossing, odd ones the wall that rises there, if any.
        top_m = np.column_stack([z_before, np.maximum(z_before, z_behind)]) - np.float32(rays.eye_m)
        end = lens.rows_below(top_m / depth[:, None]).ravel()
        first, count = _uncovered(np.repeat(column, 2), end, lens.height)
        seen = np.flatnonzero(count)
        crossing = seen // 2
        return Runs(
            column[crossing],
            first[seen],
            count[seen],
            seen % 2 == 1,
            depth[crossing],
            rise[crossing],
            slope[crossing],
            behind[crossing],
            along[crossing],
            facing[crossing],
        )

    def _crossings(self, rays: Rays) -> _Crossings:
        """Find where the rays cross lines of x and of y."""
        depth_x, column_x, line, cell, along_x = _meet(
            rays.x_m, rays.y_m, rays.east, rays.north, self._changes_x
        )
        westward = (rays.east[column_x] < 0).astype(np.intp)
        before_x, behind_x = (line - 1 + westward) * SIZE_M + cell, (line - westward) * SIZE_M + cell
        depth_y, column_y, line, cell, along_y = _meet(
            rays.y_m, rays.x_m, rays.north, rays.east, self._changes_y
        )
        southward = (rays.north[column_y] < 0).astype(np.intp)
        before_y, behind_y = cell * SIZE_M + line - 1 + southward, cell * SIZE_M + line - southward
        depth, column = np.concatenate([depth_x, depth_y]), np.concatenate([column_x, column_y])
        # No ray is as long as twice the map is wide.
        order = np.argsort(column * (2.0 * SIZE_M) + depth, kind="stable")
        return _Crossings(
            depth[order],
            column[order],
            np.concatenate([before_x, before_y])[order],
            np.concatenate([behind_x, behind_y])[order],
            np.concatenate([along_x, along_y])[order],
            np.concatenate([westward, 2 + southward])[order],
        )


def _changes(planes: Floats) -> Bools:
    """Mark by `[cell along a line, line]` where the surface changes at a line across the second axis."""
    changes = np.zeros((SIZE_M, SIZE_M), dtype=np.bool_)
    changes[:, 1:] = (np.diff(planes, axis=1) != 0).any(axis=0).T
    return changes


def _meet(
    start: float, other_start: float, ray: Floats32, other_ray: Floats32, changes: Bools
) -> tuple[Floats32, Indices, Indices, Indices, Floats32]:
    """Give depth, column, line, cell along the line and place along it of each crossing that matters."""
    # A ray along a grid line never meets it: a tiny slope puts the meeting beyond the map.
    ray = np.where(np.abs(ray) < 1e-6, np.float32(1e-6), ray)
    lines = np.arange(SIZE_M, dtype=np.float32)
    depth = (lines - np.float32(start)) / ray[:, None]
    along = np.float32(other_start) + depth * other_ray[:, None]
    cell = np.minimum(np.maximum(along, np.float32(0)), np.float32(SIZE_M - 1)).astype(np.int32)
    matters = changes.ravel().take(cell * np.int32(SIZE_M) + np.arange(SIZE_M, dtype=np.int32), mode="wrap")
    matters &= (depth > NEAREST_M) & (along >= 0) & (along < SIZE_M)
    found = np.flatnonzero(matters)
    column = found // SIZE_M
    cells = cell.ravel()[found].astype(np.intp)
    return depth.ravel()[found], column, found - column * SIZE_M, cells, along.ravel()[found]


def _uncovered(column: Indices, end: Indices, height: int) -> tuple[Indices, Indices]:
    """Give first row and number of rows of each element, near to far by column, that tops all nearer ones."""
    # Raising each column above the one before lets one running maximum serve them all.
    raised = column * (height + 1)
    reached = np.maximum.accumulate(end + raised)
    first = np.concatenate(([0], reached[:-1]))
    first = np.maximum(first - raised, 0)
    return first, np.maximum(end - first, 0)
