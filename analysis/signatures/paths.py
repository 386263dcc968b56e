"""Paths in the plane, from positions, and the measurements of one path."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from analysis.results import Result
from analysis.stats.intervals import Floats

STEP_S = 0.1
"""The step that features are measured at, in seconds."""
NEAR_FULL = 0.03
SLOW = 0.2
STANDING = 0.05
STRAIGHT_DEG_PER_S = 1.0
BAND_HZ = (0.5, 1.8)
_WINDOW = 40
_STEADY = 1e-3


@dataclass(frozen=True, slots=True)
class Path:
    """One player's path in one clip: rising times in seconds, metres, and radians (counter-clockwise) or None.

    `heading_rad` is the direction of gaze, which may differ from that of movement. `goal_m` is the position of its
    goal, one row (east, north) for each position, `wall_m` the distance of the nearest wall. `goal_in_view` and
    `others_in_view` are 1 while the goal, or another player, was in view, else 0.
    """

    t_s: Floats
    x_m: Floats
    y_m: Floats
    heading_rad: Floats | None = None
    goal_m: Floats | None = None
    wall_m: Floats | None = None
    goal_in_view: Floats | None = None
    others_in_view: Floats | None = None

    @property
    def lasts_s(self) -> float:
        return float(self.t_s[-1] - self.t_s[0])

    def resampled(self, step_s: float) -> "Path":
        """The same path at equal steps from its first moment, linearly between positions; views hold until the next
        position.
        """
        # 1e-9, because a duration of n steps can come out a hair below n in floats.
        n_steps = int(np.floor(self.lasts_s / step_s + 1e-9))
        at = self.t_s[0] + step_s * np.arange(n_steps + 1)
        x_m, y_m = (np.interp(at, self.t_s, values) for values in (self.x_m, self.y_m))
        heading = self.heading_rad
        if heading is not None:
            # Unwrapped: halfway between 359 and 1 degrees lies 0, not 180.
            heading = np.interp(at, self.t_s, np.unwrap(heading))
        goal = self.goal_m
        if goal is not None:
            goal = np.column_stack([np.interp(at, self.t_s, goal[:, axis]) for axis in (0, 1)])
        wall = None if self.wall_m is None else np.interp(at, self.t_s, self.wall_m)
        # In view or not: the last known moment counts, as nothing lies in between.
        last = np.searchsorted(self.t_s, at + 1e-9, side="right") - 1
        seen = (None if each is None else each[last] for each in (self.goal_in_view, self.others_in_view))
        return Path(at, x_m, y_m, heading, goal, wall, *seen)

    def velocities(self) -> tuple[Floats, Floats]:
        """Speed in m/s and course in radians (counter-clockwise from east) from each position to the next."""
        lasts = np.diff(self.t_s)
        east, north = np.diff(self.x_m) / lasts, np.diff(self.y_m) / lasts
        return np.hypot(east, north), np.arctan2(north, east)


@dataclass(frozen=True, slots=True)
class PathFeatures(Result):
    """Measurements of one path at ten positions a second; of its course, not of its player's gaze.

    Shares of time in [0, 1]: `full_speed` within 3% of full speed, `slow` below 20% of it, `straight` turning by less
    than 1 degree per second. `reversals_per_s`: how often left turns to right or back. `turn_sd_deg_per_s`;
    `turn_kurtosis`: excess over a normal distribution, larger if turns come in bursts. `corrections`: the share of the
    speed's power from 0.5 to 1.8 Hz [Wel67]_. `acceleration`: root mean square, in full speeds per second.
    `mean_speed`: of full speed. `straightness`: net displacement over length [Ben04]_.
    """

    full_speed: float
    slow: float
    straight: float
    reversals_per_s: float
    turn_sd_deg_per_s: float
    turn_kurtosis: float
    corrections: float
    acceleration: float
    mean_speed: float
    straightness: float


FEATURES: tuple[str, ...] = tuple(PathFeatures.__dataclass_fields__)
"""The names of the features, in order."""


def path_features(path: Path, full_m_per_s: float) -> PathFeatures | None:
    """Measure a path; None if it lasts less than a second or the player does not move.

    `full_m_per_s` is the game's maximum speed; for unknown games, see `full_speed_of`.
    """
    if path.lasts_s < 1.0:
        return None
    even = path.resampled(STEP_S)
    m_per_s, course = even.velocities()
    speed = m_per_s / full_m_per_s
    turns = np.degrees(_turns(course, speed > STANDING)) / STEP_S
    if len(turns) < 3:
        return None
    clear = np.sign(turns[np.abs(turns) >= STRAIGHT_DEG_PER_S])
    length_m = float(m_per_s.sum() * STEP_S)
    net_m = float(np.hypot(even.x_m[-1] - even.x_m[0], even.y_m[-1] - even.y_m[0]))
    return PathFeatures(
        full_speed=float(np.mean(np.abs(speed - 1.0) < NEAR_FULL)),
        slow=float(np.mean(speed < SLOW)),
        straight=float(np.mean(np.abs(turns) < STRAIGHT_DEG_PER_S)),
        reversals_per_s=float(np.count_nonzero(np.diff(clear)) / (len(speed) * STEP_S)),
        turn_sd_deg_per_s=float(turns.std()),
        # Kurtosis divides by the spread, and of a steady turn only rounding is left.
        turn_kurtosis=float(scipy.stats.kurtosis(turns)) if np.ptp(turns) > _STEADY else 0.0,
        corrections=_in_band(speed),
        acceleration=float(np.sqrt(np.mean(np.diff(speed) ** 2)) / STEP_S),
        mean_speed=float(speed.mean()),
        straightness=net_m / length_m,
    )


def _turns(course: Floats, moves: npt.NDArray[np.bool_]) -> Floats:
    """The change of course in (-pi, pi] between steps that follow each other while both move."""
    return wrapped(np.diff(course)[moves[1:] & moves[:-1]])


def wrapped(angle_rad: Floats) -> Floats:
    """Angles brought into (-pi, pi]."""
    return np.pi - np.mod(np.pi - angle_rad, 2 * np.pi)


def _in_band(speed: Floats) -> float:
    """The share of the speed's variance between 0.5 and 1.8 Hz; 0 of a constant speed."""
    if float(speed.std()) < _STEADY:
        return 0.0
    hz, power = scipy.signal.welch(speed, fs=1 / STEP_S, nperseg=min(len(speed), _WINDOW), detrend="constant")
    within = (hz >= BAND_HZ[0]) & (hz <= BAND_HZ[1])
    return float(power[within].sum() / power.sum())
