"""A map from distances alone: classical multidimensional scaling [Tor52]_."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.results import Result
from analysis.stats.intervals import Floats

_DUST = 1e-12


@dataclass(frozen=True, slots=True)
class Map(Result):
    """Positions in the plane, in the unit of the distances; those of the first label are not negative.

    `stress` is Kruskal's stress-1 [Kru64]_ of the distances on the map: 0 if it is exact. `variance` is the share of
    the positive eigenvalues that the two axes have; None if all distances are 0.
    """

    labels: tuple[str, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    stress: float | None
    variance: float | None


def classical_mds(labels: Sequence[str], distances: Floats) -> Map:
    """Lay out things in the plane by their distances, a symmetric matrix in the order of `labels`."""
    n = len(labels)
    centred = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-0.5 * centred @ (distances**2) @ centred)
    # eigh sorts from the smallest up.
    order = np.argsort(values)[::-1]
    values, vectors = values[order], vectors[:, order]
    places = np.zeros((n, 2))
    for axis in range(min(2, n)):
        if values[axis] > _DUST:
            column = vectors[:, axis] * np.sqrt(values[axis])
            # The sign of an eigenvector is arbitrary: fixed, so that equal distances give equal maps.
            places[:, axis] = column if column[0] >= 0 else -column
    total = float((distances**2).sum())
    shown = np.hypot(*(places[:, None, axis] - places[None, :, axis] for axis in (0, 1)))
    positive = float(values[values > _DUST].sum())
    return Map(
        tuple(labels),
        tuple(float(value) for value in places[:, 0]),
        tuple(float(value) for value in places[:, 1]),
        float(np.sqrt(((distances - shown) ** 2).sum() / total)) if total > 0 else None,
        float(values[:2][values[:2] > _DUST].sum() / positive) if positive > 0 else None,
    )
