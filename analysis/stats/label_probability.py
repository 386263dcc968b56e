"""The probability of a label if votes on a pair may err together: a hierarchical model of votes.

In the model of Dawid and Skene votes are independent given the label. They are not: a hard pair misleads most of those
who see it, and five votes that agree for such a reason are taken for near certainty. Here the log odds that participant
j names the label of pair i are their skill and the pair's own shift, theta_j + d_i, both normal: the multilevel model
of [Car08]_ with one coin. Parameters that the data leave open (how good people are, how far pairs differ) are averaged
over.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit, log_expit, logsumexp

from analysis.stats.agreement.units import Codes
from analysis.stats.intervals import Floats

# Mean skill, spread of pairs and spread of participants, in log odds.
_SKILLS = np.array([0.1, 0.3, 0.5, 0.75, 1.0, 1.3, 1.7, 2.2, 3.0])
_OF_PAIRS = np.array([0.0, 0.3, 0.6, 0.9, 1.2, 1.6, 2.2])
_OF_PEOPLE = np.array([0.3, 1.0, 2.0])
# SDs of weak half-normal priors of skill and of the spread of pairs (docs/analysis.md).
_PRIOR_SKILL, _PRIOR_OF_PAIRS = 1.5, 2.0
# The mean of a logistic of normal log odds is nearly that of log odds divided by this, at the middle spread.
_DAMPED = (1 + np.pi / 8 * 0.6**2) ** 0.5

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(7)
_LOG_WEIGHTS = np.log(_WEIGHTS / _WEIGHTS.sum())

# Which way skill speaks: for a where a is the label, then against it.
_LABELS = np.repeat([1.0, -1.0], len(_NODES))

_STEPS = 6
_WORLDS, _SHARE = 8, 0.9
_WORK, _MOST_VOTES = 500_000, 1_000_000


Flags = npt.NDArray[np.bool_]
Votes = tuple[sparse.csr_array, sparse.csr_array]  # for a, and for b


@dataclass(frozen=True, slots=True)
class _World:
    """One point of the grid: the mean skill, the SD of pairs, and its weight given the counts of votes."""

    skill: float
    of_pairs: float
    weight: float

    @property
    def shifts(self) -> Floats:
        """The pairs' shifts at the nodes of the quadrature."""
        return self.of_pairs * _NODES


def log_odds_of_a(pair: Codes, person: Codes, side: Floats, n_pairs: int) -> Floats:
    """The log odds that a is the label of each pair; 0 for a pair without a vote.

    One row is one vote; `side` is 1 for a and -1 for b. Which member is called a, and the order of the votes, change
    nothing. With more than a million votes all participants count as equally skilled."""
    turned, order = _oriented(pair, person, side, n_pairs)
    pair, person, side = pair[order], person[order], (side * turned[pair])[order]
    counted = np.bincount(pair * 2 + (side > 0), minlength=2 * n_pairs).reshape(n_pairs, 2)
    worlds, from_counts = _from_counts(counted)
    if len(pair) > _MOST_VOTES:
        return turned * from_counts
    most = max(1, _WORK // max(1, len(pair) * len(_OF_PEOPLE)))
    worlds = worlds[:most]
    votes = _votes(pair, person, side > 0, n_pairs), _votes(pair, person, side < 0, n_pairs)
    weights, shares = [], []
    for world in worlds:
        fits = [_fitted(votes, world, float(spread)) for spread in _OF_PEOPLE]
        spoken = np.array([fit[1] for fit in fits])
        weights += (world.weight * np.exp(spoken - logsumexp(spoken))).tolist()
        shares += [fit[0] for fit in fits]
    share = np.array(weights) @ np.array(shares) / np.sum(weights)
    share = np.clip(share, 1e-12, 1 - 1e-12)
    return turned * np.where(counted.sum(axis=1) > 0, np.log(share / (1 - share)), 0.0)


def _oriented(pair: Codes, person: Codes, side: Floats, n_pairs: int) -> tuple[Floats, Codes]:
    """A sign for each pair that makes its first voter's vote 1, and the order of pairs and voters."""
    width = int(person.max(initial=0)) + 1
    keys, place = np.unique(pair * width + person, return_inverse=True)
    net = np.sign(np.bincount(place, side, len(keys)))
    decided = np.flatnonzero(net)[::-1]
    turned = np.ones(n_pairs)
    # From the last to the first: the first that is decided stays.
    turned[keys[decided] // width] = net[decided]
    return turned, np.lexsort((side * turned[pair], person, pair))


def _votes(pair: Codes, person: Codes, among: Flags, n_pairs: int) -> sparse.csr_array:
    """The number of times each participant (column) gave one of the votes in `among` on each pair (row)."""
    # Sparse: labels of a million votes took five times as long without (CHANGELOG.md).
    shape = (n_pairs, int(person.max(initial=-1)) + 1)
    cells = (pair[among], person[among])
    return sparse.coo_array((np.ones(len(cells[0])), cells), shape=shape).tocsr()


def _from_counts(votes: Codes) -> tuple[list[_World], Floats]:
    """The likeliest worlds by the pairs' counts of votes alone, and the log odds of the labels by these."""
    kinds, place, times = np.unique(votes, axis=0, return_inverse=True, return_counts=True)
    against, for_it = kinds.T[:, :, np.newaxis]
    spoken, odds = np.empty((len(_SKILLS), len(_OF_PAIRS))), {}
    for at in np.ndindex(spoken.shape):
        skill, spread = _SKILLS[at[0]], _OF_PAIRS[at[1]]
        right = (skill + spread * _NODES) / _DAMPED
        label, other = (
            logsumexp(_LOG_WEIGHTS + k * log_expit(right) + m * log_expit(-right), axis=1)
            for k, m in ((for_it, against), (against, for_it))
        )
        prior = -((skill / _PRIOR_SKILL) ** 2) / 2 - (spread / _PRIOR_OF_PAIRS) ** 2 / 2
        spoken[at] = times @ np.logaddexp(label, other) + prior
        odds[at] = label - other
    weight = np.exp(spoken - logsumexp(spoken))
    ranked: Sequence[int] = np.argsort(-weight, axis=None, kind="stable").tolist()
    n = int(np.searchsorted(np.cumsum(weight.ravel()[ranked]), _SHARE)) + 1
    chosen = [np.unravel_index(number, weight.shape) for number in ranked[: min(n, _WORLDS)]]
    worlds = [_World(float(_SKILLS[i]), float(_OF_PAIRS[j]), float(weight[i, j])) for i, j in chosen]
    share = sum(weight[at] * expit(odds[at]) for at in np.ndindex(spoken.shape))
    share = np.clip(share, 1e-12, 1 - 1e-12)
    return worlds, np.log(share / (1 - share))[place.ravel()]


def _fitted(votes: Votes, world: _World, spread: float) -> tuple[Floats, float]:
    """The share of each pair's probability that is for a, with the skills at their mode, and the log evidence."""
    for_a, for_b = votes
    by_person_a, by_person_b = for_a.T, for_b.T
    n_people = for_a.shape[1]
    skill: Floats = np.full(n_people, world.skill)
    curvature: Floats = np.ones(n_people)
    for _ in range(_STEPS):
        # Of a vote for a, by participant: one column for each shift if the label is a, then if it is b.
        odds = _LABELS * skill[:, np.newaxis] + np.tile(world.shifts, 2)
        share, evidence = _posterior(for_a @ log_expit(odds) + for_b @ log_expit(-odds))
        chance = expit(odds)
        given = by_person_a @ share
        expected = (given + by_person_b @ share) * chance
        slope = (_LABELS * (given - expected)).sum(axis=1)
        curvature = (expected * (1 - chance)).sum(axis=1) + 1 / spread**2
        step = slope - (skill - world.skill) / spread**2
        # Steps of one at most: Newton's method overshoots where the logistic is flat.
        skill += np.clip(step / curvature, -1.0, 1.0)
    penalty = ((skill - world.skill) ** 2).sum() / (2 * spread**2) + n_people * np.log(spread)
    of_a: Floats = share[:, : len(_NODES)].sum(axis=1)
    # Laplace's approximation: the log posterior at the mode less half the log of its curvature.
    return of_a, float(evidence.sum() - penalty - np.log(curvature).sum() / 2)


def _posterior(spoken: Floats) -> tuple[Floats, Floats]:
    """For each pair the probability of each label and shift, and the log of their sum."""
    spoken = spoken + np.tile(_LOG_WEIGHTS, 2)
    evidence: Floats = logsumexp(spoken, axis=1)
    return np.exp(spoken - evidence[:, np.newaxis]), evidence
