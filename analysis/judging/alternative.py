"""May the judge replace people? The alternative annotator test."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from analysis.data.columns import TIE
from analysis.judging.measures import OVER_PAIRS, Spread, interval_of
from analysis.judging.pairs import EVEN, Ints, Pairs
from analysis.judging.scores import evaluate, ratio_of
from analysis.results import Result
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Floats, no_interval
from analysis.stats.student import too_few

# The authors' advice for crowd workers; 0.15 is for trained people and 0.2 for experts [CRD25].
EPSILON = 0.1
Q = 0.05
PASSES_FROM = 0.5
# Of fewer the authors advise Wilcoxon's test, which rejected true hypotheses in 8 to 93% of simulations.
FEWEST = 30
# Of 10 pairs the interval of the difference held the truth in 88% of cases, of 15 in 94% (bench/calibration.md).
FEWEST_FOR_DIFFERENCE = 15

_NOBODY = "no participant voted on a pair that others voted on and the judge judged"


@dataclass(frozen=True, slots=True)
class AlternativeTest(Result):
    """The alternative annotator test [CRD25]_ of one run.

    `winning_rate` is the share of the `n_tested` participants against whom the judge wins (their p value is
    rejected under Benjamini and Yekutieli's correction at `q`); the judge `passes` from 0.5 on. `advantage`
    is the average advantage probability: how often the judge agrees with the others at least as well as the
    participant does, mean over the participants tested; `advantage_all` the same over everybody with a pair.
    `n_too_few` participants have fewer than `min_instances` pairs and are not tested. `difference` (not in
    the paper) is how often the participant agrees better, minus how often the judge does, mean over each
    pair's votes and then over pairs."""

    run: str
    epsilon: float
    q: float
    min_instances: int
    n_pairs: int
    n_participants: int
    n_tested: int
    n_too_few: int
    n_won: int
    winning_rate: float | None
    passes: bool | None
    advantage: float | None
    advantage_all: float | None
    difference: Estimate
    reason: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Duels:
    """Per participant: pairs on which the judge agrees better with the others, as well, and worse."""

    better: Ints
    equal: Ints
    worse: Ints

    @property
    def n(self) -> Ints:
        """Pairs of each participant."""
        counted: Ints = self.better + self.equal + self.worse
        return counted


def alternative_test(
    pairs: Pairs,
    support: Floats,
    *,
    run: str = "",
    epsilon: float = EPSILON,
    q: float = Q,
    min_instances: int = FEWEST,
    seed: int = 1,
    resamples: int = 0,
) -> AlternativeTest:
    """Ask of each participant whether the judge agrees with the others as well as he or she does, but for
    `epsilon`.

    On each pair, participant and judge score the share of the *other* participants who chose as they did. If people may
    answer that there is no difference (and in the study someone did), a tied verdict scores the share who said so; else
    a half. With d = 1 where the participant scores higher, -1 where the judge does, else 0, the null hypothesis is that
    the mean of d is `epsilon` or more; it is tested by a one-sided t-test, per participant with at least
    `min_instances` pairs. Pairs with one vote, or without a verdict, are no instances.

    Parameters
    ----------
    support
        Per pair 1, 0 or 0.5 for the first member, the second or a tie, NaN without a verdict.
    epsilon
        The value of the judge being cheaper: the authors advise 0.2 against experts, 0.15 against trained
        people, 0.1 against crowd workers.

    Notes
    -----
    Participants with fewer pairs are not tested. The authors advise Wilcoxon's signed-rank test for them; it asks about
    the median, which is 0 wherever judge and participant mostly agree alike, and rejected true null hypotheses of this
    test in 8% to 93% of simulated cases with 6 to 29 pairs.
    """
    judge_score = np.where((pairs.n > 1), support, np.nan)
    outcome = _outcomes(pairs, judge_score)
    return tested(
        _duels(pairs, outcome),
        int((~np.isnan(judge_score)).sum()),
        _difference(pairs, outcome, seed, resamples),
        nobody=_NOBODY,
        too_few=f"no participant has {min_instances} pairs that others voted on and the judge judged",
        run=run,
        epsilon=epsilon,
        q=q,
        min_instances=min_instances,
    )


def tested(
    duels: Duels,
    n_units: int,
    difference: Estimate,
    *,
    nobody: str,
    too_few: str,
    run: str,
    epsilon: float,
    q: float,
    min_instances: int,
) -> AlternativeTest:
    """The test from wins on the `n_units` pairs or items, or the reason for none."""
    can_be = duels.n >= min_instances
    there = duels.n > 0
    reason = None
    if not there.any():
        reason = nobody
    elif not can_be.any():
        reason = too_few
    won = wins(duels, can_be, epsilon, q)
    rate = None if reason else won / int(can_be.sum())
    return AlternativeTest(
        run=run,
        epsilon=epsilon,
        q=q,
        min_instances=min_instances,
        n_pairs=n_units,
        n_participants=int(there.sum()),
        n_tested=int(can_be.sum()),
        n_too_few=int((there & ~can_be).sum()),
        n_won=won,
        winning_rate=rate,
        passes=None if rate is None else rate >= PASSES_FROM,
        advantage=_advantage(duels, can_be),
        advantage_all=_advantage(duels, there),
        difference=difference,
        reason=reason,
    )


def wins(duels: Duels, tested: npt.NDArray[np.bool_], epsilon: float, q: float) -> int:
    """The number of tested participants against whom the judge wins."""
    p = _p_values(duels, epsilon)[tested]
    return int(_rejected(p, q))


def _outcomes(pairs: Pairs, support: Floats) -> Floats:
    """Per pair, for a vote for the first member, the second and a tie: 1 if that participant scores higher than the
    judge, -1 if lower, 0 if the same; NaN without a verdict."""
    votes = pairs.votes.astype(float)
    found = np.full(votes.shape, np.nan)
    as_class = pairs.with_ties & (support == EVEN)
    for voted in range(votes.shape[1]):
        others = votes.copy()
        others[:, voted] -= 1
        by_judge = support * others[:, 0] + (1 - support) * others[:, 1]
        by_judge = np.where(as_class, others[:, TIE], by_judge)
        # Halves of whole numbers: the comparison is exact.
        known = ~np.isnan(by_judge) & (votes[:, voted] > 0)
        found[known, voted] = np.sign(others[known, voted] - by_judge[known])
    return found


def _duels(pairs: Pairs, outcome: Floats) -> Duels:
    of_vote = outcome[pairs.voted_pair, pairs.voted_member]
    n = int(pairs.voted_person.max()) + 1 if len(pairs.voted_person) else 0
    better, equal, worse = (
        np.bincount(pairs.voted_person[of_vote == sign], minlength=n) for sign in (-1.0, 0.0, 1.0)
    )
    return Duels(better, equal, worse)


def _p_values(duels: Duels, epsilon: float) -> Floats:
    """One-sided t-tests of the mean of d against `epsilon`, for all participants at once."""
    n = duels.n.astype(float)
    size = np.maximum(n, 2)
    mean = (duels.worse - duels.better) / np.maximum(n, 1)
    variance = ((duels.worse + duels.better) - n * mean**2) / (size - 1)
    spread = np.sqrt(np.maximum(variance, 0) / size)
    distance = mean - epsilon
    # Without a spread the mean is what it is: below epsilon or not.
    flat = spread < 1e-12
    t = np.where(flat, np.where(distance < 0, -np.inf, np.inf), distance / np.where(flat, 1.0, spread))
    p: Floats = stdtr(size - 1, t)
    return p


def _rejected(p: Floats, q: float) -> int:
    """The number of null hypotheses that Benjamini and Yekutieli's procedure [BY01]_ rejects."""
    m = len(p)
    if not m:
        return 0
    # The tests share the judge and the pairs: Benjamini and Yekutieli's sum holds under any dependence [BY01].
    rank = np.arange(1, m + 1)
    under = np.flatnonzero(np.sort(p) <= rank / m * q / np.sum(1 / rank))
    return int(under[-1]) + 1 if len(under) else 0


def _advantage(duels: Duels, chosen: npt.NDArray[np.bool_]) -> float | None:
    if not chosen.any():
        return None
    n = duels.n[chosen]
    return float(np.mean((duels.better[chosen] + duels.equal[chosen]) / n))


def _difference(pairs: Pairs, outcome: Floats, seed: int, resamples: int) -> Estimate:
    votes = np.where(np.isnan(outcome), 0.0, pairs.votes)
    total = votes.sum(axis=1)
    value = np.divide(
        np.nan_to_num(outcome * votes).sum(axis=1), total, out=np.zeros(len(pairs)), where=total > 0
    )
    counted = total > 0
    quantity = ratio_of(value[counted], np.ones(int(counted.sum())), _NOBODY)
    if quantity.reason:
        return Estimate(None, 0, no_interval(quantity.reason, seed, resamples, OVER_PAIRS), quantity.reason)
    found = evaluate({"d": quantity}, quantity.n, seed=seed, resamples=resamples)["d"]
    if quantity.n < FEWEST_FOR_DIFFERENCE:
        none = no_interval(too_few(quantity.n, "pairs"), seed, 0, OVER_PAIRS)
        return Estimate(found.point, quantity.n, none, None)
    spread = Spread(found.draws, found.without)
    interval = interval_of(found.point, quantity.n, spread, OVER_PAIRS, "any", seed, resamples)
    return Estimate(found.point, quantity.n, interval, None)
