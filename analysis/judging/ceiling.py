"""The human ceiling: one participant against the others, and one half of the people as a judge of the other
half."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.intervals import Floats
from analysis.judging.pairs import Pairs
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
    spearman_of,
)

ALONE = "no pair has two votes: nobody can be held against others"
NO_HALVES = "no pair has what this number needs in both halves of the participants"
NO_DECIDED = "no pair has votes of others that are not tied"

Small = npt.NDArray[np.int32]
Counts = npt.NDArray[np.integer[Any]]

# Random votes and splits that a number is the mean of, and how many of them its bootstrap repeats.
DRAWS = 50
REPEATED = 4

# Of more pairs or votes fewer are drawn: their mean is as steady, and the time is not.
_ENOUGH_PAIRS = 200_000
_ENOUGH_VOTES = 50_000_000
_EVEN = 0.5


def one_against_others(sample: Sample, *, seed: int) -> dict[str, Quantity]:
    """One participant as the judge, the others as the people, every measure as it is for a judge.

    Per pair over all who voted, then over pairs, so that a pair counts as much as it does for a judge:

    - identity accuracy: the share of votes for the truth;
    - label accuracy, kappa: a vote against the majority of the others; where the others are tied there is no
    ground
      truth, and that vote is left out;
    - Brier score, calibration: the others' share as the forecast of a vote;
    - Spearman: of each pair one vote, drawn at random, against the others' share; the mean over 50 seeded
    draws.
    """
    first, second = (votes.astype(float) for votes in sample.votes.T)
    n = first + second
    several = n > 1
    share = divided(first, n)
    cells, decided = _leave_one_out(first, second)
    credit = np.where(decided, cells[:, 0] + cells[:, 3], np.nan)
    brier = np.where(several, first * second / np.maximum(n - 1, 1) ** 2, np.nan)
    return {
        IDENTITY: mean_of(np.where(sample.has_truth, share, np.nan), "no pair has both a truth and a vote"),
        LABELS: mean_of(credit, NO_DECIDED),
        RANK: _ranks(sample, several, seed),
        KAPPA: kappa_of(cells, NO_DECIDED),
        BRIER: mean_of(brier, ALONE),
        CALIBRATION: calibration_error_of(*_calibration(first, second), ALONE),
    }


def _leave_one_out(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Per pair the table of a vote against the others' majority, and whether there is one; NaN without."""
    # Who voted for the first has one fewer such other; who voted for the second likewise.
    by_first, by_second = np.sign(first - 1 - second), np.sign(first - second + 1)
    counts = np.stack(
        [first * (by_first > 0), first * (by_first < 0), second * (by_second > 0), second * (by_second < 0)],
        axis=1,
    )
    # A single vote has no others, which the signs above take for a majority against it.
    counts[first + second < 2] = 0.0
    total = counts.sum(axis=1, keepdims=True)
    return divided(counts, total), total[:, 0] > 0


def _ranks(sample: Sample, several: Floats, seed: int) -> Quantity:
    first, n = sample.votes[:, 0], sample.votes.sum(axis=1)
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(_how_many(len(n))):
        vote = (rng.random(len(n)) * n < first).astype(float)
        others = divided(first - vote, np.where(several, n - 1.0, 0.0))
        vote = np.where(several, vote, np.nan)
        if sample.both_ways:
            pair = np.arange(len(n))
            # From whole numbers, as the shares are: 1 - share would be another float.
            turned = divided(n - first - (1 - vote), np.where(several, n - 1.0, 0.0))
            score, share = np.concatenate([vote, 1 - vote]), np.concatenate([others, turned])
            drawn.append(spearman_of(score, share, np.concatenate([pair, pair])))
        else:
            drawn.append(spearman_of(vote, others))
    return averaged(drawn, REPEATED)


def _how_many(pairs: int) -> int:
    return max(REPEATED, min(DRAWS, _ENOUGH_PAIRS // max(pairs, 1)))


def _calibration(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Confidence minus agreement, and weight, per pair and bin."""
    parts = [
        binned(confidence - agreed, weight, confidence)
        for confidence, agreed, weight in votes_as_outcomes(first, second)
    ]
    return sum(part for part, _ in parts), sum(size for _, size in parts)  # type: ignore[return-value]


def votes_as_outcomes(first: Floats, second: Floats) -> Sequence[tuple[Floats, Floats, Floats]]:
    """For those who voted for the first, then for the second: how sure the others are of their choice,
    whether the vote agrees with it, and the share of the pair's votes that this is."""
    n = first + second
    several = n > 1
    found = []
    for others, sign, votes in ((first - 1, 1.0, first), (first, -1.0, second)):
        forecast = np.where(several, others / np.maximum(n - 1, 1), _EVEN)
        weight = np.where(several, votes / np.maximum(n, 1), 0.0)
        # Nobody voted so: the forecast is of nobody, and its weight 0.
        forecast = np.clip(forecast, 0.0, 1.0)
        confidence = np.maximum(forecast, 1 - forecast)
        agreed = (np.sign(np.round(forecast - _EVEN, 12)) * sign + 1) / 2
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
    for _ in range(n_splits):
        in_half = np.zeros(len(people), dtype=bool)
        in_half[rng.permutation(there)[: len(there) // 2]] = True
        chosen = in_half[pairs.voted_person]
        cell = pairs.voted_pair[chosen] * 2 + pairs.voted_member[chosen]
        found.append(np.bincount(cell, minlength=2 * len(pairs)).reshape(-1, 2).astype(np.int32))
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
        support=np.where(tied, _EVEN, label),
        score=crowd.share,
        probability=True,
        mirrored=lambda share: np.round(1 - share, 12),
    )
