"""Judges of unordered classes: accuracy against the plurality, Cohen's kappa, and both for one person."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from analysis.judging.items.table import Items
from analysis.judging.pairs import Ints
from analysis.judging.scores import Quantity, divided, mean_of, undefined
from analysis.stats.intervals import Floats

ACCURACY, KAPPA = "accuracy", "kappa"
MEASURES = (ACCURACY, KAPPA)

NO_LABEL = "no item has both a class that most raters named and the judge's"
ALONE = "no item has a rating and a class that most of the other raters named"
ONE_CLASS = "only one class is named: agreement by chance is complete"

# Votes whose counts are held at once.
_BLOCK = 100_000

Counts = npt.NDArray[np.int64]


def counts_of(items: Items) -> Counts:
    """How many raters named each class (columns) for each item (rows)."""
    width = len(items.classes)
    cells = np.bincount(items.item * width + items.value.astype(np.int64), minlength=len(items) * width)
    counted: Counts = cells.astype(np.int64).reshape(len(items), width)
    return counted


def plurality(counts: Counts) -> Ints:
    """The class that more raters named than any other; -1 where several were named as often, or none."""
    top = counts.max(axis=1, initial=0)
    alone = ((counts == top[:, None]).sum(axis=1) == 1) & (top > 0)
    return np.where(alone, counts.argmax(axis=1) if counts.shape[1] else 0, -1)


def judge_quantities(items: Items, judged: Floats) -> Mapping[str, Quantity]:
    """The judge's classes against the plurality, items without one left out."""
    label = plurality(counts_of(items))
    own = np.where(np.isnan(judged), -1, judged).astype(np.int64)
    known = (own >= 0) & (label >= 0)
    same = np.where(known, (own == label).astype(float), np.nan)
    width = len(items.classes)
    return {
        ACCURACY: mean_of(same, NO_LABEL),
        KAPPA: _kappa(same, _shares(own, known, width), _shares(label, known, width), NO_LABEL),
    }


def person_quantities(items: Items) -> Mapping[str, Quantity]:
    """One rater against the plurality of the others, averaged within an item and then over items.

    Where the others name several classes as often, there is no ground truth and that rating is left out."""
    own, label = items.value.astype(np.int64), others_plurality(items)
    decided = label >= 0
    n, width = len(items), len(items.classes)
    size = np.bincount(items.item[decided], minlength=n).astype(float)

    def shares(classes: Ints) -> Floats:
        cells = np.bincount(items.item[decided] * width + classes[decided], minlength=n * width)
        return np.nan_to_num(divided(cells.reshape(n, width).astype(float), size[:, None]))

    agreeing = np.bincount(items.item[decided], (own == label)[decided], minlength=n).astype(float)
    same = divided(agreeing, size)
    return {ACCURACY: mean_of(same, ALONE), KAPPA: _kappa(same, shares(own), shares(label), ALONE)}


def others_plurality(items: Items) -> Ints:
    """For each rating the class that most of the item's other raters named; -1 where there is none."""
    counts, own = counts_of(items), items.value.astype(np.int64)
    found = np.full(len(own), -1, dtype=np.int64)
    for start in range(0, len(own), _BLOCK):
        block = slice(start, min(start + _BLOCK, len(own)))
        others = counts[items.item[block]]
        others[np.arange(len(others)), own[block]] -= 1
        found[block] = plurality(others)
    return found


def outcomes(items: Items, judged: Floats) -> Floats:
    """For each rating 1 where that rater agrees with more of the item's other raters than the judge, -1 where with
    fewer, 0 where with as many; NaN where the judge is silent or there are no others."""
    counts, own = counts_of(items), items.value.astype(np.int64)
    of_judge = judged[items.item]
    known = ~np.isnan(of_judge) & (items.n[items.item] > 1)
    judge = np.where(known, of_judge, 0).astype(np.int64)
    by_rater = counts[items.item, own] - 1
    by_judge = counts[items.item, judge] - (own == judge)
    return np.where(known, np.sign(by_rater - by_judge), np.nan)


def confusion(items: Items, judged: Floats) -> Counts:
    """How many items have each plurality (rows) and each class of the judge's (columns)."""
    label, width = plurality(counts_of(items)), len(items.classes)
    known = (label >= 0) & ~np.isnan(judged)
    cells = np.bincount(label[known] * width + judged[known].astype(np.int64), minlength=width * width)
    table: Counts = cells.astype(np.int64).reshape(width, width)
    return table


def _shares(classes: Ints, known: npt.NDArray[np.bool_], width: int) -> Floats:
    shares = np.zeros((len(classes), width))
    shares[known, classes[known]] = 1.0
    return shares


def _kappa(same: Floats, one: Floats, other: Floats, reason: str) -> Quantity:
    """Cohen's kappa [Coh60]_ of what each item has as a share of agreement and as shares of classes."""
    counted = ~np.isnan(same)
    n = int(counted.sum())
    if n == 0:
        return undefined(reason)
    agreeing, size = np.where(counted, same, 0.0), counted.astype(float)

    def statistic(weights: Floats) -> Floats:
        whole = weights @ size
        chance = divided(((weights @ one) * (weights @ other)).sum(axis=1), whole**2)
        observed = divided(weights @ agreeing, whole)
        return divided(observed - chance, np.where(chance < 1 - 1e-12, 1 - chance, 0.0))

    if np.isnan(statistic(np.ones((1, len(same))))[0]):
        return undefined(ONE_CLASS, n)
    return Quantity(statistic, n)
