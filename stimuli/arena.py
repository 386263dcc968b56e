"""The one map of the demo: where its blocks, platforms, ramps, lamps and six goals stand.

Metres; x runs east, y runs north, the origin is the south-west corner.
"""

from dataclasses import dataclass
from typing import Literal

SIZE_M = 40
PLATFORM_M = 1.2

Material = Literal[
    "ground", "boundary", "concrete", "brick", "container", "crate", "hedge", "pillar", "platform"
]
Direction = Literal["east", "north", "west", "south"]

MATERIALS: tuple[Material, ...] = (
    "ground",
    "boundary",
    "concrete",
    "brick",
    "container",
    "crate",
    "hedge",
    "pillar",
    "platform",
)


@dataclass(frozen=True, slots=True)
class Rectangle:
    """Whole cells of one metre: south-west corner, then extent east and north."""

    x: int
    y: int
    width: int
    depth: int


@dataclass(frozen=True, slots=True)
class Block:
    """An obstacle: no walker can stand on it or pass through it."""

    material: Material
    height_m: float
    area: Rectangle


@dataclass(frozen=True, slots=True)
class Ramp:
    """A walkable slope from the ground up to `PLATFORM_M`, rising `towards` one side."""

    area: Rectangle
    towards: Direction


@dataclass(frozen=True, slots=True)
class Lamp:
    """A pool of warm light on the floor."""

    x_m: float
    y_m: float
    radius_m: float


@dataclass(frozen=True, slots=True)
class Goal:
    name: str
    x_m: float
    y_m: float


PLATFORMS = (Rectangle(15, 16, 10, 8), Rectangle(32, 31, 7, 8))

RAMPS = (
    Ramp(Rectangle(11, 18, 4, 4), "east"),
    Ramp(Rectangle(18, 12, 4, 4), "north"),
    Ramp(Rectangle(25, 18, 4, 4), "west"),
    Ramp(Rectangle(28, 33, 4, 4), "east"),
)

BLOCKS = (
    Block("boundary", 4.2, Rectangle(0, 0, 40, 1)),
    Block("boundary", 4.2, Rectangle(0, 39, 40, 1)),
    Block("boundary", 4.2, Rectangle(0, 1, 1, 38)),
    Block("boundary", 4.2, Rectangle(39, 1, 1, 38)),
    # the central platform
    Block("pillar", 4.6, Rectangle(15, 16, 1, 1)),
    Block("pillar", 4.6, Rectangle(24, 16, 1, 1)),
    Block("pillar", 4.6, Rectangle(15, 23, 1, 1)),
    Block("pillar", 4.6, Rectangle(24, 23, 1, 1)),
    # north-west
    Block("brick", 3.0, Rectangle(5, 29, 9, 1)),
    Block("brick", 3.0, Rectangle(13, 26, 1, 3)),
    Block("container", 2.4, Rectangle(3, 22, 2, 5)),
    Block("crate", 1.0, Rectangle(9, 33, 2, 2)),
    Block("crate", 2.0, Rectangle(9, 35, 1, 1)),
    # north
    Block("hedge", 1.1, Rectangle(17, 28, 8, 1)),
    Block("concrete", 3.4, Rectangle(18, 33, 1, 6)),
    Block("container", 2.4, Rectangle(22, 31, 4, 2)),
    # north-east
    Block("concrete", 2.2, Rectangle(35, 31, 1, 2)),
    Block("pillar", 4.6, Rectangle(32, 38, 1, 1)),
    Block("pillar", 4.6, Rectangle(32, 31, 1, 1)),
    # east
    Block("container", 2.4, Rectangle(34, 20, 2, 6)),
    Block("crate", 1.0, Rectangle(31, 24, 1, 1)),
    Block("crate", 1.0, Rectangle(36, 14, 2, 2)),
    # south-east
    Block("brick", 3.0, Rectangle(28, 9, 8, 1)),
    Block("concrete", 3.4, Rectangle(31, 3, 1, 3)),
    Block("hedge", 1.1, Rectangle(25, 4, 3, 1)),
    # south
    Block("hedge", 1.1, Rectangle(14, 7, 7, 1)),
    Block("pillar", 4.6, Rectangle(17, 3, 1, 1)),
    Block("pillar", 4.6, Rectangle(21, 3, 1, 1)),
    Block("crate", 1.0, Rectangle(12, 12, 2, 1)),
    Block("crate", 2.0, Rectangle(12, 13, 1, 1)),
    # south-west
    Block("brick", 3.0, Rectangle(5, 9, 1, 8)),
    Block("brick", 3.0, Rectangle(6, 9, 4, 1)),
    Block("concrete", 2.2, Rectangle(7, 3, 1, 3)),
)

LAMPS = (
    Lamp(13.0, 20.0, 3.6),
    Lamp(27.0, 20.0, 3.6),
    Lamp(20.0, 13.5, 3.6),
    Lamp(29.5, 35.0, 3.6),
    Lamp(8.5, 12.5, 4.5),
    Lamp(15.5, 36.0, 4.5),
    Lamp(32.5, 12.5, 4.5),
    Lamp(8.5, 25.5, 4.0),
    Lamp(24.0, 7.0, 4.0),
    Lamp(30.0, 28.0, 4.0),
    Lamp(2.8, 18.5, 3.0),
    Lamp(28.0, 2.5, 3.0),
)

GOALS = (
    Goal("1", 4.0, 35.5),
    Goal("2", 22.0, 36.0),
    Goal("3", 36.0, 35.5),
    Goal("4", 35.5, 5.5),
    Goal("5", 3.5, 5.0),
    Goal("6", 21.5, 20.5),
)
