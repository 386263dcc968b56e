"""A baseline: the clip whose path is less straight is taken for the human one."""

from typing import ClassVar

import numpy as np

from app.judges.base import JudgeInfo, Needs, PairFiles, StimulusFiles, Verdict, by_value
from app.judges.positions import read_positions

STILL_M = 0.1
"""A path shorter than this has no straightness."""


class Straightness:
    info: ClassVar[JudgeInfo] = JudgeInfo(
        name="straightness",
        version="1",
        title="How far from straight the path is (positions)",
        reference=(
            "Straightness index, net displacement over path length [Ben04]. Less straight counts as human: agents plan "
            "short ways, people misjudge, look around and turn back. The measure is published, the direction assumed."
        ),
        score_unit="difference (a less b) of 1 - net displacement / path length in the plane, in percentage points",
        needs=Needs.POSITIONS,
    )

    def prepare(self) -> None:
        """Do nothing; there is nothing to load."""

    def judge(self, pair: PairFiles) -> Verdict:
        return by_value(roundaboutness, pair, scale=100)


def roundaboutness(files: StimulusFiles) -> float | None:
    """0 for a straight line, towards 1 for a path that leads back; None without movement."""
    track = read_positions(files, ("x_m", "y_m"))
    x_m, y_m = track["x_m"], track["y_m"]
    length_m = float(np.hypot(np.diff(x_m), np.diff(y_m)).sum())
    if length_m < STILL_M:
        return None
    return 1.0 - float(np.hypot(x_m[-1] - x_m[0], y_m[-1] - y_m[0])) / length_m
