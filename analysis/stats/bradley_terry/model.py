"""Bradley-Terry: one strength for each source, from the choices between them."""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import expit

from analysis.options import RESAMPLES
from analysis.results import Result
from analysis.stats.agreement.units import people_of
from analysis.stats.bradley_terry.data import Coded, coded_rows, coded_wins
from analysis.stats.bradley_terry.fit import Cells, fit, fit_plain, not_finite
from analysis.stats.bradley_terry.spread import People, fitted_models
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Floats, no_interval


@dataclass(frozen=True, slots=True)
class Strength(Result):
    """One source: `strength` is its log-worth (they sum to zero), `strength_plain` that without a side effect."""

    source: str
    n_comparisons: int
    """Comparisons of this source with another."""
    n_wins: int
    """How many of them it won."""
    strength: Estimate
    strength_plain: Estimate


@dataclass(frozen=True, slots=True)
class WinProbability(Result):
    """The model's probability that `source` is chosen over `against` where neither has the better side.

    `n_wins` of `n_comparisons` were seen; the probability also follows from comparisons of both with others."""

    source: str
    against: str
    n_comparisons: int
    n_wins: int
    probability: Estimate


@dataclass(frozen=True, slots=True)
class BradleyTerry(Result):
    """Strengths of the sources, and how many answers compare none: blanks, ties, equal sources, a source missing.

    `left_advantage` is what standing left adds to the log-odds of being chosen; its n counts the comparisons whose
    side is known, `n_side_unknown` the others. Where it has no value, `strength` is `strength_plain`. `reason` says why
    there are no strengths."""

    n_comparisons: int
    n_participants: int | None
    n_blank: int
    n_same_source: int
    """Answers to pairs of one source."""
    n_without_source: int
    """Answers to pairs of which a source is not known."""
    n_side_unknown: int
    strengths: tuple[Strength, ...]
    probabilities: tuple[WinProbability, ...]
    left_advantage: Estimate
    reason: str | None
    n_tie: int


def bradley_terry(rows: pd.DataFrame, *, seed: int = 1, resamples: int = RESAMPLES) -> BradleyTerry:
    """Fit one strength for each source to the choices between clips of different sources [BT52]_.

    One row is one answer. The log-odds that i is chosen over j are s_i - s_j, plus a if i stood left and minus a if it
    stood right: the order effect of [DB77]_; where the side is not known a is left out. The intervals take
    participants, not answers, as independent: their bootstrap resamples participants [ET93]_, and of fewer than 50 the
    jackknife leaves each out in turn. A blank is no comparison, a tie none that either wins, and a pair of equal
    sources compares nothing.

    Parameters
    ----------
    rows
        Checked responses, already selected.
    seed, resamples
        Of the bootstrap; 0 resamples gives no intervals.

    Returns
    -------
    BradleyTerry
        Maximum likelihood, by Newton's method with the side and by choix without. A difference of two strengths is in
        log-odds. There are none, and a reason, where some sources never lost to any other or no chain of comparisons
        joins all.
    """
    coded = coded_rows(rows)
    compared = coded.column >= 0
    column, person = coded.column[compared], people_of(rows).code[compared]
    people = People(person, column, np.ones(len(column)), "participants")
    return _fitted(coded, people, seed, resamples)


def bradley_terry_of_wins(wins: pd.DataFrame, *, seed: int = 1, resamples: int = RESAMPLES) -> BradleyTerry:
    """Fit the model to any table of wins.

    Parameters
    ----------
    wins
        Columns `winner` and `loser`; `n` (how often; 1 without such a column); `left` (which of the two stood left, or
        played at home; missing: not known); `judge` (who compared them).
    seed, resamples
        Of the bootstrap, which resamples judges. Without judges the intervals are Wald's, for independent comparisons.

    Raises
    ------
    AnalysisError
        For a missing column, a winner that is the loser, an `n` that is not a whole number from 0, or a `left` that is
        neither of the two.

    Examples
    --------
    >>> wins = pd.DataFrame({"winner": ["x", "y"], "loser": ["y", "x"], "n": [3, 1]})
    >>> round(bradley_terry_of_wins(wins).probabilities[0].probability.value, 3)
    0.75
    """
    coded, weight = coded_wins(wins)
    judge = None
    if "judge" in wins:
        judge = pd.factorize(wins["judge"].map(str), sort=True)[0].astype(np.int64)
    return _fitted(coded, People(judge, coded.column, weight, "judges"), seed, resamples)


def _fitted(coded: Coded, people: People, seed: int, resamples: int) -> BradleyTerry:
    cells, names = coded.cells, coded.names
    sums = people.sums(2 * len(cells.one))
    wins = cells.wins(sums)
    known = int(np.tile(cells.left != 0, 2) @ sums)
    reason = not_finite(wins, names) if names else "no answer compares two different sources"
    none = Estimate(None, 0, no_interval(reason or "", seed, resamples, people.method), reason)
    if reason:
        left = replace(none, n=known)
        strengths = [Strength(name, *_played(wins, at), none, none) for at, name in enumerate(names)]
        estimates = dict.fromkeys(combinations(range(len(names)), 2), none)
    else:
        strengths, estimates, left = _estimates(coded, people, sums, known, seed, resamples)
    return BradleyTerry(
        n_comparisons=int(sums.sum()),
        n_participants=people.n,
        **coded.left_out,
        n_side_unknown=int(sums.sum()) - known,
        strengths=tuple(strengths),
        probabilities=tuple(
            WinProbability(
                names[i],
                names[j],
                int(wins[i, j] + wins[j, i]),
                int(wins[i, j]),
                replace(estimate, n=int(wins[i, j] + wins[j, i])),
            )
            for (i, j), estimate in estimates.items()
        ),
        left_advantage=left,
        reason=reason,
    )


def _played(wins: Floats, item: int) -> tuple[int, int]:
    return int(wins[item].sum() + wins[:, item].sum()), int(wins[item].sum())


_Estimates = tuple[list[Strength], dict[tuple[int, int], Estimate], Estimate]


def _estimates(
    coded: Coded, people: People, sums: Floats, known: int, seed: int, resamples: int
) -> _Estimates:
    cells, names = coded.cells, coded.names
    wins, unit = cells.wins(sums), np.eye(len(names) + 1)
    without_side = no_side(cells, sums, known)
    sides = (False,) if without_side else (True, False)
    models = fitted_models(cells, people, sums, sides, seed, resamples)
    model, plain = models[0], models[-1]
    by_choix = fit_plain(wins)
    strengths = []
    for at, name in enumerate(names):
        n, won = _played(wins, at)
        without = plain.estimate(unit[at], n, float(by_choix[at]))
        strengths.append(
            Strength(name, n, won, without if without_side else model.estimate(unit[at], n), without)
        )
    pairs = {
        (i, j): _as_probability(model.estimate(unit[i] - unit[j], 0))
        for i, j in combinations(range(len(names)), 2)
    }
    if without_side:
        return (
            strengths,
            pairs,
            Estimate(None, known, no_interval(without_side, seed, resamples, people.method), without_side),
        )
    return strengths, pairs, model.estimate(unit[-1], known)


def no_side(cells: Cells, sums: Floats, known: int) -> str | None:
    """The reason why the side effect cannot be estimated."""
    if known == 0:
        return "no comparison says which source stood left"
    if not cells.tells_side(sums):
        return "no two sources were compared in both orders: side bias and strengths are not identifiable"
    if np.isnan(fit(cells, sums[np.newaxis], True)).any():
        return (
            "sides and strengths together explain every choice of some sources: there is no finite estimate"
        )
    return None


def _as_probability(odds: Estimate) -> Estimate:
    """An estimate of log-odds as a probability: the same percentiles, on the other scale."""
    assert odds.value is not None
    interval = odds.interval
    if interval.low is not None and interval.high is not None:
        interval = replace(interval, low=float(expit(interval.low)), high=float(expit(interval.high)))
    return replace(odds, value=float(expit(odds.value)), interval=interval)
