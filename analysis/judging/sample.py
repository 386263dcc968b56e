"""A judge's and people's answers on the same pairs, and the numbers from comparing them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.judging.pairs import MIRRORED, Bools, label_of, share_of
from analysis.judging.scores import (
    BINS,
    Quantity,
    bin_of,
    calibration_error_of,
    kappa_of,
    mean_of,
    spearman_of,
    undefined,
)
from analysis.stats.intervals import Floats

IDENTITY, LABELS, RANK = "identity_accuracy", "label_accuracy", "spearman"
KAPPA, BRIER, CALIBRATION = "kappa", "brier", "calibration_error"
THREE = "three_class_accuracy"
MEASURES = (IDENTITY, LABELS, RANK, KAPPA, BRIER, CALIBRATION, THREE)
ACCURACIES = (IDENTITY, LABELS, THREE)

NO_TRUTH = "no pair has both a truth and a verdict"
NO_LABEL = "no pair has both a majority that is not tied and a verdict"
NO_PROBABILITY = "the judge gives no probabilities (scores of pairs, all of them in 0 to 1)"
NO_VOTE = "no pair has both a vote and a verdict"
TWO_CLASSES = "no vote is a tie: there are two classes, as in agreement with the majority"

_EVEN = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """The pairs of one group. `support` and `score` are a judge's (see `matching.Run`), NaN without a
    verdict.

    `votes` counts those for the first member, the second and a tie. `with_ties`: a tie is an
    answer like the other two (see `Pairs`). `both_ways`: nothing tells the members apart in
    some pair, so that the correlation, which depends on which is first, takes every pair both ways round,
    through `mirrored`."""

    votes: npt.NDArray[np.integer[Any]]
    with_ties: Bools
    has_truth: Bools
    both_ways: bool
    support: Floats
    score: Floats
    probability: bool
    mirrored: Callable[[Floats], Floats]

    @property
    def share(self) -> Floats:
        """Share of votes for the first member, a tie half a vote; NaN without a vote."""
        return share_of(self.votes)

    @property
    def label(self) -> Floats:
        """1 where the majority chose the first member, 0 where the second; NaN for a tie and without a
        vote."""
        label = label_of(self.votes)
        return np.where(label == _EVEN, np.nan, label)


def quantities(sample: Sample) -> dict[str, Quantity]:
    """Every measure of the sample, by its name in `MEASURES`.

    Accuracies count a tied verdict a half; a tied label is no ground truth and is left out. Spearman's
    correlation is between the score and the share of votes. Three-class accuracy takes a tie for a class of verdicts
    and of labels, as where judges and people are asked for one of three answers. The Brier score [Bri50]_ and the
    calibration error [NCH15]_ take the score as the forecast of one participant's vote."""
    truth = np.where(sample.has_truth, sample.support, np.nan)
    measures = {
        IDENTITY: mean_of(truth, NO_TRUTH),
        LABELS: mean_of(agreement(sample.support, sample.label), NO_LABEL),
        RANK: _rank(sample),
        KAPPA: kappa_of(_cells(sample), NO_LABEL),
        THREE: _three_classes(sample),
    }
    if not sample.probability:
        return {**measures, BRIER: undefined(NO_PROBABILITY), CALIBRATION: undefined(NO_PROBABILITY)}
    share, forecast = sample.share, sample.score
    brier = share * (1 - forecast) ** 2 + (1 - share) * forecast**2
    return {**measures, BRIER: mean_of(brier, NO_VOTE), CALIBRATION: calibration(sample)}


def agreement(support: Floats, label: Floats) -> Floats:
    """1 where a verdict names the label, 0 where it does not, a half where it is tied; NaN without either."""
    return support * label + (1 - support) * (1 - label)


def _three_classes(sample: Sample) -> Quantity:
    if not sample.with_ties.any():
        return undefined(TWO_CLASSES)
    label = label_of(sample.votes)
    unknown = np.isnan(sample.support + label) | ~sample.with_ties
    return mean_of(np.where(unknown, np.nan, sample.support == label), NO_VOTE)


def _rank(sample: Sample) -> Quantity:
    if not sample.both_ways:
        return spearman_of(sample.score, sample.share)
    # Both ways round: where nothing names the first member, which one it is must not change the number.
    pair = np.arange(len(sample.score))
    score = np.concatenate([sample.score, sample.mirrored(sample.score)])
    turned = share_of(sample.votes[:, MIRRORED])
    return spearman_of(score, np.concatenate([sample.share, turned]), np.concatenate([pair, pair]))


def _cells(sample: Sample) -> Floats:
    one, other = sample.support, sample.label
    return np.stack([one * other, one * (1 - other), (1 - one) * other, (1 - one) * (1 - other)], axis=1)


def calibration(sample: Sample) -> Quantity:
    """The expected calibration error of the sample's probabilities."""
    confidence, agreed, used = forecasts(sample)
    sums, sizes = binned(confidence - agreed, used, confidence)
    return calibration_error_of(sums, sizes, NO_VOTE)


def forecasts(sample: Sample) -> tuple[Floats, Floats, Floats]:
    """Per pair: the judge's confidence in its choice, the share of votes that agree with it, and 1 if both are known.

    At a probability of a half it has no choice: the share is a half, whichever member is named.
    """
    confidence = np.maximum(sample.score, 1 - sample.score)
    share = sample.share
    agreed = np.where(sample.score > _EVEN, share, np.where(sample.score < _EVEN, 1 - share, _EVEN))
    used = ~np.isnan(confidence) & ~np.isnan(share)
    return np.where(used, confidence, _EVEN), np.where(used, agreed, _EVEN), used.astype(float)


def binned(values: Floats, weight: Floats, confidence: Floats) -> tuple[Floats, Floats]:
    """`values` times `weight`, and `weight`, each in the column of its confidence's bin."""
    member = np.arange(BINS) == bin_of(confidence)[:, None]
    return np.where(member, (values * weight)[:, None], 0.0), np.where(member, weight[:, None], 0.0)
