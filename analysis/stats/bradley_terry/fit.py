"""The likelihood of the Bradley-Terry model with a side effect, fitted to many tables of wins at once."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import expit

from analysis.stats.agreement.units import Codes
from analysis.stats.intervals import Floats

_MOST_STEPS = 60
_CLOSE, _CONVERGED = 1e-9, 1e-6
# Log-worths 20 apart are odds of 500 million to one: there is no finite estimate then.
_FARTHEST = 20.0
_VAGUE = 1e9


@dataclass(frozen=True, slots=True)
class Cells:
    """The comparisons: item `one` with item `other`, and `left`, the side of `one`: +1 left, -1 right, 0 unknown.

    Sums hold the wins of `one` in each cell, then those of `other`. Parameters are the log-worth of each item (they sum
    to zero) and the advantage of the left, 0 if it is not fitted.
    """

    one: Codes
    other: Codes
    left: Floats
    n_items: int

    def wins(self, sums: Floats) -> Floats:
        """The number of wins of each item (a row) against each other (a column)."""
        table = np.zeros((self.n_items, self.n_items))
        half = len(self.one)
        np.add.at(table, (self.one, self.other), sums[:half])
        np.add.at(table, (self.other, self.one), sums[half:])
        return table

    def design(self, side: bool) -> Floats:
        """One row for each cell: +1 for `one`, -1 for `other`, the last item left out, and the side."""
        rows = np.arange(len(self.one))
        design = np.zeros((len(rows), self.n_items + 1))
        design[rows, self.one] = 1
        design[rows, self.other] = -1
        design[rows, -1] = self.left
        free = [*range(self.n_items - 1), self.n_items] if side else range(self.n_items - 1)
        return design[:, list(free)]

    def centring(self, side: bool) -> Floats:
        """The transformation from the fitted coefficients of the design to the parameters."""
        turn = np.zeros((self.n_items + 1, self.n_items - 1 + side))
        turn[: self.n_items - 1, : self.n_items - 1] = np.eye(self.n_items - 1)
        turn[: self.n_items, : self.n_items - 1] -= 1 / self.n_items
        if side:
            turn[-1, -1] = 1
        return turn

    def tells_side(self, sums: Floats) -> bool:
        """True if the comparisons made can separate the side from the strengths."""
        half = len(self.one)
        made = sums[:half] + sums[half:] > 0
        return bool(np.linalg.matrix_rank(self.design(True)[made]) == self.n_items)


def fit(cells: Cells, sums: Floats, side: bool) -> Floats:
    """Maximum likelihood for each row of sums: the parameters, or NaN where they have no finite estimate.

    Newton's method; the log-likelihood is concave."""
    design = cells.design(side)
    half, width = design.shape
    outer = (design[:, :, np.newaxis] * design[:, np.newaxis, :]).reshape(half, -1)
    # Sums drawn from their normal limit can be negative, which no count of wins is.
    won = np.maximum(sums[:, :half], 0.0)
    n = won + np.maximum(sums[:, half:], 0.0)
    # So that a table without a maximum does not stop the others: it runs away and is found out below.
    ridge = 1e-12 * (1 + n.sum(axis=1))[:, np.newaxis, np.newaxis] * np.eye(width)
    found = np.zeros((len(sums), width))
    for _ in range(_MOST_STEPS):
        chance = expit(found @ design.T)
        slope = (won - n * chance) @ design
        curvature = ((n * chance * (1 - chance)) @ outer).reshape(-1, width, width) + ridge
        step = np.linalg.solve(curvature, slope[:, :, np.newaxis])[:, :, 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        # Steps of two at most: Newton's method overshoots where one source nearly always won.
        found += step / np.maximum(1.0, longest / 2)
        if longest.max() < _CLOSE:
            break
    spread = np.diagonal(np.linalg.inv(curvature), axis1=1, axis2=2).max(axis=1) * n.sum(axis=1)
    lost = (np.abs(found).max(axis=1) > _FARTHEST) | (longest[:, 0] > _CONVERGED) | (spread > _VAGUE)
    found[lost] = np.nan
    parameters: Floats = found @ cells.centring(side).T
    return parameters


def covariance(cells: Cells, sums: Floats, parameters: Floats, side: bool) -> Floats:
    """The covariance of the parameters, if comparisons are independent: the inverse of the information."""
    design = cells.design(side)
    half = len(design)
    odds = parameters[cells.one] - parameters[cells.other] + parameters[-1] * cells.left
    weight = (sums[:half] + sums[half:]) * expit(odds) * expit(-odds)
    turn = cells.centring(side)
    found: Floats = turn @ np.linalg.inv((design.T * weight) @ design) @ turn.T
    return found


def fit_plain(wins: Floats) -> Floats:
    """Log-worths that sum to zero, without a side effect, by choix: iterative Luce spectral ranking [MG15]_."""
    # Imported here: most callers never compare sources.
    import choix

    strengths: Floats = choix.ilsr_pairwise_dense(wins, max_iter=10_000)
    # choix leaves the origin open: strengths sum to zero here, as those with the side do.
    centred: Floats = strengths - strengths.mean()
    return centred


def not_finite(wins: Floats, names: list[str]) -> str | None:
    """The reason why the strengths have no finite estimate [For57]_: some never met, or never lost to, the others."""
    beaten = sparse.csr_array(wins > 0)
    parts, part = sparse.csgraph.connected_components(beaten, directed=True, connection="weak")
    if parts > 1:
        first, rest = _listed(names, part == part[0]), _listed(names, part != part[0])
        return f"no chain of comparisons leads from {first} to {rest}"
    parts, part = sparse.csgraph.connected_components(beaten, directed=True, connection="strong")
    if parts == 1:
        return None
    unbeaten = next(
        part == number for number in range(parts) if not wins[np.ix_(part != number, part == number)].any()
    )
    return f"{_listed(names, unbeaten)} never lost to any other source: no finite number says how far ahead it is"


def _listed(names: list[str], which: np.ndarray, most: int = 3) -> str:
    chosen = [name for name, inside in zip(names, which, strict=True) if inside]
    more = f" and {len(chosen) - most} more" if len(chosen) > most else ""
    return ", ".join(chosen[:most]) + more
