"""A baseline: the clip whose picture moves more is taken for the human one."""

from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from av.video.reformatter import VideoReformatter

from app.judges.base import JudgeFailed, JudgeInfo, Needs, PairFiles, StimulusFiles, Verdict, by_value
from app.library.clips.contained import allow_cpu, contained
from app.library.clips.errors import ClipRefused, NotAVideo
from app.library.clips.probe import DECODED_PER_S, measure
from app.library.clips.reading import decoded, open_video

WIDTH = 160


class Motion:
    info: ClassVar[JudgeInfo] = JudgeInfo(
        name="motion",
        version="1",
        title="Amount of motion in the picture (clips)",
        reference=(
            "Absolute difference of grey from frame to frame, per second, 160 pixels wide. More counts as human: "
            "people look around, which moves the whole picture. Measure and direction are assumed."
        ),
        score_unit="difference (a less b) of grey levels (of 255) per second",
        needs=Needs.CLIPS,
    )

    def prepare(self) -> None:
        """Do nothing; there is nothing to load."""

    def judge(self, pair: PairFiles) -> Verdict:
        return by_value(moving, pair)


def moving(files: StimulusFiles) -> float:
    """Grey levels, of 255, by which a pixel changes in a second, from frame to frame, on average over the picture."""
    if files.clip is None:
        raise JudgeFailed(None, "the clip has no file")
    try:
        return _moved(files.clip)
    except ClipRefused as refusal:
        raise JudgeFailed(files.clip, refusal.reason) from None


@contained
def _moved(clip: Path) -> float:
    changes: list[float] = []
    before: npt.NDArray[np.int16] | None = None
    shrinking = VideoReformatter()
    span = measure(clip)  # a clip that is cut short would be decoded up to there without a word
    with open_video(clip) as (container, stream):
        allow_cpu(span.frames * stream.width * stream.height / DECODED_PER_S)
        height = max(2, round(WIDTH * stream.height / stream.width))
        for _, frame in decoded(clip, container, stream):
            small = shrinking.reformat(frame, WIDTH, height, "gray", interpolation="AREA")
            # Signed: differences of uint8 wrap round below 0.
            grey = small.to_ndarray().astype(np.int16)
            if before is not None:
                changes.append(float(np.abs(grey - before).mean()))
            before = grey
    if not changes:
        raise NotAVideo(clip, "holds fewer than two frames")
    # Not the mean over frames, which the frame rate would decide.
    return float(np.sum(changes)) / float(span.end - span.start)
