"""The human ceiling: one participant against the others, and one half of the people as a judge of the other
half."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.choice.majority import level_votes
from analysis.data.columns import TIE
from analysis.judging.pairs import EVEN, MIRRORED, Pairs, label_of, share_of
from analysis.judging.sample import (
    BRIER,
    CALIBRATION,
    IDENTITY,
    KAPPA,
    LABELS,
    MEASURES,
    NO_LABEL,
    NO_TRUTH,
    NO_VOTE,
    RANK,
    THREE,
    TWO_CLASSES,
    Sample,
    binned,
    quantities,
)
from analysis.judging.scores import (
    Quantity,
    averaged,
    calibration_error_of,
    divided,
    kappa_of,
    mean_of,
    ratio_of,
    spearman_of,
    undefined,
)
from analysis.stats.intervals import Floats

ALONE = "no pair has two votes: no one can be compared with others"
NO_HALVES = "no pair has what this number needs in both halves of the participants"
NO_DECIDED = "no pair has votes whose others favour one member, or are level"

Small = npt.NDArray[np.int32]
Counts = npt.NDArray[np.integer[Any]]

# Random votes and splits that a number is the mean of, and how many of them its bootstrap repeats.
DRAWS = 50
REPEATED = 4

# Of more pairs or votes fewer are drawn: their mean is as steady, and the time is not.
_ENOUGH_PAIRS = 200_000
_ENOUGH_VOTES = 50_000_000
# What a vote for the first member, for the second and for a tie is worth for the first.
_VALUES = ((0, 1.0), (1, 0.0), (TIE, EVEN))


def one_against_others(sample: Sample, *, seed: int) -> dict[str, Quantity]:
    """One participant as the judge, the others as the people, every measure as it is for a judge.

    Per pair over all who voted, then over pairs, so that a pair counts as much as it does for a judge:

    - identity accuracy: the share of votes for the truth, a tie half a vote;
    - label accuracy, kappa: a vote against the majority of the others, a tie half right; where the others are level
      it counts a half, as against a coin; where most of them say no difference it is left out, and pairs are weighted
      by the share of their votes that count;
    - three-class accuracy: a vote against what most of the others said, which may be a tie; level others as above;
    - Brier score, calibration: the others' share as the forecast of a vote;
    - Spearman: of each pair one vote, drawn at random, against the others' share; the mean over 50 seeded
    draws.

    Where nobody says no difference, label accuracy is unbiased for how often one more vote of the same people would
    agree with the majority of n - 1 of theirs, ties by a coin: the probability p m + (1 - p) (1 - m) of a pair of n
    votes, p being the share of all people for the first member and m the probability that n - 1 of them have it as
    their majority. A level 2k others broken by a coin are 2k - 1 others, so an odd n has the ceiling of n - 1, and
    more votes never lower it. Leaving level others out (as here until 0.3) takes from a pair of odd n the very votes
    of its majority, and from chance .500 made .363 at 9 votes.
    """
    several = sample.votes.sum(axis=1) > 1
    cells, same = leave_one_out(sample.votes)
    truth = np.where(sample.has_truth, sample.share, np.nan)
    return {
        IDENTITY: mean_of(truth, "no pair has both a truth and a vote"),
        LABELS: ratio_of(cells[:, 0] + cells[:, 3], cells.sum(axis=1), NO_DECIDED),
        RANK: _ranks(sample, several, seed),
        KAPPA: kappa_of(cells, NO_DECIDED),
        BRIER: mean_of(np.where(several, _brier(sample.votes), np.nan), ALONE),
        CALIBRATION: calibration_error_of(*_calibration(sample.votes), ALONE),
        THREE: _three_classes(sample, same),
    }


def _three_classes(sample: Sample, same: Floats) -> Quantity:
    if not sample.with_ties.any():
        return undefined(TWO_CLASSES)
    return mean_of(np.where(sample.with_ties, same, np.nan), ALONE)


def over_person(sample: Sample) -> Quantity:
    """Label accuracy of the judge minus that of one participant, both against the same others.

    For a judge that votes as one more participant would, its expectation is 0 for any number of votes, odd or even.
    That of `label_accuracy` minus its ceiling is not: the judge faces one vote more, without the tied pairs.
    Participants' votes count for their pair as in `one_against_others`.
    """
    cells, _ = leave_one_out(sample.votes)
    known = ~np.isnan(sample.support)
    support = np.where(known, sample.support, 0.0)
    of_first, of_second = cells[:, 0] + cells[:, 2], cells[:, 1] + cells[:, 3]
    judge = support * of_first + (1 - support) * of_second
    return ratio_of(
        np.where(known, judge - cells[:, 0] - cells[:, 3], 0.0),
        np.where(known, of_first + of_second, 0.0),
        NO_DECIDED,
    )


def leave_one_out(votes: Counts) -> tuple[Floats, Floats]:
    """Per pair the table of a vote against the others' majority, and the share of votes that say what most of the
    others do; NaN without others.

    Columns of the table, shape (pairs, 4), are shares of the pair's votes: for the first while the others' majority is
    the first, for the first while it is the second, and so on for the second. A vote for no difference is half a vote
    for each member; a majority of level others is half of each; votes whose others mostly say no difference are in
    none."""
    n = votes.sum(axis=1).astype(float)
    cells, same = np.zeros((len(votes), 4)), np.zeros(len(votes))
    for voted, value in _VALUES:
        share = divided(votes[:, voted].astype(float), np.where(n < 2, 0.0, n))
        others = _without(votes, voted)
        label = label_of(others)
        # A half, not left out: of three people who guess, each would be right in 25% of cases (bench/calibration.md).
        half = np.where(level_votes(others), 0.5, 0.0)
        first, second = (np.where(label == member, 1.0, half) for member in (1.0, 0.0))
        for cell, (own, majority) in enumerate(
            ((value, first), (value, second), (1 - value, first), (1 - value, second))
        ):
            cells[:, cell] += np.nan_to_num(share) * own * majority
        toss = half * (value != EVEN)
        same += share * np.where(half > 0, toss, label == value)
    return cells, same


def _without(votes: Counts, voted: int) -> Counts:
    """The others' votes for participants who voted so; for a pair without such a vote, all votes."""
    others = votes.copy()
    others[:, voted] = np.maximum(others[:, voted] - 1, 0)
    return others


def _brier(votes: Counts) -> Floats:
    """The mean over votes of the score that the others' share gets as a forecast; of a tie, half for either."""
    total = np.zeros(len(votes))
    for voted, value in _VALUES:
        forecast = np.nan_to_num(share_of(_without(votes, voted)))
        total += votes[:, voted] * (value * (1 - forecast) ** 2 + (1 - value) * forecast**2)
    return divided(total, votes.sum(axis=1).astype(float))


def _ranks(sample: Sample, several: npt.NDArray[np.bool_], seed: int) -> Quantity:
    votes, n = sample.votes, sample.votes.sum(axis=1)
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(_how_many(len(n))):
        place = rng.random(len(n)) * n
        voted = np.where(place < votes[:, 0], 0, np.where(place < votes[:, 0] + votes[:, TIE], TIE, 1))
        others = votes.copy()
        others[np.arange(len(n)), voted] -= several
        vote = np.where(several, np.array([1.0, 0.0, EVEN])[voted], np.nan)
        share = np.where(several, share_of(others), np.nan)
        if sample.both_ways:
            pair = np.arange(len(n))
            # From whole numbers, as the shares are: 1 - share would be another float.
            turned = np.where(several, share_of(others[:, MIRRORED]), np.nan)
            both = np.concatenate([vote, 1 - vote]), np.concatenate([share, turned])
            drawn.append(spearman_of(*both, np.concatenate([pair, pair])))
        else:
            drawn.append(spearman_of(vote, share))
    return averaged(drawn, REPEATED)


def _how_many(pairs: int) -> int:
    return max(REPEATED, min(DRAWS, _ENOUGH_PAIRS // max(pairs, 1)))


def _calibration(votes: Counts) -> tuple[Floats, Floats]:
    """Confidence minus agreement, and weight, per pair and bin."""
    parts = [
        binned(confidence - agreed, weight, confidence)
        for confidence, agreed, weight in votes_as_outcomes(votes)
    ]
    return sum(part for part, _ in parts), sum(size for _, size in parts)  # type: ignore[return-value]


def votes_as_outcomes(votes: Counts) -> Sequence[tuple[Floats, Floats, Floats]]:
    """For votes for the first, for the second and for a tie: the others' confidence in their choice, whether the vote
    agrees with it (a tie by half), and the share of the pair's votes that these are.
    """
    n = votes.sum(axis=1)
    found = []
    for voted, value in _VALUES:
        forecast = np.where(n > 1, share_of(_without(votes, voted)), EVEN)
        # Where nobody voted so the forecast is of nobody, and its weight 0.
        weight = np.where(n > 1, votes[:, voted] / np.maximum(n, 1), 0.0)
        confidence = np.maximum(forecast, 1 - forecast)
        agreed = (np.sign(np.round(forecast - EVEN, 12)) * (2 * value - 1) + 1) / 2
        found.append((confidence, agreed, weight))
    return found


def halves(pairs: Pairs, *, seed: int) -> list[Small]:
    """Votes per pair of a random half of the participants, for each of 50 seeded splits (10 from a million
    votes on).

    The other half's votes are the rest."""
    n_splits = min(_how_many(len(pairs)), max(REPEATED, _ENOUGH_VOTES // max(len(pairs.voted_pair), 1)))
    people = np.bincount(pairs.voted_person) if len(pairs.voted_person) else np.zeros(0, dtype=np.int64)
    there = np.flatnonzero(people)
    rng = np.random.default_rng(seed)
    found = []
    width = pairs.votes.shape[1]
    for _ in range(n_splits):
        in_half = np.zeros(len(people), dtype=bool)
        in_half[rng.permutation(there)[: len(there) // 2]] = True
        chosen = in_half[pairs.voted_person]
        cell = pairs.voted_pair[chosen] * width + pairs.voted_member[chosen]
        found.append(np.bincount(cell, minlength=width * len(pairs)).reshape(-1, width).astype(np.int32))
    return found


def half_against_half(sample: Sample, split: Sequence[Small]) -> dict[str, Quantity]:
    """One half of the people as the judge (its majority is the verdict, its share the score and the
    probability) of the other half, both ways round; the mean over the seeded splits."""
    found: dict[str, list[Quantity]] = {name: [] for name in MEASURES}
    for half in split:
        for judge, people in ((half, sample.votes - half), (sample.votes - half, half)):
            for name, quantity in quantities(_as_judge(sample, judge, people)).items():
                found[name].append(quantity)
    return {name: _in_words(averaged(some, REPEATED)) for name, some in found.items()}


def _in_words(quantity: Quantity) -> Quantity:
    about_a_judge = quantity.reason in (NO_TRUTH, NO_LABEL, NO_VOTE)
    return replace(quantity, reason=NO_HALVES) if about_a_judge else quantity


def _as_judge(sample: Sample, judge: Counts, people: Counts) -> Sample:
    crowd = replace(sample, votes=judge)
    label = crowd.label
    tied = np.isnan(label) & (judge.sum(axis=1) > 0)
    return replace(
        sample,
        votes=people,
        support=np.where(tied, EVEN, label),
        score=crowd.share,
        probability=True,
        # Rounded: 1 - 0.9 and 0.1 are the same share, and ranks would tell their floats apart.
        mirrored=lambda share: np.round(1 - share, 12),
    )
