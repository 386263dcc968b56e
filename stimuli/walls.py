"""Wall textures, painted from noise and arithmetic."""

import math
from collections.abc import Callable

import numpy as np

from stimuli.arena import Material
from stimuli.arrays import Pixels
from stimuli.colours import LAMPLIGHT, SKYLIGHT, SUN_AZIMUTH_RAD, SUNLIGHT, rgb
from stimuli.noise import cloud_noise

WALL_TEXELS_PER_M = 48
WALL_WIDTH_M = 2
WALL_HEIGHT_M = 5
WALL_SHAPE = (WALL_HEIGHT_M * WALL_TEXELS_PER_M, WALL_WIDTH_M * WALL_TEXELS_PER_M)
# Distance from the left edge and height above the ground of every texel, in metres.
WALL_U, WALL_Z = np.meshgrid(
    (np.arange(WALL_SHAPE[1], dtype=np.float32) + 0.5) / WALL_TEXELS_PER_M,
    (np.arange(WALL_SHAPE[0], dtype=np.float32) + 0.5) / WALL_TEXELS_PER_M,
)


def _tinted(shade: Pixels, colour: tuple[float, float, float]) -> Pixels:
    return np.multiply(shade[..., None], rgb(*colour))


def _grid_lines(spacing_u_m: float, spacing_z_m: float, width_m: float) -> Pixels:
    """Mark 1 on the lines of a grid and 0 elsewhere."""
    near_u = np.minimum(WALL_U % spacing_u_m, spacing_u_m - WALL_U % spacing_u_m) < width_m / 2
    near_z = np.minimum(WALL_Z % spacing_z_m, spacing_z_m - WALL_Z % spacing_z_m) < width_m / 2
    return (near_u | near_z).astype(np.float32)


def _concrete(rng: np.random.Generator) -> Pixels:
    shade = 0.62 + 0.16 * (cloud_noise(WALL_SHAPE, (10, 4), 4, rng) - 0.5)
    stains = np.clip(cloud_noise(WALL_SHAPE, (2, 8), 3, rng) - 0.5, 0, 1)
    return _tinted(shade - 0.35 * stains - 0.22 * _grid_lines(1.0, 1.0, 0.045), (0.98, 0.95, 0.90))


def _brick(rng: np.random.Generator) -> Pixels:
    course = np.floor(WALL_Z / 0.25)
    along = (WALL_U + 0.25 * (course % 2)) % WALL_WIDTH_M
    column = np.floor(along / 0.5)
    tone = rng.random((32, 8)).astype(np.float32)[course.astype(int) % 32, column.astype(int) % 8]
    mortar = ((along % 0.5) < 0.035) | ((WALL_Z % 0.25) < 0.035)
    shade = 0.60 + 0.22 * tone + 0.18 * (cloud_noise(WALL_SHAPE, (20, 8), 3, rng) - 0.5)
    bricks = _tinted(shade, (0.98, 0.56, 0.42))
    return np.where(mortar[..., None], _tinted(0.7 * shade, (0.86, 0.80, 0.74)), bricks)


def _container(rng: np.random.Generator) -> Pixels:
    ribs = 0.5 + 0.5 * np.sin(WALL_U * (math.tau / 0.25))
    shade = 0.50 + 0.30 * ribs + 0.10 * (cloud_noise(WALL_SHAPE, (10, 4), 3, rng) - 0.5)
    rust = np.clip(cloud_noise(WALL_SHAPE, (10, 4), 4, rng) - 0.60, 0, 0.2) * 3.5
    painted = _tinted(shade, (0.36, 0.66, 0.46))
    painted += rust[..., None] * (_tinted(shade, (0.80, 0.42, 0.22)) - painted)
    band = (WALL_Z > 2.2) | (WALL_Z < 0.12)
    return np.where(band[..., None], 0.62 * painted, painted)


def _crate(rng: np.random.Generator) -> Pixels:
    plank = np.floor(WALL_Z / 0.2)
    tone = rng.random(32).astype(np.float32)[plank.astype(int) % 32]
    shade = 0.62 + 0.16 * tone + 0.22 * (cloud_noise(WALL_SHAPE, (50, 2), 3, rng) - 0.5)
    gap = (WALL_Z % 0.2) < 0.025
    u, z = WALL_U % 1.0, WALL_Z % 1.0
    frame = (np.minimum(np.minimum(u, 1 - u), np.minimum(z, 1 - z)) < 0.11) | (np.abs(u - z) < 0.08)
    return _tinted(np.where(frame, shade * 1.14, shade * np.where(gap, 0.5, 0.86)), (0.92, 0.70, 0.44))


def _hedge(rng: np.random.Generator) -> Pixels:
    leaves = cloud_noise(WALL_SHAPE, (30, 12), 3, rng)
    return _tinted(0.28 + 0.75 * leaves * leaves, (0.58, 0.86, 0.34))


def _pillar(rng: np.random.Generator) -> Pixels:
    stone = _tinted(0.58 + 0.14 * (cloud_noise(WALL_SHAPE, (10, 4), 4, rng) - 0.5), (0.92, 0.90, 0.92))
    u = WALL_U % 1.0
    stone *= np.where(np.abs(u - 0.5) > 0.44, 0.8, 1.0)[..., None]
    glow = np.exp(-(((u - 0.5) / 0.16) ** 2)) * np.clip(1.15 - WALL_Z / 5.2, 0, 1)
    strip = (np.abs(u - 0.5) < 0.07) & (WALL_Z > 0.25) & (WALL_Z < 4.4)
    stone += 0.40 * glow[..., None] * LAMPLIGHT
    return np.where(strip[..., None], rgb(1.0, 0.88, 0.60), stone)


def _boundary(rng: np.random.Generator) -> Pixels:
    shade = 0.54 + 0.12 * (cloud_noise(WALL_SHAPE, (10, 4), 4, rng) - 0.5)
    shade = shade - 0.16 * _grid_lines(2.0, 1.4, 0.05)
    panels = _tinted(shade, (0.90, 0.84, 0.80))
    coping = WALL_Z > 3.95
    return np.where(coping[..., None], 1.25 * panels, panels)


def _platform(rng: np.random.Generator) -> Pixels:
    shade = 0.60 + 0.12 * (cloud_noise(WALL_SHAPE, (10, 4), 4, rng) - 0.5)
    side = _tinted(shade - 0.2 * _grid_lines(0.5, 0.6, 0.04), (0.92, 0.88, 0.84))
    strip = (WALL_Z > 1.02) & (WALL_Z < 1.10)
    glow = np.exp(-(((WALL_Z - 1.06) / 0.22) ** 2))
    side += 0.30 * glow[..., None] * LAMPLIGHT
    return np.where(strip[..., None], rgb(1.0, 0.84, 0.52), side)


PAINTERS: dict[Material, Callable[[np.random.Generator], Pixels]] = {
    "boundary": _boundary,
    "concrete": _concrete,
    "brick": _brick,
    "container": _container,
    "crate": _crate,
    "hedge": _hedge,
    "pillar": _pillar,
    "platform": _platform,
}


def paint_wall(material: Material, facing_rad: float) -> Pixels:
    """Paint one material as lit on a wall that faces `facing_rad`; row 0 is at the ground."""
    # A fixed seed for each material: every clip has to show the same walls, whatever its own seed.
    rng = np.random.default_rng(sorted(PAINTERS).index(material))
    surface = PAINTERS[material](rng)
    towards_sun = max(0.0, math.cos(facing_rad - SUN_AZIMUTH_RAD))
    light = 1.12 * SKYLIGHT + 0.72 * towards_sun * SUNLIGHT
    # Corners at the ground get less light from the sky, tops get a little more.
    height = (0.62 + 0.38 * (1.0 - np.exp(-WALL_Z / 0.45))) * (0.94 + 0.03 * WALL_Z)
    lit: Pixels = surface * height[..., None] * light
    emits = surface.max(axis=-1, keepdims=True) > 0.97
    return np.where(emits, surface, lit)
