"""The answers of simulated studies: participants and pairs crossed, on the log-odds scale.

The log odds of a 1 are the condition's mean, plus the participant's effect, plus the pair's. Everything is drawn from
streams that are numbered by batch of studies, block of people and trial. So a study with more participants, more
trials or another difference holds the smaller study's people, pairs and luck: searches compare like with like.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy
from scipy.special import expit

from analysis.planning.asked import Asked
from analysis.stats.intervals import Floats

BATCH = 100
_BLOCK = 32
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
_FARTHEST = 60.0

Booleans = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int16]

_PEOPLE, _PAIRS, _ORDER, _ANSWERS = range(4)


@dataclass(frozen=True, slots=True)
class World:
    """The population of studies. `pairs` of each condition (the same ones if `same_pairs`); `means` in log odds."""

    means: tuple[float, float]
    participant_sd: float
    pair_sd: float
    pairs: int | None
    same_people: bool
    same_pairs: bool
    seed: int


@dataclass(frozen=True, slots=True)
class Block:
    """Some people of a batch of studies: `right` is (trial, study, condition, person).

    `pair` is the pair of each answer in the same shape; None if trial k shows pair k to everyone.
    """

    right: Booleans
    pair: Numbers | None


def mean_for(share: float, sd: float) -> float:
    """The log odds whose share is `share` once a normal effect with `sd` is added and averaged over.

    Gauss-Hermite quadrature with 60 nodes.

    Examples
    --------
    >>> round(mean_for(0.8, 0.0), 4), round(mean_for(0.8, 1.0), 4)
    (1.3863, 1.6497)
    """
    root = scipy.optimize.brentq(lambda mean: marginal(mean, sd) - share, -_FARTHEST, _FARTHEST, xtol=1e-12)
    return float(root)


def marginal(mean: float, sd: float) -> float:
    """The share of answers that are 1, over all participants and pairs."""
    return float(_WEIGHTS @ expit(mean + sd * _NODES) / _WEIGHTS.sum())


def world_of(asked: Asked, share_to: float | None = None) -> World:
    """The world of a plan, or the one in which the second condition has `share_to` instead."""
    sd = float(np.hypot(asked.participant_sd, asked.pair_sd))
    shares = (asked.share_from, asked.share_to if share_to is None else share_to)
    first, second = (mean_for(share, sd) for share in shares)
    return World(
        means=(first, second),
        participant_sd=asked.participant_sd,
        pair_sd=asked.pair_sd,
        pairs=asked.pairs,
        same_people=asked.design == "within",
        same_pairs=not asked.own_pairs,
        seed=asked.seed,
    )


def blocks(world: World, batch: int, participants: int, trials: int) -> Iterator[Block]:
    """The answers of one batch of studies, people in blocks."""
    n_pairs = world.pairs or trials
    effects = _pair_effects(world, batch, n_pairs)
    for number, first in enumerate(range(0, participants, _BLOCK)):
        block = _block(world, batch, number, trials, effects)
        kept = slice(min(_BLOCK, participants - first))
        yield Block(block.right[..., kept], None if block.pair is None else block.pair[..., kept])


def _block(world: World, batch: int, number: int, trials: int, effects: Floats) -> Block:
    people = _stream(world, _PEOPLE, batch, number).standard_normal((BATCH, 2, _BLOCK))
    if world.same_people:
        people[:, 1] = people[:, 0]
    pair = None
    if trials < len(effects):
        pair = _orders(_stream(world, _ORDER, batch, number), len(effects), trials)
        seen = effects[pair, np.arange(BATCH)[:, None, None], np.arange(2)[:, None]]
    else:
        seen = effects[:, :, :, None]
    odds = np.array(world.means)[:, None] + world.participant_sd * people + seen
    luck = _stream(world, _ANSWERS, batch, number).random((trials, BATCH, 2, _BLOCK))
    return Block(luck < expit(odds), pair)


def _pair_effects(world: World, batch: int, n_pairs: int) -> Floats:
    """(pair, study, condition)."""
    drawn = _stream(world, _PAIRS, batch, 0).standard_normal((n_pairs, BATCH, 2))
    if world.same_pairs:
        drawn[..., 1] = drawn[..., 0]
    effects: Floats = world.pair_sd * drawn
    return effects


def _orders(rng: np.random.Generator, n_pairs: int, trials: int) -> Numbers:
    """For each person the first `trials` of a shuffle of the pairs, all people at once."""
    n = BATCH * 2 * _BLOCK
    cards = np.repeat(np.arange(n_pairs, dtype=np.int16)[:, None], n, axis=1)
    everyone = np.arange(n)
    # A shuffle of the first cards only, for all participants at once.
    for trial, luck in enumerate(rng.random((trials, n))):
        drawn = trial + (luck * (n_pairs - trial)).astype(np.int64)
        card = cards[drawn, everyone]
        cards[drawn, everyone] = cards[trial]
        cards[trial] = card
    return cards[:trials].reshape(trials, BATCH, 2, _BLOCK)


def _stream(world: World, kind: int, batch: int, block: int) -> np.random.Generator:
    # A stream for each use, batch and block: more people or trials leave what the others drew as it was.
    return np.random.default_rng(np.random.SeedSequence(world.seed, spawn_key=(kind, batch, block)))
