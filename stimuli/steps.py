"""The physics of a walker at keyboard and mouse, a thirtieth of a second at a time, in integers alone.

The page of the walk computes the same (`app/tasks/walk/static/steps.js`), to the last digit, so that the server's own
replay of keys and mouse ends where the walker was. Micrometres; headings in thousandths of a degree, counter-clockwise
from east; speeds in micrometres a tick. No value exceeds 53 bits.
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from stimuli.arena import BLOCKS, GOALS, PLATFORM_M, PLATFORMS, RAMPS, SIZE_M, Goal, Ramp, Rectangle

TICKS_PER_S = 30
M = 1_000_000
MM = M // 1000
TURN = 360_000
FORWARD, BACK, LEFT, RIGHT, TURN_LEFT, TURN_RIGHT = (1 << bit for bit in range(6))
ALL_KEYS = (1 << 6) - 1
MOST_TURN = TURN // 2
"""The mouse turns by no more than this in one tick."""
# Cosines are whole parts of this, for every quarter of a degree of the first quadrant, and straight between these.
ONE = 1 << 16
_APART = 250
# As walkers of clips: 3.3 m/s (`stimuli.steering`).
SPEED = 3300 * MM // TICKS_PER_S
GAIN = 9 * M // TICKS_PER_S**2
KEY_TURN = 120_000 // TICKS_PER_S
# As walkers of clips: 2 m (`stimuli.walkers`) and a body of 0.3 m (`stimuli.body`).
REACHED = 2 * M
BODY = 300 * MM
_DROP = 200 * MM * 1000
_SLIDES = (0, 20, -20, 40, -40, 60, -60, 80, -80)
_UP = round(PLATFORM_M * M)


class Walker(NamedTuple):
    """A walker's position and heading, and the speed ahead and to the left."""

    x: int
    y: int
    heading: int
    ahead: int = 0
    aside: int = 0


class Ground(NamedTuple):
    """The map in whole numbers. Cells are in the order `x * SIZE_M + y`; heights in nanometres: of a cell
    `base + slope_x * x + slope_y * y`."""

    size: int
    cosines: tuple[int, ...]
    base: tuple[int, ...]
    slope_x: tuple[int, ...]
    slope_y: tuple[int, ...]
    obstacle: tuple[int, ...]
    ring: tuple[tuple[int, int], ...]
    slides: tuple[tuple[int, int], ...]

    def settings(self) -> dict[str, Any]:
        """The constants that the page's own steps need."""
        return {
            **self._asdict(),
            "one": ONE,
            "apart": _APART,
            "speed": SPEED,
            "gain": GAIN,
            "key_turn": KEY_TURN,
            "drop": _DROP,
            "reached": REACHED,
        }


@lru_cache(maxsize=1)
def ground() -> Ground:
    """Platforms, then ramps, then blocks, on flat ground; later ones win, as in `stimuli.world`."""
    flat = (0, 0, 0, 0)
    cells = dict.fromkeys(((x, y) for x in range(SIZE_M) for y in range(SIZE_M)), flat)
    for area in PLATFORMS:
        cells.update(dict.fromkeys(_cells(area), (_UP * 1000, 0, 0, 0)))
    for ramp in RAMPS:
        cells.update(dict.fromkeys(_cells(ramp.area), (*_plane(ramp), 0)))
    for block in BLOCKS:
        cells.update(dict.fromkeys(_cells(block.area), (round(block.height_m * M) * 1000, 0, 0, 1)))
    base, slope_x, slope_y, obstacle = zip(*cells.values(), strict=True)
    return Ground(
        size=SIZE_M,
        cosines=tuple(
            round(ONE * math.cos(math.radians(angle / 1000))) for angle in range(0, 90_000 + 1, _APART)
        ),
        base=base,
        slope_x=slope_x,
        slope_y=slope_y,
        obstacle=obstacle,
        ring=tuple(
            (round(BODY * math.cos(angle)), round(BODY * math.sin(angle)))
            for angle in (k * math.tau / 12 for k in range(12))
        ),
        slides=tuple(
            (round(ONE * math.cos(aside) ** 2), round(ONE * math.cos(aside) * math.sin(aside)))
            for aside in map(math.radians, _SLIDES)
        ),
    )


@lru_cache(maxsize=1)
def _open_cells() -> tuple[bool, ...]:
    """For each cell, True if a body fits wherever it stands in it: all cells around are free, level and as high. A body
    reaches no farther than the next cell, and most of the map is open.
    """
    here = ground()
    near = range(-1, 2)

    def is_open(x: int, y: int) -> bool:
        around = {_cell(here, (x + east) * M, (y + north) * M) for east in near for north in near}
        is_level = not any(here.obstacle[cell] or here.slope_x[cell] or here.slope_y[cell] for cell in around)
        return is_level and len({here.base[cell] for cell in around}) == 1

    return tuple(is_open(x, y) for x, y in product(range(here.size), repeat=2))


def _cells(area: Rectangle) -> Iterator[tuple[int, int]]:
    return product(range(area.x, area.x + area.width), range(area.y, area.y + area.depth))


def _plane(ramp: Ramp) -> tuple[int, int, int]:
    """The base of the plane that a ramp lies in, and its slopes, in nanometres a micrometre."""
    area, along_x = ramp.area, ramp.towards in ("east", "west")
    first, length = (area.x, area.width) if along_x else (area.y, area.depth)
    slope = _UP * 1000 // (length * M)
    if ramp.towards in ("west", "south"):
        first, slope = first + length, -slope
    return -slope * first * M, slope if along_x else 0, 0 if along_x else slope


def start(x_m: float, y_m: float, heading_rad: float) -> Walker:
    """A walker standing still."""
    return Walker(round(x_m * M), round(y_m * M), round(heading_rad / math.tau * TURN) % TURN)


def step(walker: Walker, keys: int, turn: int) -> Walker:
    """One tick: first the turn, by keys and by so much of the mouse, then the way."""
    here = ground()
    heading = (walker.heading + turn + KEY_TURN * (_held(keys, TURN_LEFT) - _held(keys, TURN_RIGHT))) % TURN
    wanted_ahead = _held(keys, FORWARD) - _held(keys, BACK)
    wanted_aside = _held(keys, LEFT) - _held(keys, RIGHT)
    # Askew is no faster: 7071 / 10000 is one half's square root.
    pace = SPEED * 7071 // 10_000 if wanted_ahead and wanted_aside else SPEED
    ahead = _towards(walker.ahead, wanted_ahead * pace)
    aside = _towards(walker.aside, wanted_aside * pace)
    east, north = _cosine(here, heading), _cosine(here, heading - TURN // 4)
    along_x = (ahead * east - aside * north) // ONE
    along_y = (ahead * north + aside * east) // ONE
    x, y = _moved(here, walker.x, walker.y, along_x, along_y)
    return Walker(x, y, heading, ahead, aside)


def has_arrived(walker: Walker, goal: Goal) -> bool:
    x, y = round(goal.x_m * M), round(goal.y_m * M)
    return (walker.x - x) ** 2 + (walker.y - y) ** 2 <= REACHED**2


def fits(x: int, y: int) -> bool:
    """True if a body can stand there: no obstacle and no edge of a platform under it."""
    here = ground()
    cell = _cell(here, x, y)
    if _open_cells()[cell]:
        return True
    if here.obstacle[cell]:
        return False
    height = here.base[cell] + here.slope_x[cell] * x + here.slope_y[cell] * y
    for east, north in here.ring:
        there_x, there_y = x + east, y + north
        there = _cell(here, there_x, there_y)
        if here.obstacle[there]:
            return False
        other = here.base[there] + here.slope_x[there] * there_x + here.slope_y[there] * there_y
        if abs(other - height) > _DROP:
            return False
    return True


def pose(walker: Walker) -> tuple[float, float, float, float]:
    """The pose from which a frame is drawn: metres, and radians counter-clockwise from east."""
    here = ground()
    cell = _cell(here, walker.x, walker.y)
    height = here.base[cell] + here.slope_x[cell] * walker.x + here.slope_y[cell] * walker.y
    turned = walker.heading if walker.heading <= TURN // 2 else walker.heading - TURN
    return walker.x / M, walker.y / M, height / (1000 * M), turned / TURN * math.tau


def goal_named(name: str) -> Goal:
    return next(goal for goal in GOALS if goal.name == name)


def _held(keys: int, key: int) -> int:
    return 1 if keys & key else 0


def _towards(speed: int, wanted: int) -> int:
    return speed + max(-GAIN, min(GAIN, wanted - speed))


def _cosine(here: Ground, angle: int) -> int:
    angle %= TURN
    if angle > TURN // 2:
        angle = TURN - angle
    if angle > TURN // 4:
        return -_cosine(here, TURN // 2 - angle)
    at, rest = angle // _APART, angle % _APART
    # The last cosine of the table has no next one to go towards.
    if rest == 0:
        return here.cosines[at]
    return here.cosines[at] + (here.cosines[at + 1] - here.cosines[at]) * rest // _APART


def _cell(here: Ground, x: int, y: int) -> int:
    # Not by `min` and `max`: a walk asks this a hundred times a tick.
    size = here.size
    column, row = x // M, y // M
    column = 0 if column < 0 else size - 1 if column >= size else column
    row = 0 if row < 0 else size - 1 if row >= size else row
    return column * size + row


def _moved(here: Ground, x: int, y: int, along_x: int, along_y: int) -> tuple[int, int]:
    """Straight on, or along an obstacle, at a lower speed; nowhere if no way is free."""
    if along_x == along_y == 0:
        return x, y
    for cos, sin in here.slides:
        to_x = x + (along_x * cos - along_y * sin) // ONE
        to_y = y + (along_x * sin + along_y * cos) // ONE
        if fits(to_x, to_y):
            return to_x, to_y
    return x, y
