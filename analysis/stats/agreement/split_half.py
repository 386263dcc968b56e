"""Split halves: how well the vote shares of one half of the participants predict those of the other."""

from dataclasses import dataclass

import numpy as np

from analysis.data.columns import CHOICES
from analysis.results import Result
from analysis.stats.agreement.resampling import Sample
from analysis.stats.agreement.units import Codes, Mask, ratio
from analysis.stats.agreement.words import PAIRS, estimated
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Floats

_MOST_SPLITS, _FEWEST_SPLITS = 100, 4
_VOTES_TO_SPLIT = 30_000_000


@dataclass(frozen=True, slots=True)
class SplitHalf(Result):
    """`reliability` is of the vote shares of all participants, `correlation` that of two halves of them.

    Both are pooled over `splits` random halvings, drawn by `seed`; n counts the pairs with a vote in both halves."""

    reliability: Estimate
    correlation: Estimate
    splits: int
    seed: int


def split_half(
    pair: Codes, person: Codes, choice: Codes, n_pairs: int, *, seed: int, resamples: int
) -> SplitHalf:
    """Correlate the vote shares of random halves of the participants over pairs, and correct for the halving.

    One row is one vote (`choice` 0 or 1, or 2 for a tie, which is half a vote for each). Shares are taken from 1/2 and
    not from their mean, which is the correlation over pairs that stand there twice, under either name of their members:
    what is called a makes no difference. The
    halves are interchangeable, so it is the intraclass form: the products of both shares over the mean of their
    squares, each summed over pairs and splits. Spearman and Brown's 2 r / (1 + |r|) is what twice as many participants
    would reach [Spe10]_. The bootstrap resamples pairs. There are 100 splits, and fewer of more than 300,000 votes."""
    splits = int(np.clip(_VOTES_TO_SPLIT // max(1, len(pair)), _FEWEST_SPLITS, _MOST_SPLITS))
    together, alone, shared = _products(pair, person, choice, n_pairs, splits, seed)

    def correlation(sums: Floats) -> Floats:
        return np.where(sums[:, 1] > 0, sums[:, 0] / sums[:, 1], np.nan)

    def reliability(sums: Floats) -> Floats:
        halves: Floats = correlation(sums)
        # With |r|: of a negative correlation 2r / (1 + r) can fall far below -1.
        doubled: Floats = 2 * halves / (1 + np.abs(halves))
        return doubled

    # In an order of their own: no name of a pair decides which resample it falls into.
    parts, counts = np.unique(np.column_stack([together, alone])[shared], axis=0, return_counts=True)
    found = estimated(
        Sample(parts, counts),
        {"reliability": reliability, "correlation": correlation},
        int(shared.sum()),
        PAIRS,
        seed=seed,
        resamples=resamples,
        reason="every pair is tied in both halves: the correlation is undefined",
    )
    return SplitHalf(found["reliability"], found["correlation"], splits, seed)


def _products(
    pair: Codes, person: Codes, choice: Codes, n_pairs: int, splits: int, seed: int
) -> tuple[Floats, Floats, Mask]:
    """Per pair, over the splits: product of both halves' shares, mean of their squares, and whether it has both."""
    rng = np.random.default_rng(seed)
    n_people = int(person.max(initial=-1)) + 1
    together, alone = np.zeros(n_pairs), np.zeros(n_pairs)
    shared = np.zeros(n_pairs, dtype=bool)
    width = len(CHOICES)
    cell = pair * 2 * width + choice
    for _ in range(splits):
        second_half = np.zeros(n_people, dtype=np.int64)
        second_half[rng.permutation(n_people)[: n_people // 2]] = width
        votes = np.bincount(cell + second_half[person], minlength=2 * width * n_pairs)
        votes = votes.reshape(n_pairs, 2, width)
        n = votes.sum(axis=2)
        both = n.min(axis=1) > 0
        from_half = ratio((votes[..., 1] - votes[..., 0]).reshape(-1), 2 * n.reshape(-1)).reshape(n_pairs, 2)[
            both
        ]
        together[both] += from_half.prod(axis=1)
        alone[both] += (from_half**2).mean(axis=1)
        shared |= both
    return together, alone, shared
