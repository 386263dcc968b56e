"""The interface of a judge: two methods and a description. By type it sees files and the question, and nothing else.

A judge imports this module and whatever it needs to read files; docs/judges.md has a complete example.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal, Protocol

from app.core.errors import StudyError

_DIGITS = 6

Choice = Literal["a", "b"]


class Needs(StrEnum):
    """The part of a stimulus that a judge reads: a clip's file, its positions, or the content of a record or text."""

    CLIPS = "clips"
    POSITIONS = "positions"
    CONTENTS = "contents"


@dataclass(frozen=True, slots=True)
class JudgeInfo:
    """A judge's description.

    `version` changes whenever a verdict could. `reference` says where the measure comes from, and why more of it should
    look human. `order_invariant` promises the mirrored verdict for `judge(b, a)`. `score_unit` is the unit of a score;
    `even` is the score of a pair of equal members: 0.5 for a probability that `a` is chosen, 0 for anything else, in a
    unit in which most differences exceed 1, since scores that all lie in 0 to 1 are taken for probabilities.
    """

    name: str
    version: str
    title: str
    reference: str
    score_unit: str
    needs: Needs
    order_invariant: bool = True
    even: float = 0.0


@dataclass(frozen=True, slots=True)
class Times:
    """Response times of a record's moves, which raters are not shown: median and standard deviation."""

    median_ms: float
    sd_ms: float


@dataclass(frozen=True, slots=True)
class StimulusFiles:
    """One clip as shown to participants, and its player's positions; named by content hash, which reveals no source.

    `content` is the content of a record (canonical JSON) or text (Markdown); empty for a clip. `times` are those of a
    record of play, if its manifest has them.
    """

    clip: Path | None
    positions: Path | None
    content: str = ""
    times: Times | None = None


@dataclass(frozen=True, slots=True)
class PairFiles:
    """The input of a judge. `pair` is an opaque id; `question` is the question asked of people.

    Which member is `a` here is derived from the files themselves: it is not the order of the study's pair, in which the
    human clip may always come first.
    """

    pair: str
    question: str
    a: StimulusFiles
    b: StimulusFiles


@dataclass(frozen=True, slots=True)
class Verdict:
    """The member more likely to be human (None: the judge abstains), and a score: higher means more likely `a`."""

    choice: Choice | None
    score: float | None = None


class JudgeFailed(Exception):
    """One pair cannot be judged; `reason` reads on from the file's name ("is not there")."""

    def __init__(self, file: Path | None, reason: str) -> None:
        super().__init__(f"{file.name} {reason}" if file else reason)
        self.file = file
        self.reason = reason


class JudgeUnavailable(StudyError):
    """The judge cannot run here at all; the message says what is missing."""

    status_code = 409


class Judge(Protocol):
    """A judge. It is stateless between pairs: the same files give the same verdict, in any order."""

    @property
    def info(self) -> JudgeInfo:
        """The judge's description; a class attribute will do."""

    def prepare(self) -> None:
        """Load once what all pairs need. Raises JudgeUnavailable."""

    def judge(self, pair: PairFiles) -> Verdict:
        """Raises JudgeFailed for a pair whose files are missing or damaged."""


def by_value(
    value_of: Callable[[StimulusFiles], float | None], pair: PairFiles, *, scale: float = 1.0
) -> Verdict:
    """The verdict of a judge that measures each clip by itself: more is more human-like, the score a's less b's.

    Times `scale`, and rounded to six decimals, so that the dust of floating point decides nothing. Clips that measure
    the same get no choice; where one has no value (None) the judge abstains.
    """
    a, b = value_of(pair.a), value_of(pair.b)
    if a is None or b is None:
        return Verdict(None, None)
    score = round(scale * (a - b), _DIGITS) + 0.0  # no negative zero
    return Verdict("a" if score > 0 else "b" if score < 0 else None, score)
