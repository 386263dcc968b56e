"""Agreement of the participants who answered the same pairs."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.data.columns import CHOICES, MEMBERS, TIE
from analysis.options import RESAMPLES
from analysis.results import Result
from analysis.stats.agreement.coefficients import FEWEST_FOR_CHANCE, chance_with_ties, nominal, symmetric
from analysis.stats.agreement.ratings import RatingAgreement, Ratings, rating_agreement
from analysis.stats.agreement.resampling import Sample, kinds
from analysis.stats.agreement.split_half import SplitHalf, split_half
from analysis.stats.agreement.units import Codes, Mask, Units, dense, pairs_of, people_of
from analysis.stats.agreement.words import PAIRS, UNCERTAINTIES, estimated
from analysis.stats.estimates import Estimate


@dataclass(frozen=True, slots=True)
class ChoiceAgreement(Result):
    """Agreement on which of a pair's two clips to choose, corrected for agreeing half of the time (`chance`).

    `agreement` is the share of agreeing pairs of votes, averaged over pairs; `kappa` and `ac1` are 2 agreement - 1, and
    `alpha` the same with pairs counted by their votes. Where some votes are ties there are three values, and `chance`
    is less."""

    agreement: Estimate
    alpha: Estimate
    kappa: Estimate
    ac1: Estimate
    chance: float


@dataclass(frozen=True, slots=True)
class SourceAgreement(Result):
    """Agreement on which pairs of a `condition` show one of its two `sources` as the likelier human.

    Here a vote is for a source, and a preference for one source in all pairs is no agreement beyond chance."""

    condition: str
    sources: tuple[str, str]
    n_pairs: int
    n_pairs_one_vote: int
    """Pairs with a single vote, which have nobody to agree with."""
    n_votes: int
    agreement: Estimate
    alpha: Estimate
    kappa: Estimate
    ac1: Estimate


@dataclass(frozen=True, slots=True)
class Agreement(Result):
    """Participants' agreement. Pairs are the units and are what every bootstrap resamples.

    `n_pairs` counts the pairs with a vote; `n_pairs_one_vote` of them have one only and are left out: each estimate's
    `n` counts the others.
    """

    n_pairs: int
    n_pairs_one_vote: int
    n_participants: int
    n_votes: int
    n_blank: int
    choice: ChoiceAgreement
    sources: tuple[SourceAgreement, ...]
    uncertainty: RatingAgreement
    split_half: SplitHalf
    n_tie: int


def agreement(rows: pd.DataFrame, *, seed: int = 1, resamples: int = RESAMPLES) -> Agreement:
    """Measure how far participants agree on the same pairs.

    One row is one answer; pairs are independent of each other, and are what the bootstrap resamples [ZCM16]_: a
    participant drawn twice would agree with themselves. A blank is no vote, a tie is one; a participant's second vote
    on a pair counts as one more.

    Which member of a pair is called a means nothing, but the usual chance correction depends on it: votes that agree on
    ten pairs have another alpha where all the chosen clips happen to be called a. So there are two answers:

    - `choice`: which clip. The chance that two votes agree is 1/2 for any votes (`symmetric`). All coefficients then
      say almost the same, which is no fault: they differ only in what they take for chance.
    - `sources`: which source, for each condition and pair of different sources. Here the values mean something, and
      alpha, kappa and AC1 are the usual ones. A low kappa with a high agreement says that participants prefer one
      source everywhere, and do not single out pairs.

    `uncertainty` is the agreement of the uncertainties given, with alpha for ordered values and the ICC.

    Parameters
    ----------
    rows
        Checked responses, already selected.
    seed, resamples
        Of the bootstrap and of the halves; 0 resamples gives no intervals.

    Returns
    -------
    Agreement
        alpha [Kri04]_, kappa [Fle71]_ [Gwe14]_, AC1 [Gwe08]_ and ICC [MW96]_: 1 is agreement on everything, 0 as much
        as by chance, below 0 less.
    """
    pairs, people = pairs_of(rows), people_of(rows)
    choice = rows["choice"].cat.codes.to_numpy().astype(np.int64)
    voted = choice >= 0
    pair, person, choice = pairs.code[voted], people.code[voted], choice[voted]
    width = len(CHOICES) if (choice == TIE).any() else len(MEMBERS)
    votes = np.bincount(pair * width + choice, minlength=width * pairs.n).reshape(pairs.n, width)
    n = votes.sum(axis=1)
    return Agreement(
        n_pairs=int((n > 0).sum()),
        n_pairs_one_vote=int((n == 1).sum()),
        n_participants=int((np.bincount(person, minlength=1) > 0).sum()),
        n_votes=len(choice),
        n_blank=len(rows) - len(choice),
        choice=_on_choice(votes, seed, resamples),
        sources=tuple(_on_sources(rows, pairs, votes, seed, resamples)),
        uncertainty=_on_uncertainty(rows, pairs, people, seed, resamples),
        split_half=split_half(pair, person, choice, pairs.n, seed=seed, resamples=resamples),
        n_tie=int((choice == TIE).sum()),
    )


def _on_choice(votes: Codes, seed: int, resamples: int) -> ChoiceAgreement:
    # Sorted within a pair: from here on nothing knows which member was called a.
    votes = votes[votes.any(axis=1)]
    distinct, counts = kinds(np.column_stack([np.sort(votes[:, :TIE], axis=1), votes[:, TIE:]]))
    parts, coefficients = symmetric(distinct)
    n = int((votes.sum(axis=1) >= 2).sum())
    ties = float((votes[:, TIE:].sum(axis=1) / votes.sum(axis=1)).mean()) if len(votes) else 0.0
    found = estimated(Sample(parts, counts), coefficients, n, PAIRS, seed=seed, resamples=resamples)
    return ChoiceAgreement(**found, chance=chance_with_ties(ties))


def _on_sources(
    rows: pd.DataFrame, pairs: Units, votes: Codes, seed: int, resamples: int
) -> Iterator[SourceAgreement]:
    condition, sources, contrast, turned = _contrasts(rows, pairs)
    turned_votes = votes[:, [1, 0, *range(TIE, votes.shape[1])]]
    votes = np.where(turned[:, np.newaxis], turned_votes, votes)
    for number, (name, pair_of_sources) in enumerate(zip(condition, sources, strict=True)):
        of_contrast = votes[(contrast == number) & votes.any(axis=1)]
        n = of_contrast.sum(axis=1)
        distinct, counts = kinds(of_contrast)
        parts, coefficients = nominal(distinct, votes.shape[1])
        found = estimated(
            Sample(parts, counts),
            coefficients,
            int((n >= 2).sum()),
            PAIRS,
            seed=seed,
            resamples=resamples,
            fewest=FEWEST_FOR_CHANCE,
        )
        yield SourceAgreement(name, pair_of_sources, len(n), int((n == 1).sum()), int(n.sum()), **found)


def _contrasts(rows: pd.DataFrame, pairs: Units) -> tuple[list[str], list[tuple[str, str]], Codes, Mask]:
    """Each condition's pairs of different sources, in order; which of them a pair is of (-1: none); and whether its
    member a is of the second source."""
    columns = [rows[name] for name in ("condition", "source_a", "source_b")]
    codes = [pairs.cells(column) + 1 for column in columns]
    widths = [len(column.cat.categories) + 1 for column in columns]
    key = (codes[0] * widths[1] + codes[1]) * widths[2] + codes[2]
    code, used = dense(key, int(np.prod(widths)))
    names = [["", *map(str, column.cat.categories)] for column in columns]
    named = [
        (
            names[0][one // (widths[1] * widths[2])],
            names[1][one // widths[2] % widths[1]],
            names[2][one % widths[2]],
        )
        for one in used.tolist()
    ]
    compared = sorted({(name, *sorted((a, b))) for name, a, b in named if a and b and a != b})
    place = {contrast: number for number, contrast in enumerate(compared)}
    contrast = np.array([place.get((name, *sorted((a, b))), -1) for name, a, b in named], dtype=np.int64)
    turned = np.array([a > b for _, a, b in named], dtype=bool)
    sources = [(first, second) for _, first, second in compared]
    return [name for name, _, _ in compared], sources, contrast[code], turned[code]


def _on_uncertainty(
    rows: pd.DataFrame, pairs: Units, people: Units, seed: int, resamples: int
) -> RatingAgreement:
    points = rows["uncertainty"].to_numpy(dtype=np.int64, na_value=0)
    given = points > 0
    point = points[given]
    place, values = dense(point, int(point.max(initial=0)) + 1)
    ratings = Ratings(pairs.code[given], people.code[given], place, values.astype(np.float64))
    return rating_agreement(ratings, "ordinal", len(values), UNCERTAINTIES, seed=seed, resamples=resamples)
