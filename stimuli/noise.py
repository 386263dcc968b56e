"""Smooth random fields: what textures are painted from and what bends a simulated human's way."""

import numpy as np

from stimuli.arrays import Pixels


def value_noise(shape: tuple[int, int], cells: tuple[int, int], rng: np.random.Generator) -> Pixels:
    """Smooth noise in [0, 1] that repeats at all four edges."""
    grid = rng.random(cells).astype(np.float32)
    for axis in (0, 1):
        at = np.arange(shape[axis], dtype=np.float32) * (cells[axis] / shape[axis])
        low = at.astype(np.int64)
        part = at - low
        # Eased: linear blends would show the lines of the grid.
        part = part * part * (3.0 - 2.0 * part)
        part = part[:, None] if axis == 0 else part[None, :]
        # The grid wraps, so that tiles meet without a seam.
        near, far = np.take(grid, low, axis), np.take(grid, (low + 1) % cells[axis], axis)
        grid = near + (far - near) * part
    return grid


def cloud_noise(
    shape: tuple[int, int], cells: tuple[int, int], octaves: int, rng: np.random.Generator
) -> Pixels:
    """Add up octaves of `value_noise`, each finer and fainter; the result is in [0, 1]."""
    total, weight = np.zeros(shape, dtype=np.float32), 0.0
    for octave in range(octaves):
        share = 0.5**octave
        total += share * value_noise(shape, (cells[0] << octave, cells[1] << octave), rng)
        weight += share
    return total / np.float32(weight)
