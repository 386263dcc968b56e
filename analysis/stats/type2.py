"""Separation of a participant's right answers from wrong ones by certainty: the type-2 ROC, from counts per level."""

from typing import TypeAlias

import numpy as np
from scipy import sparse

from analysis.data.codes import Counts
from analysis.stats.cells import ratio
from analysis.stats.intervals import Floats, Interval, no_interval
from analysis.stats.student import FEWEST, student, too_few

# Counts with one row per person and one column per level; sparse where the levels are many.
PerPerson: TypeAlias = Counts | sparse.csr_array

# The variance of participants who are alike, of which rounding may leave something.
_ROUNDING = 1e-24

OBUCHOWSKI = "Obuchowski's variance and Student's t over participants"


def ordered_pairs(right: Counts, wrong: Counts) -> tuple[Counts, Counts, Counts]:
    """Compare every right with every wrong answer of a person.

    `right` and `wrong` count answers, one row per person and one column per level from most to least certain.
    Returns, per person, the pairs in which the right answer is the more certain one, the less certain one, and in
    which both are equally certain."""
    less_certain = wrong.sum(axis=1, keepdims=True) - np.cumsum(wrong, axis=1)
    more_certain = np.cumsum(wrong, axis=1) - wrong
    higher, lower, equal = ((right * other).sum(axis=1) for other in (less_certain, more_certain, wrong))
    return higher, lower, equal


def auroc2(right: Counts, wrong: Counts) -> Floats:
    """The area under each person's type-2 ROC curve [FL14]_, NaN where all answers are right or all are wrong.

    P(a right answer is more certain than a wrong one) + P(equally certain) / 2: 0.5 where certainty tells nothing, 1
    where every right answer is more certain than every wrong one."""
    higher, lower, equal = ordered_pairs(right, wrong)
    # Doubled whole numbers, one division: equal areas are equal numbers.
    return ratio(2 * higher + equal, 2 * (higher + lower + equal))


def gamma(right: Counts, wrong: Counts) -> Floats:
    """Goodman and Kruskal's gamma of certainty and correctness per person [Nel84]_, in [-1, 1].

    (pairs ordered alike - pairs ordered contrariwise) / all ordered pairs; ties do not count. NaN without a pair."""
    higher, lower, _ = ordered_pairs(right, wrong)
    return ratio(higher - lower, higher + lower)


def pooled_interval(right: PerPerson, wrong: PerPerson, *, seed: int) -> Interval:
    """The 95% interval of the area over everybody's answers thrown together, for people as clusters [Obu97]_.

    On the logit scale, with the t distribution in place of the normal. The answers of one person may depend on each
    other; the people are independent."""
    # Who gave no answer is no cluster, and must not count in the degrees of freedom.
    people = (right + wrong).sum(axis=1) > 0
    right, wrong = right[people], wrong[people]
    if right.shape[0] < FEWEST:
        return no_interval(too_few(right.shape[0]), seed, 0, OBUCHOWSKI)
    if not right.sum() or not wrong.sum():
        return no_interval("there are not both right and wrong answers", seed, 0, OBUCHOWSKI)
    area = float(auroc2(right.sum(axis=0)[None], wrong.sum(axis=0)[None])[0])
    if not 0 < area < 1:
        return no_interval("the answers do not overlap: no spread can be estimated", seed, 0, OBUCHOWSKI)
    variance = _variance(right, wrong, area)
    if variance < _ROUNDING:
        return no_interval("all participants are alike: no spread can be estimated", seed, 0, OBUCHOWSKI)
    return student(area, variance**0.5, right.shape[0] - 1, scale="share", method=OBUCHOWSKI, seed=seed)


def _variance(right: PerPerson, wrong: PerPerson, area: float) -> float:
    """Obuchowski's sum over clusters of squared placements: how far each person pulls the area to either side."""
    n_right, n_wrong = right.sum(axis=0), wrong.sum(axis=0)
    # Of an answer at each level: the share of all wrong ones below it, of all right ones above it; ties count half.
    beats = (n_wrong.sum() - np.cumsum(n_wrong) + n_wrong / 2) / n_wrong.sum()
    beaten = (np.cumsum(n_right) - n_right / 2) / n_right.sum()
    pull = (right @ beats - area * right.sum(axis=1)) / n_right.sum()
    pull += (wrong @ beaten - area * wrong.sum(axis=1)) / n_wrong.sum()
    # Obuchowski's S10 / m + S01 / n + 2 S11 / (m n), with one number of clusters for both kinds of answers.
    return float((pull**2).sum() * len(pull) / (len(pull) - 1))
