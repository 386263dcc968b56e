"""Ways through the map: distances to a goal on a half-metre grid, and straightened paths."""

import heapq
import math
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from stimuli.arena import SIZE_M, Goal
from stimuli.arrays import Bools, Floats, Indices
from stimuli.world import World, build_world

Point = tuple[float, float]

CELL_M = 0.5
N_CELLS = int(SIZE_M / CELL_M)
CLEARANCE_M = 0.55
MOVES = tuple((dx, dy, math.hypot(dx, dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0))


@dataclass(frozen=True, slots=True)
class Route:
    """Shortest ways from everywhere to one goal."""

    goal: Point
    distance_m: Floats
    towards_goal: Indices

    def from_m(self, x_m: Floats, y_m: Floats) -> Floats:
        """Give how far on foot the goal is from places, to the grid's half metre."""
        cells = [np.clip((metres / CELL_M).astype(np.int64), 0, N_CELLS - 1) for metres in (x_m, y_m)]
        distance: Floats = self.distance_m[cells[0], cells[1]]
        return distance

    def starts_from(self, least_m: float) -> Indices:
        """List the grid cells, for `centre`, at least so far from the goal on foot."""
        distance = self.distance_m.ravel()
        return np.flatnonzero(np.isfinite(distance) & (distance >= least_m))

    def path_from(self, start: Point) -> list[Point]:
        """List the grid points on the way from `start` to the goal, the goal included.

        Raises
        ------
        ValueError
            If no way leads from `start` to the goal.
        """
        node = _index(start[0]) * N_CELLS + _index(start[1])
        if not np.isfinite(self.distance_m.ravel()[node]):
            raise ValueError(f"no way from {start} to the goal at {self.goal}")
        points = []
        while node >= 0:
            points.append(centre(node))
            node = int(self.towards_goal[node])
        return [*points, self.goal]


def _index(coordinate_m: float) -> int:
    return min(max(int(coordinate_m / CELL_M), 0), N_CELLS - 1)


def centre(node: int) -> Point:
    return (node // N_CELLS + 0.5) * CELL_M, (node % N_CELLS + 0.5) * CELL_M


@lru_cache(maxsize=1)
def passable() -> Bools:
    """Say which grid cells, indexed `[x, y]`, a walker can stand in with room to spare."""
    middle = (np.arange(N_CELLS) + 0.5) * CELL_M
    x_m, y_m = np.meshgrid(middle, middle, indexing="ij")
    return build_world().clear(x_m, y_m, CLEARANCE_M)


@lru_cache(maxsize=1)
def roomy() -> Bools:
    """Say which grid cells, indexed `[x, y]`, have passable ones all around."""
    free = np.pad(passable(), 1)
    around = [
        free[1 + dx : N_CELLS + 1 + dx, 1 + dy : N_CELLS + 1 + dy] for dx in (-1, 0, 1) for dy in (-1, 0, 1)
    ]
    has_room: Bools = np.logical_and.reduce(around)
    return has_room


def plan(goal: Point, cost: Floats | None = None) -> Route:
    """Find the shortest ways to `goal` (Dijkstra); `cost` multiplies the length of a step into a cell."""
    free = passable().ravel().tolist()
    weight = np.ones(N_CELLS * N_CELLS) if cost is None else cost.ravel()
    weights = weight.tolist()
    distance = [math.inf] * (N_CELLS * N_CELLS)
    towards = [-1] * (N_CELLS * N_CELLS)
    first = _index(goal[0]) * N_CELLS + _index(goal[1])
    distance[first] = 0.0
    queue = [(0.0, first)]
    while queue:
        so_far, node = heapq.heappop(queue)
        # heapq cannot lower a key: a cell stands in the queue once for each shorter way found.
        if so_far > distance[node]:
            continue
        ix, iy = divmod(node, N_CELLS)
        for dx, dy, length in MOVES:
            if not (0 <= ix + dx < N_CELLS and 0 <= iy + dy < N_CELLS):
                continue
            other = node + dx * N_CELLS + dy
            total = so_far + length * CELL_M * weights[other]
            if free[other] and total < distance[other]:
                distance[other], towards[other] = total, node
                heapq.heappush(queue, (total, other))
    return Route(goal, np.array(distance).reshape(N_CELLS, N_CELLS), np.array(towards))


@cache
def route_to(goal: Goal) -> Route:
    """Find the shortest ways to a goal of the map, once."""
    return plan((goal.x_m, goal.y_m))


def straighten(world: World, path: list[Point]) -> list[Point]:
    """Leave out every point that a straight walk can skip."""
    kept, at = [path[0]], 0
    while at < len(path) - 1:
        ahead = at + 1
        while ahead + 1 < len(path) and world.clear_line(path[at], path[ahead + 1], CLEARANCE_M - 0.05):
            ahead += 1
        kept.append(path[ahead])
        at = ahead
    return kept


def resample(path: list[Point], spacing_m: float) -> Floats:
    """Give points at equal steps along a path, as rows `(x, y)`."""
    corners = np.array(path)
    along = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))))
    at = np.linspace(0.0, along[-1], max(2, math.ceil(along[-1] / spacing_m) + 1))
    return np.column_stack([np.interp(at, along, corners[:, 0]), np.interp(at, along, corners[:, 1])])


def smooth(path: Floats, window: int) -> Floats:
    """Round the corners of an evenly spaced path with a moving average; the ends stay."""
    padded = np.pad(path, ((window, window), (0, 0)), mode="edge")
    kernel = np.ones(2 * window + 1) / (2 * window + 1)
    columns = [np.convolve(padded[:, axis], kernel, mode="valid") for axis in (0, 1)]
    rounded: Floats = np.column_stack(columns)
    rounded[0], rounded[-1] = path[0], path[-1]
    return rounded
