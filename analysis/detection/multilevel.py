"""Sensitivity and criterion of a group by a multilevel probit: what participants' corrected d' is too near to 0 for."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy
from scipy.special import log_ndtr, ndtri

from analysis.data.codes import Counts
from analysis.options import LEVEL
from analysis.results import Result
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Floats, Interval, no_interval
from analysis.stats.student import student_limits

METHOD = (
    "multilevel probit: participants' z(H) and z(F) bivariate normal, marginal likelihood by adaptive Gauss-Hermite "
    "quadrature, Student's t"
)
# From 5 participants on it held d' and c in 92 to 100% of simulated groups (docs/elsewhere.md).
FEWEST = 5

_NODES = 7
_PRIOR_SD, _OFF_ZERO = 0.8, 0.1
_STEPS = 30
# log sqrt(2 pi), and how far apart finite differences of the log likelihood are.
_LOG_ROOT, _APART = 0.5 * float(np.log(2 * np.pi)), 1e-3
# Of sums that diverge the search ends far out.
_FAR = 4.0

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GroupSensitivity(Result):
    """Mean d' and criterion of the population of participants, and how far participants differ in each (their SDs)."""

    d_prime: Estimate
    criterion: Estimate
    sd_d_prime: float | None
    """Standard deviation of d' between participants."""
    sd_criterion: float | None
    """Standard deviation of c between participants."""


def group_sensitivity(
    hits: Counts, n_signal: Counts, false_alarms: Counts, n_noise: Counts, *, seed: int
) -> GroupSensitivity:
    """Fit z(H) and z(F) of participants as bivariate normal: d' is the difference of their means, c minus half the sum.

    The probit model of signal detection [DeC98]_ with participants as random effects [RL05]_. One count of each per
    participant, of those who judged both classes; no correction is added, so few trials do not pull d' to 0. The SDs of
    z(H) and z(F) have half-normal priors with scale 0.8, and the determinant of their covariance to the power 0.1 keeps
    that off 0. The numbers are where likelihood times prior is greatest, and their intervals Student's t with n - 1
    degrees of freedom from its curvature there. Stimuli are taken as fixed: the numbers are for these.

    In simulations of 5 to 30 participants with 5 to 40 trials a class the intervals hold d' in 92% or more of cases,
    and d' is too far from 0 by up to 0.14 (bench/calibration.md). Without numbers, and with a reason, of fewer than 5
    participants and where all answers to a class are the same.
    """
    both = (n_signal > 0) & (n_noise > 0)
    given = np.column_stack([hits, n_signal, false_alarms, n_noise])[both].astype(np.int64)
    n = len(given)
    if (reason := _why_not(given)) is not None:
        return _without(n, reason, seed)
    cells, times = np.unique(given, axis=0, return_counts=True)
    model = _Model(cells, times)
    found = scipy.optimize.minimize(model.cost, model.start(), method="BFGS", options={"gtol": 1e-4})
    spread = _covariance(model, found.x)
    if spread is None or np.abs(found.x[:2]).max() > _FAR:
        return _without(n, "the multilevel model does not settle on these counts", seed)
    mean, of_mean = found.x[:2], spread[:2, :2]
    sigma = _sigma(found.x)
    # d' and c as sums of z(H) and z(F).
    contrasts = np.array([[1.0, -1.0], [-0.5, -0.5]])
    values = contrasts @ mean
    errors = np.sqrt(np.einsum("ij,jk,ik->i", contrasts, of_mean, contrasts))
    low, high = student_limits(values, errors, np.full(2, n - 1.0))
    d_prime, criterion = (
        Estimate(
            float(values[k]), n, Interval(float(low[k]), float(high[k]), LEVEL, METHOD, 0, seed, None), None
        )
        for k in range(2)
    )
    sds = np.sqrt(np.einsum("ij,jk,ik->i", contrasts, sigma, contrasts))
    return GroupSensitivity(d_prime, criterion, float(sds[0]), float(sds[1]))


def _why_not(given: Ints) -> str | None:
    if len(given) < FEWEST:
        return f"too few participants who judged both classes for a multilevel model: {len(given)}, {FEWEST} are needed"
    hits, n_signal, false_alarms, n_noise = given.sum(axis=0)
    if hits in (0, n_signal):
        return (
            "nobody missed a signal: d' has no upper limit"
            if hits
            else "nobody hit a signal: d' has no lower limit"
        )
    if false_alarms in (0, n_noise):
        return (
            "nobody had a false alarm: d' has no upper limit"
            if not false_alarms
            else "every noise was a false alarm"
        )
    return None


def _without(n: int, reason: str, seed: int) -> GroupSensitivity:
    one = Estimate(None, n, no_interval(reason, seed, 0, METHOD), reason)
    return GroupSensitivity(one, one, None, None)


def _sigma(parameters: Floats) -> Floats:
    """The covariance of z(H) and z(F), from the logarithms of its factor's diagonal and the entry between."""
    factor = np.array([[np.exp(parameters[2]), 0.0], [parameters[3], np.exp(parameters[4])]])
    sigma: Floats = factor @ factor.T
    return sigma


class _Model:
    """Counts of participants, alike ones together, and their penalised marginal likelihood."""

    def __init__(self, cells: Ints, times: Ints) -> None:
        self.yes = cells[:, [0, 2]].astype(float)
        self.no = cells[:, [1, 3]].astype(float) - self.yes
        self.times = times.astype(float)
        # Each search starts at the mode of the last one: the optimizer moves the parameters little between calls.
        self.at = np.zeros_like(self.yes)
        points, weights = np.polynomial.hermite_e.hermegauss(_NODES)
        one, other = (each.ravel() for each in np.meshgrid(points, points, indexing="ij"))
        self.points = np.column_stack([one, other])
        self.log_weights = (
            np.log(np.outer(weights, weights).ravel()) - 2 * _LOG_ROOT + (self.points**2).sum(1) / 2
        )

    def start(self) -> Floats:
        """The means of corrected z(H) and z(F), and SDs of a half."""
        z = ndtri((self.yes + 0.5) / (self.yes + self.no + 1))
        mean = np.average(z, axis=0, weights=self.times)
        return np.array([*mean, np.log(0.5), 0.0, np.log(0.5)])

    def cost(self, parameters: Floats) -> float:
        """Minus the logarithm of likelihood times prior."""
        mean = parameters[:2]
        with np.errstate(over="ignore", invalid="ignore"):
            sigma = _sigma(parameters)
        log_det = 2 * (parameters[2] + parameters[4])
        # Far out the exponentials overflow: a large finite cost turns the search back.
        if not np.isfinite(sigma).all() or np.abs(parameters[[2, 4]]).max() > 12:
            return 1e10
        prior = float(np.trace(sigma)) / (2 * _PRIOR_SD**2)
        precision = _inverse(sigma)
        mode, curve = self._mode(mean, precision)
        factor = np.linalg.cholesky(np.linalg.inv(curve))
        z = mode[:, None, :] + np.einsum("pij,nj->pni", factor, self.points)
        away = z - mean
        log_joint = (
            (self.yes[:, None] * log_ndtr(z) + self.no[:, None] * log_ndtr(-z)).sum(axis=2)
            - 0.5 * np.einsum("pni,ij,pnj->pn", away, precision, away)
            - 0.5 * log_det
            - 2 * _LOG_ROOT
        )
        exponent = log_joint + self.log_weights + 2 * _LOG_ROOT
        # The largest term is taken out before exp, which would underflow for a log likelihood of many answers.
        top = exponent.max(axis=1)
        log_marginal = top + np.log(np.exp(exponent - top[:, None]).sum(axis=1))
        log_marginal += np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
        return float(prior - self.times @ log_marginal - _OFF_ZERO * log_det)

    def _mode(self, mean: Floats, precision: Floats) -> tuple[Floats, Floats]:
        """Each cell's likeliest z(H) and z(F), and the curvature there, by Newton's method."""
        z = self.at
        for _ in range(_STEPS):
            slope, bend = self._bent(z)
            slope -= (z - mean) @ precision
            curve = precision + bend[:, :, None] * np.eye(2)
            step = np.linalg.solve(curve, slope[:, :, None])[:, :, 0]
            # Steps of one at most: Newton's method overshoots where the probit is flat.
            z = z + np.clip(step, -1.0, 1.0)
            if np.abs(step).max() < 1e-8:
                break
        self.at = z
        return z, precision + self._bent(z)[1][:, :, None] * np.eye(2)

    def _bent(self, z: Floats) -> tuple[Floats, Floats]:
        """The slope of the counts' log likelihood in z, and minus its second derivative."""
        density = -0.5 * z**2 - _LOG_ROOT
        # By logarithms: far out density and tail both underflow, their ratio does not.
        up, down = np.exp(density - log_ndtr(z)), np.exp(density - log_ndtr(-z))
        slope = self.yes * up - self.no * down
        bend = self.yes * up * (up + z) + self.no * down * (down - z)
        # Rounding can leave 0 far out, and the curvature has to be invertible.
        return slope, np.maximum(bend, 1e-12)


def _covariance(model: _Model, at: Floats) -> Floats | None:
    """The inverse of the cost's second derivatives; None if they do not describe a minimum."""
    size = len(at)
    second = np.empty((size, size))
    steps = _APART * np.eye(size)
    middle = model.cost(at)
    for i in range(size):
        for j in range(i + 1):
            if i == j:
                value = model.cost(at + steps[i]) - 2 * middle + model.cost(at - steps[i])
            else:
                value = (
                    model.cost(at + steps[i] + steps[j])
                    - model.cost(at + steps[i] - steps[j])
                    - model.cost(at - steps[i] + steps[j])
                    + model.cost(at - steps[i] - steps[j])
                ) / 4
            second[i, j] = second[j, i] = value / _APART**2
    # Where the second derivatives are not positive definite there is no minimum, and their inverse is no covariance.
    try:
        np.linalg.cholesky(second)
    except np.linalg.LinAlgError:
        return None
    return _inverse(second)


def _inverse(matrix: Floats) -> Floats:
    found: Floats = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    return found
