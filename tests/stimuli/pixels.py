"""Features of a frame that tests look for."""

import numpy as np
import numpy.typing as npt

from stimuli.minimap import SIZE
from stimuli.raycaster import HEIGHT, MAP_LEFT, MAP_TOP, WIDTH

Mask = npt.NDArray[np.bool_]


def goal_blue(frame: npt.NDArray[np.uint8]) -> Mask:
    """Mark the pixels as blue as nothing but a goal is."""
    red, green, blue = (frame[..., channel].astype(int) for channel in range(3))
    return (blue > 140) & (blue > red + 90) & (blue > green + 50)


def arrow_yellow(frame: npt.NDArray[np.uint8]) -> Mask:
    """Mark the pixels as yellow as nothing on the mini map but the arrow is."""
    red, green, blue = (frame[..., channel].astype(int) for channel in range(3))
    return (red > 190) & (green > 150) & (blue < 120)


def outside_map() -> Mask:
    mask = np.ones((HEIGHT, WIDTH), dtype=np.bool_)
    mask[MAP_TOP : MAP_TOP + SIZE, MAP_LEFT : MAP_LEFT + SIZE] = False
    return mask


def on_map(frame: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    return frame[MAP_TOP : MAP_TOP + SIZE, MAP_LEFT : MAP_LEFT + SIZE]
