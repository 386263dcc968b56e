"""Calibration of judges that learn: how many held-out pairs one wins, and the weights of one that learns from votes."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import expit, ndtr

from analysis.learning.cross_fitting import final_judge
from analysis.learning.examples import Example
from analysis.learning.paths import Path
from analysis.learning.training import interval_of
from analysis.learning.votes import Votes
from analysis.stats.intervals import Floats
from bench.calibration_case import COVERAGE, Case, Goal, Hit, holds, interval, within

_NOWHERE = Path(np.array([0.0, 1.0]), np.zeros(2), np.zeros(2), np.zeros(2), None)
_BETTER, _NUMBERS, _VOTES = 1.0, 4, 8
_WEIGHTS = np.array([0.8, 0.4, 0.0, 0.0])


def _example(row: int, maker: str, *, is_human: bool) -> Example:
    return Example(str(row), str(row), is_human, "human" if is_human else "agent", maker, "", _NOWHERE)


def _won(players: int, versions: int, each: int, sd: float) -> Case:
    """A judge's values of clips: those of people higher by 1, with a random effect of each player and each version."""
    pairs = players * each
    truth = float(ndtr(_BETTER / np.sqrt(2 + 2 * sd**2)))
    player = np.repeat(np.arange(players), each)

    def simulate(rng: np.random.Generator, seed: int) -> Sequence[Hit]:
        version = rng.permutation(np.arange(pairs) % versions)
        human = _BETTER + sd * rng.standard_normal(players)[player] + rng.standard_normal(pairs)
        agent = sd * rng.standard_normal(versions)[version] + rng.standard_normal(pairs)
        examples = [
            *(_example(row, f"p{who}", is_human=True) for row, who in enumerate(player)),
            *(_example(pairs + row, f"v{who}", is_human=False) for row, who in enumerate(version)),
        ]
        won = (human > agent).astype(float)
        tested = [(row, pairs + row) for row in range(pairs)]
        drawn = won[rng.integers(pairs, size=(1_000, pairs))].mean(axis=1)
        low, high = np.quantile(drawn, [0.025, 0.975])
        return holds(interval_of(examples, tested, won, seed), truth), within(low, truth, high)

    return Case(
        f"trained-{players}x{each}-{versions}{'' if sd else '-alike'}",
        f"{pairs} held-out pairs of {players} players and {versions} versions of an agent (SD {sd:g} of each's own, 1 "
        f"of clips), a judge that is right in {truth:.0%}",
        (
            interval("trained judge: share of held-out pairs", "not the luck of what it was trained on"),
            Goal("percentile bootstrap over pairs", COVERAGE, "not given; it was before 0.4", shows=True),
        ),
        simulate,
        1_000,
    )


def _votes(rng: np.random.Generator, groups: int) -> Votes:
    """Two pairs in each group of clips; the first two numbers make a clip likelier to be chosen."""
    pairs = 2 * groups
    table = rng.standard_normal((2 * pairs, _NUMBERS))
    first, second = np.arange(pairs), pairs + np.arange(pairs)
    chance = expit((table[first] - table[second]) @ _WEIGHTS + 0.4 * rng.standard_normal(pairs))
    pair, person = (codes.ravel() for codes in np.indices((pairs, _VOTES)))
    value: Floats = (rng.random(len(pair)) < chance[pair]).astype(float)
    nothing: npt.NDArray[np.bool_] = np.zeros(pairs, dtype=np.bool_)
    return Votes(table, np.concatenate([first, first]) // 2, first, second, nothing, pair, person, value)


def _weights(groups: int) -> Case:
    names = [f"number {number}" for number in range(_NUMBERS)]

    def simulate(rng: np.random.Generator, seed: int) -> Sequence[Hit]:
        votes = _votes(rng, groups)
        found = {weight.name: weight for weight in final_judge(votes, votes.group, names, seed)[1]}
        # A weight is for one SD of the clips' numbers, as they happen to be.
        truth = _WEIGHTS * votes.table.std(axis=0)
        held = [
            within(found[name].low, true, found[name].high) for name, true in zip(names, truth, strict=True)
        ]
        return held[:3]

    return Case(
        f"weights-{2 * groups}",
        f"{2 * groups} pairs in {groups} groups, {_VOTES} votes each; weights .8, .4, 0 and 0",
        (
            *(
                Goal(
                    f"judge of votes: weight {weight}",
                    COVERAGE,
                    "not printed: the ridge draws it to 0",
                    shows=True,
                )
                for weight in (".8", ".4")
            ),
            interval("judge of votes: weight 0", "says on which side of 0 a weight lies"),
        ),
        simulate,
        200,
    )


CASES: tuple[Case, ...] = (
    _won(5, 5, 3, 0.0),
    _won(5, 5, 3, 0.7),
    _won(8, 4, 4, 0.7),
    _won(20, 5, 3, 0.0),
    _won(20, 5, 3, 0.7),
    _won(20, 10, 5, 0.7),
    *map(_weights, (20, 40, 80)),
)
