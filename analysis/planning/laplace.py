"""Many logistic models with crossed participants and pairs at once, given the variances of participants and pairs.

For each data set, the answers under two conditions follow

    log odds of a 1 = mean of the condition + effect of the participant + effect of the pair,

both effects normal with a variance of their own. At given variances means and effects are at their joint mode, and
Laplace's method integrates them out [BC93]_. Data sets are one axis of every array and no loop runs over them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from analysis.stats.intervals import Floats

# Where everybody answers alike the mean is infinite: steps are cut, and the means stop here.
_LONGEST_STEP = 2.0
_FARTHEST = 12.0


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers of many data sets: `right` and `asked`, each (data set, condition, participant, pair), 1 or 0.

    `right` is 0 where `asked` is. `same_people`: participant i of both conditions is one person; `same_pairs`: pair j
    of both is one pair.
    """

    right: Floats
    asked: Floats
    same_people: bool
    same_pairs: bool

    def turned(self) -> "Answers":
        """The same with people for pairs and pairs for people."""
        right, asked = (cells.swapaxes(2, 3) for cells in (self.right, self.asked))
        return Answers(right, asked, self.same_pairs, self.same_people)

    @property
    def n_people(self) -> int:
        return int(self.right.shape[2]) * (1 if self.same_people else 2)

    @property
    def n_pairs(self) -> int:
        return int(self.right.shape[3]) * (1 if self.same_pairs else 2)


@dataclass(frozen=True, slots=True)
class Point:
    """Slopes and curvature of the penalised likelihood at a model's current point, people eliminated.

    `load` is the curvature between people and the rest (pairs, then the two means), `between` the remaining curvature
    of the rest, `inverse` its inverse in units of the pairs' SD and with its penalty.
    """

    share: Floats
    weight: Floats
    load: Floats
    person_weight: Floats
    person_slope: Floats
    slope: Floats
    shrink: Floats
    between: Floats
    inverse: Floats


class Model:
    """All data sets, with variances (participants', pairs') that are set from outside, and means and effects."""

    def __init__(self, answers: Answers, variances: Floats) -> None:
        self.answers = answers
        self.variances = variances
        self.n_sets, _, self.n_people, self.n_pairs = answers.right.shape
        self.people_sets = 1 if answers.same_people else 2
        self.pair_sets = 1 if answers.same_pairs else 2
        self.n_effects = self.pair_sets * self.n_pairs
        self.people = np.zeros((self.n_sets, self.people_sets * self.n_people))
        self.rest = np.zeros((self.n_sets, self.n_effects + 2))
        right, asked = (cells.sum(axis=(2, 3)) for cells in (answers.right, answers.asked))
        # Half an answer of each kind is added: the log odds of all right or all wrong are infinite.
        self.rest[:, self.n_effects :] = logit((right + 0.5) / (asked + 1))

    def climb(self, steps: int) -> Point:
        """Newton's method towards the joint mode of means and effects; where it leads."""
        point = self.point()
        for _ in range(steps):
            variance, scale, n = self.variances[:, :1], self.scale(), self.n_effects
            pull = point.person_slope - self.people / variance
            rest = scale * point.slope
            rest[:, :n] -= self.rest[:, :n] / scale[:, :n]
            rest -= scale * _times(variance * pull / point.shrink, point.load)
            step = scale * _along(point.inverse, rest)
            people = variance * (pull - _along(point.load, step)) / point.shrink
            self.people += np.clip(people, -_LONGEST_STEP, _LONGEST_STEP)
            self.rest += np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
            self.rest[:, n:] = np.clip(self.rest[:, n:], -_FARTHEST, _FARTHEST)
            point = self.point()
        return point

    def point(self) -> Point:
        """The slopes and the curvature here."""
        asked = self.answers.asked
        share = expit(self._cells(self.people, self.rest))
        weight = asked * share * (1 - share)
        off = self.answers.right - asked * share
        load, person_weight = self._load(weight)
        variance, scale = self.variances[:, :1], self.scale()
        shrink = 1 + variance * person_weight
        between = self._spread(weight) - np.matmul(
            (load * (variance / shrink)[:, :, None]).transpose(0, 2, 1), load
        )
        scaled = scale[:, :, None] * between * scale[:, None, :]
        effects = np.arange(self.n_effects)
        scaled[:, effects, effects] += 1
        slope = np.concatenate([self._of_pairs(off.sum(axis=2)), off.sum(axis=(2, 3))], axis=1)
        return Point(
            share=share,
            weight=weight,
            load=load,
            person_weight=person_weight,
            person_slope=self._of_people(off.sum(axis=3)),
            slope=slope,
            shrink=shrink,
            between=between,
            inverse=np.linalg.inv(scaled),
        )

    def evidence(self, point: Point) -> Floats:
        """The log likelihood with means and effects integrated out, but for a constant."""
        right, n = self.answers.right, self.n_effects
        odds = self._cells(self.people, self.rest)
        log_likelihood = (right * odds).sum(axis=(1, 2, 3))
        # logaddexp, because log(1 + exp(x)) overflows for large x.
        log_likelihood -= (self.answers.asked * np.logaddexp(0, odds)).sum(axis=(1, 2, 3))
        penalty = (self.people**2).sum(axis=1) / self.variances[:, 0]
        penalty += (self.rest[:, :n] ** 2).sum(axis=1) / self.variances[:, 1]
        determinant = np.log(point.shrink).sum(axis=1) - np.linalg.slogdet(point.inverse)[1]
        evidence: Floats = log_likelihood - (penalty + determinant) / 2
        return evidence

    def difference(self, point: Point) -> tuple[Floats, Floats]:
        """Second mean less the first, and its variance, both in log odds."""
        covariance = point.inverse[:, -2:, -2:]
        variance = covariance[:, 0, 0] + covariance[:, 1, 1] - 2 * covariance[:, 0, 1]
        return self.rest[:, -1] - self.rest[:, -2], variance

    def slopes(self, point: Point) -> tuple[Floats, Floats]:
        """The slope of -2 log likelihood (effects integrated out, means at the mode) with each variance, exactly; and
        its expected curvature.
        """
        n = self.n_effects
        inverse, spread, through = self._without_means(point)
        seen = point.person_weight / point.shrink - through / point.shrink**2
        seen_pairs = np.matmul(point.between[:, :n, :n], inverse)
        of_people = seen.sum(axis=1) - (point.person_slope**2).sum(axis=1)
        of_pairs = np.trace(seen_pairs, axis1=1, axis2=2) - (point.slope[:, :n] ** 2).sum(axis=1)
        bend = self._bend(point, inverse, spread, through)
        moved = [(bend * cells).sum(axis=(1, 2, 3)) for cells in self._moves_with_variances(point)]
        curvature = [(seen**2).sum(axis=1), (seen_pairs * seen_pairs.transpose(0, 2, 1)).sum(axis=(1, 2))]
        return np.stack([of_people + moved[0], of_pairs + moved[1]], axis=1), np.stack(curvature, axis=1)

    def shift(self, point: Point) -> Floats:
        """The distance of the difference from its joint mode to that of its own likelihood, effects integrated out.

        The joint mode draws it towards 0 [TK86]_.
        """
        n = self.n_effects
        bend = self._bend(point, *self._without_means(point))
        own = point.inverse[:, n:, n:]
        follow = self.scale()[:, :, None] * np.matmul(point.inverse[:, :, n:], np.linalg.inv(own))
        slope = np.empty((self.n_sets, 2))
        for mean in (0, 1):
            rest = follow[:, :, mean]
            people = -self.variances[:, :1] * _along(point.load, rest) / point.shrink
            slope[:, mean] = -(bend * self._cells(people, rest)).sum(axis=(1, 2, 3)) / 2
        shift = _along(own, slope)
        return shift[:, 1] - shift[:, 0]

    def _without_means(self, point: Point) -> tuple[Floats, Floats, Floats]:
        """The pairs' part of the inverse as if the means were known; people's load times the covariance that follows;
        and what of each person's variance comes through it."""
        n = self.n_effects
        full = point.inverse
        inverse = full[:, :n, :n] - np.matmul(
            full[:, :n, n:], np.linalg.solve(full[:, n:, n:], full[:, n:, :n])
        )
        scale = self.scale()[:, :n]
        spread = np.matmul(point.load[:, :, :n], scale[:, :, None] * inverse * scale[:, None, :])
        return inverse, spread, (spread * point.load[:, :, :n]).sum(axis=2)

    def _bend(self, point: Point, inverse: Floats, spread: Floats, through: Floats) -> Floats:
        """The slope of the log determinant with the log odds of each cell, through its weight."""
        share = self.variances[:, :1] / point.shrink
        people = (share + share**2 * through).reshape(self.n_sets, self.people_sets, self.n_people, 1)
        pairs = self.variances[:, 1:] * np.diagonal(inverse, axis1=1, axis2=2)
        pairs = pairs.reshape(self.n_sets, self.pair_sets, 1, self.n_pairs)
        leverage = people + pairs + self._by_condition(-2 * share[:, :, None] * spread)
        bend: Floats = point.weight * (1 - 2 * point.share) * leverage
        return bend

    def _moves_with_variances(self, point: Point) -> Iterator[Floats]:
        """The slope of the log odds of each cell with the participants' variance, then with the pairs'."""
        variance, scale, n = self.variances[:, :1], self.scale(), self.n_effects
        pull = -scale * _times(point.person_slope / point.shrink, point.load)
        rest = scale * _along(point.inverse, pull)
        yield self._cells((point.person_slope - variance * _along(point.load, rest)) / point.shrink, rest)
        rest = scale * _along(point.inverse[:, :, :n], point.slope[:, :n] / scale[:, :n])
        yield self._cells(-variance * _along(point.load, rest) / point.shrink, rest)

    def scale(self) -> Floats:
        """The pairs' SD for each pair, 1 for each mean."""
        scale = np.ones((self.n_sets, self.n_effects + 2))
        scale[:, : self.n_effects] = np.sqrt(self.variances[:, 1:])
        return scale

    def _columns(self, condition: int) -> slice:
        first = 0 if self.answers.same_pairs else condition * self.n_pairs
        return slice(first, first + self.n_pairs)

    def _of_people(self, values: Floats) -> Floats:
        """(set, condition, participant) to one value for each person."""
        kept = values.sum(axis=1) if self.answers.same_people else values
        return kept.reshape(self.n_sets, -1)

    def _of_pairs(self, values: Floats) -> Floats:
        kept = values.sum(axis=1) if self.answers.same_pairs else values
        return kept.reshape(self.n_sets, -1)

    def _cells(self, people: Floats, rest: Floats) -> Floats:
        """Mean + person + pair for each (set, condition, participant, pair)."""
        n = self.n_effects
        cells: Floats = (
            people.reshape(self.n_sets, self.people_sets, self.n_people, 1)
            + rest[:, :n].reshape(self.n_sets, self.pair_sets, 1, self.n_pairs)
            + rest[:, n:, None, None]
        )
        return cells

    def _by_condition(self, values: Floats) -> Floats:
        """(set, person, pair effect) to (set, condition, participant, pair)."""
        split = values.reshape(self.n_sets, self.people_sets, self.n_people, self.n_effects)
        return np.stack(
            [split[:, condition % self.people_sets, :, self._columns(condition)] for condition in (0, 1)],
            axis=1,
        )

    def _load(self, weight: Floats) -> tuple[Floats, Floats]:
        """The weights as (set, person, pair effects and means), and each person's sum of them."""
        load = np.zeros((self.n_sets, self.people_sets, self.n_people, self.n_effects + 2))
        sums = weight.sum(axis=3)
        for condition in (0, 1):
            person = condition % self.people_sets
            load[:, person, :, self._columns(condition)] += weight[:, condition]
            load[:, person, :, self.n_effects + condition] += sums[:, condition]
        return load.reshape(self.n_sets, -1, self.n_effects + 2), self._of_people(sums)

    def _spread(self, weight: Floats) -> Floats:
        """The curvature for pairs and means before people are eliminated."""
        spread = np.zeros((self.n_sets, self.n_effects + 2, self.n_effects + 2))
        sums = weight.sum(axis=2)
        for condition in (0, 1):
            mean = self.n_effects + condition
            columns = self._columns(condition)
            effects = np.arange(columns.start, columns.stop)
            spread[:, effects, effects] += sums[:, condition]
            spread[:, effects, mean] += sums[:, condition]
            spread[:, mean, effects] += sums[:, condition]
            spread[:, mean, mean] += sums[:, condition].sum(axis=1)
        return spread


def _times(values: Floats, load: Floats) -> Floats:
    product: Floats = np.matmul(values[:, None, :], load)[:, 0]
    return product


def _along(load: Floats, values: Floats) -> Floats:
    product: Floats = np.matmul(load, values[:, :, None])[:, :, 0]
    return product
