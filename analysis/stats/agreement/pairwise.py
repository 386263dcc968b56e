"""Two raters at a time: Cohen's kappa of each pair of raters, weighted where scores have an order."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from analysis.options import Level
from analysis.results import Result
from analysis.stats.agreement.resampling import Coefficient, Sample
from analysis.stats.agreement.units import Codes
from analysis.stats.agreement.words import ITEMS, estimated, undefined
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import NOT_ASKED, Floats

_FEWEST_ITEMS = 2
# Pairs grow with the square of the raters: 40 raters make 780 pairs, and 45 pairs are those of 10.
_MOST_RATERS = 40
_MOST_RESAMPLED = 45
_MOST_VALUES = 100


@dataclass(frozen=True, slots=True)
class RaterPair(Result):
    """Two raters on the `n_items` that both rated. Each estimate has the items as its units.

    `agreement` is the share of items with the same value from both, `kappa` Cohen's [Coh60]_; `kappa_linear` and
    `kappa_quadratic` weigh a disagreement by the distance of the two values, or by its square [Coh68]_."""

    raters: tuple[str, str]
    """The two raters."""
    n_items: int
    agreement: Estimate
    kappa: Estimate
    kappa_linear: Estimate
    kappa_quadratic: Estimate


@dataclass(frozen=True, slots=True)
class RaterPairs(Result):
    """Every two raters who have two items or more in common: `n_pairs` of them, and `n_apart` who have not.

    The means are over the pairs that have a kappa: Light's kappa [Lig71]_."""

    n_raters: int
    """Raters."""
    n_pairs: int
    """Pairs of raters."""
    n_apart: int
    mean_kappa: float | None
    """-1 to 1."""
    mean_kappa_linear: float | None
    """-1 to 1."""
    mean_kappa_quadratic: float | None
    """-1 to 1."""
    pairs: tuple[RaterPair, ...]
    reason: str | None


def rater_pairs(
    item: Codes,
    rater: Codes,
    place: Codes,
    values: Floats,
    names: list[str],
    level: Level,
    *,
    seed: int,
    resamples: int,
) -> RaterPairs:
    """Compare every two raters on the items that both rated.

    Items are independent and are what the intervals are over. With more than 40 raters no pair is computed, with more
    than 45 pairs none has an interval.

    Parameters
    ----------
    item, rater, place
        Of each rating its item, its rater (a place in `names`) and its value (a place in `values`); no rater rates an
        item twice.
    values
        The distinct values, in order. Their distances are those of these numbers: on a scale of whole steps a step.
    level
        ``nominal`` has no weighted kappas; ``interval`` has no others.
    """
    n_raters = len(names)
    if n_raters < 2:
        return _none(n_raters, "fewer than two raters")
    if n_raters > _MOST_RATERS:
        return _none(n_raters, f"{n_raters} raters: pairs are compared up to {_MOST_RATERS} raters")
    if len(values) > _MOST_VALUES and level != "interval":
        return _none(n_raters, "too many different values for names or steps")
    table = np.full((n_raters, int(item.max(initial=-1)) + 1), -1, dtype=np.int64)
    table[rater, item] = place
    shared = [
        (one, two, both)
        for one, two in combinations(range(n_raters), 2)
        if (both := (table[one] >= 0) & (table[two] >= 0)).sum() >= _FEWEST_ITEMS
    ]
    asked = resamples if len(shared) <= _MOST_RESAMPLED else 0
    pairs = tuple(
        RaterPair(
            (names[one], names[two]),
            int(both.sum()),
            **_coefficients(table[one, both], table[two, both], values, level, seed, asked),
        )
        for one, two, both in shared
    )
    if asked < resamples:
        pairs = tuple(map(_not_resampled, pairs))
    return RaterPairs(
        n_raters=n_raters,
        n_pairs=len(pairs),
        n_apart=n_raters * (n_raters - 1) // 2 - len(pairs),
        mean_kappa=_mean([pair.kappa for pair in pairs]),
        mean_kappa_linear=_mean([pair.kappa_linear for pair in pairs]),
        mean_kappa_quadratic=_mean([pair.kappa_quadratic for pair in pairs]),
        pairs=pairs,
        reason=None if pairs else "no two raters rated the same two items",
    )


def _none(n_raters: int, reason: str) -> RaterPairs:
    return RaterPairs(n_raters, 0, 0, None, None, None, (), reason)


def _mean(estimates: list[Estimate]) -> float | None:
    values = [one.value for one in estimates if one.value is not None]
    return float(np.mean(values)) if values else None


def _not_resampled(pair: RaterPair) -> RaterPair:
    """Say why intervals that were asked for are not there."""
    reason = f"more than {_MOST_RESAMPLED} pairs of raters: their intervals are not resampled"

    def explained(one: Estimate) -> Estimate:
        if one.interval.reason != NOT_ASKED:
            return one
        return replace(one, interval=replace(one.interval, reason=reason))

    return replace(
        pair,
        agreement=explained(pair.agreement),
        kappa=explained(pair.kappa),
        kappa_linear=explained(pair.kappa_linear),
        kappa_quadratic=explained(pair.kappa_quadratic),
    )


def _coefficients(
    first: Codes, second: Codes, values: Floats, level: Level, seed: int, resamples: int
) -> dict[str, Estimate]:
    used, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    numbers = values[used] if len(values) else np.zeros(0)
    cells, counts = np.unique(places[: len(first)] * len(used) + places[len(first) :], return_counts=True)
    parts, coefficients = _parts(cells, numbers)
    sample = Sample(parts, counts)
    found = estimated(sample, coefficients, len(first), ITEMS, seed=seed, resamples=resamples)
    if level == "nominal":
        none = undefined("names have no distance", ITEMS, seed, resamples)
        return found | {"kappa_linear": none, "kappa_quadratic": none}
    if level == "interval":
        none = undefined("numbers are seldom equal: it is of names or of steps", ITEMS, seed, resamples)
        return found | {"agreement": none, "kappa": none}
    return found


def _parts(cells: Codes, numbers: Floats) -> tuple[Floats, Mapping[str, Coefficient]]:
    """Terms of the sums for an item in each cell of the two raters' table, and the coefficients of those sums."""
    k = len(numbers)
    row, column = np.divmod(cells, k)
    apart = np.abs(np.subtract.outer(numbers, numbers))
    ones = np.eye(k)
    parts = np.column_stack(
        [
            np.ones(len(cells)),
            row == column,
            apart[row, column],
            apart[row, column] ** 2,
            ones[row],
            ones[column],
        ]
    )

    def expected(sums: Floats, weights: Floats) -> Floats:
        """The expected value for a random item of each rater."""
        products: Floats = ((sums[:, 4 : 4 + k] @ weights) * sums[:, 4 + k :]).sum(axis=1)
        return products / sums[:, 0] ** 2

    def agreement(sums: Floats) -> Floats:
        return sums[:, 1] / sums[:, 0]

    def weighted(place: int, weights: Floats) -> Coefficient:
        def coefficient(sums: Floats) -> Floats:
            chance = expected(sums, weights)
            # Not defined where both give one and the same value to all.
            chance = np.where(chance > 1e-12 * max(1.0, float(weights.max(initial=0.0))), chance, np.nan)
            return 1 - sums[:, place] / sums[:, 0] / chance

        return coefficient

    differs = 1 - ones

    def kappa(sums: Floats) -> Floats:
        chance = expected(sums, differs)
        return 1 - (1 - agreement(sums)) / np.where(chance > 1e-12, chance, np.nan)

    return parts, {
        "agreement": agreement,
        "kappa": kappa,
        "kappa_linear": weighted(2, apart),
        "kappa_quadratic": weighted(3, apart**2),
    }
