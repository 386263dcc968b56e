"""A clip as one picture: frames at equal steps in rows, left to right, for judges that look at pictures."""

import math
from pathlib import Path

import numpy as np
from av.video.frame import VideoFrame

from app.judges.base import JudgeFailed, StimulusFiles
from app.judges.frames import evenly_spaced
from app.library.clips.contained import contained
from app.library.clips.errors import ClipRefused
from app.library.clips.pictures import jpeg

WIDTH = 240
"""Pixels of each frame, whose height keeps its shape."""
IN_A_ROW = 4
_GAP = 4


def strip(files: StimulusFiles, frames: int) -> bytes:
    """A JPEG of so many frames, each the one shown in the middle of its share of the clip. Raises JudgeFailed.

    A clip of fewer frames shows some of them more than once.
    """
    if files.clip is None:
        raise JudgeFailed(None, "the clip has no file")
    try:
        return _drawn(files.clip, frames)
    except ClipRefused as refusal:
        raise JudgeFailed(files.clip, refusal.reason) from None


@contained
def _drawn(clip: Path, frames: int) -> bytes:
    found = evenly_spaced(clip, frames, WIDTH)
    height = found.shape[1]
    rows = math.ceil(len(found) / IN_A_ROW)
    across = min(len(found), IN_A_ROW)
    sheet = np.full((rows * (height + _GAP) - _GAP, across * (WIDTH + _GAP) - _GAP, 3), 255, dtype=np.uint8)
    for number, picture in enumerate(found):
        top, left = (number // IN_A_ROW) * (height + _GAP), (number % IN_A_ROW) * (WIDTH + _GAP)
        sheet[top : top + height, left : left + WIDTH] = picture
    return jpeg(clip, VideoFrame.from_ndarray(sheet, format="rgb24"))
