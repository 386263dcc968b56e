"""Sky, sun, clouds and hills behind everything else."""

import math

import numpy as np

from stimuli.arrays import Pixels
from stimuli.colours import HAZE, SUN_AZIMUTH_RAD, rgb
from stimuli.noise import cloud_noise


def paint_sky(width: int, height: int, pixels_per_slope: float) -> Pixels:
    """Paint the whole horizon: column 0 looks east, columns run counter-clockwise, the last row is level."""
    # Always the same seed: every clip has to show the same sky, whatever its own seed.
    rng = np.random.default_rng(77)
    azimuth = np.arange(width, dtype=np.float32) * (math.tau / width)
    slope = ((height - np.arange(height, dtype=np.float32)) / pixels_per_slope)[:, None]
    up = np.clip(slope / 0.62, 0, 1)[..., None]
    zenith, middle = rgb(0.33, 0.45, 0.55), rgb(0.72, 0.66, 0.62)
    sky = HAZE + (middle - HAZE) * np.clip(up * 2.4, 0, 1)
    sky = sky + (zenith - middle) * np.clip(up * 1.7 - 0.35, 0, 1)
    off_sun = np.abs((azimuth - SUN_AZIMUTH_RAD + math.pi) % math.tau - math.pi)[None, :]
    from_sun = np.sqrt(off_sun**2 + (slope - 0.30) ** 2)[..., None]
    sky = sky + (0.40 * np.exp(-((from_sun / 0.55) ** 2))) * rgb(1.0, 0.72, 0.36)
    sky = sky + np.clip(1.35 - from_sun / 0.055, 0, 1) * rgb(0.9, 0.85, 0.7)
    billows = cloud_noise((height, width), (6, 24), 5, rng)[..., None]
    cover = np.clip((billows - 0.50) * 3.2, 0, 1) * np.clip(up * 3.0 - 0.25, 0, 1)
    lit = rgb(0.98, 0.86, 0.76) * (1.0 - 0.22 * np.clip((billows - 0.62) * 4, 0, 1))
    sky = sky + (lit - sky) * (0.62 * cover)
    for reach, depth, tone in ((0.16, 5, (0.66, 0.60, 0.60)), (0.11, 9, (0.54, 0.50, 0.51))):
        ridge = reach * cloud_noise((1, width), (1, depth * 2), 5, rng)[0]
        sky = np.where((slope < ridge[None, :])[..., None], rgb(*tone), sky)
    clipped: Pixels = np.clip(sky, 0, 1)
    return clipped
