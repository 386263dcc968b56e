"""The relation between slopes of rays and positions in a frame."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stimuli.arrays import Floats32, Indices


@dataclass(frozen=True, slots=True)
class Lens:
    """A frame of `width` by `height` pixels, `focal` of them per unit of slope, level in row `horizon`."""

    width: int
    height: int
    focal: float
    horizon: float

    def across(self) -> Floats32:
        """Give how far to the right each column looks, per metre of depth."""
        middles = np.arange(self.width, dtype=np.float32) + 0.5 - self.width / 2
        return middles / np.float32(self.focal)

    def rows_below(self, slope: Floats32) -> Indices:
        """Count the rows, from the bottom, whose middles lie at or below a slope."""
        count = np.floor(slope * np.float32(self.focal) + np.float32(self.height - self.horizon + 0.5))
        rows: Indices = np.minimum(np.maximum(count, 0), self.height).astype(np.intp)
        return rows

    def slope_of(self, row_from_bottom: npt.NDArray[np.integer] | Floats32) -> Floats32:
        """Give the slope of the middle of rows counted from the bottom."""
        slope = row_from_bottom.astype(np.float32, copy=False) - np.float32(self.height - self.horizon - 0.5)
        slope /= np.float32(self.focal)
        return slope
