"""The common part of every walker: a body that stays out of obstacles, and a path to follow."""

import math
from dataclasses import dataclass

import numpy as np

from stimuli.arrays import Floats
from stimuli.planning import Point
from stimuli.world import World

FRAMES_PER_S = 30
FRAME_S = 1 / FRAMES_PER_S
BODY_M = 0.3
SPACING_M = 0.1
# Directions tried in turn when the way is blocked; sliding costs speed.
SLIDES_RAD = tuple(math.radians(angle) for angle in (0, 20, -20, 40, -40, 60, -60, 80, -80))


def wrap(angle_rad: float) -> float:
    """Bring an angle into (-pi, pi]."""
    return math.pi - (math.pi - angle_rad) % math.tau


@dataclass(slots=True)
class Body:
    """The position of a walker; `move` is the only way to change it, and keeps it out of obstacles."""

    world: World
    x_m: float
    y_m: float

    @property
    def here(self) -> Point:
        return self.x_m, self.y_m

    def fits(self, direction_rad: float, *lengths_m: float) -> bool:
        """Say whether the body could stand so far in that direction, at every length given."""
        along = np.array(lengths_m)
        x_m = self.x_m + along * math.cos(direction_rad)
        y_m = self.y_m + along * math.sin(direction_rad)
        return bool(self.world.clear(x_m, y_m, BODY_M).all())

    def move(self, direction_rad: float, length_m: float) -> bool:
        """Go straight, or slide along an obstacle; returns whether the way was free."""
        for aside_rad in SLIDES_RAD:
            length = length_m * math.cos(aside_rad)
            if self.fits(direction_rad + aside_rad, length):
                self.x_m += length * math.cos(direction_rad + aside_rad)
                self.y_m += length * math.sin(direction_rad + aside_rad)
                return aside_rad == 0.0
        return False


class Guide:
    """A path of points `SPACING_M` apart: says which way to go from here, looking some metres ahead."""

    def __init__(self, path: Floats) -> None:
        self._path = path
        self._at = 0

    def bearing_rad(self, body: Body, ahead_m: float) -> float:
        """Give the direction of the farthest place up to so far ahead, or lately passed, with a free way to it."""
        self._follow(body)
        for share in (1.0, 0.6, 0.3, 0.0, -0.3, -0.6):
            target = self._place(share * ahead_m)
            if body.world.clear_line(body.here, target, BODY_M):
                break
        else:
            target = self._place(0.0)
        return math.atan2(target[1] - body.y_m, target[0] - body.x_m)

    def _follow(self, body: Body) -> None:
        """Keep up with the body, at most 2.5 m of path at a time, never back."""
        # The next 2.5 m only: where the path comes back near itself, the nearest point may be far along it.
        nearby = self._path[self._at : self._at + 25]
        self._at += int(np.argmin(np.hypot(nearby[:, 0] - body.x_m, nearby[:, 1] - body.y_m)))

    def _place(self, ahead_m: float) -> Point:
        index = self._at + round(ahead_m / SPACING_M)
        x_m, y_m = self._path[max(0, min(index, len(self._path) - 1))].tolist()
        return x_m, y_m
