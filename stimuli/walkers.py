"""Three ways of walking to a goal: straight and stepwise, smooth, and as if by keyboard and mouse.

`symbolic` walks at a constant speed and turns at once by 30, 45 or 90 degrees; `hybrid` follows the same
plan with limited turning, slower in sharp bends; `human` is a noise model, not a person, and takes a less tidy way.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from stimuli.arrays import Floats
from stimuli.body import FRAMES_PER_S, SPACING_M, Body, Guide
from stimuli.noise import value_noise
from stimuli.planning import N_CELLS, Point, Route, plan, resample, roomy, smooth, straighten
from stimuli.steering import HumanSteering, HybridSteering, Steering, SymbolicSteering
from stimuli.world import World

Source = Literal["human", "hybrid", "symbolic"]
SOURCES: tuple[Source, ...] = get_args(Source)

REACHED_M = 2.0
WIND = 0.25
LONGEST_FRAMES = 40 * FRAMES_PER_S

STEERING: dict[Source, Callable[[float, np.random.Generator], Steering]] = {
    "human": HumanSteering,
    "hybrid": HybridSteering,
    "symbolic": SymbolicSteering,
}


@dataclass(frozen=True, slots=True)
class Track:
    """One value per frame: metres, and radians counter-clockwise from east."""

    x_m: Floats
    y_m: Floats
    z_m: Floats
    heading_rad: Floats

    def __len__(self) -> int:
        return len(self.x_m)

    def part(self, first: int, n_frames: int) -> "Track":
        """`n_frames` frames, from `first` on."""
        return Track(
            *(values[first : first + n_frames] for values in (self.x_m, self.y_m, self.z_m, self.heading_rad))
        )


class LostWalkerError(RuntimeError):
    """A walker did not reach its goal in time; `track` is where it went instead."""

    def __init__(self, message: str, track: Track) -> None:
        super().__init__(message)
        self.track = track


def walk(source: Source, world: World, route: Route, start: Point, rng: np.random.Generator) -> Track:
    """Walk from `start` to within `REACHED_M` of the goal; the walk ends before arriving changes anything.

    Raises
    ------
    LostWalkerError
        If the goal is not reached within 40 s.
    """
    path = path_of(source, world, route, start, rng)
    body, guide = Body(world, *start), Guide(path)
    ahead = path[min(10, len(path) - 1)] - path[0]
    steer = STEERING[source](math.atan2(ahead[1], ahead[0]), rng)
    rows: list[tuple[float, float, float]] = []
    while math.dist(body.here, route.goal) >= REACHED_M:
        if len(rows) == LONGEST_FRAMES:
            message = f"the {source} walker did not get from {start} to {route.goal} in 40 s"
            raise LostWalkerError(message, _track(world, rows))
        heading_rad = steer(body, guide)
        rows.append((*body.here, heading_rad))
    return _track(world, rows)


def _track(world: World, rows: list[tuple[float, float, float]]) -> Track:
    x_m, y_m, heading = np.array(rows).T
    wrapped = math.pi - (math.pi - heading) % math.tau
    return Track(x_m, y_m, world.height_m(x_m, y_m), wrapped)


def path_of(source: Source, world: World, route: Route, start: Point, rng: np.random.Generator) -> Floats:
    """The way that a walker means to go, as points `SPACING_M` apart."""
    if source == "human":
        # A person does not know the shortest way: lengths are misjudged differently in every part of the map.
        misjudged = value_noise((N_CELLS, N_CELLS), (10, 10), rng).astype(np.float64) - 0.5
        # Nor does it graze walls.
        cost = np.exp(WIND * misjudged) * np.where(roomy(), 1.0, 2.5)
        return smooth(resample(plan(route.goal, cost).path_from(start), SPACING_M), 14)
    direct = resample(straighten(world, route.path_from(start)), SPACING_M)
    return direct if source == "symbolic" else smooth(direct, 7)
