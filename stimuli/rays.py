"""The intersections of a frame's rays with the map, for all columns at once.

A ray needs no stepping: it meets the grid line `x = i` at depth `(i - x) / direction`. Only crossings where the surface
changes matter, so each edge along which it does is tried with the columns that it spans. Each crossing gives a column
up to two elements: the surface that ends there, and the wall that rises there. A height field has no space underneath,
so going away from the eye an element shows exactly where its upper edge stands above all nearer ones.
"""

import math
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
        # `take` needs half the time of brackets, here and below.
        at = np.flatnonzero(which) if which.dtype == np.bool_ else which
        return Runs(
            self.column.take(at),
            self.first.take(at),
            self.n_pixels.take(at),
            self.is_wall.take(at),
            self.depth_m.take(at),
            self.rise.take(at),
            self.slope.take(at),
            self.cell.take(at),
            self.along_m.take(at),
            self.facing.take(at),
        )


class _Crossings(NamedTuple):
    """Ray by grid line, by column and then depth: the cells before and behind, and where on the line."""

    depth_m: Floats32
    column: Indices
    before: Indices
    behind: Indices
    along_m: Floats32
    facing: Indices


class _Edges(NamedTuple):
    """Straight stretches of grid lines along which the surface changes: the line, and from where to where on it.

    `on_y`: the line is one of y. `east` and `north` are both ends in metres. `over` and `along` are how far apart the
    numbers of cells are over the line and along it.
    """

    on_y: Bools
    line: Indices
    low: Indices
    high: Indices
    east: Indices
    north: Indices
    over: Indices
    along: Indices


class Surfaces:
    """The map's cells, as planes that rays run into."""

    def __init__(self, world: World) -> None:
        self._planes = [
            plane.ravel().astype(np.float32) for plane in (world.base, world.slope_x, world.slope_y)
        ]
        planes = np.stack([world.base, world.slope_x, world.slope_y])
        self._edges = _edges(planes)

    def runs(self, rays: Rays, lens: Lens) -> Runs:
        """Find what each column shows."""
        depth, column, before, behind, along, facing = self._crossings(rays, lens)
        east, north = rays.east.take(column), rays.north.take(column)
        x, y = rays.x_m + east * depth, rays.y_m + north * depth
        base, slope_x, slope_y = (plane.take(before) for plane in self._planes)
        rise = base + slope_x * np.float32(rays.x_m) + slope_y * np.float32(rays.y_m) - np.float32(rays.eye_m)
        slope = slope_x * east + slope_y * north
        # Seen edge-on, a surface has no depth that single precision could find: its far edge has.
        edge_on = rise > EDGE_ON_M
        rise[edge_on], slope[edge_on] = depth[edge_on] * UPRIGHT, -UPRIGHT
        z_before = base + slope_x * x + slope_y * y
        base, slope_x, slope_y = (plane.take(behind) for plane in self._planes)
        z_behind = base + slope_x * x + slope_y * y
        # Even places hold the surface that ends at a crossing, odd ones the wall that rises there, if any.
        top_m = np.empty((len(depth), 2), dtype=np.float32)
        top_m[:, 0], top_m[:, 1] = z_before, np.maximum(z_before, z_behind)
        top_m -= np.float32(rays.eye_m)
        top_m /= depth[:, None]
        end = lens.rows_below(top_m.ravel())
        first, count = _uncovered(np.repeat(column, 2), end, lens.height)
        seen = np.flatnonzero(count > 0)
        crossing = seen // 2
        return Runs(
            column.take(crossing),
            first.take(seen),
            count.take(seen),
            seen % 2 == 1,
            depth.take(crossing),
            rise.take(crossing),
            slope.take(crossing),
            behind.take(crossing),
            along.take(crossing),
            facing.take(crossing),
        )

    def _crossings(self, rays: Rays, lens: Lens) -> _Crossings:
        """Find where the rays cross edges."""
        edges = self._edges
        first, n_columns = _spanned(edges, rays, lens)
        edge = np.repeat(np.arange(len(first)), n_columns)
        column = np.arange(len(edge)) - np.repeat(np.cumsum(n_columns) - n_columns - first, n_columns)
        # A ray along a grid line never meets it: a tiny slope puts the meeting beyond the map.
        steps = [np.where(np.abs(ray) < 1e-6, np.float32(1e-6), ray) for ray in (rays.east, rays.north)]
        x_m, y_m = np.float32(rays.x_m), np.float32(rays.y_m)
        place = column + (lens.width * edges.on_y).take(edge)
        towards = np.concatenate(steps).take(place)
        depth = (edges.line.astype(np.float32) - np.where(edges.on_y, y_m, x_m)).take(edge) / towards
        along = np.where(edges.on_y, x_m, y_m).take(edge)
        along += depth * np.concatenate([rays.north, rays.east]).take(place)
        met = (depth > NEAREST_M) & (along >= edges.low.take(edge)) & (along < edges.high.take(edge))
        # No ray is as long as twice the map is wide.
        key = np.where(met, column * (2.0 * SIZE_M) + depth, np.inf)
        order = np.argsort(key, kind="stable")[: np.count_nonzero(met)]
        edge, along, back = edge.take(order), along.take(order), (towards.take(order) < 0).astype(np.intp)
        over = edges.over.take(edge)
        cell = edges.line.take(edge) * over + along.astype(np.intp) * edges.along.take(edge)
        return _Crossings(
            depth.take(order),
            column.take(order),
            cell - over + over * back,
            cell - over * back,
            along,
            (2 * edges.on_y).take(edge) + back,
        )


def _edges(planes: Floats) -> _Edges:
    """Find the edges of planes by cell: those on lines of x, then those on lines of y."""
    both = []
    for on_y, planes_by_line in ((False, planes), (True, planes.swapaxes(1, 2))):
        # By line and place, with a place more on either side, so that each edge begins and ends somewhere.
        changes = np.zeros((SIZE_M, SIZE_M + 2), dtype=np.int8)
        changes[1:, 1:-1] = (np.diff(planes_by_line, axis=1) != 0).any(axis=0)
        turns = np.diff(changes, axis=1)
        (line, low), (_, high) = np.nonzero(turns == 1), np.nonzero(turns == -1)
        over_line, ends = np.stack([line, line]), np.stack([low, high])
        east, north = (ends, over_line) if on_y else (over_line, ends)
        over, along = (1, SIZE_M) if on_y else (SIZE_M, 1)
        alike = (np.full(len(line), value) for value in (over, along))
        both.append((np.full(len(line), on_y), line, low, high, east, north, *alike))
    return _Edges(*(np.concatenate(parts, axis=-1) for parts in zip(*both, strict=True)))


def _spanned(edges: _Edges, rays: Rays, lens: Lens) -> tuple[Indices, Indices]:
    """Give the first column, and the number of columns, whose rays may meet each edge.

    There is one more on either side, so that rounding leaves out none that does.
    """
    # The rays of the outermost columns are as far to the left as to the right.
    cos, sin = float(rays.east[0] + rays.east[-1]) / 2, float(rays.north[0] + rays.north[-1]) / 2
    east, north = edges.east - rays.x_m, edges.north - rays.y_m
    ahead, right = east * cos + north * sin, east * sin - north * cos
    # What lies behind the eye is cut off just before it, where no crossing counts.
    cut_m = np.maximum(NEAREST_M / 2 - ahead, 0)
    right += cut_m / np.maximum(np.abs(ahead[1] - ahead[0]), NEAREST_M / 2) * (right[::-1] - right)
    column = right / np.maximum(ahead, NEAREST_M / 2) * lens.focal + lens.width / 2
    first = np.maximum(np.minimum(*column) - 1, 0).astype(np.intp)
    after = np.minimum(np.maximum(*column) + 1, lens.width).astype(np.intp)
    return first, np.where(np.maximum(*ahead) > NEAREST_M / 2, np.maximum(after - first, 0), 0)


def _uncovered(column: Indices, end: Indices, height: int) -> tuple[Indices, Indices]:
    """Give first row and number of rows of each element, near to far by column, that tops all nearer ones."""
    # Raising each column above the one before lets one running maximum serve them all.
    raised = column * (height + 1)
    reached = np.maximum.accumulate(end + raised)
    first = np.concatenate(([0], reached[:-1]))
    first = np.maximum(first - raised, 0)
    return first, np.maximum(end - first, 0)


def covered(runs: Runs, width: int, nearer_than_m: float = math.inf) -> Indices:
    """Count the rows of each column, from the bottom, that show something nearer than a depth."""
    rows = np.zeros(width, dtype=np.intp)
    nearer = np.flatnonzero(runs.depth_m < nearer_than_m)
    # Runs go upwards in each column: of several the last one written, the highest, stays.
    rows[runs.column.take(nearer)] = (runs.first + runs.n_pixels).take(nearer)
    return rows
