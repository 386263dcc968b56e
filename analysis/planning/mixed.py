"""The mixed model's p value for many data sets at once, the one that `analysis.stats.mixed` gives for a single one.

Weak priors on the two standard deviations, half-normal with scale 2 in log odds, and these integrated out [RMC09]_:
with few pairs their spread is hardly known, and a test that takes its best guess for the truth finds too much.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from analysis.planning.laplace import Answers, Model, Point
from analysis.stats.intervals import Floats
from analysis.stats.posterior import PRIOR_SD

_START = 0.3
_LOGS = (-5.0, 2.0)
_MOST_ROUNDS = 40
_CLOSE = 0.1
_LONGEST_STEP = 1.0
_WIDEST = 2.0
# 16 points in place of the analysis's 64: p stays within 0.02 of it (docs/planning.md).
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(4)


@dataclass(frozen=True, slots=True)
class Differences:
    """For each data set: posterior mean and SD of the second mean less the first (log odds), its p against 0."""

    mean: Floats
    sd: Floats
    p: Floats


def differences(answers: Answers) -> Differences:
    """Fit every data set and integrate over both standard deviations.

    Gauss-Hermite quadrature in their logarithms, 4 by 4, about the posterior's mode. A data set in which a condition
    has one answer only has no finite difference: it comes out large, with a larger SD.
    """
    # People are eliminated one by one, and a matrix of the pairs is inverted: cheap where there are fewer of these.
    if answers.n_people < answers.n_pairs:
        answers = answers.turned()
    model = Model(answers, np.full((len(answers.right), 2), _START**2))
    point, widths = _settled(model)
    shift = model.shift(point)
    centre = np.log(model.variances) / 2
    means, spreads, weights = [], [], []
    for i, across in enumerate(_NODES):
        # There and back again, so that each node is next to the last one.
        for j in range(len(_NODES))[:: 1 - 2 * (i % 2)]:
            node = np.array([across, _NODES[j]])
            logs = np.clip(centre + widths * node, *_LOGS)
            model.variances = np.exp(2 * logs)
            point = model.climb(2)
            mean, variance = model.difference(point)
            means.append(mean + shift)
            spreads.append(np.sqrt(variance))
            weights.append(
                model.evidence(point)
                + _log_prior(logs)
                + np.log(_WEIGHTS[i] * _WEIGHTS[j])
                + (node**2).sum() / 2
            )
    return _summed(np.array(means), np.array(spreads), np.array(weights))


def _summed(means: Floats, spreads: Floats, log_weights: Floats) -> Differences:
    # The largest is taken out before exp, which would underflow for a log evidence of many answers.
    weights = np.exp(log_weights - log_weights.max(axis=0))
    weights /= weights.sum(axis=0)
    mean = (weights * means).sum(axis=0)
    sd = np.sqrt((weights * (spreads**2 + (means - mean) ** 2)).sum(axis=0))
    below = (weights * ndtr(-means / spreads)).sum(axis=0)
    return Differences(mean, sd, 2 * np.minimum(below, 1 - below))


def _log_prior(logs: Floats) -> Floats:
    """The prior of the standard deviations, as a density of their logarithms."""
    prior: Floats = (logs - np.exp(2 * logs) / (2 * PRIOR_SD**2)).sum(axis=1)
    return prior


def _settled(model: Model) -> tuple[Point, Floats]:
    """Bring the model to the posterior's mode in the logarithms of the standard deviations; one SD of each there."""
    logs = np.log(model.variances) / 2
    for _ in range(_MOST_ROUNDS):
        point = model.climb(2)
        slopes, curvature = model.slopes(point)
        variances = model.variances
        rise = 1 - variances * (slopes + 1 / PRIOR_SD**2)
        bent = 2 * variances * (variances * curvature + np.maximum(slopes, 0) + 1 / PRIOR_SD**2)
        step = np.clip(rise / np.maximum(bent, _WIDEST**-2), -_LONGEST_STEP, _LONGEST_STEP)
        if np.abs(step).max() < _CLOSE:
            break
        logs = np.clip(logs + step, *_LOGS)
        model.variances = np.exp(2 * logs)
    return point, np.maximum(bent, _WIDEST**-2) ** -0.5
