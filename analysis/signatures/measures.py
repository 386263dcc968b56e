"""Signatures: what of a path is counted into bins, and how far two such counts are from each other.

Every signature of a clip is a vector of counts, so that clips add up to players and players to sources.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.results import Result
from analysis.signatures.paths import SLOW, STRAIGHT_DEG_PER_S, Path, wrapped
from analysis.stats.intervals import Floats

BINS = 20
STEP_S = 0.125
"""The time step of the published signatures, in seconds."""
STANDING = 0.05
"""Of the median moving speed: slower than this, an angle is noise."""
FINE_STEP_S = 0.1
_TURN_DEG_PER_S = 5.0
_TURN_LIMIT = 400.0
_SPEED = 0.05
_SPEED_LIMIT = 1.5
_RUN_S = 0.1
_RUN_LIMIT = 10.0
_GOAL_DEG = (15.0, 45.0, 90.0)
_WALL_M = (0.5, 1.0, 2.0)

Counts = Floats
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Distance = Callable[[Counts, Counts], Floats]


@dataclass(frozen=True, slots=True)
class Scale(Result):
    """The scale of one logging program's positions: the median moving speed and full speed, in m/s."""

    moving_m_per_s: float
    full_m_per_s: float


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature: `count` gives a clip's counts, or None if its positions lack the input (`needs`).

    `distance` takes counts with one row for each case and gives a distance each, in `unit`. `published` marks the two
    of Tencé and Buche [TB10]_.
    """

    name: str
    title: str
    unit: str
    count: Callable[[Path, Scale], Counts | None]
    distance: Distance
    needs: str = ""
    published: bool = False


def scale_of(paths: list[Path]) -> Scale:
    """The median of all speeds above 0 of all paths, and the speed that 95% of them do not exceed."""
    speeds = np.concatenate([path.resampled(STEP_S).velocities()[0] for path in paths])
    moving = speeds[speeds > 0]
    if not len(moving):
        return Scale(0.0, 0.0)
    return Scale(float(np.median(moving)), float(np.quantile(moving, 0.95)))


def bin_of(angle_rad: Floats) -> Ints:
    """The nearest of 20 directions, 0 straight on and 5 a quarter turn to the left: floor(20 a / 2 pi + 1/2) mod 20."""
    # The paper does not say where bins begin: here 0 is the middle of the first.
    bins: Ints = np.floor(BINS * angle_rad / (2 * np.pi) + 0.5).astype(np.int64)
    return bins % BINS


def velocity_change(path: Path, scale: Scale) -> Counts:
    """Counts of the angle from V(t) to V(t+1) in 20 bins; both faster than 5% of the median moving speed."""
    speed, course = path.resampled(STEP_S).velocities()
    # Who stands has no direction: the one computed there is noise of the positions.
    moves = speed > STANDING * scale.moving_m_per_s
    return _counted(bin_of(wrapped(np.diff(course)[moves[1:] & moves[:-1]])), BINS)


def velocity_to_aim(path: Path, scale: Scale) -> Counts | None:
    """Counts of the angle from V(t) to the direction the player looked, D(t), in 20 bins."""
    even = path.resampled(STEP_S)
    if even.heading_rad is None:
        return None
    speed, course = even.velocities()
    moves = speed > STANDING * scale.moving_m_per_s
    return _counted(bin_of(wrapped((even.heading_rad[:-1] - course)[moves])), BINS)


def standing_share(path: Path, scale: Scale) -> tuple[int, int]:
    """The number of angles of the first signature left out because the player stood, and the total."""
    n_all = max(0, len(path.resampled(STEP_S).t_s) - 2)
    return n_all - int(velocity_change(path, scale).sum()), n_all


def circular_emd(p: Counts, q: Counts) -> Floats:
    """The Earth Mover's Distance of two histograms on a circle, each divided by its sum, in bins [RDG11]_.

    F is the cumulative sum of the difference; sum |F - median(F)|. Rows are cases.
    """
    flow = np.cumsum(_normalised(p) - _normalised(q), axis=-1)
    found: Floats = np.abs(flow - np.median(flow, axis=-1, keepdims=True)).sum(axis=-1)
    return found


def linear(width: float) -> Distance:
    """Wasserstein's distance of two histograms on a line, in the unit of their bins' width."""

    def distance(p: Counts, q: Counts) -> Floats:
        found: Floats = np.abs(np.cumsum(_normalised(p) - _normalised(q), axis=-1)).sum(axis=-1) * width
        return found

    return distance


def _normalised(counts: Counts) -> Floats:
    total = np.asarray(counts, dtype=float).sum(axis=-1, keepdims=True)
    # Nothing counted has no distance from anything.
    shares: Floats = np.divide(counts, total, out=np.full(np.shape(counts), np.nan), where=total > 0)
    return shares


def _counted(bins: Ints, n_bins: int) -> Counts:
    return np.bincount(np.clip(bins, 0, n_bins - 1), minlength=n_bins).astype(float)


@dataclass(frozen=True, slots=True)
class _Moving:
    """A path at ten positions a second: speed in full speeds, turn in degrees per second, NaN while standing."""

    speed: Floats
    turn: Floats


def _moving(path: Path, scale: Scale) -> _Moving:
    m_per_s, course = path.resampled(FINE_STEP_S).velocities()
    speed = m_per_s / scale.full_m_per_s if scale.full_m_per_s else np.zeros_like(m_per_s)
    moves = m_per_s > STANDING * scale.moving_m_per_s
    turn = np.degrees(wrapped(np.diff(course))) / FINE_STEP_S
    return _Moving(speed, np.where(moves[1:] & moves[:-1], turn, np.nan))


def _turn_bins(turn: Floats) -> Ints:
    bins: Ints = np.floor((turn + _TURN_LIMIT) / _TURN_DEG_PER_S + 0.5).astype(np.int64)
    return np.clip(bins, 0, _N_TURNS - 1)


_N_TURNS = round(2 * _TURN_LIMIT / _TURN_DEG_PER_S) + 1
_N_SPEEDS = round(_SPEED_LIMIT / _SPEED) + 1


def _turn_rate(path: Path, scale: Scale) -> Counts:
    turn = _moving(path, scale).turn
    return _counted(_turn_bins(turn[~np.isnan(turn)]), _N_TURNS)


def _pace(path: Path, scale: Scale) -> Counts:
    return _counted(_speed_bins(_moving(path, scale).speed), _N_SPEEDS)


def _speed_bins(speed: Floats) -> Ints:
    bins: Ints = np.floor(speed / _SPEED + 0.5).astype(np.int64)
    return np.clip(bins, 0, _N_SPEEDS - 1)


def _straight_runs(path: Path, scale: Scale) -> Counts:
    turn = _moving(path, scale).turn
    # Standing is NaN, and is no straight run.
    return _runs(np.abs(np.where(np.isnan(turn), np.inf, turn)) < STRAIGHT_DEG_PER_S)


def _pauses(path: Path, scale: Scale) -> Counts:
    return _runs(_moving(path, scale).speed < SLOW)


def _runs(holds: Bools) -> Counts:
    """Moments counted by the length of the run that they are in; 0 for those in none."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], holds, [False]))))
    lengths = edges[1::2] - edges[::2]
    moments = np.repeat(lengths, lengths)
    outside = np.zeros(len(holds) - len(moments), dtype=np.int64)
    return _counted(np.concatenate([outside, moments]), round(_RUN_LIMIT / _RUN_S) + 1)


def _turn_given_goal(path: Path, scale: Scale) -> Counts | None:
    """Turns towards the goal (+) or away, apart for goals straight ahead, aside, far aside and behind."""
    if path.goal_m is None:
        return None
    even = path.resampled(FINE_STEP_S)
    assert even.goal_m is not None
    turn = _moving(path, scale).turn
    course = even.velocities()[1][:-1]
    east, north = (even.goal_m[:, axis][:-2] - values[:-2] for axis, values in ((0, even.x_m), (1, even.y_m)))
    aside = np.degrees(wrapped(np.arctan2(north, east) - course))
    found = ~np.isnan(turn)
    towards = (turn * np.where(aside < 0, -1.0, 1.0))[found]
    zone = np.searchsorted(_GOAL_DEG, np.abs(aside[found]))
    return _by_zone(zone, len(_GOAL_DEG) + 1, _turn_bins(towards), _N_TURNS)


def _turn_given_wall(path: Path, scale: Scale) -> Counts | None:
    """Turns, left and right apart, for walls within half a metre, one, two and farther off."""
    even = path.resampled(FINE_STEP_S)
    if even.wall_m is None:
        return None
    turn = _moving(path, scale).turn
    found = ~np.isnan(turn)
    zone = np.searchsorted(_WALL_M, even.wall_m[:-2][found])
    return _by_zone(zone, len(_WALL_M) + 1, _turn_bins(turn[found]), _N_TURNS)


def _turn_given_view(path: Path, scale: Scale) -> Counts | None:
    """Turns, left and right apart, while the goal is out of view and while it is in view."""
    seen = path.resampled(FINE_STEP_S).goal_in_view
    if seen is None:
        return None
    turn = _moving(path, scale).turn
    found = ~np.isnan(turn)
    return _by_zone(_zone_of_view(seen[:-2][found]), 2, _turn_bins(turn[found]), _N_TURNS)


def _speed_given_others(path: Path, scale: Scale) -> Counts | None:
    """Counts of speeds with no other player in view, and with one."""
    seen = path.resampled(FINE_STEP_S).others_in_view
    if seen is None:
        return None
    return _by_zone(_zone_of_view(seen[:-1]), 2, _speed_bins(_moving(path, scale).speed), _N_SPEEDS)


def _zone_of_view(seen: Floats) -> Ints:
    zones: Ints = (seen >= 0.5).astype(np.int64)
    return zones


def _by_zone(zone: Ints, n_zones: int, bins: Ints, n_bins: int) -> Counts:
    """Counts of actions (bins) separately for observations (zones), one zone after the other."""
    counts = np.zeros((n_zones, n_bins))
    np.add.at(counts, (zone, bins), 1.0)
    return counts.ravel()


def unordered(p: Counts, q: Counts) -> Floats:
    """The Earth Mover's Distance where all bins are 1 apart: half the sum of differences, the share to be moved."""
    found: Floats = np.abs(_normalised(p) - _normalised(q)).sum(axis=-1) / 2
    return found


def conditional(n_zones: int, within_zone: Distance) -> Distance:
    """The mean over zones of the distance within, weighted by the two sources' mean share of moments there.

    A zone that one of the two was never in does not count; NaN where they have none in common."""

    def distance(p: Counts, q: Counts) -> Floats:
        shape = (*np.shape(p)[:-1], n_zones, -1)
        one, other = np.reshape(p, shape), np.reshape(q, (*np.shape(q)[:-1], n_zones, -1))
        weight = (_normalised(one.sum(axis=-1)) + _normalised(other.sum(axis=-1))) / 2
        # Zones that both were in: who meets other situations is not far for that.
        both = (one.sum(axis=-1) > 0) & (other.sum(axis=-1) > 0)
        within = np.where(both, within_zone(one, other), 0.0)
        total = np.where(both, weight, 0.0).sum(axis=-1)
        found: Floats = np.divide(
            (within * np.where(both, weight, 0.0)).sum(axis=-1),
            total,
            out=np.full(np.shape(total), np.nan),
            where=total > 0,
        )
        return found

    return distance


SIGNATURES: tuple[Signature, ...] = (
    Signature(
        "velocity-change", "Velocity change angle", "bins", velocity_change, circular_emd, published=True
    ),
    Signature(
        "velocity-to-aim",
        "Velocity relative to the direction looked in",
        "bins",
        velocity_to_aim,
        circular_emd,
        needs="positions have no heading_rad",
        published=True,
    ),
    Signature("turn-rate", "Turn rate", "degrees/s", _turn_rate, linear(_TURN_DEG_PER_S)),
    Signature("speed", "Speed", "full speeds", _pace, linear(_SPEED)),
    Signature("straight-runs", "Straight runs, moments by their length", "s", _straight_runs, linear(_RUN_S)),
    Signature("pauses", "Pauses, moments by their length", "s", _pauses, linear(_RUN_S)),
    Signature(
        "turn-given-goal",
        "Turn towards the goal, given its angle",
        "degrees/s",
        _turn_given_goal,
        conditional(len(_GOAL_DEG) + 1, linear(_TURN_DEG_PER_S)),
        needs="positions have no goal_x_m and goal_y_m",
    ),
    Signature(
        "turn-given-wall",
        "Turn, given how far the nearest wall is",
        "degrees/s",
        _turn_given_wall,
        conditional(len(_WALL_M) + 1, linear(_TURN_DEG_PER_S)),
        needs="positions have no wall_m",
    ),
    Signature(
        "turn-given-view",
        "Turn, given whether the goal is in view",
        "degrees/s",
        _turn_given_view,
        conditional(2, linear(_TURN_DEG_PER_S)),
        needs="positions have no goal_in_view",
    ),
    Signature(
        "speed-given-others",
        "Speed, given whether somebody is in view",
        "full speeds",
        _speed_given_others,
        conditional(2, linear(_SPEED)),
        needs="positions have no others_in_view",
    ),
)
"""Every signature of paths, the two published ones first."""
