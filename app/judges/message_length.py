"""A baseline: the record or text with the longer messages is taken for the human one."""

from statistics import fmean
from typing import ClassVar

from app.judges.base import JudgeInfo, Needs, PairFiles, StimulusFiles, Verdict, by_value
from app.judges.contents import messages_in


class MessageLength:
    info: ClassVar[JudgeInfo] = JudgeInfo(
        name="message-length",
        version="1",
        title="Length of messages (records, texts)",
        reference=(
            "Mean characters of a message. Shorter counts as human: language models write at length where people type "
            "a few words. Measure and direction are assumed; length is the strongest clue that records have."
        ),
        score_unit="difference (b less a) of the mean number of characters",
        needs=Needs.CONTENTS,
    )

    def prepare(self) -> None:
        """Do nothing; there is nothing to load."""

    def judge(self, pair: PairFiles) -> Verdict:
        return by_value(_length, pair, scale=-1)


def _length(files: StimulusFiles) -> float | None:
    messages = messages_in(files)
    return fmean(map(len, messages)) if messages else None
