"""Paths as networks read them: resampled to a fixed rate, as positions or as turn and speed, in windows."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from analysis.errors import AnalysisError

if TYPE_CHECKING:
    from analysis.stats.intervals import Floats

Singles = npt.NDArray[np.float32]
Values = npt.NDArray[Any]

_STEP_M = 0.005
_DUST = 1e-6


@dataclass(frozen=True, slots=True)
class Path:
    """A player's positions in a clip: time in seconds, rising; metres; `heading_rad` counter-clockwise, None if
    unknown.

    One value for each moment, all finite, at least two.
    """

    t_s: "Floats"
    x_m: "Floats"
    y_m: "Floats"
    z_m: "Floats"
    heading_rad: "Floats | None"

    @property
    def duration_s(self) -> float:
        return float(self.t_s[-1] - self.t_s[0])


def resampled(path: Path, rate_hz: float) -> Path:
    """The path at equal steps of 1 / `rate_hz`, linearly between its moments, headings along the shorter way round."""
    # A duration of n steps can come out a hair below n in floats.
    steps = int(np.floor(path.duration_s * rate_hz + _DUST))
    at_s = path.t_s[0] + np.arange(steps + 1) / rate_hz
    x_m, y_m, z_m = (np.interp(at_s, path.t_s, values) for values in (path.x_m, path.y_m, path.z_m))
    heading = path.heading_rad
    # Unwrapped: halfway between 359 and 1 degrees lies 0, not 180.
    turned = None if heading is None else np.interp(at_s, path.t_s, np.unwrap(heading))
    return Path(at_s, x_m, y_m, z_m, turned)


def turn_and_speed(path: Path, rate_hz: float, *, by_heading: bool) -> "Floats":
    """Turn rate in rad/s and speed in m/s of each step, shape (steps, 2).

    `by_heading` turns are those of where the player looks, else those of the course, which stays as it was while the
    player stands. Moving or turning the whole path changes neither column.
    """
    even = resampled(path, rate_hz)
    speed = np.hypot(np.diff(even.x_m), np.diff(even.y_m)) * rate_hz
    if by_heading:
        if even.heading_rad is None:
            raise AnalysisError("a path without headings, for a judge that reads them")
        turn = np.diff(even.heading_rad) * rate_hz
    else:
        turn = _course_changes(even, rate_hz)[: len(speed)]
    return np.column_stack([turn, speed])


def _course_changes(even: Path, rate_hz: float) -> "Floats":
    dx, dy = np.diff(even.x_m), np.diff(even.y_m)
    moves = np.hypot(dx, dy) > _STEP_M
    # Of a step that hardly moves the direction is rounding: the last one that moved stands for it.
    last = np.maximum.accumulate(np.where(moves, np.arange(len(dx)), -1))
    course = np.where(last >= 0, np.arctan2(dy, dx)[last], 0.0)
    change = np.diff(course, prepend=course[:1])
    change[(last >= 0) & (np.concatenate([[-1], last[:-1]]) < 0)] = 0.0
    wrapped: Floats = np.pi - (np.pi - change) % (2 * np.pi)
    return wrapped * rate_hz


def sequence(
    path: Path, reads: Literal["positions", "turn-speed"], rate_hz: float, *, by_heading: bool
) -> "Floats":
    """The input from a path: x, y, z in metres (n, 3), or turn in rad/s and speed in m/s (n, 2)."""
    if reads == "turn-speed":
        return turn_and_speed(path, rate_hz, by_heading=by_heading)
    even = resampled(path, rate_hz)
    return np.column_stack([even.x_m, even.y_m, even.z_m])


def windows(values: Values, width: int) -> Values:
    """Non-overlapping windows, shape (windows, width, ...); the rest at the end is dropped, as published."""
    n = len(values) // width
    return values[: n * width].reshape(n, width, *values.shape[1:])


def spread(path: Path, moments: int) -> Singles:
    """x and y of a whole path at so many equal steps from beginning to end, as one window."""
    at_s = np.linspace(path.t_s[0], path.t_s[-1], moments)
    both = [np.interp(at_s, path.t_s, values) for values in (path.x_m, path.y_m)]
    return np.stack(both, axis=-1)[None].astype(np.float32)


def mirrored(cut: Singles) -> Singles:
    """Windows of turn and speed of the same path in a mirror: left is right."""
    return cut * np.array([-1, 1], dtype=np.float32)
