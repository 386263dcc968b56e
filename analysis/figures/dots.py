"""Layout of adjacent dots, and the outline of a density; both independent of order."""

import numpy as np

from analysis.stats.intervals import Floats

MOST_DOTS = 300
_STEPS = 48
_POINTS = 200
_MOST_DISTINCT = 2_000


def thinned(values: Floats, most: int = MOST_DOTS) -> Floats:
    """The values in order; beyond `most` of them, so many, chosen evenly by rank."""
    ordered = np.sort(values)
    if len(ordered) <= most:
        return ordered
    some: Floats = ordered[np.linspace(0, len(ordered) - 1, most).round().astype(int)]
    return some


def beside(values: Floats, low: float, high: float, step: float) -> Floats:
    """The offset from the middle, from -1 to 1, of each of the sorted `values`: equal ones are side by side.

    `low` to `high` is the scale; `step` the distance of two dots if there is room.
    """
    rows = np.round((values - low) / (high - low) * _STEPS).astype(int)
    offsets = np.zeros(len(values))
    for row in np.unique(rows):
        members = np.flatnonzero(rows == row)
        room = min(step, 2 / max(1, len(members) - 1))
        offsets[members] = (np.arange(len(members)) - (len(members) - 1) / 2) * room
    return offsets


def outline(values: Floats, low: float, high: float) -> tuple[Floats, Floats] | None:
    """Places on the scale and how common values are there, from 0 to 1 at the most common.

    A Gaussian kernel estimate with Scott's bandwidth [Sco15]_, cut off at the ends of the scale. None where fewer than
    three values or no two different ones would make a shape of nothing."""
    if len(values) < 3 or values.min() == values.max():
        return None
    distinct, counts = _distinct(values)
    n = counts.sum()
    mean = (distinct * counts).sum() / n
    bandwidth = float(np.sqrt((counts * (distinct - mean) ** 2).sum() / (n - 1))) * n**-0.2
    ends = max(low, distinct[0] - bandwidth), min(high, distinct[-1] + bandwidth)
    places = np.linspace(*ends, _POINTS)
    heights = np.exp(-0.5 * ((places[:, None] - distinct) / bandwidth) ** 2) @ counts
    return places, heights / heights.max()


def _distinct(values: Floats) -> tuple[Floats, Floats]:
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) > _MOST_DISTINCT:
        heights, edges = np.histogram(values, bins=_MOST_DISTINCT)
        distinct, counts = (edges[1:] + edges[:-1]) / 2, heights
    return distinct.astype(float), counts.astype(float)
