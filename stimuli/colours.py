"""Colours that several pictures share, RGB in [0, 1], and the sun that lights them."""

import math

import numpy as np

from stimuli.arrays import Floats32, Packed, Pixels
from stimuli.drawing import HAZE_RGB


def rgb(red: float, green: float, blue: float) -> Floats32:
    return np.array((red, green, blue), dtype=np.float32)


# Where the sun stands, counter-clockwise from east, and how far its light falls per metre.
SUN_AZIMUTH_RAD = math.radians(222.0)
SUN_SLOPE = 0.85
SUNLIGHT = rgb(1.06, 0.92, 0.74)
SKYLIGHT = rgb(0.52, 0.53, 0.58)
LAMPLIGHT = rgb(1.0, 0.66, 0.26)
HAZE = rgb(*HAZE_RGB)
OPAQUE = 0xFF000000
GOAL_BLUE = rgb(0.08, 0.36, 1.0)


def pack(picture: Pixels) -> Packed:
    """Turn RGB in [0, 1] into `0xFFBBGGRR`."""
    whole = np.clip(picture * 255.0 + 0.5, 0, 255).astype(np.uint32)
    packed: Packed = whole[..., 0] | (whole[..., 1] << 8) | (whole[..., 2] << 16) | np.uint32(OPAQUE)
    return packed
