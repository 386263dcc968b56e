"""The number of simulated studies in which a test finds a difference."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import ceil

import numpy as np

from analysis.options import LEVEL
from analysis.planning.asked import Test
from analysis.planning.laplace import Answers
from analysis.planning.mixed import differences
from analysis.planning.ranks import mann_whitney_p, signed_rank_p, tally
from analysis.planning.world import BATCH, Block, Booleans, World, blocks
from analysis.stats.estimates import Estimate
from analysis.stats.intervals import Floats, Interval, wilson

Progress = Callable[[int, int, str], None]

MONTE_CARLO = "Wilson interval of the share of simulated studies"
_CELLS = 500_000


@dataclass(frozen=True, slots=True)
class Size:
    """Participants (of each group, or the one group), and trials of each in each condition."""

    participants: int
    trials: int


@dataclass(frozen=True, slots=True)
class DetectionCount:
    """`n_found` of `n` studies have a p below alpha; in `n_untestable` everybody answered alike in a condition."""

    n: int
    n_found: int
    n_untestable: int

    @property
    def share(self) -> float:
        return self.n_found / self.n

    def range(self) -> tuple[float, float]:
        """The 95% Wilson interval of the share, which reflects the number of simulations."""
        low, high = wilson(np.array([self.n_found]), np.array([self.n]))
        return float(low[0]), float(high[0])

    def estimate(self, seed: int) -> Estimate:
        return Estimate(self.share, self.n, Interval(*self.range(), LEVEL, MONTE_CARLO, 0, seed, None), None)


def simulate(
    world: World,
    test: Test,
    size: Size,
    *,
    alpha: float,
    simulations: int,
    on_progress: Progress | None = None,
) -> DetectionCount:
    """Draw studies from `world` and test each; two-sided at `alpha`."""
    n_found = n_untestable = 0
    for batch in range(ceil(simulations / BATCH)):
        n = min(BATCH, simulations - batch * BATCH)
        made = blocks(world, batch, size.participants, size.trials)
        if test == "mixed":
            found, alike = _by_model(world, list(made), n, size, alpha)
        else:
            p = _p_of_ranks(test, made, size.trials)[:n]
            found, alike = p < alpha, np.zeros(n, dtype=bool)
        n_found += int(found.sum())
        n_untestable += int(alike.sum())
        if on_progress:
            on_progress(batch * BATCH + n, simulations, _words(test, size))
    return DetectionCount(simulations, n_found, n_untestable)


def _words(test: Test, size: Size) -> str:
    return f"{test}, {size.participants:,} participants, {size.trials} trials"


def _p_of_ranks(test: Test, made: Iterable[Block], trials: int) -> Floats:
    """p of each study of the batch, from each participant's number of 1s."""
    counts = np.concatenate([block.right.sum(axis=0) for block in made], axis=2)
    if test == "wilcoxon":
        return signed_rank_p(tally(counts[:, 1] - counts[:, 0] + trials, 2 * trials + 1))
    first, second = (tally(counts[:, condition], trials + 1) for condition in (0, 1))
    return mann_whitney_p(first, second)


def _by_model(world: World, made: list[Block], n: int, size: Size, alpha: float) -> tuple[Booleans, Booleans]:
    """True if the model's p is below `alpha`, and True if a condition has one answer only."""
    found, alike = [], []
    for part in _parts(n, 2 * size.participants * (world.pairs or size.trials)):
        right, asked = (
            np.concatenate(cells, axis=2)
            for cells in zip(*(_dense(block, part, world.pairs) for block in made), strict=True)
        )
        fitted = differences(Answers(right, asked, world.same_people, world.same_pairs))
        ones, all_of_them = right.sum(axis=(2, 3)), asked.sum(axis=(2, 3))
        one_answer = ((ones == 0) | (ones == all_of_them)).any(axis=1)
        alike.append(one_answer)
        found.append((fitted.p < alpha) & ~one_answer)
    return np.concatenate(found), np.concatenate(alike)


def _parts(n: int, cells: int) -> Iterator[slice]:
    """The studies in parts that stay small in memory."""
    step = max(1, _CELLS // cells)
    return (slice(first, min(first + step, n)) for first in range(0, n, step))


def _dense(block: Block, part: slice, n_pairs: int | None) -> tuple[Floats, Floats]:
    """`right` and `asked` as (study, condition, participant, pair)."""
    right = np.moveaxis(block.right[:, part], 0, -1).astype(float)
    if block.pair is None or n_pairs is None:
        return right, np.ones_like(right)
    pair = np.moveaxis(block.pair[:, part], 0, -1)
    answered, asked = (np.zeros((*right.shape[:-1], n_pairs)) for _ in range(2))
    np.put_along_axis(answered, pair, right, axis=-1)
    np.put_along_axis(asked, pair, 1.0, axis=-1)
    return answered, asked
