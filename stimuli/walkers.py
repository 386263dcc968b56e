"""Three ways of walking to a goal: straight and stepwise, smooth, and with simulated human noise.

`symbolic` walks at a constant speed and turns at once by 30, 45 or 90 degrees; `hybrid` follows the same
plan with limited turning; `human` is a noise model, not a person, and takes a less tidy way.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from stimuli.arrays import Floats
from stimuli.body import FRAMES_PER_S, SPACING_M, Body, Guide
from stimuli.noise import value_noise
from stimuli.planning import N_CELLS, Point, Route, plan, resample, smooth, straighten
from stimuli.steering import HumanSteering, HybridSteering, Steering, SymbolicSteering
from stimuli.world import World

Source = Literal["human", "hybrid", "symbolic"]
SOURCES: tuple[Source, ...] = get_args(Source)

REACHED_M = 2.0
DWELL_FRAMES = 15
LONGEST_FRAMES = 40 * FRAMES_PER_S

STEERING: dict[Source, Callable[[float, np.random.Generator], Steering]] = {
    "human": HumanSteering,
    "hybrid": HybridSteering,
    "symbolic": SymbolicSteering,
}


class LostWalkerError(RuntimeError):
    """A walker did not reach its goal in time."""


@dataclass(frozen=True, slots=True)
class Track:
    """One value per frame: metres, and radians counter-clockwise from east."""

    x_m: Floats
    y_m: Floats
    z_m: Floats
    heading_rad: Floats

    def __len__(self) -> int:
        return len(self.x_m)

    def last(self, n_frames: int) -> "Track":
        """Keep the end of the walk only."""
        return Track(*(values[-n_frames:] for values in (self.x_m, self.y_m, self.z_m, self.heading_rad)))


def walk(source: Source, world: World, route: Route, start: Point, rng: np.random.Generator) -> Track:
    """Walk from `start` until shortly after the goal is reached.

    Raises
    ------
    LostWalkerError
        If the goal is not reached within 40 s.
    """
    path = _path(source, world, route, start, rng)
    body, guide = Body(world, *start), Guide(path)
    ahead = path[min(10, len(path) - 1)] - path[0]
    steer = STEERING[source](math.atan2(ahead[1], ahead[0]), rng)
    rows: list[tuple[float, float, float]] = []
    frames_left, arrived = LONGEST_FRAMES, False
    while frames_left:
        if not arrived and math.dist(body.here, route.goal) < REACHED_M:
            frames_left, arrived = DWELL_FRAMES, True
        heading_rad = steer(body, guide, arrived)
        rows.append((*body.here, heading_rad))
        frames_left -= 1
    if not arrived:
        raise LostWalkerError(f"the {source} walker did not get from {start} to {route.goal} in 40 s")
    x_m, y_m, heading = np.array(rows).T
    wrapped = math.pi - (math.pi - heading) % math.tau
    return Track(x_m, y_m, world.height_m(x_m, y_m), wrapped)


def _path(source: Source, world: World, route: Route, start: Point, rng: np.random.Generator) -> Floats:
    if source == "human":
        # A person does not know the shortest way: lengths are misjudged differently in every part of the map.
        cost = np.exp(0.9 * (value_noise((N_CELLS, N_CELLS), (10, 10), rng).astype(np.float64) - 0.5))
        return smooth(resample(plan(route.goal, cost).path_from(start), SPACING_M), 14)
    direct = resample(straighten(world, route.path_from(start)), SPACING_M)
    return direct if source == "symbolic" else smooth(direct, 7)
