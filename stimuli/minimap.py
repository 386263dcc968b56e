"""The map in the corner: north up, obstacles light, ramps amber, goal blue, the walker an arrow."""

import math

import numpy as np

from stimuli.arena import RAMPS, SIZE_M, Goal
from stimuli.arrays import Bytes, Pixels
from stimuli.colours import GOAL_BLUE, LAMPLIGHT, rgb
from stimuli.world import World

SIZE = 100
BORDER = 2
FINE_PER_M = 12
SHRINK = 5
PIXELS_PER_M = FINE_PER_M / SHRINK
ARROW_REACH = 10
ARROW_FINE = 3
# By how many pixels the arrow's outline is wider than its body, which has none.
WIDER = np.array([1.2, 0.0], dtype=np.float32)[:, None, None]
WIDER_ASIDE, TIP = (
    np.array(of, dtype=np.float32)[:, None, None] for of in ([1.1 * 1.2, 0.0], [7.0 + 1.2, 7.0])
)
GROUND = rgb(0.13, 0.13, 0.15)
PLATFORM = rgb(0.27, 0.26, 0.28)
OBSTACLE = rgb(0.74, 0.71, 0.67)
EDGE = rgb(0.88, 0.85, 0.80)
ARROW = rgb(1.0, 0.86, 0.20)


def paint_map(world: World, goal: Goal) -> Pixels:
    """Paint everything that does not move."""
    cells = np.full((SIZE_M, SIZE_M, 3), GROUND, dtype=np.float32)
    cells[world.cells_of("platform").T] = PLATFORM
    for ramp in RAMPS:
        area = ramp.area
        cells[area.y : area.y + area.depth, area.x : area.x + area.width] = 0.62 * LAMPLIGHT
    cells[world.obstacle.T] = OBSTACLE
    fine = np.repeat(np.repeat(cells, FINE_PER_M, axis=0), FINE_PER_M, axis=1)
    middle = (np.arange(SIZE_M * FINE_PER_M) + 0.5) / FINE_PER_M
    away_m = np.hypot(middle[None, :] - goal.x_m, middle[:, None] - goal.y_m)
    halo = np.clip(1.0 - away_m / 4.2, 0, 1)[..., None] * 0.7
    fine += (GOAL_BLUE - fine) * halo
    fine[away_m < 1.7] = GOAL_BLUE
    side = SIZE_M * FINE_PER_M // SHRINK
    # Rows count down from the top, y counts up to the north.
    small = fine[::-1].reshape(side, SHRINK, side, SHRINK, 3).mean(axis=(1, 3))
    framed = np.full((SIZE, SIZE, 3), EDGE, dtype=np.float32)
    framed[BORDER:-BORDER, BORDER:-BORDER] = small
    return framed


class MiniMap:
    """Draws the map with its arrow over a frame."""

    def __init__(self, world: World, goal: Goal, left: int, top: int) -> None:
        self._painted = paint_map(world, goal) * np.float32(255.0)
        opaque = np.full((SIZE, SIZE, 1), 255.0, dtype=np.float32)
        self._pixels = np.concatenate([self._painted, opaque], axis=-1).astype(np.uint8)
        self._left, self._top = left, top

    def draw(self, frame: Bytes, x_m: float, y_m: float, heading_rad: float) -> None:
        """Put the map over `frame` (rows, columns, RGBA), in place."""
        spot = frame[self._top : self._top + SIZE, self._left : self._left + SIZE]
        spot[...] = self._pixels
        column, row = BORDER + x_m * PIXELS_PER_M, SIZE - BORDER - y_m * PIXELS_PER_M
        left, top = round(column) - ARROW_REACH, round(row) - ARROW_REACH
        rows = slice(max(top, 0), min(top + 2 * ARROW_REACH, SIZE))
        columns = slice(max(left, 0), min(left + 2 * ARROW_REACH, SIZE))
        cover = _arrow(column - left, row - top, heading_rad)
        cover = cover[:, rows.start - top : rows.stop - top, columns.start - left : columns.stop - left]
        outline, body = cover[..., None]
        shaded = self._painted[rows, columns] * (1.0 - outline)
        spot[rows, columns, :3] = shaded + (255.0 * ARROW - shaded) * body


def _arrow(column: float, row: float, heading_rad: float) -> Pixels:
    """Give how much of each pixel an arrow's dark outline and its body cover."""
    size = 2 * ARROW_REACH
    at = (np.arange(size * ARROW_FINE, dtype=np.float32) + 0.5) / ARROW_FINE
    east, north = at[None, :] - column, row - at[:, None]
    ahead = east * math.cos(heading_rad) + north * math.sin(heading_rad)
    aside = np.abs(north * math.cos(heading_rad) - east * math.sin(heading_rad))
    # A notched arrow head that points ahead, as it is and widened.
    sides = aside <= (7.0 - ahead) * 0.42 + WIDER_ASIDE
    back = ahead >= -4.6 + 0.55 * np.maximum(4.0 - aside, 0) - WIDER
    blocks = (sides & back & (ahead <= TIP)).view(np.uint8).reshape(2, size, ARROW_FINE, size, ARROW_FINE)
    # Added by hand: `mean` over two axes of three needs ten times as long.
    rows = blocks[:, :, 0] + blocks[:, :, 1] + blocks[:, :, 2]
    count = rows[..., 0] + rows[..., 1] + rows[..., 2]
    mean: Pixels = count.astype(np.float32) / np.float32(ARROW_FINE**2)
    return mean
