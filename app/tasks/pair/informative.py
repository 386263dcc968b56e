"""The pairs of a session by the information that they are expected to give about the order of sources. Pure, seeded.

Strengths are those of Bradley and Terry's model, the mode under a normal prior, from the answers so far. An answer to a
pair of sources adds p(1 - p) to the information on their difference, p being the chance that the first is chosen; as
the difference is not known, this is its mean over what is known of it. Pairs are taken one by one, each the one that
lowers most the mean over all pairs of sources of p(1 - p) times the variance of their difference, which is twice the
loss, in logarithmic score, of predicting a choice from the estimates: a difference counts as far as its order is open.
That alone would leave a source far from all others with a wider interval than even allocation does, so a tenth of what
is lowered is the mean variance of strengths. Pairs that are planned and not yet answered count as if they were.

This is an optimal design for paired comparisons [GS08]_, made sequential as in Crowd-BT [CBC13]_ and ASAP [MWP21]_, who
take the gain of information in its place. bench/allocation.md compares the criteria.

A floor keeps each pair of sources at a tenth of its even share at least, and shows each once before any is preferred.
"""

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.tasks.pair.design import Member, PairToPlan
from app.trials.design import Kind

Sources = tuple[str, str]
Wins = Mapping[Sources, int]
"""The number of answers by the source that was chosen and the one that was not."""

# Of the even share. A floor of zero would leave a pair that looked settled early never checked again.
FLOOR = 0.1
# Of the loss: with a tenth, seven sources alike and one far ahead take as many answers as with even allocation for each
# kind of interval (bench/allocation.md), and others hardly more than with none.
OF_STRENGTHS = 0.1
# The prior's standard deviation of a strength in log odds: wide (odds of 7 to 1 are one of it), and finite where a
# source never lost.
_PRIOR_SD = 2.0
_MOST_STEPS, _CLOSE = 25, 1e-6
Matrix = list[list[float]]


@dataclass(slots=True)
class _Group:
    """The pairs of two sources: those not chosen yet, least exposed first, and how often any was or will be shown."""

    sources: Sources
    left: list[PairToPlan]
    size: int
    n: int

    @property
    def floor(self) -> float:
        """The least share of its even share. Pairs of one source order none: they are shown as evenly as ever."""
        return FLOOR if self.sources[0] != self.sources[1] else 1.0


def choose_informative(
    pairs: Sequence[PairToPlan],
    sources: Mapping[int, Sources],
    wins: Wins,
    exposure: Mapping[int, int],
    n: int,
    rng: random.Random,
) -> tuple[PairToPlan, ...]:
    """The pairs of a session that is to get `n` of the main ones, in the study file's order, for `plan_session`.

    `sources` are those of each pair by its id, `exposure` as for `choose_pairs`. All practice and attention pairs; of
    the pairs of two sources, those with the least exposure first, random among equals; groups random among equals. For
    the first of two counterbalanced sessions, as `choose_pairs` is.
    """
    if n < 1:
        raise ValueError(f"per_participant is {n}; a participant sees at least one pair")
    chosen = {pair.id for pair in pairs if pair.kind is not Kind.MAIN}
    groups = _groups([pair for pair in pairs if pair.kind is Kind.MAIN], sources, exposure, rng)
    n_pairs, n_shown = sum(group.size for group in groups), sum(group.n for group in groups)
    n = min(n, n_pairs)
    known = _Known(groups, wins)
    for _ in range(n):
        open_ = [group for group in groups if group.left]
        even = (n_shown + n) / n_pairs
        behind = [group for group in open_ if group.n < group.floor * even * group.size]
        if behind:
            group = min(behind, key=lambda group: group.n / (group.floor * group.size))
        else:
            group = max(open_, key=known.gain)
        chosen.add(group.left.pop(0).id)
        group.n += 1
        known.add(group)
    return tuple(pair for pair in pairs if pair.id in chosen)


def wins_of(sources: Mapping[int, Sources], choices: Mapping[tuple[int, Member], int]) -> Wins:
    """Answers by source chosen and not, from those by pair and member chosen."""
    wins: Counter[Sources] = Counter()
    for (pair, member), n in choices.items():
        a, b = sources[pair]
        wins[(a, b) if member is Member.A else (b, a)] += n
    return wins


def _groups(
    main: Sequence[PairToPlan],
    sources: Mapping[int, Sources],
    exposure: Mapping[int, int],
    rng: random.Random,
) -> list[_Group]:
    """In an order by chance, as `min` and `max` take the first of equals."""
    by_sources: dict[Sources, list[PairToPlan]] = {}
    for pair in main:
        one, other = sorted(sources[pair.id])
        by_sources.setdefault((one, other), []).append(pair)
    groups = []
    for key in rng.sample(sorted(by_sources), len(by_sources)):
        members = by_sources[key]
        shuffled = rng.sample(members, len(members))
        left = sorted(shuffled, key=lambda pair: exposure.get(pair.id, 0))
        groups.append(_Group(key, left, len(members), sum(exposure.get(pair.id, 0) for pair in members)))
    return groups


class _Known:
    """Covariance of the strengths, with the pairs that are shown or will be."""

    def __init__(self, groups: Sequence[_Group], wins: Wins) -> None:
        names = sorted({source for group in groups for source in group.sources})
        self._at = {name: at for at, name in enumerate(names)}
        at = self._at
        counted = [(at[a], at[b], n) for (a, b), n in wins.items() if a in at and b in at and a != b]
        self._strength, spread = _fitted(len(names), counted)
        # Expected information is taken over what the answers leave open, and fixed for this session.
        self._weight = {group.sources: self._information(spread, *self._places(group)) for group in groups}
        precision = _prior(len(names))
        for group in groups:
            _add(precision, *self._places(group), group.n * self._weight[group.sources])
        self._covariance = _inverse(precision)
        # Covariance times the goal times covariance: with it a gain takes four of its cells.
        self._loss = _product(_product(self._covariance, self._goal(spread)), self._covariance)

    def _places(self, group: _Group) -> tuple[int, int]:
        return self._at[group.sources[0]], self._at[group.sources[1]]

    def _information(self, spread: Matrix, i: int, j: int) -> float:
        """The mean of p(1 - p) over a normal difference, by MacKay's (1992) approximation of the logistic."""
        variance = _of_difference(spread, i, j)
        shrink = 1 / math.sqrt(1 + math.pi * max(variance, 0.0) / 8)
        return shrink * _slope(shrink * (self._strength[i] - self._strength[j]))

    def _goal(self, spread: Matrix) -> Matrix:
        """The weights by which the covariance gives the loss: differences, each as far as its order is open, and
        strengths, which sum to zero.
        """
        k = len(self._strength)
        order = [[0.0] * k for _ in range(k)]
        for i in range(k):
            for j in range(i):
                _add(order, i, j, self._information(spread, i, j))
        of_order = (1 - OF_STRENGTHS) / (sum(order[i][i] for i in range(k)) or 1.0)
        of_strengths = OF_STRENGTHS / max(k - 1, 1)
        return [
            [of_order * value + of_strengths * ((i == j) - 1 / k) for j, value in enumerate(row)]
            for i, row in enumerate(order)
        ]

    def gain(self, group: _Group) -> float:
        """The fall of the loss, were one pair more of these sources answered."""
        i, j = self._places(group)
        weight = self._weight[group.sources]
        return (
            weight * _of_difference(self._loss, i, j) / (1 + weight * _of_difference(self._covariance, i, j))
        )

    def add(self, group: _Group) -> None:
        """Count one pair more of these sources, by the formula of Sherman and Morrison."""
        i, j = self._places(group)
        weight = self._weight[group.sources]
        row, lost = (
            [a - b for a, b in zip(matrix[i], matrix[j], strict=True)]
            for matrix in (self._covariance, self._loss)
        )
        scale = weight / (1 + weight * (row[i] - row[j]))
        once = scale * scale * (lost[i] - lost[j])
        for at, (a, b) in enumerate(zip(row, lost, strict=True)):
            in_covariance, in_loss = scale * a, once * a - scale * b
            own, of_loss = self._covariance[at], self._loss[at]
            self._covariance[at] = [x - in_covariance * c for x, c in zip(own, row, strict=True)]
            self._loss[at] = [
                x + in_loss * c - in_covariance * d for x, c, d in zip(of_loss, row, lost, strict=True)
            ]


def _of_difference(matrix: Matrix, i: int, j: int) -> float:
    return matrix[i][i] + matrix[j][j] - 2 * matrix[i][j]


def _product(one: Matrix, other: Matrix) -> Matrix:
    columns = list(zip(*other, strict=True))
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in one]


def _slope(odds: float) -> float:
    """p(1 - p) at these log odds."""
    down = math.exp(-abs(odds))
    return down / (1 + down) ** 2


def _prior(k: int) -> Matrix:
    return [[_PRIOR_SD**-2 if i == j else 0.0 for j in range(k)] for i in range(k)]


def _add(precision: Matrix, i: int, j: int, weight: float) -> None:
    """Add information on a difference; none on that of a source with itself."""
    if i != j:
        precision[i][i] += weight
        precision[j][j] += weight
        precision[i][j] -= weight
        precision[j][i] -= weight


def _fitted(k: int, wins: Sequence[tuple[int, int, int]]) -> tuple[list[float], Matrix]:
    """The strengths' mode under the prior by Newton's method, and their covariance there (Laplace's approximation)."""
    strength = [0.0] * k
    spread = _inverse(_prior(k))
    for _ in range(_MOST_STEPS):
        precision = _prior(k)
        slope = [-value * _PRIOR_SD**-2 for value in strength]
        for i, j, n in wins:
            odds = strength[i] - strength[j]
            lost = 1 / (1 + math.exp(min(odds, 500.0)))
            slope[i] += n * lost
            slope[j] -= n * lost
            _add(precision, i, j, n * _slope(odds))
        spread = _inverse(precision)
        step = [sum(a * b for a, b in zip(row, slope, strict=True)) for row in spread]
        longest = max(map(abs, step), default=0.0)
        # Steps of two at most, as in the analysis: Newton's method overshoots where one source nearly always won.
        strength = [a + b / max(1.0, longest / 2) for a, b in zip(strength, step, strict=True)]
        if longest < _CLOSE:
            break
    return strength, spread


def _inverse(matrix: Matrix) -> Matrix:
    """The inverse of a positive definite matrix, by Gauss and Jordan: no pivoting is needed. There is no NumPy in the
    serving process, and of twenty sources this takes a millisecond.
    """
    k = len(matrix)
    rows = [[*row, *(1.0 if at == i else 0.0 for at in range(k))] for i, row in enumerate(matrix)]
    for i in range(k):
        scale = 1 / rows[i][i]
        own = rows[i] = [value * scale for value in rows[i]]
        for at, row in enumerate(rows):
            factor = row[i]
            if at != i and factor:
                rows[at] = [a - factor * b for a, b in zip(row, own, strict=True)]
    return [row[k:] for row in rows]
