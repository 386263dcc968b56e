"""Clips as visual networks read them: small frames at equal steps, or of each frame its mean line."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]

FRAME = (50, 80)
"""Rows and columns: a sixteenth of the pixels of the published 320 x 200, in the same shape."""
COLOURS = 3


@dataclass(frozen=True, slots=True)
class Frames:
    """Pictures of a clip at equal steps of 1 / `rate_hz`, red, green and blue from 0 to 255.

    Shape (n, *FRAME, COLOURS), or (n, columns, COLOURS) of the lines of a bar-code; or a pretrained network's features
    of n pictures, 32-bit floats of shape (n, features).
    """

    rate_hz: float
    values: npt.NDArray[Any]


def box_mean(values: npt.NDArray[Any], n: int) -> npt.NDArray[np.float64]:
    """`n` values along the first axis, each the weighted mean over its share."""
    edges = np.linspace(0, len(values), n + 1)
    begins = np.arange(len(values))
    covered = np.minimum(edges[1:, None], begins + 1) - np.maximum(edges[:-1, None], begins)
    weights = np.maximum(covered, 0) * (n / len(values))
    found: npt.NDArray[np.float64] = np.tensordot(weights, values, axes=1)
    return found


def covering(values: npt.NDArray[Any], width: int) -> npt.NDArray[Any]:
    """The fewest windows that cover all of it, evenly spaced; the last line is repeated if there is less than one."""
    if len(values) < width:
        short = [(0, width - len(values))] + [(0, 0)] * (values.ndim - 1)
        return np.pad(values, short, mode="edge")[None]
    n = -(-len(values) // width)
    starts = np.linspace(0, len(values) - width, n).round().astype(int)
    return np.stack([values[start : start + width] for start in starts])
