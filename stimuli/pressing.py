"""A walker of the demo at keyboard and mouse: its keys and turns, a tick at a time, in the same physics as people's.

For walks of simulated participants. The steering decides as usual; `stimuli.steps` computes where that leads.
"""

import math
from collections.abc import Iterator

import numpy as np

from stimuli import steps
from stimuli.arena import Goal
from stimuli.body import Body, Guide
from stimuli.planning import route_to
from stimuli.steps import Walker
from stimuli.walkers import STEERING, Source, path_of
from stimuli.world import build_world

# Slower than this share of the full pace, the key is up.
_PRESSED = 0.5
_FARTHEST_M = 0.3


class _Pressing(Body):
    """Notes which way its steering would go, and how fast; gets nowhere by itself."""

    wanted_m = 0.0

    def move(self, direction_rad: float, length_m: float) -> bool:
        self.wanted_m = length_m
        # What is in the way is met in the walk itself; a steering that asks is answered.
        return self.fits(direction_rad, min(length_m, _FARTHEST_M))


def pressed_by(
    source: Source, goal: Goal, start: Walker, rng: np.random.Generator, most_ticks: int
) -> Iterator[tuple[int, int]]:
    """Keys and turn of each tick until the goal is reached, or for `most_ticks`."""
    world, walker = build_world(), start
    x_m, y_m, _, heading_rad = steps.pose(start)
    path = path_of(source, world, route_to(goal), (x_m, y_m), rng)
    body, guide = _Pressing(world, x_m, y_m), Guide(path)
    steer = STEERING[source](heading_rad, rng)
    full_m = steps.SPEED / steps.M
    for _ in range(most_ticks):
        body.wanted_m = 0.0
        wanted_rad = steer(body, guide)
        wanted = round(wanted_rad / math.tau * steps.TURN) % steps.TURN
        turn = (wanted - walker.heading + steps.TURN // 2) % steps.TURN - steps.TURN // 2
        keys = steps.FORWARD if body.wanted_m > _PRESSED * full_m else 0
        yield keys, turn
        walker = steps.step(walker, keys, turn)
        if steps.has_arrived(walker, goal):
            return
        body.x_m, body.y_m, _, _ = steps.pose(walker)
