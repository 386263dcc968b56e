"""Judges of unordered classes: accuracy against the plurality, Cohen's kappa, and both for one person."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from analysis.judging.items.table import Items
from analysis.judging.pairs import Ints
from analysis.judging.scores import Quantity, divided, ratio_of, undefined
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
    """The number of raters who named each class (columns) for each item (rows)."""
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
    size, width = known.astype(float), len(items.classes)
    same = size * (own == label)
    return {
        ACCURACY: ratio_of(same, size, NO_LABEL),
        KAPPA: _kappa(same, size, _shares(own, known, width), _shares(label, known, width), NO_LABEL),
    }


def person_quantities(items: Items) -> Mapping[str, Quantity]:
    """One rater against the plurality of the others, averaged within an item and then over items.

    Where the others name several classes as often, there is no ground truth: that rating is left out, and items are
    weighted by the share of their ratings that count. Without weights an item would count most by the votes against
    its plurality, for those of the plurality have level others. It is what a judge's number is for a judge that is one
    more of these raters, held against one rater fewer. Where raters name two classes in all, level others count a half,
    as in pairs."""
    label, size = _against_others(items)
    own, width = items.value.astype(np.int64), len(items.classes)
    each = divided(np.ones(len(own)), items.n[items.item].astype(float)) * label.sum(axis=1)
    cells = np.bincount(items.item * width + own, each, minlength=len(items) * width).astype(float)
    same = _per_item(items, label[np.arange(len(own)), own])
    named = np.stack([_per_item(items, column) for column in label.T], axis=1)
    return {
        ACCURACY: ratio_of(same, size, ALONE),
        KAPPA: _kappa(same, size, cells.reshape(-1, width), named, ALONE),
    }


def over_person(items: Items, judged: Floats) -> Quantity:
    """Accuracy of the judge minus that of one rater, both held against the same others, weighted as in
    `person_quantities`: 0 in expectation for a judge that is one more of these raters."""
    label, size = _against_others(items)
    of_judge, at = judged[items.item], np.arange(len(items.item))
    known = ~np.isnan(of_judge)
    own, judge = items.value.astype(np.int64), np.where(known, of_judge, 0).astype(np.int64)
    ahead = _per_item(items, np.where(known, label[at, judge] - label[at, own], 0.0))
    return ratio_of(ahead, np.where(np.isnan(judged), 0.0, size), ALONE)


def _against_others(items: Items) -> tuple[Floats, Floats]:
    """For each rating the class named by most of the item's other raters, as shares of classes: 1 for it, a half for
    each if raters name two classes in all and the others are tied, 0 throughout if there is none. And for each item the
    share of its ratings that have one.
    """
    counts, own = counts_of(items), items.value.astype(np.int64)
    two = np.count_nonzero(counts.sum(axis=0)) == 2
    label = np.zeros((len(own), counts.shape[1]))
    for start in range(0, len(own), _BLOCK):
        block = slice(start, min(start + _BLOCK, len(own)))
        others = counts[items.item[block]]
        others[np.arange(len(others)), own[block]] -= 1
        top = others.max(axis=1, initial=0)[:, None]
        leads = ((others == top) & (top > 0)).astype(float)
        leaders = leads.sum(axis=1, keepdims=True)
        label[block] = np.where((leaders == 1) | two, np.nan_to_num(divided(leads, leaders)), 0.0)
    return label, _per_item(items, label.sum(axis=1))


def _per_item(items: Items, values: Floats) -> Floats:
    """The sum over an item's ratings, by how many there are."""
    total = np.bincount(items.item, values, minlength=len(items)).astype(float)
    return np.nan_to_num(divided(total, items.n.astype(float)))


def outcomes(items: Items, judged: Floats) -> Floats:
    """For each rating 1 if that rater agrees with more of the item's other raters than the judge, -1 if with fewer, 0
    if with as many; NaN if the judge is silent or there are no others.
    """
    counts, own = counts_of(items), items.value.astype(np.int64)
    of_judge = judged[items.item]
    known = ~np.isnan(of_judge) & (items.n[items.item] > 1)
    judge = np.where(known, of_judge, 0).astype(np.int64)
    by_rater = counts[items.item, own] - 1
    by_judge = counts[items.item, judge] - (own == judge)
    return np.where(known, np.sign(by_rater - by_judge), np.nan)


def confusion(items: Items, judged: Floats) -> Counts:
    """The number of items by plurality (rows) and class of the judge's (columns)."""
    label, width = plurality(counts_of(items)), len(items.classes)
    known = (label >= 0) & ~np.isnan(judged)
    cells = np.bincount(label[known] * width + judged[known].astype(np.int64), minlength=width * width)
    table: Counts = cells.astype(np.int64).reshape(width, width)
    return table


def _shares(classes: Ints, known: npt.NDArray[np.bool_], width: int) -> Floats:
    shares = np.zeros((len(classes), width))
    shares[known, classes[known]] = 1.0
    return shares


def _kappa(same: Floats, size: Floats, one: Floats, other: Floats, reason: str) -> Quantity:
    """Cohen's kappa [Coh60]_ of the agreement of each item and of its shares of classes, each times the weight `size`
    of the item."""
    n = int(np.count_nonzero(size))
    if n == 0:
        return undefined(reason)

    def statistic(weights: Floats) -> Floats:
        whole = weights @ size
        chance = divided(((weights @ one) * (weights @ other)).sum(axis=1), whole**2)
        observed = divided(weights @ same, whole)
        return divided(observed - chance, np.where(chance < 1 - 1e-12, 1 - chance, 0.0))

    if np.isnan(statistic(np.ones((1, len(same))))[0]):
        return undefined(ONE_CLASS, n)
    return Quantity(statistic, n)
