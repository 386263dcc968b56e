"""Names for the kinds of array that the modules hand each other."""

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Indices = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]
Floats32 = npt.NDArray[np.float32]
# Rows, columns, RGB in [0, 1]; or one number in [0, 1] for each row and column.
Pixels = npt.NDArray[np.floating]
# One colour per number, 0xAABBGGRR.
Packed = npt.NDArray[np.uint32]
