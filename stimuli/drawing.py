"""Data for a page to draw the map as clips show it, in addition to the ground of `stimuli.steps`: lens, materials,
pictures.

The pictures are the ray caster's own, written by `tools/walk_pictures.py`. Nothing here needs NumPy.
"""

import math
from typing import Any

from stimuli.arena import BLOCKS, MATERIALS, PLATFORMS, RAMPS, SIZE_M

EYE_M = 1.6
WIDTH, HEIGHT = 480, 300
FOCAL = WIDTH / 2 / math.tan(math.radians(78.0) / 2)
HORIZON = 132.0
HAZE_RGB = (0.86, 0.76, 0.66)
HAZE_FROM_M, HAZE_LENGTH_M = 2.0, 44.0
# Of the pictures: walls by material and side (west, east, south, north), each from the ground up.
WALLS = tuple(name for name in MATERIALS if name != "ground")
FLOOR_TEXELS_PER_M, FINE_FLOOR_TEXELS_PER_M = 20, 40
WALL_TEXELS_PER_M, FINE_WALL_TEXELS_PER_M = 24, 48
WALL_WIDTH_M, WALL_HEIGHT_M = 2, 5
# Nearer than this a pixel of the page is smaller than a texel of the pictures at half size.
FINE_WITHIN_M = 10.0
SKY_COLUMNS = 1280


def drawing() -> dict[str, Any]:
    """The drawing data as JSON. `kinds` has the material of each cell, in the order of the ground's cells; `ramps`
    tells which cells are ramps.
    """
    kinds, ramps = [0] * SIZE_M**2, [0] * SIZE_M**2
    areas = [
        *((area, "platform", 0) for area in PLATFORMS),
        *((ramp.area, "platform", 1) for ramp in RAMPS),
        *((block.area, block.material, 0) for block in BLOCKS),
    ]
    for area, material, is_ramp in areas:
        for x in range(area.x, area.x + area.width):
            for y in range(area.y, area.y + area.depth):
                kinds[x * SIZE_M + y] = MATERIALS.index(material)
                ramps[x * SIZE_M + y] = is_ramp
    return {
        "eye_m": EYE_M,
        "width": WIDTH,
        "height": HEIGHT,
        "focal": FOCAL,
        "horizon": HORIZON,
        "haze": [round(255 * channel) for channel in HAZE_RGB],
        "haze_from_m": HAZE_FROM_M,
        "haze_length_m": HAZE_LENGTH_M,
        "kinds": kinds,
        "ramps": ramps,
        "floor": {"src": "/static/walk-floor.jpg", "per_m": FLOOR_TEXELS_PER_M},
        "fine": {
            "floor": {"src": "/static/walk-floor-fine.jpg", "per_m": FINE_FLOOR_TEXELS_PER_M},
            "walls": {"src": "/static/walk-walls-fine.jpg", "per_m": FINE_WALL_TEXELS_PER_M},
            "within_m": FINE_WITHIN_M,
        },
        "walls": {
            "src": "/static/walk-walls.jpg",
            "per_m": WALL_TEXELS_PER_M,
            "width_m": WALL_WIDTH_M,
            "height_m": WALL_HEIGHT_M,
        },
        "sky": {"src": "/static/walk-sky.jpg"},
    }
