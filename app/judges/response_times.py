"""A baseline: the record or text whose response times vary more is taken for the human one."""

import re
from statistics import fmean, pstdev
from typing import ClassVar

from app.judges.base import JudgeInfo, Needs, PairFiles, StimulusFiles, Verdict, by_value
from app.judges.contents import lines_of, record_in

_TIME = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) ?(ms|milliseconds?|s|secs?|seconds?)\b")
FEWEST = 2


class ResponseTimes:
    info: ClassVar[JudgeInfo] = JudgeInfo(
        name="response-times",
        version="2",
        title="Variation of response times",
        reference=(
            "The standard deviation of response times over their mean, where a record shows times in lines such as "
            "“answers after 3.2 s”; else over their median, as the manifest of `game records` has it of a match with "
            "people. More counts as human: programs take alike for every move. Measure and direction are assumed. In "
            "such matches the service sets the delays of agents (log-normal; `rt_of` is `delay`), so there the judge "
            "finds these delays, not the agent."
        ),
        score_unit="difference (a less b) of the standard deviation over the mean (median), in percentage points",
        needs=Needs.CONTENTS,
    )

    def prepare(self) -> None:
        """Do nothing; there is nothing to load."""

    def judge(self, pair: PairFiles) -> Verdict:
        return by_value(_variation, pair, scale=100)


def _variation(files: StimulusFiles) -> float | None:
    record = record_in(files)
    text = files.content if record is None else "\n".join(lines_of(record))
    times = [float(n) / (1000 if unit.startswith("m") else 1) for n, unit in _TIME.findall(text)]
    if len(times) >= FEWEST and fmean(times):
        return pstdev(times) / fmean(times)
    if files.times is None or not files.times.median_ms:
        return None
    return files.times.sd_ms / files.times.median_ms
