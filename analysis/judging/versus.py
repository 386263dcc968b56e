"""Two judges on the same pairs: the difference of their accuracies, and McNemar's test."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from analysis.judging.matching import Judged
from analysis.judging.measures import OVER_PAIRS, OVER_RUNS, Spread, interval_of
from analysis.judging.pairs import EVEN, Pairs
from analysis.judging.sample import agreement
from analysis.results import Result
from analysis.stats.estimates import Estimate
from analysis.stats.exact import sign_p
from analysis.stats.intervals import Floats, no_interval, portions
from analysis.stats.multiplicity import holm
from analysis.stats.student import FEW

On = Literal["identity_accuracy", "label_accuracy"]

_NO_PAIR = "no pair has a verdict of both judges in every run, and what they are held against"
_SEVERAL = (
    "a judge has several runs, so that a pair would count more than once: see the difference's interval"
)
_NO_DISCORD = "no pair on which one judge is right and the other wrong"


@dataclass(frozen=True, slots=True)
class Versus(Result):
    """The accuracy of `judges[0]` minus that of `judges[1]`, on the pairs that both judged in every run.

    `difference` counts ties a half; its interval resamples pairs, and runs where there are several.
    McNemar's test [McN47]_ is exact and two-sided, from the pairs on which one judge is right and the other
    wrong; `n_tied` pairs with a tied verdict are left out of it. `p_holm` corrects over the `n_family` tests
    of the file that have a p value."""

    judges: tuple[str, str]
    measure: On
    difference: Estimate
    n_first_only: int | None
    n_second_only: int | None
    n_tied: int | None
    p: float | None
    p_holm: float | None
    n_family: int
    reason: str | None


def compare_judges(
    judged: Sequence[Judged], pairs: Pairs, *, seed: int, resamples: int
) -> tuple[Versus, ...]:
    """Compare every two judges, in accuracy against the truth and against the majority labels (tied ones
    left out)."""
    against: dict[On, Floats] = {
        "identity_accuracy": np.where(pairs.has_truth, 1.0, np.nan),
        "label_accuracy": np.where(pairs.label == EVEN, np.nan, pairs.label),
    }
    compared = [
        _versus(one, two, measure, goal, seed, resamples)
        for one, two in combinations(judged, 2)
        for measure, goal in against.items()
    ]
    corrected = holm([one.p for one in compared])
    family = sum(p is not None for p in corrected)
    return tuple(replace(one, p_holm=p, n_family=family) for one, p in zip(compared, corrected, strict=True))


def _versus(one: Judged, two: Judged, measure: On, goal: Floats, seed: int, resamples: int) -> Versus:
    first, second = (np.stack([agreement(run.support, goal) for run in judge.runs]) for judge in (one, two))
    shared = ~(np.isnan(first).any(axis=0) | np.isnan(second).any(axis=0))
    first, second = first[:, shared], second[:, shared]
    names = (one.judge, two.judge)
    if not shared.any():
        nothing = Estimate(None, 0, no_interval(_NO_PAIR, seed, resamples, OVER_PAIRS), _NO_PAIR)
        return Versus(names, measure, nothing, None, None, None, None, None, 0, _NO_PAIR)
    difference = _difference(first, second, seed, resamples)
    if len(first) > 1 or len(second) > 1:
        return Versus(names, measure, difference, None, None, None, None, None, 0, _SEVERAL)
    # McNemar's test knows right and wrong only, and a tie is neither [McN47].
    tied = (first[0] == 0.5) | (second[0] == 0.5)
    only = int(((first[0] > second[0]) & ~tied).sum()), int(((first[0] < second[0]) & ~tied).sum())
    p = mcnemar_exact(*only)
    return Versus(
        names, measure, difference, *only, int(tied.sum()), p, None, 0, _NO_DISCORD if p is None else None
    )


def mcnemar_exact(first_only: int, second_only: int) -> float | None:
    """The exact two-sided p value of McNemar's test; None without a discordant pair."""
    n = first_only + second_only
    return sign_p(first_only, n) if n else None


def _difference(first: Floats, second: Floats, seed: int, resamples: int) -> Estimate:
    """The mean difference, both judges on the same resampled pairs, each on its own resampled runs."""
    n = first.shape[1]
    value = float(np.mean(first.mean(axis=0) - second.mean(axis=0)))
    method = OVER_PAIRS if len(first) == len(second) == 1 else OVER_RUNS
    if n < FEW:
        spread = _left_out(first, second)
    else:
        rng = np.random.default_rng(seed)
        draws = [_drawn(rng, first, second, size) for size in portions(resamples, n)]
        spread = Spread(np.concatenate(draws) if draws else np.empty(0))
    return Estimate(value, n, interval_of(value, n, spread, method, "any", seed, resamples), None)


def _left_out(first: Floats, second: Floats) -> Spread:
    """The difference without each pair, and how far it varies between the runs of either judge."""
    apart: Floats = first.mean(axis=0) - second.mean(axis=0)
    without = (apart.sum() - apart) / max(len(apart) - 1, 1)
    parts = [
        (float(runs.mean(axis=1).var(ddof=1)) / len(runs), len(runs) - 1)
        for runs in (first, second)
        if len(runs) > 1
    ]
    between = sum(part for part, _ in parts)
    df = between**2 / sum(part**2 / runs for part, runs in parts) if between else 1.0
    return Spread(np.empty(0), without, between, df)


def _drawn(rng: np.random.Generator, first: Floats, second: Floats, size: int) -> Floats:
    n = first.shape[1]
    weights = rng.multinomial(n, np.full(n, 1 / n), size=size) / n
    means = []
    for runs in (first, second):
        number = len(runs)
        share = rng.multinomial(number, np.full(number, 1 / number), size=size) / number
        means.append(np.einsum("rk,kr->r", share, runs @ weights.T))
    difference: Floats = means[0] - means[1]
    return difference
