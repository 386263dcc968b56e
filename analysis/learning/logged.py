"""Logging of positions, which no participant sees and a judge does: steps of time, precision, repeats."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from analysis.learning.paths import Path, resampled

Floats = npt.NDArray[np.float64]

# Of more decimals nothing is said: floats of four bytes have about as many.
FULL = 7
_EXACT = 1e-7
_SAME_STEP = 0.05
# A player who stands for longer is no repeated value; fewer repeats than this share may be short stops.
_STANDING_S, _FEW_REPEATS = 0.5, 0.1


@dataclass(frozen=True, slots=True)
class Logged:
    """One path's logging: seconds between values that are new, their spread over that (0 is regular), decimals of
    positions and of headings (7 for more), and the share of moments that repeat the last while the player moves."""

    step_s: float
    irregular: float
    decimals: int
    heading_decimals: int
    repeats: float


@dataclass(frozen=True, slots=True)
class InCommon:
    """The step and precision to which all paths are brought before a judge reads them; `step_s` 0 and `decimals` 7
    leave them as they are."""

    step_s: float = 0.0
    decimals: int = FULL


def logged(path: Path) -> Logged:
    """The logging of a path, from its values alone."""
    steps = np.diff(path.t_s)
    step = float(np.median(steps))
    changed = np.any([np.diff(values) != 0 for values in (path.x_m, path.y_m, path.z_m)], axis=0)
    at = path.t_s[1:][changed]
    between = np.diff(at)
    moving = between[between < max(_STANDING_S, 3 * step)]
    if not len(moving):
        moving = steps
    every = float(np.median(moving))
    # Each value that is new stands for so many moments.
    repeats = float(np.mean(1 - np.minimum(step / moving, 1.0)))
    heading = FULL if path.heading_rad is None else _decimals(path.heading_rad)
    return Logged(
        max(every, step),
        float(np.std(steps) / step),
        _decimals(np.concatenate([path.x_m, path.y_m])),
        heading,
        repeats if repeats > _FEW_REPEATS else 0.0,
    )


def _decimals(values: Floats) -> int:
    for decimals in range(FULL):
        if np.abs(values - np.round(values, decimals)).max() < _EXACT:
            return decimals
    return FULL


def in_common(paths: Sequence[Path], sources: Sequence[str]) -> InCommon:
    """The coarsest step and the fewest decimals of any source (medians of its paths), where sources differ in them."""
    found = [logged(path) for path in paths]
    steps = _medians((one.step_s for one in found), sources)
    decimals = _medians((float(one.decimals) for one in found), sources)
    irregular = _medians((one.irregular for one in found), sources)
    differ = max(steps) > (1 + _SAME_STEP) * min(steps) or max(irregular) - min(irregular) > _SAME_STEP
    # What is put between moments has all decimals, and what stood at one has its own.
    is_rounded = differ or max(decimals) != min(decimals)
    return InCommon(max(steps) if differ else 0.0, int(min(decimals)) if is_rounded else FULL)


def _medians(values: Iterable[float], sources: Sequence[str]) -> list[float]:
    of = np.array(list(values))
    return [float(np.median(of[np.array(sources) == source])) for source in sorted(set(sources))]


def as_logged(path: Path, common: InCommon) -> Path:
    """The path at the common step, linearly between its moments, and with the common decimals; headings, too, where
    there is a common step."""
    if common.step_s and path.duration_s >= 2 * common.step_s:
        path = resampled(path, 1 / common.step_s)
        if path.heading_rad is not None:
            path = replace(path, heading_rad=np.round(path.heading_rad, common.decimals))
    if common.decimals < FULL:
        x_m, y_m, z_m = (np.round(values, common.decimals) for values in (path.x_m, path.y_m, path.z_m))
        path = replace(path, x_m=x_m, y_m=y_m, z_m=z_m)
    return path
