"""Separation by a clue within the pairs that people and judges decide, which marginal distributions do not show.

If a person's clip is shorter than its partner in every pair, length reveals the source within pairs, even if the
lengths of all of the person's clips and of all others overlap.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from analysis.options import LEVEL
from analysis.results import Result
from analysis.stats.exact import clopper_pearson, sign_p
from analysis.stats.intervals import Floats
from analysis.stats.multiplicity import holm
from analysis.stats.p_values import p_words

StimulusPairs = Sequence[tuple[str, str]]
"""Names of two stimuli each, in any order."""


@dataclass(frozen=True, slots=True)
class PairShare(Result):
    """The number of pairs, of a stimulus of `first` and one of `second` (None: any other source), in which the first
    has more.

    `share` in [0, 1] is that of pairs in which the first has the higher value, equal values counting half; `strength` =
    max(share, 1 - share) is the accuracy of naming the source by the known direction. `low` and `high` are the exact
    95% interval [CP34]_ of the share (of the unequal pairs, the equal ones counted in by half), `p` the exact two-sided
    sign test's, `p_holm` corrected for every such comparison of every clue. `n_pairs` are those in which both have a
    value. Pairs are taken as independent; pairs that share a stimulus are not.
    """

    first: str
    second: str | None
    n_pairs: int
    n_higher: int
    n_lower: int
    n_equal: int
    share: float | None
    low: float | None
    high: float | None
    strength: float | None
    p: float | None
    p_holm: float | None
    warns: bool


def share_within(first: str, second: str | None, differences: Floats) -> PairShare:
    """The share of the differences, first minus second, that are above 0; NaN is a pair without both values."""
    known = differences[~np.isnan(differences)]
    n, higher, lower = len(known), int((known > 0).sum()), int((known < 0).sum())
    counts = n, higher, lower, n - higher - lower
    if not n:
        return PairShare(first, second, *counts, None, None, None, None, None, None, warns=False)
    share = (higher + counts[3] / 2) / n
    if not higher + lower:
        return PairShare(first, second, *counts, share, None, None, 0.5, 1.0, None, warns=False)
    ends = clopper_pearson(higher, higher + lower)
    low, high = ((end * (higher + lower) + counts[3] / 2) / n for end in ends)
    strength = max(share, 1 - share)
    return PairShare(
        first,
        second,
        *counts,
        share,
        float(low),
        float(high),
        strength,
        sign_p(higher, higher + lower),
        None,
        warns=False,
    )


def shares_within(
    values: Mapping[str, float], sources: Mapping[str, str], pairs: StimulusPairs, positive: str
) -> list[PairShare]:
    """One clue's values, `positive` against all others and, where there are more, each two sources."""
    both = [(a, b) for a, b in pairs if a in sources and b in sources and sources[a] != sources[b]]

    def differences(first: str, second: str | None) -> Floats:
        turned = (
            (a, b) if sources[a] == first else (b, a) for a, b in both if first in (sources[a], sources[b])
        )
        kept = [(a, b) for a, b in turned if second in (None, sources[b])]
        # Rounded: differences that are equal as decimals have to tie, though their floats differ.
        return np.round([values.get(a, np.nan) - values.get(b, np.nan) for a, b in kept], 12).astype(
            np.float64
        )

    met = sorted({tuple(sorted((sources[a], sources[b]), key=lambda s: (s != positive, s))) for a, b in both})
    found = [share_within(positive, None, differences(positive, None))]
    if len(met) > 1:
        found += [share_within(first, second, differences(first, second)) for first, second in met]
    return [one for one in found if one.n_pairs]


def shares_of_column(clips: pd.DataFrame, name: str, pairs: StimulusPairs, positive: str) -> list[PairShare]:
    """`shares_within` of a column of the table of clips."""
    if not pairs:
        return []
    stimuli = clips["stimulus"].astype(str)
    values = dict(zip(stimuli, clips[name].to_numpy(dtype=float, na_value=np.nan), strict=True))
    return shares_within(
        values, dict(zip(stimuli, clips["source"].astype(str), strict=True)), pairs, positive
    )


def corrected_within(found: Sequence[Sequence[PairShare]], threshold: float) -> list[tuple[PairShare, ...]]:
    """Holm's correction over every comparison of every clue; one warns from the threshold on with p below 0.05."""
    p_holm = iter(holm([one.p for of in found for one in of]))
    return [tuple(_judged(one, next(p_holm), threshold) for one in of) for of in found]


def _judged(one: PairShare, p_holm: float | None, threshold: float) -> PairShare:
    warns = p_holm is not None and p_holm < 1 - LEVEL and (one.strength or 0.0) >= threshold
    return replace(one, p_holm=p_holm, warns=warns)


def strongest(found: Iterable[PairShare]) -> PairShare | None:
    """The share that warns, else the one with the greatest strength."""
    return max(found, key=lambda one: (one.warns, one.strength or 0.0), default=None)


def pairs_sentence(one: PairShare) -> str:
    """``it is lower in human than in hybrid in 30 of 30 pairs (exact 95% interval 0.88 to 1.00, p < .001)``."""
    is_higher = (one.share or 0.0) > 0.5
    higher, most = ("higher", one.n_higher) if is_higher else ("lower", one.n_lower)
    low, high = (one.low, one.high) if is_higher else (1 - (one.high or 0.0), 1 - (one.low or 0.0))
    equal = f", equal in {one.n_equal}" if one.n_equal else ""
    return (
        f"it is {higher} in {one.first} than in {one.second or 'the other'} in {most} of {one.n_pairs} pairs{equal} "
        f"(exact 95% interval {low:.2f} to {high:.2f}, sign test {p_words(one.p)})"
    )
