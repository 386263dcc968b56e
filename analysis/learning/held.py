"""Accuracy of the copies on clips and pairs that they never saw."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.learning.networks import By, Score, score_of
from analysis.results import Result
from analysis.stats.intervals import Floats

Labels = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class HeldOutScores(Result):
    """Numbers on clips and pairs that a copy never saw; None if there are none.

    `clips` is the accuracy on single clips, people and agents weighted equally; `pairs` is the rate at which the
    person's clip of a pair has the larger value of the published aggregation (`Network.by`), a tie counting a half;
    `pairs_by_logit` the same by mean logit.
    """

    n_clips: int
    clips: float | None
    n_pairs: int
    n_tied: int
    pairs: float | None
    pairs_by_logit: float | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one copy: a score for each tested row, and for each tested pair the result of its person's clip."""

    called_human: Floats
    is_human: Labels
    by_value: Floats
    by_logit: Floats


def called_human(found: Score, by: By) -> float:
    even = 0.5 if by == "share" else 0.0
    return 0.5 if found.value(by) == even else float(found.value(by) > even)


def win(of_human: float, of_agent: float) -> float:
    # Scores that differ by rounding alone are a tie.
    return 0.5 + 0.5 * float(np.sign(round(of_human - of_agent, 9)))


def held(outcomes: Sequence[Outcome]) -> HeldOutScores:
    """The numbers of one copy, or of several together."""
    said = np.concatenate([each.called_human for each in outcomes])
    human = np.concatenate([each.is_human for each in outcomes])
    value = np.concatenate([each.by_value for each in outcomes])
    logit = np.concatenate([each.by_logit for each in outcomes])
    return HeldOutScores(
        len(said),
        clips_right(said, human),
        len(value),
        int((value == 0.5).sum()),
        float(value.mean()) if len(value) else None,
        float(logit.mean()) if len(logit) else None,
    )


def clips_right(said: Floats, is_human: Labels) -> float | None:
    """The share of single clips that are right, people and agents weighted equally; None if one class is missing."""
    right = np.where(is_human, said, 1 - said)
    classes = [right[kind] for kind in (is_human, ~is_human) if kind.any()]
    return float(np.mean([kind.mean() for kind in classes])) if len(classes) == 2 else None


def by_epoch(logits: Floats, of_clip: npt.NDArray[np.intp], is_human: Labels, by: By) -> tuple[float, ...]:
    """After each epoch how many single clips were right, from the logits of their windows, shape (epochs, windows).

    `of_clip` numbers the clip of each window, from 0; `is_human` is of the clips. Empty where one class is missing.
    """
    parts = [of_clip == clip for clip in range(len(is_human))]
    found = [
        clips_right(np.array([called_human(score_of(row[part]), by) for part in parts]), is_human)
        for row in logits
    ]
    return tuple(value for value in found if value is not None)
