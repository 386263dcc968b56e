"""The floor seen from above: slabs, ramps of light, shadows of the sun, lamps and goal pads."""

import math

import numpy as np

from stimuli.arena import GOALS, LAMPS, MATERIALS, RAMPS, SIZE_M, Goal, Material
from stimuli.arrays import Pixels
from stimuli.colours import GOAL_BLUE, LAMPLIGHT, SKYLIGHT, SUNLIGHT
from stimuli.light import enlarge, light_from_above
from stimuli.noise import cloud_noise
from stimuli.world import World

FLOOR_TEXELS_PER_M = 40
FLOOR_TEXELS = SIZE_M * FLOOR_TEXELS_PER_M
TOPS: dict[Material, tuple[float, float, float]] = {
    "ground": (0.70, 0.66, 0.60),
    "boundary": (0.66, 0.62, 0.58),
    "concrete": (0.70, 0.68, 0.66),
    "brick": (0.74, 0.50, 0.42),
    "container": (0.40, 0.62, 0.46),
    "crate": (0.78, 0.62, 0.42),
    "hedge": (0.40, 0.58, 0.24),
    "pillar": (0.66, 0.64, 0.64),
    "platform": (0.64, 0.62, 0.62),
}
GOAL_GLOW_M = 3.0
PAD_M = 1.1


def _spread(cells: Pixels, texels_per_m: int) -> Pixels:
    return np.repeat(np.repeat(cells, texels_per_m, axis=0), texels_per_m, axis=1)


def _slabs(world: World) -> Pixels:
    """Paint the bare surfaces: two-metre slabs on the ground, one-metre tiles on platforms, plain tops."""
    # Always the same seed: every clip has to show the same floor, whatever its own seed.
    rng = np.random.default_rng(5)
    tops = np.array([TOPS[material] for material in MATERIALS], dtype=np.float32)
    surface = _spread(tops[world.material.T], FLOOR_TEXELS_PER_M)
    grain = np.tile(cloud_noise((FLOOR_TEXELS // 4, FLOOR_TEXELS // 4), (20, 20), 5, rng), (4, 4))
    patches = enlarge(cloud_noise((FLOOR_TEXELS // 8, FLOOR_TEXELS // 8), (10, 10), 3, rng), FLOOR_TEXELS)
    tone = _spread(rng.random((SIZE_M // 2, SIZE_M // 2)).astype(np.float32), 2 * FLOOR_TEXELS_PER_M)
    shade = 0.80 + 0.34 * (grain - 0.5) + 0.36 * (patches - 0.5) + 0.09 * tone
    tiled = _spread(world.cells_of("platform").T.astype(np.float32), FLOOR_TEXELS_PER_M) > 0.5
    along = np.arange(FLOOR_TEXELS)
    for spacing_m, where in ((2, ~tiled), (1, tiled)):
        near = (along + 1) % (spacing_m * FLOOR_TEXELS_PER_M) < 3
        shade = np.where((near[None, :] | near[:, None]) & where, shade * 0.80, shade)
    slabs: Pixels = surface * shade[..., None]
    return slabs


def _add_ramps_of_light(surface: Pixels, glow: Pixels) -> None:
    """Grade each ramp from dark to bright as it rises, with lit chevrons and edges, in place."""
    for ramp in RAMPS:
        area = ramp.area
        window = tuple(
            slice(first * FLOOR_TEXELS_PER_M, (first + length) * FLOOR_TEXELS_PER_M)
            for first, length in ((area.y, area.depth), (area.x, area.width))
        )
        shape = surface[window].shape[:2]
        v, u = np.meshgrid(*[(np.arange(n, dtype=np.float32) + 0.5) / n for n in shape], indexing="ij")
        along, across = (u, v) if ramp.towards in ("east", "west") else (v, u)
        if ramp.towards in ("west", "south"):
            along = 1.0 - along
        surface[window] *= 0.62
        glow[window] += (0.04 + 0.40 * along**1.6)[..., None] * LAMPLIGHT
        side = np.minimum(across, 1.0 - across)
        chevron = ((along * 5.0 + np.abs(across - 0.5) * 1.6) % 1.0 < 0.16) & (side > 0.16)
        lit = (chevron | ((side > 0.03) & (side < 0.055))) & (along < 0.985)
        glow[window] += np.where(lit, 0.42 + 0.45 * along, 0.0)[..., None] * LAMPLIGHT


def window_around(x_m: float, y_m: float, reach_m: float, multiple: int = 1) -> tuple[slice, slice]:
    """Give the rows and columns about a point, from and to multiples of a number of texels."""
    ends = []
    for place_m in (y_m, x_m):
        low, high = ((place_m + side * reach_m) * FLOOR_TEXELS_PER_M / multiple for side in (-1, 1))
        ends.append(slice(max(0, math.floor(low) * multiple), min(FLOOR_TEXELS, math.ceil(high) * multiple)))
    return ends[0], ends[1]


def _away_m(x_m: float, y_m: float, window: tuple[slice, slice]) -> Pixels:
    """Give each texel's distance from a point in metres."""
    middles_m = (np.arange(FLOOR_TEXELS, dtype=np.float32) + 0.5) / FLOOR_TEXELS_PER_M
    away_m: Pixels = np.hypot(middles_m[window[0], None] - y_m, middles_m[None, window[1]] - x_m)
    return away_m


def _add_lamps(glow: Pixels) -> None:
    for lamp in LAMPS:
        window = window_around(lamp.x_m, lamp.y_m, lamp.radius_m)
        away_m = _away_m(lamp.x_m, lamp.y_m, window)
        fall = np.clip(1.0 - away_m / lamp.radius_m, 0, 1) ** 1.8
        glow[window] += 0.46 * fall[..., None] * LAMPLIGHT


def _add_goal_pads(surface: Pixels) -> None:
    for goal in GOALS:
        window = window_around(goal.x_m, goal.y_m, PAD_M)
        away_m = _away_m(goal.x_m, goal.y_m, window)
        surface[window] *= np.where(away_m < PAD_M, 0.78, 1.0)[..., None]
        surface[window] *= np.where(np.abs(away_m - 0.98) < 0.05, 1.5, 1.0)[..., None]


def paint_floor(world: World) -> Pixels:
    """Paint every upward surface; row 0 is south, column 0 west."""
    surface = _slabs(world)
    glow = np.zeros_like(surface)
    _add_goal_pads(surface)
    _add_ramps_of_light(surface, glow)
    _add_lamps(glow)
    sun, sky = light_from_above(world, FLOOR_TEXELS)
    light = sun[..., None] * (0.78 * SUNLIGHT)
    light += sky[..., None] * SKYLIGHT
    # The floor is large: four bytes a channel, not eight.
    return np.clip(surface * light + glow * (0.45 + 0.55 * surface), 0, 1).astype(np.float32)


def light_goal(floor: Pixels, goal: Goal, window: tuple[slice, slice]) -> Pixels:
    """Give a window of the floor with the blue glow of a goal on it."""
    away_m = _away_m(goal.x_m, goal.y_m, window)
    fall = np.clip(1.0 - away_m / GOAL_GLOW_M, 0, 1) ** 2
    ring = np.clip(1.0 - np.abs(away_m - 0.98) / 0.07, 0, 1)
    lit: Pixels = np.clip(floor[window] + (0.85 * fall + 0.9 * ring)[..., None] * GOAL_BLUE, 0, 1)
    return lit
