"""A small logistic regression: standardised, L2-regularised, classes weighted alike unless asked otherwise."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from analysis.stats.intervals import Floats

Classes = npt.NDArray[np.bool_]

_CLOSE = 1e-8
# The SD of equal floats may be rounding and not 0: dividing by it would blow such a column up.
_DUST = 1e-12
_MOST_STEPS = 100


@dataclass(frozen=True, slots=True)
class Logistic:
    """A fitted logistic regression: what stands for a missing value, how clues are standardised, and weights."""

    fill: Floats
    centre: Floats
    scale: Floats
    intercept: float
    weights: Floats

    def scores(self, values: Floats) -> Floats:
        """The log-odds of being positive, one for each row."""
        standard = (np.where(np.isnan(values), self.fill, values) - self.centre) / self.scale
        scores: Floats = self.intercept + standard @ self.weights
        return scores


def fit_logistic(values: Floats, positive: Classes, *, balanced: bool = True) -> Logistic:
    """Fit by Newton's method: the log-loss, each class with half of the weight, plus half the squared weights.

    It is what scikit-learn calls C = 1 with balanced classes, without its threads: fits are small and many. With
    `balanced` False every row has weight 1, so that the shares it predicts are those of the classes.
    """
    known = [column[~np.isnan(column)] for column in values.T]
    fill = np.array([np.median(column) if len(column) else 0.0 for column in known])
    filled = np.where(np.isnan(values), fill, values)
    # Centre and scale are of the rows fitted on: held-out rows must not shape what scores them.
    centre, spread = filled.mean(axis=0), filled.std(axis=0)
    scale = np.where(spread > _DUST * np.maximum(1, np.abs(centre)), spread, 1.0)
    design = np.column_stack([np.ones(len(values)), (filled - centre) / scale])
    classes = np.where(positive, positive.sum(), (~positive).sum())
    weight = len(values) / 2 / classes if balanced else np.ones(len(values))
    # The intercept goes without a penalty: it holds the base rate, which a ridge would draw to one half.
    penalty = np.append(0.0, np.ones(values.shape[1]))

    def loss(beta: Floats) -> float:
        signed = np.where(positive, 1, -1) * (design @ beta)
        # logaddexp, because log(1 + exp(x)) overflows for large x.
        return float(weight @ np.logaddexp(0, -signed) + penalty @ beta**2 / 2)

    beta = np.zeros(design.shape[1])
    for _ in range(_MOST_STEPS):
        share = expit(design @ beta)
        gradient = design.T @ (weight * (share - positive)) + penalty * beta
        curvature = (design.T * (weight * share * (1 - share))) @ design + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        # Newton's full step can overshoot where the classes are nearly separated; halved, it never raises the loss.
        while loss(beta - step) > loss(beta) and np.abs(step).max() > _CLOSE:
            step /= 2
        beta = beta - step
        if np.abs(step).max() <= _CLOSE:
            break
    return Logistic(fill, centre, scale, float(beta[0]), beta[1:])
