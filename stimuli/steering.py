"""The steering of each of the three walkers, which decides thirty times a second where to look and step.

A steering is called once per frame; it moves the body and returns the direction looked in, in radians.
"""

import math
from collections import deque
from collections.abc import Callable

import numpy as np

from stimuli.body import FRAME_S, Body, Guide, wrap

Steering = Callable[[Body, Guide], float]

SPEED_M_PER_S = 3.3


class SymbolicSteering:
    """Walk at one speed; turn at once by 30, 45 or 90 degrees, with a pause after each turn."""

    UNIT_RAD = math.radians(15)
    TURNS = (0, 2, -2, 3, -3, 6, -6)
    PAUSE_FRAMES = 6
    AHEAD_M = 2.0
    # An aim this close is right enough: the smallest turn would not improve it by much.
    RIGHT_RAD = math.radians(22)
    FREE_M = (0.12, 0.3, 0.5)

    def __init__(self, first_rad: float, rng: np.random.Generator) -> None:
        self._units = round(first_rad / self.UNIT_RAD) + int(rng.choice(self.TURNS[:5]))
        self._pause = 0

    def __call__(self, body: Body, guide: Guide) -> float:
        error_rad = wrap(guide.bearing_rad(body, self.AHEAD_M) - self._units * self.UNIT_RAD)
        self._pause -= 1
        if self._pause <= 0:
            self._turn(body, error_rad)
        if not body.move(self._units * self.UNIT_RAD, SPEED_M_PER_S * FRAME_S):
            self._pause = 0
        return self._units * self.UNIT_RAD

    def _turn(self, body: Body, error_rad: float) -> None:
        """Take the turn after which the way is free and points best, staying straight when nearly right."""

        def fault(turn: int) -> float:
            blocked = not body.fits((self._units + turn) * self.UNIT_RAD, *self.FREE_M)
            return abs(error_rad - turn * self.UNIT_RAD) + 2.0 * blocked

        if abs(error_rad) < self.RIGHT_RAD and body.fits(self._units * self.UNIT_RAD, *self.FREE_M):
            return
        turn = min(self.TURNS, key=fault)
        self._units += turn
        self._pause = self.PAUSE_FRAMES


class HybridSteering:
    """Follow the path with limited turning and its acceleration, slowing in bends."""

    AHEAD_M = 1.3
    TURN_RAD_PER_S = 2.6
    TURN_RAD_PER_S2 = 14.0
    ACCELERATION_M_PER_S2 = 8.0
    BEND_RAD = 0.3

    def __init__(self, first_rad: float, rng: np.random.Generator) -> None:
        self._heading_rad = first_rad + float(rng.normal(0.0, 0.1))
        self._turning, self._speed = 0.0, 0.0

    def __call__(self, body: Body, guide: Guide) -> float:
        error_rad = wrap(guide.bearing_rad(body, self.AHEAD_M) - self._heading_rad)
        wanted = max(-self.TURN_RAD_PER_S, min(self.TURN_RAD_PER_S, 5.0 * error_rad))
        self._turning = _towards(self._turning, wanted, self.TURN_RAD_PER_S2 * FRAME_S)
        self._heading_rad += self._turning * FRAME_S
        sharpness = max(0.0, min(1.0, abs(error_rad) - self.BEND_RAD))
        speed = SPEED_M_PER_S * (1.0 - 0.4 * sharpness)
        self._speed = _towards(self._speed, speed, self.ACCELERATION_M_PER_S2 * FRAME_S)
        body.move(self._heading_rad, self._speed * FRAME_S)
        return self._heading_rad


class HumanSteering:
    """A simulated human at keyboard and mouse: a noise model, not a recording.

    The forward key is down or up, so the pace is full or zero: up now and then, and where the way leads elsewhere. The
    mouse turns in strokes with straight runs between: each aims at the target seen a reaction time ago, mostly falls
    short of it, and is corrected by the next. Some have no target. The numbers are set so that walks resemble published
    averages over people's paths through another game (docs/clips.md).
    """

    AHEAD_M = 3.8
    DELAY_FRAMES = 3
    ACCELERATION_M_PER_S2 = 9.0
    PAUSES_PER_S = 0.03
    PAUSE_S = (0.3, 1.2)
    REST_S = 0.2
    STROKE_S = (0.22, 0.10)
    LOST_RAD = 1.3
    # Errors below are let be; how large they may be is decided anew before each stroke.
    SLACK_RAD = (0.03, 0.12)
    GAIN = (0.9, 0.1)
    AIM_RAD = 0.012
    STRAYS_PER_S = 0.02
    STRAY_RAD = (0.10, 0.45)
    FASTEST_RAD_PER_S = 7.0

    def __init__(self, first_rad: float, rng: np.random.Generator) -> None:
        self._rng = rng
        self._heading_rad = first_rad + float(rng.normal(0.0, 0.25))
        self._speed = 0.0
        self._seen: deque[float] = deque(maxlen=self.DELAY_FRAMES)
        self._stroke = _Stroke()
        self._rest_frames, self._pause_frames = 0, 0
        self._slack_rad = float(rng.uniform(*self.SLACK_RAD))

    def __call__(self, body: Body, guide: Guide) -> float:
        self._seen.append(guide.bearing_rad(body, self.AHEAD_M))
        # What was seen some frames ago: people react late.
        self._mouse(wrap(self._seen[0] - self._heading_rad))
        self._keys(body, abs(wrap(self._seen[-1] - self._heading_rad)) > self.LOST_RAD)
        return self._heading_rad

    def _mouse(self, error_rad: float) -> None:
        if not self._stroke.is_over:
            self._heading_rad += self._stroke.step()
            if self._stroke.is_over:
                self._rest_frames = round(float(self._rng.exponential(self.REST_S)) / FRAME_S)
            return
        self._rest_frames -= 1
        if self._rng.random() < self.STRAYS_PER_S * FRAME_S:
            aside = float(self._rng.uniform(*self.STRAY_RAD)) * float(self._rng.choice((-1, 1)))
            self._stroke_by(aside)
        elif self._rest_frames <= 0 and abs(error_rad) > self._slack_rad:
            aim_rad = error_rad * float(self._rng.normal(*self.GAIN)) + float(
                self._rng.normal(0.0, self.AIM_RAD)
            )
            self._stroke_by(aim_rad)
            self._slack_rad = float(self._rng.uniform(*self.SLACK_RAD))

    def _stroke_by(self, size_rad: float) -> None:
        """Turn by an angle; larger strokes take longer, by its logarithm [Fit54]."""
        shortest_s, longer_s = self.STROKE_S
        # Longer strokes take longer, by Fitts' law [Fit54].
        lasts_s = shortest_s + longer_s * math.log2(1.0 + abs(size_rad) / 0.1)
        lasts_s *= float(self._rng.uniform(0.7, 1.3))
        # The middle of a bell-shaped stroke is 1.875 times its mean.
        self._stroke.begin(size_rad, max(lasts_s, 1.875 * abs(size_rad) / self.FASTEST_RAD_PER_S))

    def _keys(self, body: Body, is_lost: bool) -> None:
        if self._pause_frames > 0:
            self._pause_frames -= 1
        elif self._rng.random() < self.PAUSES_PER_S * FRAME_S:
            self._pause_frames = round(float(self._rng.uniform(*self.PAUSE_S)) / FRAME_S)
        wanted = 0.0 if self._pause_frames > 0 or is_lost else SPEED_M_PER_S
        self._speed = _towards(self._speed, wanted, self.ACCELERATION_M_PER_S2 * FRAME_S)
        if not body.move(self._heading_rad, self._speed * FRAME_S):
            self._rest_frames = 0


class _Stroke:
    """One turn of the mouse: the smooth way from nothing to an angle, of least jerk [FH85]."""

    def __init__(self) -> None:
        self._size, self._frames, self._at = 0.0, 0, 0

    @property
    def is_over(self) -> bool:
        return self._at >= self._frames

    def begin(self, size: float, duration_s: float) -> None:
        self._size, self._frames, self._at = size, max(1, round(duration_s / FRAME_S)), 0

    def step(self) -> float:
        before = self._part(self._at / self._frames)
        self._at += 1
        return self._size * (self._part(self._at / self._frames) - before)

    @staticmethod
    def _part(at: float) -> float:
        # The share of the way done in a movement of minimum jerk [FH85].
        return at**3 * (10 - 15 * at + 6 * at * at)


def _towards(value: float, wanted: float, most: float) -> float:
    """Move a value to another by at most so much."""
    return value + max(-most, min(most, wanted - value))
