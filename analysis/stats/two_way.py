"""Intervals that hold for other participants and for other pairs: both are resampled."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from analysis.data.outcomes import Outcomes, Trials, chosen_answers, correct_answers, uncertainty_answers
from analysis.options import RESAMPLES, Blank
from analysis.results import Result
from analysis.stats.intervals import NOT_ASKED, Floats, Interval, no_interval, percentile_interval, portions
from analysis.stats.student import FEWEST, too_few

OVER_BOTH = "percentile bootstrap over participants and pairs"

_WORK = 200_000_000
# Each end of a 95% interval rests on 25 of 1,000 resamples; fewer would make it unsteady.
_FEWEST = 1_000

Codes = npt.NDArray[np.signedinteger]


@dataclass(frozen=True, slots=True)
class TwoWay(Result):
    """Intervals of one study's means, wide enough for other participants shown other pairs of the same kind."""

    accuracy: Interval
    accuracy_participants: int
    """Participants that the accuracy is over."""
    accuracy_pairs: int
    """Pairs that the accuracy is over."""
    uncertainty: Interval
    uncertainty_participants: int
    """Participants that the uncertainty is over."""
    uncertainty_pairs: int
    """Pairs that the uncertainty is over."""
    uncertainty_trials: Trials
    """The trials that the uncertainty is over."""


def two_way(
    rows: pd.DataFrame, blank: Blank = "missing", *, seed: int = 1, resamples: int = RESAMPLES
) -> TwoWay:
    """Resample participants and pairs together, for the study's accuracy and its mean uncertainty.

    One row is one answer. The numbers are those of `accuracy_per_participant` and `uncertainty_per_participant`: the
    mean over participants of each one's mean; the uncertainty over trials with a truth, where the study has such.
    See `two_way_mean`.

    Parameters
    ----------
    rows
        Checked responses of one study, already selected.
    blank
        ``missing`` or ``wrong``, see `accuracy_per_participant`.
    seed, resamples
        Of the bootstrap.
    """
    trials: Trials = "with-truth" if rows["truth"].notna().any() else "all"
    correct, uncertainty = correct_answers(rows, blank), uncertainty_answers(rows, trials)
    return TwoWay(
        accuracy=_interval(correct, seed, resamples),
        accuracy_participants=correct.n_participants,
        accuracy_pairs=correct.n_pairs,
        uncertainty=_interval(uncertainty, seed, resamples),
        uncertainty_participants=uncertainty.n_participants,
        uncertainty_pairs=uncertainty.n_pairs,
        uncertainty_trials=trials,
    )


def two_way_preference(
    rows: pd.DataFrame,
    condition: str,
    source: str,
    against: str,
    blank: Blank = "missing",
    *,
    seed: int = 1,
    resamples: int = RESAMPLES,
) -> Interval:
    """The same for one preference: the mean over participants of how often each chose `source` over `against`."""
    return _interval(chosen_answers(rows, condition, source, against, blank), seed, resamples)


def two_way_mean(
    person_codes: Codes, pair_codes: Codes, values: npt.ArrayLike, *, seed: int, resamples: int
) -> Interval:
    """Interval of the mean over participants of each one's mean, resampling participants and pairs [Owe07]_.

    One value is one answer; participants are independent, and so are pairs, but answers of one participant or to one
    pair are not. Each resample draws participants and, apart from them, pairs with replacement (the pigeonhole
    bootstrap); an answer counts as often as its pair was drawn in its participant's mean, and a participant's mean
    as often as the participant was drawn. A participant none of whose pairs was drawn is left out of that resample.
    The 95% interval errs on the wide side: it held the truth in 95 to 97% of 400 simulated studies where pairs differ
    and in 99% where they are all alike.

    Parameters
    ----------
    person_codes, pair_codes
        Whole numbers from 0 that name participant and pair of each answer.
    values
        0 or 1, or any number, of each answer; NaN is left out.
    seed, resamples
        Of the bootstrap. Where resamples times (answers and participants) exceed 200 million, fewer are drawn, as
        `resamples` of the result says, and none where that leaves fewer than 1,000.
    """
    every = np.asarray(values, dtype=float)
    given = ~np.isnan(every)
    return _resampled(
        _numbered(np.asarray(person_codes)[given]),
        _numbered(np.asarray(pair_codes)[given]),
        every[given],
        seed,
        resamples,
    )


def _interval(outcomes: Outcomes, seed: int, resamples: int) -> Interval:
    return _resampled(outcomes.participant, outcomes.pair, outcomes.value.astype(float), seed, resamples)


def _resampled(person: Codes, pair: Codes, values: Floats, seed: int, resamples: int) -> Interval:
    drawn, reason = _affordable(person, pair, values, resamples)
    if reason:
        return no_interval(reason, seed, resamples, OVER_BOTH)
    n, m = int(person.max()) + 1, int(pair.max()) + 1
    sums, counts = (
        sparse.coo_array((weights, (person, pair)), shape=(n, m)).tocsr()
        for weights in (values, np.ones(len(values)))
    )
    rng = np.random.default_rng(seed)

    def means(size: int) -> Floats:
        people = rng.multinomial(n, np.full(n, 1 / n), size=size).T
        pairs = rng.multinomial(m, np.full(m, 1 / m), size=size).T.astype(float)
        counted = counts @ pairs
        own = np.divide(sums @ pairs, counted, out=np.zeros_like(counted), where=counted > 0)
        weight = (people * (counted > 0)).sum(axis=0)
        total = (people * own).sum(axis=0)
        mean: Floats = np.divide(total, weight, out=np.full(size, np.nan), where=weight > 0)
        return mean

    return percentile_interval(
        np.concatenate([means(size) for size in portions(drawn, 4 * n + m)]), seed, OVER_BOTH
    )


def _affordable(person: Codes, pair: Codes, values: Floats, resamples: int) -> tuple[int, str | None]:
    """The number of resamples to draw, or the reason for none."""
    if not len(values):
        return 0, "there is no answer that counts"
    for codes, name in ((person, "participant"), (pair, "pair")):
        n = int(codes.max()) + 1
        # From 3 of each on the pigeonhole bootstrap is wide enough (docs/analysis.md).
        if n < FEWEST:
            return 0, too_few(n, f"{name}s")
    if values.min() == values.max():
        return 0, "all answers have the same value: resampling cannot show a spread"
    if resamples == 0:
        return 0, NOT_ASKED
    work = len(values) + int(person.max()) + 1
    if work * min(resamples, _FEWEST) > _WORK:
        most = _WORK // min(resamples, _FEWEST)
        return 0, f"too many answers to resample both ways: {len(values):,}, and about {most:,} are possible"
    return min(resamples, _WORK // work), None


def _numbered(codes: Codes) -> Codes:
    """The codes without gaps, in the same order."""
    numbered: Codes = np.unique(codes, return_inverse=True)[1]
    return numbered
