"""The map as a height field that walkers stand on and the ray caster looks at."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from stimuli.arena import BLOCKS, MATERIALS, PLATFORM_M, PLATFORMS, RAMPS, SIZE_M, Material, Ramp, Rectangle
from stimuli.arrays import Bools, Floats, Indices

# A walker steps over less than this, and neither climbs nor drops more.
STEP_M = 0.2
RING = tuple((math.cos(k * math.tau / 12), math.sin(k * math.tau / 12)) for k in range(12))


@dataclass(frozen=True, slots=True)
class World:
    """Cells of one metre, indexed `[x, y]`, each a plane `z = base + slope_x * x + slope_y * y`."""

    base: Floats
    slope_x: Floats
    slope_y: Floats
    obstacle: Bools
    material: Indices

    def height_m(self, x_m: npt.ArrayLike, y_m: npt.ArrayLike) -> Floats:
        x, y = np.asarray(x_m, dtype=np.float64), np.asarray(y_m, dtype=np.float64)
        return self._height_m((_cell(x), _cell(y)), x, y)

    def _height_m(self, cell: tuple[Indices, Indices], x: Floats, y: Floats) -> Floats:
        height: Floats = self.base[cell] + self.slope_x[cell] * x + self.slope_y[cell] * y
        return height

    def in_obstacle(self, x_m: npt.ArrayLike, y_m: npt.ArrayLike) -> Bools:
        inside: Bools = self.obstacle[_cell(np.asarray(x_m)), _cell(np.asarray(y_m))]
        return inside

    def wall_m(self, x_m: Floats, y_m: Floats) -> Floats:
        """The distance of places to the nearest obstacle, in any direction, along the ground; 0 within one."""
        corners = np.argwhere(self.obstacle)
        away = [
            np.maximum(
                np.maximum(corners[:, axis] - metres[:, None], metres[:, None] - corners[:, axis] - 1), 0
            )
            for axis, metres in ((0, x_m), (1, y_m))
        ]
        nearest: Floats = np.hypot(*away).min(axis=1)
        return nearest

    def cells_of(self, material: Material) -> Bools:
        """Mark the cells of a material."""
        return np.equal(self.material, MATERIALS.index(material))

    def clear(self, x_m: npt.ArrayLike, y_m: npt.ArrayLike, radius_m: float) -> Bools:
        """Say where a disc fits: no obstacle and no edge of a platform under it."""
        x, y = np.asarray(x_m, dtype=np.float64), np.asarray(y_m, dtype=np.float64)
        ring = np.array(RING) * radius_m
        ring_x, ring_y = x[..., None] + ring[:, 0], y[..., None] + ring[:, 1]
        here, there = (_cell(x), _cell(y)), (_cell(ring_x), _cell(ring_y))
        drop = np.abs(self._height_m(there, ring_x, ring_y) - self._height_m(here, x, y)[..., None])
        blocked = self.obstacle[there] | (drop > STEP_M)
        fits: Bools = ~(blocked.any(axis=-1) | self.obstacle[here])
        return fits

    def clear_line(self, start: tuple[float, float], end: tuple[float, float], radius_m: float) -> bool:
        """Say whether a disc can go straight from `start` to `end`."""
        n_samples = max(2, math.ceil(math.dist(start, end) / 0.15) + 1)
        x = np.linspace(start[0], end[0], n_samples)
        y = np.linspace(start[1], end[1], n_samples)
        return bool(self.clear(x, y, radius_m).all())


def _cell(coordinate_m: npt.NDArray[np.floating]) -> Indices:
    # Towards zero is down for all that is on the map; np.clip and np.floor are slower on few points.
    index: Indices = np.minimum(np.maximum(coordinate_m.astype(np.int64), 0), SIZE_M - 1)
    return index


def _slices(area: Rectangle) -> tuple[slice, slice]:
    return slice(area.x, area.x + area.width), slice(area.y, area.y + area.depth)


def _ramp_plane(ramp: Ramp) -> tuple[float, float, float]:
    """Give `(base, slope_x, slope_y)` of the plane a ramp lies in."""
    area = ramp.area
    if ramp.towards == "east":
        slope = PLATFORM_M / area.width
        return -slope * area.x, slope, 0.0
    if ramp.towards == "west":
        slope = PLATFORM_M / area.width
        return slope * (area.x + area.width), -slope, 0.0
    slope = PLATFORM_M / area.depth
    if ramp.towards == "north":
        return -slope * area.y, 0.0, slope
    return slope * (area.y + area.depth), 0.0, -slope


@lru_cache(maxsize=1)
def build_world() -> World:
    """Lay platforms, then ramps, then blocks, on flat ground; later ones win."""
    shape = (SIZE_M, SIZE_M)
    base, slope_x, slope_y = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    obstacle, material = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.int64)
    for area in PLATFORMS:
        base[_slices(area)] = PLATFORM_M
        material[_slices(area)] = MATERIALS.index("platform")
    for ramp in RAMPS:
        cells = _slices(ramp.area)
        base[cells], slope_x[cells], slope_y[cells] = _ramp_plane(ramp)
        material[cells] = MATERIALS.index("platform")
    for block in BLOCKS:
        cells = _slices(block.area)
        base[cells], slope_x[cells], slope_y[cells] = block.height_m, 0.0, 0.0
        obstacle[cells] = True
        material[cells] = MATERIALS.index(block.material)
    return World(base, slope_x, slope_y, obstacle, material)
