"""How each of the three walkers decides, thirty times a second, where to look and step.

A steering is called once per frame; it moves the body and gives the direction looked in, in radians.
"""

import math
from collections import deque
from collections.abc import Callable

import numpy as np

from stimuli.body import FRAME_S, Body, Guide, wrap

Steering = Callable[[Body, Guide, bool], float]

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

    def __call__(self, body: Body, guide: Guide, arrived: bool) -> float:
        if not arrived:
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

    def __init__(self, first_rad: float, rng: np.random.Generator) -> None:
        self._heading_rad = first_rad + float(rng.normal(0.0, 0.1))
        self._turning, self._speed = 0.0, 0.0

    def __call__(self, body: Body, guide: Guide, arrived: bool) -> float:
        error_rad = wrap(guide.bearing_rad(body, self.AHEAD_M) - self._heading_rad)
        wanted = 0.0 if arrived else max(-self.TURN_RAD_PER_S, min(self.TURN_RAD_PER_S, 5.0 * error_rad))
        self._turning = _towards(self._turning, wanted, self.TURN_RAD_PER_S2 * FRAME_S)
        self._heading_rad += self._turning * FRAME_S
        speed = 0.0 if arrived else SPEED_M_PER_S * (1.0 - 0.4 * min(1.0, abs(error_rad)))
        self._speed = _towards(self._speed, speed, self.ACCELERATION_M_PER_S2 * FRAME_S)
        body.move(self._heading_rad, self._speed * FRAME_S)
        return self._heading_rad


class HumanSteering:
    """A simulated human: a noise model with late, springy aim, glances and hesitation, not a recording."""

    AHEAD_M = 1.9
    DELAY_FRAMES = 6
    SPRING_PER_S = 6.0
    DAMPING = 0.5
    TURN_RAD_PER_S = 4.2
    SLACK_RAD = 0.07
    GLANCES_PER_S = 0.28
    HESITATIONS_PER_S = 0.16

    def __init__(self, first_rad: float, rng: np.random.Generator) -> None:
        self._rng = rng
        self._heading_rad = first_rad + float(rng.normal(0.0, 0.35))
        self._turning, self._speed = 0.0, 0.0
        self._seen: deque[float] = deque(maxlen=self.DELAY_FRAMES)
        self._aim_drift, self._speed_drift = _Drift(0.08, 0.7, rng), _Drift(0.10, 1.2, rng)
        self._glance_rad = _Episode()
        self._hesitation = _Episode()
        self._pace = SPEED_M_PER_S * float(rng.uniform(0.93, 1.04))

    def __call__(self, body: Body, guide: Guide, arrived: bool) -> float:
        self._seen.append(guide.bearing_rad(body, self.AHEAD_M))
        error_rad = 0.0 if arrived else wrap(self._seen[0] + self._aim_drift.step() - self._heading_rad)
        self._turn(error_rad)
        calm = abs(error_rad) < 0.25 and not arrived
        if calm and self._rng.random() < self.GLANCES_PER_S * FRAME_S:
            size_rad = math.radians(self._rng.uniform(16, 52)) * float(self._rng.choice((-1, 1)))
            self._glance_rad.begin(size_rad, self._rng.uniform(0.5, 1.1))
        if self._rng.random() < self.HESITATIONS_PER_S * FRAME_S:
            self._hesitation.begin(self._rng.uniform(0.5, 1.0), self._rng.uniform(0.35, 0.9))
        glance_rad = self._glance_rad.step()
        self._step(body, error_rad, arrived)
        return self._heading_rad + glance_rad

    def _turn(self, error_rad: float) -> None:
        """Turn like a spring that overshoots, and leave small errors alone."""
        pull = 0.0 if abs(error_rad) < self.SLACK_RAD else error_rad
        push = self.SPRING_PER_S**2 * pull - 2 * self.DAMPING * self.SPRING_PER_S * self._turning
        jitter = float(self._rng.normal(0.0, 0.9)) * math.sqrt(FRAME_S)
        turning = self._turning + push * FRAME_S + jitter
        self._turning = max(-self.TURN_RAD_PER_S, min(self.TURN_RAD_PER_S, turning))
        self._heading_rad += self._turning * FRAME_S

    def _step(self, body: Body, error_rad: float, arrived: bool) -> None:
        care = 1.0 - 0.45 * min(1.0, abs(error_rad) / 1.1)
        wanted = self._pace * (1.0 + self._speed_drift.step()) * care * (1.0 - self._hesitation.step())
        self._speed = _towards(self._speed, 0.0 if arrived else wanted, 8.0 * FRAME_S)
        if not body.move(self._heading_rad, self._speed * FRAME_S):
            self._speed *= 0.75


class _Drift:
    """A slowly wandering value (an Ornstein-Uhlenbeck process) of given spread and memory in seconds."""

    def __init__(self, spread: float, memory_s: float, rng: np.random.Generator) -> None:
        self._keep = math.exp(-FRAME_S / memory_s)
        self._kick = spread * math.sqrt(1.0 - self._keep**2)
        self._rng = rng
        self._value = float(rng.normal(0.0, spread))

    def step(self) -> float:
        self._value = self._keep * self._value + self._kick * float(self._rng.normal())
        return self._value


class _Episode:
    """A value that rises smoothly to a size and falls back to 0, when asked."""

    def __init__(self) -> None:
        self._size, self._frames, self._at = 0.0, 0, 0

    def begin(self, size: float, duration_s: float) -> None:
        """Start, unless one is under way."""
        if self._at >= self._frames:
            self._size, self._frames, self._at = size, round(duration_s / FRAME_S), 0

    def step(self) -> float:
        if self._at >= self._frames:
            return 0.0
        self._at += 1
        return self._size * math.sin(math.pi * self._at / self._frames) ** 2


def _towards(value: float, wanted: float, most: float) -> float:
    """Move a value to another by at most so much."""
    return value + max(-most, min(most, wanted - value))
