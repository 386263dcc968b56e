"""Baselines that a trained judge has to beat, on the same test pairs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.learning.examples import Example, Pairs, Splits, labels_of
from analysis.learning.paths import Path, resampled, turn_and_speed
from analysis.results import Result
from analysis.stats.auc import auc
from analysis.stats.intervals import Floats
from analysis.stats.logistic import fit_logistic

_RATE_HZ = 10.0
_STRAIGHT_RAD_PER_S = np.radians(1.0)
FEATURES = (
    "mean speed",
    "SD of speed",
    "share of time at full speed",
    "share of time standing",
    "acceleration, rms",
    "turn rate, rms",
    "share of time straight",
    "turn reversals per second",
    "turn autocorrelation",
    "straightness",
)


@dataclass(frozen=True, slots=True)
class Baseline(Result):
    """The accuracy of an untrained, or hardly trained, judge in naming the person's clip; a tie counts a half.

    `is_beaten`: the trained judge is more accurate; None if either has no number.
    """

    name: str
    n_pairs: int
    pairs: float | None
    is_beaten: bool | None


def features(path: Path) -> Floats:
    """Numbers of a whole path, as in `FEATURES`; no place, and nothing that grows with its length."""
    turn, speed = turn_and_speed(path, _RATE_HZ, by_heading=path.heading_rad is not None).T
    full = float(np.quantile(speed, 0.95)) if len(speed) else 0.0
    full = full if full > 0 else 1.0
    signs = np.sign(turn[np.abs(turn) > _STRAIGHT_RAD_PER_S])
    even = resampled(path, _RATE_HZ)
    length = float(speed.sum()) / _RATE_HZ
    net = float(np.hypot(even.x_m[-1] - even.x_m[0], even.y_m[-1] - even.y_m[0]))
    duration = max(len(speed) / _RATE_HZ, 1 / _RATE_HZ)
    energy = float((turn**2).sum())
    return np.array(
        [
            speed.mean(),
            speed.std(),
            (speed > 0.97 * full).mean(),
            (speed < 0.2 * full).mean(),
            np.sqrt((np.diff(speed) ** 2).mean()) * _RATE_HZ if len(speed) > 1 else 0.0,
            np.sqrt((turn**2).mean()),
            (np.abs(turn) < _STRAIGHT_RAD_PER_S).mean(),
            (np.diff(signs) != 0).sum() / duration,
            float((turn[1:] * turn[:-1]).sum()) / energy if energy > 0 else 0.0,
            min(1.0, net / length) if length > 0 else 1.0,
        ]
    )


def logistic_baseline(
    examples: Sequence[Example], splits: Splits, tested: Pairs, reached: float | None
) -> Baseline:
    """A logistic regression on `features`, trained on the same folds."""
    table, is_human = np.array([features(example.path) for example in examples]), labels_of(examples)
    values = np.full(len(examples), np.nan)
    for part in splits.folds:
        values[part.test] = fit_logistic(table[part.train], is_human[part.train]).scores(table[part.test])
    return baseline("logistic regression on ten numbers of the path", list(values), tested, reached)


def best_number_baseline(
    examples: Sequence[Example], splits: Splits, tested: Pairs, reached: float | None
) -> Baseline:
    """The baseline of the one feature that separates best where a copy is trained, with its direction there."""
    table, is_human = np.array([features(example.path) for example in examples]), labels_of(examples)
    values, taken = np.full(len(examples), np.nan), []
    for part in splits.folds:
        human = is_human[part.train]
        areas = np.array([auc(column[human], column[~human]) for column in table[part.train].T])
        best = int(np.argmax(np.abs(areas - 0.5)))
        values[part.test] = np.sign(areas[best] - 0.5) * table[part.test, best]
        taken.append(FEATURES[best])
    names = ", ".join(sorted(set(taken)))
    return baseline(f"the best single number of the path ({names})", list(values), tested, reached)


def baseline(name: str, values: Sequence[float | None], tested: Pairs, reached: float | None) -> Baseline:
    """The baseline of one value per example, more being more human-like; pairs without both values are left out."""
    won = []
    for one, other in tested:
        a, b = values[one], values[other]
        if a is not None and b is not None:
            won.append(0.5 + 0.5 * float(np.sign(round(a - b, 9))))
    share = float(np.mean(won)) if won else None
    return Baseline(name, len(won), share, None if share is None or reached is None else reached > share)
