"""Write the pictures of the walk page anew, from those of the ray caster: `python tools/walk_pictures.py`."""

from pathlib import Path

import numpy as np
from PIL import Image

from stimuli.arrays import Pixels
from stimuli.drawing import (
    FINE_FLOOR_TEXELS_PER_M,
    FINE_WALL_TEXELS_PER_M,
    FLOOR_TEXELS_PER_M,
    SKY_COLUMNS,
    WALL_TEXELS_PER_M,
    WALLS,
)
from stimuli.floor import FLOOR_TEXELS_PER_M as FULL_FLOOR
from stimuli.floor import paint_floor
from stimuli.pictures import FACINGS_RAD
from stimuli.raycaster import LENS
from stimuli.sky import paint_sky
from stimuli.walls import WALL_TEXELS_PER_M as FULL_WALL
from stimuli.walls import paint_wall
from stimuli.world import build_world

STATIC = Path(__file__).parent.parent / "app" / "tasks" / "walk" / "static"
QUALITY = 88


def smaller(picture: Pixels, by: int) -> Pixels:
    rows, columns = picture.shape[0] // by, picture.shape[1] // by
    mean: Pixels = picture.reshape(rows, by, columns, by, 3).mean(axis=(1, 3))
    return mean


def write(name: str, picture: Pixels) -> None:
    whole = np.clip(picture * 255 + 0.5, 0, 255).astype(np.uint8)
    Image.fromarray(whole).save(STATIC / f"walk-{name}.jpg", quality=QUALITY, subsampling=0, optimize=True)


if __name__ == "__main__":
    floor = paint_floor(build_world())
    walls = [paint_wall(material, facing) for material in WALLS for facing in FACINGS_RAD]
    for ending, floor_per_m, wall_per_m in (
        ("", FLOOR_TEXELS_PER_M, WALL_TEXELS_PER_M),
        ("-fine", FINE_FLOOR_TEXELS_PER_M, FINE_WALL_TEXELS_PER_M),
    ):
        write(f"floor{ending}", smaller(floor, FULL_FLOOR // floor_per_m))
        write(f"walls{ending}", np.concatenate([smaller(wall, FULL_WALL // wall_per_m) for wall in walls]))
    # Twice as wide as it is written, and from the top down to the horizon.
    write("sky", smaller(paint_sky(2 * SKY_COLUMNS, int(LENS.horizon), LENS.focal), 2))
