"""The numbers behind the mixed model: a logistic regression with two crossed random intercepts."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from scipy.special import expit, logit

from analysis.stats.intervals import Floats

Codes = npt.NDArray[np.int64]
Cells: TypeAlias = Floats | sparse.csr_array

_CLOSE = 1e-6
_MOST_STEPS = 60
_MOST_HALVINGS = 30
_CELLS = 4_000_000
_SMALL = 20_000
_DENSE = 10


class NotConverged(Exception):
    """The fit went nowhere."""


@dataclass(frozen=True, slots=True)
class Answers:
    """For each answer its row of `design` (fixed effects), the codes of its two levels, and the outcome, 0 or 1.

    Every level has an answer.
    """

    design: Floats
    first: Codes
    second: Codes
    outcome: Floats


@dataclass(frozen=True, slots=True)
class Effects:
    """Fixed effects, and the random effects of the larger and of the smaller factor."""

    fixed: Floats
    larger: Floats
    smaller: Floats

    def moved(self, by: "Effects", share: float) -> "Effects":
        """These effects, a `share` of the step `by` further."""
        return Effects(
            self.fixed + share * by.fixed,
            self.larger + share * by.larger,
            self.smaller + share * by.smaller,
        )

    @property
    def largest(self) -> float:
        """The largest of all, without its sign."""
        return float(np.abs(np.concatenate((self.fixed, self.larger, self.smaller))).max())


@dataclass(frozen=True, slots=True)
class Fit:
    """Fixed effects and their covariance at given standard deviations, and the log evidence for these."""

    evidence: float
    fixed: Floats
    covariance: Floats


class Laplace:
    """Fits the model at given standard deviations; each fit starts where the last one ended."""

    def __init__(self, answers: Answers) -> None:
        sizes = [int(codes.max()) + 1 for codes in (answers.first, answers.second)]
        # The larger factor is eliminated level by level, so that only a matrix of the smaller one is inverted.
        self._turned = sizes[0] < sizes[1]
        codes = (answers.second, answers.first) if self._turned else (answers.first, answers.second)
        self.larger, self.smaller = codes
        self.n_larger, self.n_smaller = max(sizes), min(sizes)
        cells, self.cell = np.unique(self.larger * self.n_smaller + self.smaller, return_inverse=True)
        self.cell_larger, self.cell_smaller = np.divmod(cells, self.n_smaller)
        self._cells = cells
        self._cell_starts = np.searchsorted(self.cell_larger, np.arange(self.n_larger + 1))
        # One answer in each cell, in the cells' order: nothing is to be summed up.
        self._is_single = np.array_equal(self.cell, np.arange(len(cells)))
        self.design, self.outcome = answers.design, answers.outcome
        fixed = np.zeros(self.design.shape[1])
        # From the share of all answers: Newton's method starts near the mode.
        fixed[0] = logit(self.outcome.mean())
        self.at = Effects(fixed, np.zeros(self.n_larger), np.zeros(self.n_smaller))

    def fit(self, sd_first: float, sd_second: float) -> Fit:
        """Fit fixed and random effects together, by Newton's method, and integrate both out by Laplace's.

        The joint mode draws the fixed effects towards 0: they are moved to the mode of their own likelihood, in
        which the random effects are integrated out [TK86]_.

        Raises
        ------
        NotConverged
            If the steps do not become small.
        """
        sds = (sd_second, sd_first) if self._turned else (sd_first, sd_second)
        precision = (sds[0] ** -2, sds[1] ** -2)
        # From the mode of the last fit: neighbouring standard deviations have neighbouring modes.
        at = self.at
        log_odds = self.predicted(at)
        value = self._joint(at, log_odds, precision)
        for _ in range(_MOST_STEPS):
            curvature = Curvature(self, at, log_odds, precision)
            at, log_odds, value, moved = self._step(at, value, curvature.step, precision)
            if moved < _CLOSE:
                break
        else:
            raise NotConverged
        self.at = at
        slope, covariance = curvature.slope(), curvature.covariance
        shift = covariance @ slope
        evidence = value - curvature.log_determinant / 2 + float(slope @ shift) / 2
        return Fit(evidence, at.fixed + shift, covariance)

    def cells(self, values: Floats) -> Cells:
        """One value for each combination of levels that has an answer, as a matrix of the larger by the smaller.

        A small one is full: what scipy checks of a sparse one takes longer than its products."""
        shape = (self.n_larger, self.n_smaller)
        if self.n_larger * self.n_smaller <= _SMALL:
            full = np.zeros(self.n_larger * self.n_smaller)
            full[self._cells] = values
            return full.reshape(shape)
        return sparse.csr_array((values, self.cell_smaller, self._cell_starts), shape=shape)

    def summed(self, values: Floats) -> Floats:
        """The sum of the answers' values in each combination of levels that has an answer."""
        if self._is_single:
            return values
        return np.bincount(self.cell, values, len(self._cells)).astype(np.float64)

    def predicted(self, at: Effects) -> Floats:
        """The log odds of each answer."""
        log_odds: Floats = self.design @ at.fixed + at.larger[self.larger] + at.smaller[self.smaller]
        return log_odds

    def _joint(self, at: Effects, log_odds: Floats, precision: tuple[float, float]) -> float:
        # logaddexp, because log(1 + exp(x)) overflows for large x.
        value = float(self.outcome @ log_odds - np.logaddexp(0, log_odds).sum())
        for effects, weight in zip((at.larger, at.smaller), precision, strict=True):
            value += (len(effects) * np.log(weight) - weight * float(effects @ effects)) / 2
        return value

    def _step(
        self, at: Effects, value: float, step: Effects, precision: tuple[float, float]
    ) -> tuple[Effects, Floats, float, float]:
        """The step, halved until it does not lead down: where to, the log odds and the value there, how far it went."""
        share = 1.0
        for _ in range(_MOST_HALVINGS):
            there = at.moved(step, share)
            log_odds = self.predicted(there)
            reached = self._joint(there, log_odds, precision)
            # Less _CLOSE: at the mode rounding can make a good step seem to lose a little.
            if reached >= value - _CLOSE:
                return there, log_odds, reached, share * step.largest
            share /= 2
        raise NotConverged


class Curvature:
    """Slope and curvature of the joint likelihood at one point, with the larger factor eliminated.

    Most participants answer a few of many pairs: what crosses the two factors is sparse, and only the curvature in the
    fixed effects and the smaller factor is a full matrix."""

    def __init__(self, model: Laplace, at: Effects, log_odds: Floats, precision: tuple[float, float]) -> None:
        self._model = model
        share: Floats = expit(log_odds)
        self._share, self._weight = share, share * (1 - share)
        self._k = len(at.fixed)
        residual = model.outcome - share
        of_larger = self._over_larger(self._weight)
        self._diagonal = of_larger + precision[0]
        weighted = model.design * self._weight[:, None]
        self._fixed = np.empty((model.n_larger, self._k))
        # The first column of the design is 1: of it, each answer's weight.
        self._fixed[:, 0] = of_larger
        for column in range(1, self._k):
            self._fixed[:, column] = self._over_larger(weighted[:, column])
        cells = model.summed(self._weight)
        self._cells = model.cells(cells)
        self._scaled_fixed = self._fixed / self._diagonal[:, None]
        self._scaled_cells = model.cells(cells / self._diagonal[model.cell_larger])
        self._factor = _factor(self._rest(weighted, precision[1]))
        slope_larger = self._over_larger(residual) - precision[0] * at.larger
        of_rest = np.concatenate(
            [model.design.T @ residual, self._over_smaller(residual) - precision[1] * at.smaller]
        )
        explained = np.concatenate([self._scaled_fixed.T @ slope_larger, self._scaled_cells.T @ slope_larger])
        rest = _solved(self._factor, of_rest - explained)
        across = self._fixed @ rest[: self._k] + self._cells @ rest[self._k :]
        self.step = Effects(rest[: self._k], (slope_larger - across) / self._diagonal, rest[self._k :])

    @property
    def covariance(self) -> Floats:
        """The covariance of the fixed effects."""
        covariance: Floats = _solved(self._factor, np.eye(len(self._factor), self._k))[: self._k]
        return covariance

    @property
    def log_determinant(self) -> float:
        """The log determinant of the curvature in all effects."""
        return float(np.log(self._diagonal).sum() + 2 * np.log(np.diag(self._factor)).sum())

    def slope(self) -> Floats:
        """The slope of the log likelihood, random effects integrated out, with the fixed effects.

        The joint one is level at its mode; what remains is minus half the log determinant of the random effects'
        curvature, which changes with each answer's weight.
        """
        model, k = self._model, self._k
        whole = _inverse(self._factor)
        fixed, rest = whole[:k, :k], whole[:k, k:]
        # The inverse without the fixed effects, and how far random effects follow when a fixed effect moves.
        followed = np.linalg.solve(fixed, rest)
        inverse = whole[k:, k:] - rest.T @ followed
        follow_smaller = followed.T
        follow_larger = -self._scaled_fixed - self._scaled_cells @ follow_smaller
        of_larger, of_cell = self._crossed(inverse)
        variance = (
            (1 / self._diagonal + of_larger)[model.larger]
            + np.diag(inverse)[model.smaller]
            - 2 * of_cell[model.cell]
        )
        moves = model.design + follow_larger[model.larger] + follow_smaller[model.smaller]
        skew = self._weight * (1 - 2 * self._share)
        slope: Floats = -(skew * variance) @ moves / 2
        return slope

    def _crossed(self, inverse: Floats) -> tuple[Floats, Floats]:
        """The smaller factor's uncertainty added to each level of the larger, and its covariance in each cell."""
        model = self._model
        of_larger, of_cell = np.empty(model.n_larger), np.empty(len(model.cell_larger))
        rows = max(1, _CELLS // model.n_smaller)
        for start in range(0, model.n_larger, rows):
            part = self._scaled_cells[start : start + rows]
            moved = part @ inverse
            cells = slice(*np.searchsorted(model.cell_larger, [start, start + rows]))
            of_cell[cells] = moved[model.cell_larger[cells] - start, model.cell_smaller[cells]]
            own = part * moved if isinstance(part, np.ndarray) else part.multiply(moved)
            of_larger[start : start + rows] = own.sum(axis=1)
        return of_larger, of_cell

    def _rest(self, weighted: Floats, precision: float) -> Floats:
        """The curvature in the fixed effects and the smaller factor, less what the larger one explains."""
        model, k = self._model, self._k
        of_smaller = self._over_smaller(self._weight)
        rest = np.zeros((k + model.n_smaller,) * 2)
        # The diagonal of the smaller factor.
        rest.flat[k * (len(rest) + 1) :: len(rest) + 1] = of_smaller + precision
        rest[:k, :k] = weighted.T @ model.design - self._scaled_fixed.T @ self._fixed
        rest[k:, 0] = of_smaller
        for column in range(1, k):
            rest[k:, column] = self._over_smaller(weighted[:, column])
        rest[k:, :k] -= self._scaled_cells.T @ self._fixed
        rest[:k, k:] = rest[k:, :k].T
        rest[k:, k:] -= _product(self._scaled_cells, self._cells)
        return rest

    def _over_larger(self, values: Floats) -> Floats:
        return np.bincount(self._model.larger, values, self._model.n_larger).astype(np.float64, copy=False)

    def _over_smaller(self, values: Floats) -> Floats:
        return np.bincount(self._model.smaller, values, self._model.n_smaller).astype(np.float64, copy=False)


# LAPACK's own functions: the matrices are small, and the checks of scipy.linalg take longer than solving them.
def _factor(matrix: Floats) -> Floats:
    """The Cholesky factor, in the upper triangle. Raises LinAlgError if the matrix is not positive definite."""
    factor, info = dpotrf(matrix, clean=False)
    if info:
        raise LinAlgError(f"the leading minor of order {info} is not positive definite")
    upper: Floats = factor
    return upper


def _solved(factor: Floats, right: Floats) -> Floats:
    solved, _ = dpotrs(factor, right)
    found: Floats = solved
    return found


def _inverse(factor: Floats) -> Floats:
    """The inverse of the matrix whose Cholesky factor is the upper triangle of `factor`."""
    upper, _ = dpotri(factor)
    # dpotri fills one triangle only.
    inverse: Floats = np.where(np.tri(len(upper), dtype=bool), upper.T, upper)
    return inverse


def _product(scaled: Cells, cells: Cells) -> Floats:
    """`scaled` turned, times `cells`, in full. Where many cells have an answer full matrices are the faster way."""
    if isinstance(cells, np.ndarray) or isinstance(scaled, np.ndarray):
        small: Floats = scaled.T @ cells
        return small
    if cells.nnz * _DENSE > cells.shape[0] * cells.shape[1]:
        dense: Floats = scaled.toarray().T @ cells.toarray()
        return dense
    product: Floats = (scaled.T @ cells).toarray()
    return product
