"""The human ceiling: its expected value, exactly, and how often the interval of judge minus person contains 0."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from scipy.stats import binom

from analysis.judging.ceiling import one_against_others, over_person
from analysis.judging.items import numbers
from analysis.judging.items.table import Items
from analysis.judging.measures import OVER_PAIRS, Spread, interval_of
from analysis.judging.sample import LABELS, Sample, quantities
from analysis.judging.scores import Quantity, evaluate
from analysis.stats.intervals import Floats
from bench.calibration_case import RESAMPLES, Case, Hit, holds, interval

SHARES, VOTES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95), (3, 4, 5, 6, 9, 10, 11, 12, 20, 21, 30, 31)

DESIGN = (
    "Pairs for whose first member each vote is with the same probability (the share). Exact: every count of votes with "
    "its binomial probability. *Before*: votes whose others are level left out, averaged within pairs. *Now*: such "
    "votes count a half. *Like a person*: label accuracy of a judge that is one more of these people, of pairs that "
    "are not tied; `over_person` of this judge is 0 throughout"
)


def ceilings_text() -> str:
    """A Markdown table: per share and number of votes the ceiling before, now, and a judge like a person."""
    lines = ["| share | votes | before | now | like a person |", "|---|---|---|---|---|"]
    for share in SHARES:
        for n in VOTES:
            weights = binom.pmf(np.arange(n + 1), n, share)
            sample = _sample(np.arange(n + 1), n, np.full(n + 1, share))
            now, judge = (
                float(of[LABELS].statistic(weights[None])[0])
                for of in (one_against_others(sample, seed=1), quantities(sample))
            )
            cells = (f"{share:g}", str(n), f"{_before(n, weights):.3f}", f"{now:.3f}", f"{judge:.3f}")
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _before(n: int, weights: Floats) -> float:
    """The ceiling as it was until 2026-11-26."""
    first = np.arange(n + 1)
    right = first * (2 * (first - 1) > n - 1) + (n - first) * (2 * (n - first - 1) > n - 1)
    level = first * (2 * (first - 1) == n - 1) + (n - first) * (2 * (n - first - 1) == n - 1)
    decided = n - level
    kept = decided > 0
    return float(np.average(right[kept] / decided[kept], weights=weights[kept]))


def _sample(first: npt.NDArray[np.int64], votes: int, support: Floats) -> Sample:
    n = len(first)
    return Sample(
        votes=np.column_stack([first, votes - first, np.zeros_like(first)]),
        with_ties=np.zeros(n, dtype=bool),
        has_truth=np.zeros(n, dtype=bool),
        both_ways=False,
        support=support,
        score=support,
        probability=False,
        mirrored=np.negative,
    )


def _holds_zero(quantity: Quantity, n: int, seed: int) -> Hit:
    found = evaluate({"d": quantity}, n, seed=seed, resamples=RESAMPLES)["d"]
    spread = Spread(found.draws, found.without)
    return holds(interval_of(found.point, quantity.n, spread, OVER_PAIRS, "any", seed, RESAMPLES), 0.0)


def _of_pairs(pairs: int, votes: int) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> Sequence[Hit]:
        chance = expit(0.5 + rng.standard_normal(pairs))
        judge = (rng.random(pairs) < chance).astype(float)
        return (_holds_zero(over_person(_sample(rng.binomial(votes, chance), votes, judge)), pairs, seed),)

    return Case(
        f"over-person-{pairs}x{votes}",
        f"{pairs} pairs, {votes} votes each, log odds normal(0.5, 1); the judge is one more of these people",
        (interval("judge minus one participant, label accuracy"),),
        simulate,
        1_500,
    )


def _of_ratings(items: int, raters: int) -> Case:
    def simulate(rng: np.random.Generator, seed: int) -> Sequence[Hit]:
        quality = rng.standard_normal((items, 1))
        given = np.clip(np.round(3 + quality + 0.8 * rng.standard_normal((items, raters + 1))), 1, 5)
        rated, judge = given[:, 1:], given[:, 0]
        names = tuple(map(str, range(items)))
        item, rater = (each.ravel() for each in np.indices(rated.shape))
        draws = numbers.drawn_people(Items("", names, item, rater, rated.ravel(), (), (1, 5), 0), seed)
        return (_holds_zero(numbers.over_person(judge, draws), items, seed),)

    return Case(
        f"over-rater-{items}x{raters}",
        f"{items} items, {raters} raters, 5 points, SDs 1 (items), 0.8 (rest); the judge is one more of these raters",
        (interval("judge minus one rater, Spearman's correlation"),),
        simulate,
        500,
    )


CASES = (
    *(_of_pairs(pairs, votes) for pairs, votes in ((10, 9), (10, 10), (30, 9), (30, 10), (60, 9), (60, 10))),
    *(_of_ratings(items, raters) for items, raters in ((10, 5), (30, 5), (60, 5))),
)
