"""A baseline: the record or text with more round numbers is taken for the human one."""

from statistics import fmean
from typing import ClassVar

from app.judges.base import JudgeInfo, Needs, PairFiles, StimulusFiles, Verdict, by_value
from app.judges.contents import amounts_in


class RoundNumbers:
    info: ClassVar[JudgeInfo] = JudgeInfo(
        name="round-numbers",
        version="1",
        title="Share of round numbers (records, texts)",
        reference=(
            "Share of the numbers shown that 5 divides. More counts as human: people offer round amounts, programs "
            "whatever comes out. Measure and direction are assumed."
        ),
        score_unit="difference (a less b) of the share of numbers that 5 divides, in percentage points",
        needs=Needs.CONTENTS,
    )

    def prepare(self) -> None:
        """Do nothing; there is nothing to load."""

    def judge(self, pair: PairFiles) -> Verdict:
        return by_value(_share, pair, scale=100)


def _share(files: StimulusFiles) -> float | None:
    numbers = amounts_in(files)
    return fmean(number % 5 == 0 for number in numbers) if numbers else None
