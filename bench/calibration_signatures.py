"""Cases of the calibration bench: distances of sources to people by a signature of paths, which have no interval.

The percentile bootstrap over players and clips runs next to them, to show why.
"""

from functools import cache

import numpy as np
from scipy.special import ndtr

from analysis.signatures.against import resampled, to_people
from analysis.signatures.measures import BINS, Counts, circular_emd
from analysis.stats.intervals import Floats, percentile_interval
from bench.calibration_case import COVERAGE, Case, Goal, Hit, Simulate, holds

HUMAN, AGENT = "human", "agent"
PEOPLE = 0.30, 0.25
"""The median spread of people's angles, in radians, and the SD of its logarithm over people."""
ANGLES = 100
WORLD = 4_000
RESAMPLES = 200
MOST = 100

Kind = tuple[float, float]


def _shares(spread: Floats) -> Floats:
    """For each spread, the shares of a normal angle around the circle in the 20 directions."""
    turns = 10
    edges = (np.arange(-turns * BINS, turns * BINS + 1) - 0.5) * 2 * np.pi / BINS
    line = np.diff(ndtr(edges[None] / spread[:, None]), axis=1)
    found: Floats = line.reshape(len(spread), -1, BINS).sum(axis=1)
    return found


def _spreads(rng: np.random.Generator, kind: Kind, n: int) -> Floats:
    median, sd = kind
    found: Floats = median * np.exp(rng.normal(0, sd, n))
    return found


@cache
def _truth(kind: Kind) -> float:
    """The true value: from so many people and players that more change nothing, without noise."""
    rng = np.random.default_rng(0)
    people = _shares(_spreads(rng, PEOPLE, WORLD))
    return float(circular_emd(_shares(_spreads(rng, kind, WORLD)).mean(axis=0)[None], people).mean())


def _draw(rng: np.random.Generator, kind: Kind, n: int, clips: int) -> dict[str, Counts]:
    return {
        f"p{at}": rng.multinomial(ANGLES, shares, size=clips).astype(float)
        for at, shares in enumerate(_shares(_spreads(rng, kind, n)))
    }


def _simulate(kind: Kind, people: int, players: int, clips: int) -> Simulate:
    def simulate(rng: np.random.Generator, seed: int) -> list[Hit]:
        counted = {HUMAN: _draw(rng, PEOPLE, people, clips), AGENT: _draw(rng, kind, players, clips)}
        drawn = resampled(counted, HUMAN, circular_emd, seed, RESAMPLES)[AGENT]
        own = {player: counts.sum(axis=0) for player, counts in counted[HUMAN].items()}
        value = to_people(
            np.sum([one.sum(axis=0) for one in counted[AGENT].values()], axis=0), own, circular_emd
        )
        low, high = np.quantile(drawn, (0.025, 0.975))
        turned = bool(2 * value - high <= _truth(kind) <= 2 * value - low)
        return [holds(percentile_interval(drawn, seed), _truth(kind)), turned]

    return simulate


def _case(name: str, said: str, kind: Kind, people: int, players: int, clips: int) -> Case:
    ways = ("percentile bootstrap", "basic bootstrap")
    return Case(
        f"signature-{name}-{people}-{players}",
        f"{people} people and {said} of {players} player{'s' * (players > 1)}, {clips} clips each of {ANGLES} angles",
        tuple(
            Goal(f"{way} of a signature's distance to people", COVERAGE, "not given", shows=True)
            for way in ways
        ),
        _simulate(kind, people, players, clips),
        MOST,
    )


_KINDS = (
    ("alike", "a source like them", PEOPLE),
    ("near", "an agent near them", (0.36, 0.0)),
    ("far", "an agent far from them", (0.60, 0.0)),
)
_SIZES = ((5, 1, 10), (5, 5, 10), (20, 1, 20), (20, 20, 20), (100, 5, 10))

CASES: tuple[Case, ...] = tuple(_case(*kind, *size) for kind in _KINDS for size in _SIZES)
