"""A baseline: the clip whose picture moves more is taken for the human one."""

from typing import ClassVar

import numpy as np
import numpy.typing as npt
from av.video.reformatter import VideoReformatter

from app.clips.errors import ClipRefused
from app.clips.probe import measure
from app.clips.reading import decoded, open_video
from app.judges.base import JudgeFailed, JudgeInfo, Needs, PairFiles, StimulusFiles, Verdict, by_value

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
        """Nothing to load."""

    def judge(self, pair: PairFiles) -> Verdict:
        return by_value(moving, pair)


def moving(files: StimulusFiles) -> float:
    """Grey levels, of 255, by which a pixel changes in a second, from frame to frame, on average over the picture."""
    if files.clip is None:
        raise JudgeFailed(None, "the clip has no file")
    changes: list[float] = []
    before: npt.NDArray[np.int16] | None = None
    shrinking = VideoReformatter()
    try:
        span = measure(files.clip)  # a clip that is cut short would be decoded up to there without a word
        with open_video(files.clip) as (container, stream):
            height = max(2, round(WIDTH * stream.height / stream.width))
            for _, frame in decoded(files.clip, container, stream):
                small = shrinking.reformat(frame, WIDTH, height, "gray", interpolation="AREA")
                grey = small.to_ndarray().astype(np.int16)
                if before is not None:
                    changes.append(float(np.abs(grey - before).mean()))
                before = grey
    except ClipRefused as refusal:
        raise JudgeFailed(files.clip, refusal.reason) from None
    if not changes:
        raise JudgeFailed(files.clip, "holds fewer than two frames")
    return float(np.sum(changes)) / float(span.end - span.start)
