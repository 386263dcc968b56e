"""Chance-corrected agreement as functions of sums over units, so that a bootstrap is one matrix product.

Each function takes one row of counts for each unit (the number of times each value was given to it) and returns the
unit's terms of the sums, and the coefficients of those sums.
"""

from typing import TypeVar

import numpy as np

from analysis.stats.agreement.resampling import Coefficient
from analysis.stats.agreement.units import Codes, Mask, ratio
from analysis.stats.intervals import Floats

Parts = tuple[Floats, dict[str, Coefficient]]
Share = TypeVar("Share", float, Floats)

# How many units alpha and kappa of names need for an interval: the chance of each name comes from the same units.
FEWEST_FOR_CHANCE = {"alpha": 20, "kappa": 20}


def nominal(counts: Codes, n_values: int) -> Parts:
    """Share of agreeing pairs of ratings, alpha [Kri04]_, kappa [Fle71]_ and AC1 [Gwe08]_ of names without an order.

    Units may have different numbers of ratings. alpha counts a unit by its ratings; kappa and AC1 average the units
    that have two or more, and take the chance of each value from the mean share of it over all rated units: the
    generalisation of [Gwe14]_, which is Fleiss' kappa where all units have the same number."""
    width = counts.shape[1]
    shares = np.nan_to_num(counts / np.maximum(counts.sum(axis=1), 1)[:, np.newaxis])
    parts = np.column_stack(
        [_unit_parts(counts), np.where(_paired(counts)[:, np.newaxis], counts, 0), shares]
    )

    def alpha(sums: Floats) -> Floats:
        pairable = sums[:, 4 : 4 + width]
        n: Floats = pairable.sum(axis=1)
        # n - 1: alpha draws the two values of a chance pair without replacement, kappa draws them with [Kri04].
        return 1 - (n - 1) * sums[:, 3] / _positive(n**2 - (pairable**2).sum(axis=1))

    def chance(sums: Floats) -> Floats:
        return sums[:, 4 + width :] / sums[:, :1]

    def kappa(sums: Floats) -> Floats:
        expected: Floats = (chance(sums) ** 2).sum(axis=1)
        return (agreement(sums) - expected) / _positive(1 - expected)

    def ac1(sums: Floats) -> Floats:
        share = chance(sums)
        expected: Floats = (share * (1 - share)).sum(axis=1) / _positive(np.array([n_values - 1.0]))
        return (agreement(sums) - expected) / (1 - expected)

    return parts, {"agreement": agreement, "alpha": alpha, "kappa": kappa, "ac1": ac1}


def symmetric(counts: Codes) -> Parts:
    """Agreement on two values with arbitrary names, such as which of two clips is called a.

    Renaming the members of every pair by the toss of a coin makes the chance that two votes agree 1/2 for any votes:
    that is the chance correction [BAG54]_. kappa and AC1 are then the same number.

    A third column counts ties, whose name is meaningful: with a share t of them the chance is t^2 + (1 - t)^2 / 2.
    """

    def alpha(sums: Floats) -> Floats:
        return 1 - 2 * sums[:, 3] / _positive(sums[:, 4])

    def corrected(sums: Floats) -> Floats:
        return 2 * agreement(sums) - 1

    n = counts.sum(axis=1)
    paired = _paired(counts)
    parts = np.column_stack([_unit_parts(counts), np.where(paired, n, 0)])
    if counts.shape[1] == 2:
        return parts, {"agreement": agreement, "alpha": alpha, "kappa": corrected, "ac1": corrected}
    ties = counts[:, 2]
    parts = np.column_stack([parts, np.where(paired, ties, 0), ties / np.maximum(n, 1)])
    return parts, {"agreement": agreement, **_with_ties()}


def _with_ties() -> dict[str, Coefficient]:
    """Coefficients of three values, two of which are equally likely by the toss of a coin."""

    def alpha(sums: Floats) -> Floats:
        ties = sums[:, 5] / _positive(sums[:, 4])
        return 1 - sums[:, 3] / _positive(sums[:, 4]) / _positive(1 - chance_with_ties(ties))

    def kappa(sums: Floats) -> Floats:
        expected = chance_with_ties(sums[:, 6] / sums[:, 0])
        return (agreement(sums) - expected) / _positive(1 - expected)

    def ac1(sums: Floats) -> Floats:
        share = sums[:, 6] / sums[:, 0]
        expected = (share * (1 - share) + (1 - share) * (1 + share) / 2) / 2
        return (agreement(sums) - expected) / (1 - expected)

    return {"alpha": alpha, "kappa": kappa, "ac1": ac1}


def chance_with_ties(ties: Share) -> Share:
    """The chance that two votes agree that are ties with a share `ties`, and otherwise for either clip."""
    return ties**2 + (1 - ties) ** 2 / 2


def ordinal(counts: Codes) -> Parts:
    """Krippendorff's alpha of ordered values: how far two values are apart is the ratings between them [Kri04]_."""
    paired = _paired(counts)
    pairable = np.where(paired[:, np.newaxis], counts, 0)
    low, high = np.triu_indices(counts.shape[1], k=1)
    weight = 1 / np.maximum(counts.sum(axis=1) - 1, 1)
    together = pairable[:, low] * pairable[:, high] * weight[:, np.newaxis]
    width = counts.shape[1]

    def alpha(sums: Floats) -> Floats:
        n_each = sums[:, :width]
        # The ordinal distance counts the ratings between two values, and those at each end by half [Kri04].
        middle = np.cumsum(n_each, axis=1) - n_each / 2
        apart = (middle[:, high] - middle[:, low]) ** 2
        observed: Floats = (sums[:, width:] * apart).sum(axis=1)
        expected: Floats = (n_each[:, low] * n_each[:, high] * apart).sum(axis=1)
        n: Floats = n_each.sum(axis=1)
        return 1 - (n - 1) * observed / _positive(expected)

    return np.column_stack([pairable, together]), {"alpha": alpha}


def interval(unit: Codes, value: Floats, n_units: int) -> Parts:
    """Krippendorff's alpha of numbers: how far two values are apart is their squared difference [Kri04]_."""
    # In order, about the middle and in units of the range, so that rounding depends neither on the row order nor on
    # a far-off zero or a small unit.
    order = np.lexsort((value, unit))
    unit, value = unit[order], value[order]
    if len(value):
        value = (value - np.median(value)) / (np.ptp(value) or 1.0)
    n = np.bincount(unit, minlength=n_units)
    one, two = (np.bincount(unit, weights=value**power, minlength=n_units) for power in (1, 2))
    paired = n >= 2
    within = np.where(paired, (n * two - one**2) / np.maximum(n - 1, 1), 0.0)
    parts = np.column_stack([within, *(np.where(paired, part, 0) for part in (n, one, two))])

    def alpha(sums: Floats) -> Floats:
        within, n, one, two = sums.T
        value: Floats = 1 - (n - 1) * within / _positive(n * two - one**2)
        return value

    return parts, {"alpha": alpha}


def beside(one: Parts, other: Parts) -> Parts:
    """The parts and coefficients of both, so that one resample serves both; of two equal names the second counts."""
    width = one[0].shape[1]

    def of(coefficient: Coefficient, start: int, stop: int | None) -> Coefficient:
        return lambda sums: coefficient(sums[:, start:stop])

    first = {name: of(coefficient, 0, width) for name, coefficient in one[1].items()}
    second = {name: of(coefficient, width, None) for name, coefficient in other[1].items()}
    return np.column_stack([one[0], other[0]]), first | second


def agreement(sums: Floats) -> Floats:
    """The share of pairs of ratings of one unit that are equal, averaged over the units that have such a pair."""
    return sums[:, 2] / sums[:, 1]


def _unit_parts(counts: Codes) -> Floats:
    """Rated, rated twice or more, share of agreeing pairs of ratings, and disagreement by the number of ratings."""
    n = counts.sum(axis=1)
    paired = _paired(counts)
    same = (counts * (counts - 1)).sum(axis=1)
    share = np.where(paired, np.nan_to_num(ratio(same, n * (n - 1))), 0.0)
    return np.column_stack([n > 0, paired, share, np.where(paired, n * (1 - share), 0.0)])


def _paired(counts: Codes) -> Mask:
    paired: Mask = counts.sum(axis=1) >= 2
    return paired


def _positive(values: Floats) -> Floats:
    """NaN where a denominator is 0 (up to rounding): the coefficient is not defined there."""
    return np.where(values > 1e-12, values, np.nan)
