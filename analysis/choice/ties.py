"""Answers that name no clip: no difference, which is a vote, and blanks, which are not."""

from dataclasses import dataclass

import pandas as pd

from analysis.data.columns import TIE
from analysis.data.totals import share
from analysis.options import RESAMPLES
from analysis.results import Result
from analysis.stats.description import Description, describe


@dataclass(frozen=True, slots=True)
class TieAnswers(Result):
    """The `n_answers` to main trials: `n_chosen` name a clip, `n_tie` no difference, `n_blank` nothing.

    Accuracy and preference are of the answers that name a clip. `share` is the share of ties among the votes.
    `accuracy_half` is the accuracy with every tie on a trial with a truth counted as half right, the average result of
    guessing; without ties it equals the accuracy, and is described only if there are some.
    """

    n_answers: int
    n_chosen: int
    n_tie: int
    n_blank: int
    share: float | None
    accuracy_half: Description | None
    reason: str | None


def tie_answers(
    rows: pd.DataFrame, people: pd.DataFrame, *, seed: int = 1, resamples: int = RESAMPLES
) -> TieAnswers:
    """Count the answers of no difference and the blanks.

    Parameters
    ----------
    rows
        Checked responses of main trials, already selected.
    people
        One row per participant, as `accuracy_per_participant` returns it.
    seed, resamples
        Of the bootstrap, which resamples participants.
    """
    choice = rows["choice"].cat.codes.to_numpy()
    n_tie, n_blank = int((choice == TIE).sum()), int((choice < 0).sum())
    n_votes = len(choice) - n_blank
    half = None
    if n_tie:
        # Twice both, so that equal shares are equal floats.
        right = 2 * people["n_correct"] + people["n_tie"]
        half = describe(
            share(right, 2 * (people["n_accuracy"] + people["n_tie"])),
            scale="share",
            seed=seed,
            resamples=resamples,
        )
    return TieAnswers(
        n_answers=len(choice),
        n_chosen=n_votes - n_tie,
        n_tie=n_tie,
        n_blank=n_blank,
        share=n_tie / n_votes if n_votes else None,
        accuracy_half=half,
        reason=None if n_tie else "no answer says that there is no difference",
    )
